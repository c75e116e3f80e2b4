"""Begins and resumes runs, from a store and a registry.

Scenarios are cached while their files do not change.
"""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Generic, TypeVar, Unpack

from saniwa.app.run_stores import (
    find_run,
    has_play_records,
    open_existing_store,
    open_play_records,
    open_store,
)
from saniwa.app.scenario_lookup import (
    is_document_file,
    load_book_layers,
    locate_registry,
    open_scenario,
)
from saniwa.core import path_checks
from saniwa.core.clock import Clock, SystemClock
from saniwa.runs.ports import RunStore
from saniwa.runs.run import Run, RunPorts
from saniwa.runs.run_factory import open_run, resume_run
from saniwa.scenario.loader import Scenario, load_scenario
from saniwa.scenario.registry import Registry
from saniwa.store.play_records import PlayRecords

MOST_CACHED: Final = 64
"""The number of cached values; the least recently used is evicted."""
MOST_FILES: Final = 2_000
"""The number of files that are inspected; with more, nothing is cached."""
YOUNG_MS: Final = 2_000
"""The age in milliseconds from which a file counts as unchanged.

File timestamps may be coarser than the time between two writes.
"""

V = TypeVar("V")
_FileSignature = tuple[str, int, int, int]


class FileCache(Generic[V]):
    """Caches values by name and by the state of the files they were made from."""

    def __init__(
        self, clock: Clock, weigh: Callable[[V], int] = lambda _: 0, heaviest: int = 0
    ) -> None:
        """Create an empty cache; `heaviest` limits the total weight of its values."""
        self._clock = clock
        self._weigh = weigh
        self._heaviest = heaviest
        self._known = OrderedDict[Hashable, V]()

    def find_or_make(self, name: Hashable, folders: Sequence[Path], make: Callable[[], V]) -> V:
        """Return the value made from some folders, cached while they do not change.

        Raises:
            Exception: Any error of `make`; errors are not cached.
        """
        key = self.make_key(name, folders)
        found = self.find(key)
        return self.remember(key, make()) if found is None else found

    def make_key(self, name: Hashable, folders: Sequence[Path]) -> Hashable | None:
        """Return the cache key for a value made from these folders as they are now.

        None if the state cannot be determined; then nothing is cached.
        """
        looks = self._read_signatures(folders)
        return None if looks is None else (name, looks)

    def find(self, key: Hashable | None) -> V | None:
        """Return the value cached under a key."""
        if key is None or key not in self._known:
            return None
        self._known.move_to_end(key)
        return self._known[key]

    def remember(self, key: Hashable | None, made: V) -> V:
        """Cache a value and return it; the least recently used are evicted."""
        if key is None:
            return made
        self._known[key] = made
        while len(self._known) > MOST_CACHED or (len(self._known) > 1 and self._is_too_heavy()):
            self._known.popitem(last=False)
        return made

    def _is_too_heavy(self) -> bool:
        return sum(map(self._weigh, self._known.values())) > self._heaviest

    def _read_signatures(self, folders: Sequence[Path]) -> tuple[_FileSignature, ...] | None:
        """Return the files' state; None for too many, new or unreadable files."""
        looks = list[_FileSignature]()
        try:
            for look in (look for folder in folders for look in _walk_signatures(folder)):
                looks.append(look)
                if len(looks) > MOST_FILES:
                    return None
        except OSError:
            return None
        newest = max((changed for _, changed, _, _ in looks), default=0)
        young = newest // 1_000_000 > self._clock.now() - YOUNG_MS
        return None if young else tuple(looks)


def _walk_signatures(folder: Path) -> Iterator[_FileSignature]:
    """Yield each file and folder below one: path, change time, size and inode."""
    waiting = [str(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                state = entry.stat(follow_symlinks=False)
                yield entry.path, state.st_ctime_ns, state.st_size, state.st_ino
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)


class RunService:
    """A run store and a registry: begins runs and resumes them."""

    def __init__(
        self,
        store: RunStore | str | Path,
        registry: str | Path | None = None,
        *,
        together: bool = False,
        **ports: Unpack[RunPorts],
    ) -> None:
        """Use an open store, or the place of one that is opened when needed.

        `together` as for `open_store`.
        """
        self.place: Final = store if isinstance(store, str | Path) else "memory:"
        """The place of the store; `memory:` for one that was passed open."""
        self.registry: Final = registry
        """The registry that was named; None for the default."""
        self._opened = None if isinstance(store, str | Path) else store
        self._plays: PlayRecords | None = None
        self._together, self._ports = together, ports
        self._scenarios = FileCache[Scenario](ports.get("clock") or SystemClock())

    @classmethod
    def open(
        cls,
        store: str | Path,
        registry: str | Path | None = None,
        *,
        must_exist: bool = False,
        **ports: Unpack[RunPorts],
    ) -> "RunService":
        """Create the service for a store at a place; `must_exist` creates no new store.

        Without it, a missing store is created by the first run that begins, and by
        nothing else.

        Raises:
            StoreError: As `open_store` does; without `must_exist`, when it is needed.
        """
        parts = cls(store, registry, **ports)
        if must_exist:
            parts._opened = open_existing_store(store)
        return parts

    @property
    def store(self) -> RunStore:
        """The store; created if it does not exist.

        Raises:
            StoreError: As `open_store` does.
        """
        if self._opened is None:
            self._opened = open_store(self.place, together=self._together)
        return self._opened

    @property
    def plays(self) -> PlayRecords:
        """The records of playings next to the store; created if they do not exist.

        Raises:
            StoreError: As `open_play_records` does.
        """
        if self._plays is None:
            self._plays = open_play_records(self.place, together=self._together)
        return self._plays

    @property
    def has_plays(self) -> bool:
        """Whether there may be records of playings; looking creates none."""
        return self._plays is not None or has_play_records(self.place)

    def begin(
        self,
        named: str | Mapping[str, Any] | Scenario,
        *,
        language: str | None = None,
        actor: str | None = None,
        book: str | Mapping[str, Any] | None = None,
        seed: int = 0,
        run_id: str = "",
        scenario: Scenario | None = None,
    ) -> Run:
        """Begin a run of a scenario, and store it at once.

        The scenario is an id, a file, a document, or one that is open already. `run_id` is an id that was reserved for it; empty for a new one. `scenario` is
        the result of `open_scenario_in_thread` for the name.

        Raises:
            StoreError: `RUN_EXISTS` if the id is taken.
            SaniwaError: The scenario, the rulebook, the actor or the store is invalid;
                nothing was stored.
        """
        if scenario is None:
            scenario = named if isinstance(named, Scenario) else self.open_scenario(named)
        return open_run(
            scenario,
            load_book_layers(scenario, book, self.registry),
            self.store,
            language=language,
            actor=actor,
            seed=seed,
            run_id=run_id,
            **self._ports,
        )

    def open_scenario(self, named: str | Mapping[str, Any]) -> Scenario:
        """Open the scenario of a name, document or file; unchanged files are read once.

        Raises:
            SaniwaError: As `open_scenario` does.
        """
        if not isinstance(named, str):
            return open_scenario(named)
        place = Path(named) if is_document_file(named) else locate_registry(self.registry)
        return self._scenarios.find_or_make(
            named, (place.parent,), lambda: open_scenario(named, self.registry)
        )

    async def open_scenario_in_thread(self, named: str) -> Scenario:
        """Open a scenario as `open_scenario` does, reading files in a thread.

        Raises:
            SaniwaError: As `open_scenario` does.
        """
        place = Path(named) if is_document_file(named) else locate_registry(self.registry)
        key = self._scenarios.make_key(named, (place.parent,))
        known = self._scenarios.find(key)
        if known is not None:
            return known
        read = await asyncio.to_thread(open_scenario, named, self.registry)
        return self._scenarios.remember(key, read)

    def resume(self, named: str) -> Run:
        """Resume the run that the caller names, in the state after its last turn.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`, `TRACE_CORRUPT`;
                `STORE_UNREADABLE` if there is no store; none is created.
            RunError: `RUN_DIVERGED`.
        """
        if self._opened is None:
            self._opened = open_existing_store(self.place, together=self._together)
        return resume_run(find_run(self.store, named), self.store, **self._ports)

    def read_walkthrough(self, scenario_id: str) -> tuple[str, ...]:
        """Return the lines of `walkthroughs/ID.txt` next to the registry, if any."""
        folder = locate_registry(self.registry).parent / "walkthroughs"
        path = folder / f"{scenario_id}.txt"
        # A scenario's name comes from its author, and may contain a path to another
        # folder.
        if Path(scenario_id).name != scenario_id or not path_checks.is_file(path):
            return ()
        lines = path.read_text(encoding="utf-8").split("\n")
        return tuple(line for line in lines if line and not line.startswith("#"))

    def find_translation(self, run: Run) -> str | None:
        """Return the id of the same scenario in the run's language, if there is one.

        By its name: the Japanese `lantern_island` is `lantern_island_ja`.

        Raises:
            SchemaValidationError: The registry is invalid.
        """
        own, record = load_scenario(run.record.scenario).world.language, run.record
        if own == record.language:
            return None
        named = f"{record.scenario_id}_{record.language}"
        entries = Registry.open(locate_registry(self.registry)).entries
        return next((e.scenario_id for e in entries if e.scenario_id == named), None)

    def close(self) -> None:
        """Close the store."""
        if self._plays is not None:
            self._plays.close()
        if self._opened is not None:
            self._opened.close()
