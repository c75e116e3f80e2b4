"""A store and a registry together: all that somebody who plays needs."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

from saniwa.core import there
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.ids import Ids
from saniwa.run.begin import open_run, resume
from saniwa.run.conductor import Run
from saniwa.run.ports import Listener, Narrator, Store
from saniwa.scenario.load import Scenario, load
from saniwa.scenario.registry import Registry
from saniwa.store.written import Written
from saniwa.wiring.once import Once
from saniwa.wiring.scenario import (
    book_layers,
    is_file,
    open_scenario,
    registry_place,
)
from saniwa.wiring.store import existing_store, find_run, open_store


class _Ports(TypedDict):
    listener: Listener | None
    narrator: Narrator | None
    ids: Ids | None
    clock: Clock | None


class Parts:
    """A store and a registry, for whoever plays: begins runs and goes on with them."""

    def __init__(
        self,
        store: Store | str | Path,
        registry: str | Path | None = None,
        *,
        listener: Listener | None = None,
        narrator: Narrator | None = None,
        ids: Ids | None = None,
        clock: Clock | None = None,
        together: bool = False,
    ) -> None:
        """Parts around a store, or around the place of one that is opened when needed.

        `together` as for `open_store`.
        """
        self._together = together
        self._opened: Store | None = None
        self._place: str | Path = "memory:"
        if isinstance(store, str | Path):
            self._place = store
        else:
            self._opened = store
        self._registry = registry
        self._scenarios = Once[Scenario](clock or SystemClock())
        self._ports: _Ports = {
            "listener": listener,
            "narrator": narrator,
            "ids": ids,
            "clock": clock,
        }

    @classmethod
    def open(
        cls,
        store: str | Path,
        registry: str | Path | None = None,
        *,
        must_exist: bool = False,
        listener: Listener | None = None,
        narrator: Narrator | None = None,
    ) -> "Parts":
        """The parts for a store at a place; `must_exist` makes no new one.

        Without it, a store that is not there is made by the first run that begins, and
        by nothing else.

        Raises:
            StoreError: As `open_store` does; without `must_exist`, when it is needed.
        """
        parts = cls(store, registry, listener=listener, narrator=narrator)
        if must_exist:
            parts._opened = existing_store(store)
        return parts

    @property
    def store(self) -> Store:
        """The store; made where there is none.

        Raises:
            StoreError: As `open_store` does.
        """
        if self._opened is None:
            self._opened = open_store(self._place, together=self._together)
        return self._opened

    @property
    def written(self) -> Written | None:
        """What was written into a file, and whether it is durable; None elsewhere."""
        return getattr(self._opened, "written", None)

    @property
    def place(self) -> str | Path:
        """Where the store is; `memory:` for one that was handed over open."""
        return self._place

    @property
    def registry(self) -> str | Path | None:
        """The registry that was named; None for the usual one."""
        return self._registry

    def begin(
        self,
        named: str | Mapping[str, Any],
        *,
        language: str | None = None,
        actor: str | None = None,
        book: str | Mapping[str, Any] | None = None,
        seed: int = 0,
        run_id: str = "",
        scenario: Scenario | None = None,
    ) -> Run:
        """A new run of a scenario, kept from its first moment.

        `run_id` is a name that was given out for it; empty for a fresh one. `scenario`
        is what `open_in_thread` gave for the name.

        Raises:
            StoreError: `RUN_EXISTS` if the name is taken.
            SaniwaError: The scenario, the book, the actor or the store is not as it
                must be; then nothing was kept.
        """
        scenario = scenario or self.opened(named)
        return open_run(
            scenario,
            book_layers(scenario, book),
            self.store,
            language=language,
            actor=actor,
            seed=seed,
            run_id=run_id,
            **self._ports,
        )

    def opened(self, named: str | Mapping[str, Any]) -> Scenario:
        """The scenario somebody means; from files that stay as they are, read once.

        Raises:
            SaniwaError: As `open_scenario` does.
        """
        if not isinstance(named, str):
            return open_scenario(named)
        place = Path(named) if is_file(named) else registry_place(self._registry)
        return self._scenarios.made(
            named, (place.parent,), lambda: open_scenario(named, self._registry)
        )

    async def open_in_thread(self, named: str) -> Scenario:
        """As `opened`; a scenario that must be read is read in a thread.

        Raises:
            SaniwaError: As `open_scenario` does.
        """
        place = Path(named) if is_file(named) else registry_place(self._registry)
        key = self._scenarios.key(named, (place.parent,))
        known = self._scenarios.known(key)
        if known is not None:
            return known
        read = await asyncio.to_thread(open_scenario, named, self._registry)
        return self._scenarios.remember(key, read)

    def resume(self, named: str) -> Run:
        """The run somebody means, standing where its last turn left it.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`, `TRACE_CORRUPT`;
                `STORE_UNREADABLE` where no store is, and none is made.
            RunError: `RUN_DIVERGED`.
        """
        if self._opened is None:
            self._opened = existing_store(self._place, together=self._together)
        return resume(find_run(self.store, named), self.store, **self._ports)

    def walkthrough(self, scenario_id: str) -> tuple[str, ...]:
        """The lines of `walkthroughs/ID.txt` beside the registry; none if it is not there."""
        folder = registry_place(self._registry).parent / "walkthroughs"
        path = folder / f"{scenario_id}.txt"
        # A scenario's name is its author's: it may look like a way to another folder.
        if Path(scenario_id).name != scenario_id or not there.is_file(path):
            return ()
        lines = path.read_text(encoding="utf-8").split("\n")
        return tuple(line for line in lines if line and not line.startswith("#"))

    def twin(self, run: Run) -> str | None:
        """The same scenario as written in the run's language, where it has one.

        By its name: the Japanese `lantern_island` is `lantern_island_ja`.

        Raises:
            SchemaValidationError: The registry has a mistake.
        """
        own, record = load(run.record.scenario).world.language, run.record
        if own == record.language:
            return None
        named = f"{record.scenario_id}_{record.language}"
        entries = Registry.open(registry_place(self._registry)).entries
        return next((e.scenario_id for e in entries if e.scenario_id == named), None)

    def close(self) -> None:
        """Let go of the store."""
        if self._opened is not None:
            self._opened.close()
