"""Prepares scenarios for many runs: each is read once, and every run starts anew."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.experiment.plan import Condition, ExperimentCell, PreparedPlan
from saniwa.runs.run import Run
from saniwa.runs.run_factory import make_run_record
from saniwa.runs.timeline import TimelineStart
from saniwa.scenario.loader import Scenario, load_scenario
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.store.run_records import RunRecord
from saniwa.world.model import Entity, Id, World


class RunTemplate:
    """The immutable start of all runs with one scenario, book and language."""

    def __init__(
        self,
        scenario: Scenario,
        books: Sequence[Mapping[str, Any]],
        *,
        actor: str | None = None,
        language: str | None = None,
    ) -> None:
        """Read the scenario; `books` are the rulebook layers, lowest first.

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
        """The author's opening text."""
        self.cast = _list_cast(scenario.document, self.world)
        """All characters who can act, in the author's order."""

    @property
    def world(self) -> World:
        """The world at the start."""
        return self._start.world

    @property
    def actor(self) -> Id:
        """The character that a single player plays."""
        return Id(self._record.actor_id)

    @property
    def language(self) -> str:
        """The language of the run."""
        return self._record.language

    def make_record(self, seed: int) -> RunRecord:
        """Return the record that a run with this seed starts with."""
        return msgspec.structs.replace(self._record, seed=seed)

    def begin_run(self, seed: int) -> Run:
        """Start a run that is stored in memory only, with fixed ids and clock."""
        record, store = self.make_record(seed), MemoryRunStore()
        store.create(record)
        return Run(
            record,
            store,
            start=self._start,
            played=self.world.cast,
            ids=CountingIds(),
            clock=FixedClock(tick=0),
        )


def _list_cast(document: Mapping[str, Any], world: World) -> tuple[Entity, ...]:
    """List the characters in the author's order; a world has them by id."""
    written = [Id(name) for name in document.get("characters", {})]
    others = (who for who in world.cast if who not in written)
    return tuple(world.entities[who] for who in (*written, *others))


class CellRun(NamedTuple):
    """A run that is ready to be played."""

    run: Run
    """The run."""
    cast: tuple[Entity, ...]
    """The speakers, in the author's order."""
    opening: str
    """The author's opening text."""
    edition: str
    """The text of the prompt edition."""


class RunTemplates:
    """The run templates for the cells of one plan."""

    def __init__(self, prepared: PreparedPlan) -> None:
        self.prepared = prepared
        """The plan with everything it names."""
        self.fingerprint = prepared.fingerprint
        """The fingerprint of the plan."""
        self._templates = dict[tuple[str, str, str], RunTemplate]()

    def open_cell(self, cell: ExperimentCell) -> CellRun:
        """Start a new run of the cell's scenario, with its book and its language."""
        template = self._find_template(cell.scenario, cell.condition)
        editions = self.prepared.prompts[cell.condition.prompt]
        return CellRun(
            run=template.begin_run(cell.seed),
            cast=template.cast,
            opening=template.opening,
            edition=editions[template.language],
        )

    def make_record(self, scenario: str, condition: Condition, seed: int) -> RunRecord:
        """Return the record that a cell's run started with, for replaying it."""
        return self._find_template(scenario, condition).make_record(seed)

    def _find_template(self, scenario: str, condition: Condition) -> RunTemplate:
        key = (scenario, condition.rulebook, condition.language)
        if key not in self._templates:
            self._templates[key] = RunTemplate(
                load_scenario(self.prepared.settings[scenario].document),
                self.prepared.books[scenario][condition.rulebook],
                language=condition.language or None,
            )
        return self._templates[key]
