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
from saniwa.store.layout import RunRecord
from saniwa.store.memory import MemoryStore
from saniwa.world.model import Entity, Id, World


class Stage:
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
        self._record = opening_record(
            scenario,
            books,
            run_id=CountingIds().fresh("run"),
            created=0,
            actor=actor,
            language=language,
        )
        self._start = Start.of(self._record)
        self.opening = scenario.opening
        """The author's first words."""
        self.cast = _cast(scenario.document, self.world)
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

    def record(self, seed: int) -> RunRecord:
        """What a run with this seed begins with."""
        return msgspec.structs.replace(self._record, seed=seed)

    def run(self, seed: int) -> Run:
        """A run from the beginning, kept in memory alone, with nothing by chance."""
        record, store = self.record(seed), MemoryStore()
        store.create(record)
        return Run(
            record,
            store,
            start=self._start,
            ids=CountingIds(),
            clock=FixedClock(tick=0),
        )


def _cast(document: Mapping[str, Any], world: World) -> tuple[Entity, ...]:
    """The characters as their author lists them; a world has them by id."""
    written = [Id(name) for name in document.get("characters", {})]
    others = (who for who in world.cast if who not in written)
    return tuple(world.entities[who] for who in (*written, *others))
