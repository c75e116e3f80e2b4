"""A scenario set up to be played again and again: read once, begun anew each time."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.experiment.plan import Condition, ExperimentCell, PreparedPlan
from saniwa.runs.run import Run
from saniwa.runs.timeline import TimelineStart, make_run_record
from saniwa.scenario.loader import Scenario, load_scenario
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.store.run_records import RunRecord
from saniwa.world.model import Entity, Id, World


class RunTemplate:
    """What all runs of one scenario, book and language begin with; nothing changes it."""

    def __init__(
        self,
        scenario: Scenario,
        books: Sequence[Mapping[str, Any]],
        *,
        actor: str | None = None,
        language: str | None = None,
    ) -> None:
        """Read the scenario; `books` are the layers that judge, lowest first.

        Raises:
            RunError: `ACTOR_UNKNOWN`, `LANGUAGE_UNKNOWN`.
        """
        self._record = make_run_record(
            scenario,
            books,
            run_id=CountingIds().create_id("run"),
            created=0,
            actor=actor,
            language=language,
        )
        self._start = TimelineStart.from_record(self._record)
        self.opening = scenario.opening
        """The author's first words."""
        self.cast = _list_cast(scenario.document, self.world)
        """Everybody who can act, in the author's order."""

    @property
    def world(self) -> World:
        """What is true at first."""
        return self._start.world

    @property
    def actor(self) -> Id:
        """Whom a single player plays."""
        return Id(self._record.actor_id)

    @property
    def language(self) -> str:
        """The language it is told in."""
        return self._record.language

    def make_record(self, seed: int) -> RunRecord:
        """What a run with this seed begins with."""
        return msgspec.structs.replace(self._record, seed=seed)

    def begin_run(self, seed: int) -> Run:
        """A run from the beginning, kept in memory alone, with nothing by chance."""
        record, store = self.make_record(seed), MemoryRunStore()
        store.create(record)
        return Run(
            record,
            store,
            start=self._start,
            ids=CountingIds(),
            clock=FixedClock(tick=0),
        )


def _list_cast(document: Mapping[str, Any], world: World) -> tuple[Entity, ...]:
    """The characters as their author lists them; a world has them by id."""
    written = [Id(name) for name in document.get("characters", {})]
    others = (who for who in world.cast if who not in written)
    return tuple(world.entities[who] for who in (*written, *others))


class CellRun(NamedTuple):
    """A run that is ready to be played."""

    run: Run
    """The run."""
    cast: tuple[Entity, ...]
    """Who speaks, in the author's order."""
    opening: str
    """The author's first words."""
    edition: str
    """The prompt's text."""


class RunTemplates:
    """Tables for the cells of one plan."""

    def __init__(self, prepared: PreparedPlan) -> None:
        self.prepared = prepared
        """The plan and all it needs."""
        self.fingerprint = prepared.fingerprint
        """What the plan is known by."""
        self._stages = dict[tuple[str, str, str], RunTemplate]()

    def open_cell(self, cell: ExperimentCell) -> CellRun:
        """A fresh run of the cell's scenario, under its book and in its language."""
        stage = self._find_template(cell.scenario, cell.condition)
        editions = self.prepared.prompts[cell.condition.prompt]
        return CellRun(
            run=stage.begin_run(cell.seed),
            cast=stage.cast,
            opening=stage.opening,
            edition=editions[stage.language],
        )

    def make_record(self, scenario: str, condition: Condition, seed: int) -> RunRecord:
        """What a cell's run began with, for playing it again."""
        return self._find_template(scenario, condition).make_record(seed)

    def _find_template(self, scenario: str, condition: Condition) -> RunTemplate:
        key = (scenario, condition.rulebook, condition.language)
        if key not in self._stages:
            self._stages[key] = RunTemplate(
                load_scenario(self.prepared.settings[scenario].document),
                self.prepared.books[scenario][condition.rulebook],
                language=condition.language or None,
            )
        return self._stages[key]
