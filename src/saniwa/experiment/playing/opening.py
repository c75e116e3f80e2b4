"""Setting a table for a cell: a run of its own, kept in memory, with nothing by chance.

What cells have in common (a scenario read, a book built) is made once and shared: it is
frozen, and reading it takes longer than playing a cell.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.experiment.cell import Cell
from saniwa.experiment.plan import Condition, Prepared
from saniwa.run.conductor import Run
from saniwa.run.course import Start
from saniwa.run.opening import opening_record
from saniwa.scenario.load import load
from saniwa.store.layout import RunRecord
from saniwa.store.memory import MemoryStore
from saniwa.world.model import Entity, Id, World


class Table(NamedTuple):
    """A run that is ready to be played."""

    run: Run
    """The run."""
    cast: tuple[Entity, ...]
    """Who speaks, in the author's order."""
    opening: str
    """The author's first words."""
    edition: str
    """The prompt's text."""


class _Stage(NamedTuple):
    """What cells of one scenario, book and language have in common."""

    record: RunRecord
    start: Start
    opening: str
    cast: tuple[Entity, ...]


class Stages:
    """Tables for the cells of one plan."""

    def __init__(self, prepared: Prepared) -> None:
        self.prepared = prepared
        """The plan and all it needs."""
        self.fingerprint = prepared.fingerprint
        """What the plan is known by."""
        self._stages = dict[tuple[str, str, str], _Stage]()

    def table(self, cell: Cell) -> Table:
        """A fresh run of the cell's scenario, under its book and in its language."""
        condition = cell.condition
        stage = self._stage(cell.scenario, condition)
        record = msgspec.structs.replace(stage.record, seed=cell.seed)
        store = MemoryStore()
        store.create(record)
        run = Run(
            record,
            store,
            start=stage.start,
            ids=CountingIds(),
            clock=FixedClock(tick=0),
        )
        editions = self.prepared.prompts[condition.prompt]
        return Table(
            run=run,
            cast=stage.cast,
            opening=stage.opening,
            edition=editions[record.language],
        )

    def record(self, scenario: str, condition: Condition, seed: int) -> RunRecord:
        """What a cell's run began with, for playing it again."""
        stage = self._stage(scenario, condition)
        return msgspec.structs.replace(stage.record, seed=seed)

    def _stage(self, scenario: str, condition: Condition) -> _Stage:
        key = (scenario, condition.rulebook, condition.language)
        if key not in self._stages:
            self._stages[key] = self._set(scenario, condition)
        return self._stages[key]

    def _set(self, scenario: str, condition: Condition) -> _Stage:
        opened = load(self.prepared.settings[scenario].document)
        record = opening_record(
            opened,
            self.prepared.books[scenario][condition.rulebook],
            run_id=CountingIds().fresh("run"),
            created=0,
            language=condition.language or None,
        )
        start = Start.of(record)
        return _Stage(
            record, start, opened.opening, _cast(opened.document, start.world)
        )


def _cast(document: Mapping[str, Any], world: World) -> tuple[Entity, ...]:
    """The characters as their author lists them; a world has them by id."""
    written = [Id(name) for name in document.get("characters", {})]
    others = (who for who in world.cast if who not in written)
    return tuple(world.entities[who] for who in (*written, *others))
