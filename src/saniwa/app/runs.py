"""A store and a registry together: all that somebody who plays needs."""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Generic, TypedDict, TypeVar

from saniwa.app.scenarios import (
    is_document_file,
    load_book_layers,
    locate_registry,
    open_scenario,
)
from saniwa.app.store import find_run, open_existing_store, open_store
from saniwa.core import paths
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.ids import Ids
from saniwa.runs.ports import Listener, Narrator, RunStore
from saniwa.runs.run import Run
from saniwa.runs.start import open_run, resume_run
from saniwa.scenario.loader import Scenario, load_scenario
from saniwa.scenario.registry import Registry
from saniwa.store.group_commit import GroupCommit

MOST_CACHED: Final = 64
"""Things that are remembered; the one that was not asked for longest is forgotten."""
MOST_FILES: Final = 2_000
"""Files that are looked at; with more of them, nothing is remembered."""
YOUNG_MS: Final = 2_000
"""Milliseconds after which a file that was written counts as left alone.

A clock of files may stand still for longer than two writings are apart.
"""

V = TypeVar("V")
_FileSignature = tuple[str, int, int, int]


class FileCache(Generic[V]):
    """Remembers what was made, by name and by how the files looked."""

    def __init__(
        self,
        clock: Clock,
        weigh: Callable[[V], int] = lambda _: 0,
        heaviest: int = 0,
    ) -> None:
        """Nothing is remembered yet; what is must not weigh more than so much in all."""
        self._clock = clock
        self._weigh = weigh
        self._heaviest = heaviest
        self._known = OrderedDict[Hashable, V]()

    def find_or_make(
        self, name: Hashable, folders: Sequence[Path], make: Callable[[], V]
    ) -> V:
        """What is made from everything in some folders, or was made from the very same.

        Raises:
            Exception: Whatever making it raises; that is not remembered.
        """
        key = self.make_key(name, folders)
        found = self.find(key)
        return self.remember(key, make()) if found is None else found

    def make_key(self, name: Hashable, folders: Sequence[Path]) -> Hashable | None:
        """What stands for a thing made from these folders as they are now.

        None where that cannot be said; then nothing is remembered.
        """
        looks = self._read_signatures(folders)
        return None if looks is None else (name, looks)

    def find(self, key: Hashable | None) -> V | None:
        """What is remembered under a key."""
        if key is None or key not in self._known:
            return None
        self._known.move_to_end(key)
        return self._known[key]

    def remember(self, key: Hashable | None, made: V) -> V:
        """Remember what was made, and give it back; the longest unused is forgotten."""
        if key is None:
            return made
        self._known[key] = made
        while len(self._known) > MOST_CACHED or (
            len(self._known) > 1 and self._is_too_heavy()
        ):
            self._known.popitem(last=False)
        return made

    def _is_too_heavy(self) -> bool:
        return sum(map(self._weigh, self._known.values())) > self._heaviest

    def _read_signatures(
        self, folders: Sequence[Path]
    ) -> tuple[_FileSignature, ...] | None:
        """How the files look; None for too many, too young ones, or none to be seen."""
        looks = list[_FileSignature]()
        try:
            for look in (
                look for folder in folders for look in _walk_signatures(folder)
            ):
                looks.append(look)
                if len(looks) > MOST_FILES:
                    return None
        except OSError:
            return None
        newest = max((changed for _, changed, _, _ in looks), default=0)
        young = newest // 1_000_000 > self._clock.now() - YOUNG_MS
        return None if young else tuple(looks)


def _walk_signatures(folder: Path) -> Iterator[_FileSignature]:
    """Every file and folder below one: its path, when it changed, its size and number."""
    waiting = [str(folder)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                state = entry.stat(follow_symlinks=False)
                yield entry.path, state.st_ctime_ns, state.st_size, state.st_ino
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)


class _RunPorts(TypedDict):
    listener: Listener | None
    narrator: Narrator | None
    ids: Ids | None
    clock: Clock | None


class RunService:
    """A store and a registry, for whoever plays: begins runs and goes on with them."""

    def __init__(
        self,
        store: RunStore | str | Path,
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
        self._opened: RunStore | None = None
        self._place: str | Path = "memory:"
        if isinstance(store, str | Path):
            self._place = store
        else:
            self._opened = store
        self._registry = registry
        self._scenarios = FileCache[Scenario](clock or SystemClock())
        self._ports: _RunPorts = {
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
    ) -> "RunService":
        """The parts for a store at a place; `must_exist` makes no new one.

        Without it, a store that is not there is made by the first run that begins, and
        by nothing else.

        Raises:
            StoreError: As `open_store` does; without `must_exist`, when it is needed.
        """
        parts = cls(store, registry, listener=listener, narrator=narrator)
        if must_exist:
            parts._opened = open_existing_store(store)
        return parts

    @property
    def store(self) -> RunStore:
        """The store; made where there is none.

        Raises:
            StoreError: As `open_store` does.
        """
        if self._opened is None:
            self._opened = open_store(self._place, together=self._together)
        return self._opened

    @property
    def group_commit(self) -> GroupCommit | None:
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
        is what `open_scenario_in_thread` gave for the name.

        Raises:
            StoreError: `RUN_EXISTS` if the name is taken.
            SaniwaError: The scenario, the book, the actor or the store is not as it
                must be; then nothing was kept.
        """
        scenario = scenario or self.open_scenario(named)
        return open_run(
            scenario,
            load_book_layers(scenario, book),
            self.store,
            language=language,
            actor=actor,
            seed=seed,
            run_id=run_id,
            **self._ports,
        )

    def open_scenario(self, named: str | Mapping[str, Any]) -> Scenario:
        """The scenario somebody means; from files that stay as they are, read once.

        Raises:
            SaniwaError: As `open_scenario` does.
        """
        if not isinstance(named, str):
            return open_scenario(named)
        place = (
            Path(named) if is_document_file(named) else locate_registry(self._registry)
        )
        return self._scenarios.find_or_make(
            named, (place.parent,), lambda: open_scenario(named, self._registry)
        )

    async def open_scenario_in_thread(self, named: str) -> Scenario:
        """As `open_scenario`; a scenario that must be read is read in a thread.

        Raises:
            SaniwaError: As `open_scenario` does.
        """
        place = (
            Path(named) if is_document_file(named) else locate_registry(self._registry)
        )
        key = self._scenarios.make_key(named, (place.parent,))
        known = self._scenarios.find(key)
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
            self._opened = open_existing_store(self._place, together=self._together)
        return resume_run(find_run(self.store, named), self.store, **self._ports)

    def read_walkthrough(self, scenario_id: str) -> tuple[str, ...]:
        """The lines of `walkthroughs/ID.txt` beside the registry; none if it is not there."""
        folder = locate_registry(self._registry).parent / "walkthroughs"
        path = folder / f"{scenario_id}.txt"
        # A scenario's name is its author's: it may look like a way to another folder.
        if Path(scenario_id).name != scenario_id or not paths.is_file(path):
            return ()
        lines = path.read_text(encoding="utf-8").split("\n")
        return tuple(line for line in lines if line and not line.startswith("#"))

    def find_translation(self, run: Run) -> str | None:
        """The same scenario as written in the run's language, where it has one.

        By its name: the Japanese `lantern_island` is `lantern_island_ja`.

        Raises:
            SchemaValidationError: The registry has a mistake.
        """
        own, record = load_scenario(run.record.scenario).world.language, run.record
        if own == record.language:
            return None
        named = f"{record.scenario_id}_{record.language}"
        entries = Registry.open(locate_registry(self._registry)).entries
        return next((e.scenario_id for e in entries if e.scenario_id == named), None)

    def close(self) -> None:
        """Let go of the store."""
        if self._opened is not None:
            self._opened.close()
