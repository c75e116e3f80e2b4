"""A scenario set up to be played again and again: read once, begun anew each time."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.run.conductor import Run
from saniwa.run.course import Start
from saniwa.run.opening import opening_record
from saniwa.scenario.load import Scenario
from saniwa.store.memory import MemoryStore
from saniwa.world.model import Id, World


class Stage:
    """What all episodes of one environment begin with."""

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
        self._record = opening_record(
            scenario,
            books,
            run_id=CountingIds().fresh("run"),
            created=0,
            actor=actor,
            language=language,
        )
        self._start = Start.of(self._record)
        self.name = scenario.id
        """The scenario's id."""
        self.opening = scenario.opening
        """The author's first words."""

    @property
    def world(self) -> World:
        """What is true at first."""
        return self._start.world

    @property
    def actor(self) -> Id:
        """Whom a single player plays."""
        return Id(self._record.actor_id)

    @property
    def cast(self) -> tuple[Id, ...]:
        """Everybody who can act, in the author's order."""
        return tuple(who.id for who in self.world.characters())

    def run(self, seed: int) -> Run:
        """A run from the beginning, kept in memory alone, with nothing by chance."""
        record = msgspec.structs.replace(self._record, seed=seed)
        store = MemoryStore()
        store.create(record)
        return Run(
            record,
            store,
            start=self._start,
            ids=CountingIds(),
            clock=FixedClock(tick=0),
        )
