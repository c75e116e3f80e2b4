"""A garden: everything one server serves, opened once."""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

import msgspec

from saniwa.app.coordination import (
    ChangeNotifier,
    GroupSync,
    IdempotencyIndex,
    WorkQueue,
)
from saniwa.app.experiments.status import ExperimentCatalog
from saniwa.app.gate.lookup import make_server_lookup
from saniwa.app.gate.service import GateService, ProtectedPaths, list_store_paths
from saniwa.app.playings import (
    OpenPlayings,
    PlayingService,
    make_no_run_error,
    make_nothing_named_error,
)
from saniwa.app.runs import RunService
from saniwa.app.store import open_play_records
from saniwa.app.stories import StoryFaultCache
from saniwa.app.story_library import (
    StoryLibrary,
    locate_story,
    make_no_asset_error,
    read_asset,
)
from saniwa.app.tables import TableService
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import StoreError
from saniwa.core.ids import Ids, TimeOrderedIds
from saniwa.runs import playing_messages
from saniwa.runs.inspector import RunInspector
from saniwa.runs.playing import Playing
from saniwa.runs.playing_handler import PlayingHandler
from saniwa.runs.playing_record import PlayingRecord, PlayOrigin
from saniwa.runs.run import Run
from saniwa.store.group_commit import GroupCommit
from saniwa.story.story import Story
from saniwa.turn.record import IdempotencyKey

MOST_INSPECTORS: Final = 32
"""Lenses that are kept."""


class InspectorCache:
    """A lens for each run that is watched."""

    def __init__(self) -> None:
        self._kept = OrderedDict[str, RunInspector]()

    def open_inspector(self, run: Run) -> RunInspector:
        """The lens on a run."""
        lens = self._kept.get(run.id)
        # A run that was let go and opened again is another object with the same turns.
        if lens is None or lens.run is not run:
            lens = self._kept[run.id] = RunInspector(run)
        self._kept.move_to_end(run.id)
        while len(self._kept) > MOST_INSPECTORS:
            self._kept.popitem(last=False)
        return lens


class WorkspacePlaces(msgspec.Struct, frozen=True, kw_only=True):
    """Where the things of a garden lie."""

    store: str = ".saniwa/saniwa.sqlite"
    """The store of runs: a file, `memory:`, or an address of PostgreSQL."""
    registry: str = ""
    """The registry of scenarios; empty for the usual one."""
    stories: str = "stories"
    """The folder of the project's own stories."""
    scenarios: str = "scenarios"
    """The folder of the project's own scenarios."""
    gate: str = ""
    """The gate's folder; empty for the usual one."""
    results: str = "results"
    """The folder of experiments."""
    evidence: tuple[str, ...] = ()
    """Folders of the project from which evidence is taken, beside that of experiments."""


class Workspace:
    """Everything one server serves."""

    def __init__(
        self,
        places: WorkspacePlaces,
        *,
        clock: Clock | None = None,
        ids: Ids | None = None,
        together: bool = False,
    ) -> None:
        """Open what lies at these places; what is not there yet is made when needed.

        With `together`, whoever tells anybody anything waits for `wait_until_durable` first: then
        many who play at once wait for one sync of the disk, and not each for their own.

        Raises:
            StoreError: The store cannot be opened.
        """
        self.places: Final = places
        """Where its things lie."""
        self.clock: Final = clock or SystemClock()
        """What time it is."""
        self.ids: Final = ids or TimeOrderedIds()
        """Fresh names."""
        registry = places.registry or None
        self.parts: Final = RunService(
            places.store,
            registry,
            ids=self.ids,
            clock=self.clock,
            together=together,
        )
        """The store and the registry."""
        self.plays: Final = open_play_records(places.store, together=together)
        """What hosts need beside runs."""
        self.begun: Final = IdempotencyIndex(self.plays)
        """Which request began which run."""
        self.library: Final = StoryLibrary.from_folder(Path(places.stories))
        """The stories there are."""
        self.faults: Final = StoryFaultCache(registry)
        """What is known to keep them from beginning."""
        self.results: Final = ExperimentCatalog(Path(places.results))
        """The experiments there are."""
        self.bell: Final = ChangeNotifier()
        """Rings when something happened in a run."""
        self.lenses: Final = InspectorCache()
        """What is worked out for those who watch."""
        self.tables: Final = TableService(
            places.store, self.plays, self.bell, sync=self.wait_until_durable
        )
        """Agents and people round runs."""
        self.hosting: Final = PlayingService(
            self.parts, self.plays, self.library, self.clock
        )
        """Begins runs, and finds them."""
        self.kept: Final = ProtectedPaths(*list_store_paths(places.store))
        """What no request opens."""
        self.gates: Final = GateService(
            places.gate,
            clock=self.clock,
            ids=self.ids,
            kept=self.kept,
            evidence=[Path(each) for each in (*places.evidence, places.results)],
            lookup=make_server_lookup(lambda: self.parts.store, places.store, registry),
        )
        """The gate, for whoever stands before it."""
        self.checks: Final = WorkQueue()
        """Checks texts that are being written."""
        self._open = OpenPlayings()
        self._opening = WeakValueDictionary[str, asyncio.Lock]()
        self._settling = GroupSync(self._list_group_commits)

    async def wait_until_durable(self) -> None:
        """Come back when everything that was kept before is durable.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; then nobody may be told of it.
        """
        await self._settling.wait_until_durable()

    async def begin(
        self, origin: PlayOrigin, asked: IdempotencyKey | None = None
    ) -> Playing:
        """A new run; the same request again gets the run it got before.

        Raises:
            SaniwaError: It cannot begin.
        """
        run_id = self._claim_run_id(origin.owner, asked)
        if not self._has_record(run_id):
            story = await self.hosting.load_story(origin)
            try:
                run_id = await self._begin_once(origin, story, asked, run_id)
            except StoreError as problem:
                if problem.code != "RUN_EXISTS":
                    raise
                run_id = self._claim_run_id(origin.owner, asked, spent=run_id)
                run_id = await self._begin_once(origin, story, asked, run_id)
        return await self.find_playing(run_id)

    async def find_playing(self, run_id: str) -> Playing:
        """A run, standing where anybody has brought it.

        Raises:
            StoreError: `RUN_NOT_FOUND`; it cannot be read.
            SaniwaError: It cannot be gone on with.
        """
        hosted = self._open.find(run_id) or await self._resume_playing(run_id)
        await hosted.catch_up()
        self._open.add(hosted)
        return hosted

    async def _resume_playing(self, run_id: str) -> Playing:
        """A run that was not held; of all who ask for it at once, the first opens it."""
        async with self._opening.setdefault(run_id, asyncio.Lock()):
            hosted = self._open.find(run_id)
            if hosted is None:
                hosted = await self.hosting.resume(run_id)
                self._open.add(hosted)
            return hosted

    def find_record(self, run_id: str) -> PlayingRecord | None:
        """What is kept of a run for hosts; None where no host began it.

        Raises:
            StoreError: It cannot be read.
        """
        return self.hosting.find_record(run_id)

    def list_run_ids(self) -> Iterator[str]:
        """The ids of all runs there are, in the store and in stories without a world.

        Raises:
            StoreError: It cannot be read.
        """
        seen = {each.run_id for each in self.parts.store.list_runs()}
        yield from seen
        after = "run-"
        while page := self.plays.list_ids(after=after):
            for id in page:
                if not id.startswith("run-"):
                    return
                if id not in seen:
                    yield id
            after = page[-1]

    @property
    def open_count(self) -> int:
        """How many runs are held open."""
        return len(self._open)

    def close(self) -> None:
        """Let go of everything; what was acknowledged lasts."""
        self._open.clear()
        self.hosting.close()
        self.checks.close()
        self.gates.close()
        self.plays.close()
        self.parts.close()

    def _claim_run_id(
        self, owner: str, asked: IdempotencyKey | None, spent: str = ""
    ) -> str:
        fresh = self.ids.create_id("run")
        return self.begun.claim_run_id(
            owner, asked, fresh, self._has_record, spent=spent
        )

    def _has_record(self, run_id: str) -> bool:
        return self.plays.get(run_id) is not None

    async def _begin_once(
        self,
        origin: PlayOrigin,
        story: Story | None,
        asked: IdempotencyKey | None,
        run_id: str,
    ) -> str:
        """Begin a run under a name, unless the same request sent twice has done so."""
        async with self._opening.setdefault(run_id, asyncio.Lock()):
            if self._has_record(run_id):
                return run_id
            try:
                hosted = await self.hosting.begin(origin, story, run_id, asked)
            except StoreError as problem:
                # Sent twice, to two processes: the other one has begun it.
                if problem.code != "RUN_EXISTS" or not self._has_record(run_id):
                    raise
            else:
                self._open.add(hosted)
        return run_id

    def _list_group_commits(self) -> list[GroupCommit]:
        found = (self.parts.group_commit, getattr(self.plays, "written", None))
        return [each for each in found if each is not None]


LAST: Final = "last"
"""Stands for the newest run."""


class HostDefaults(msgspec.Struct, frozen=True, kw_only=True):
    """What a host's command names, for a `begin` that names nothing."""

    scenario: str = ""
    """A scenario's id."""
    story: str = ""
    """A story's id, or the path of its file or folder."""
    language: str = ""
    """The language; empty for the author's own."""


class WorkspacePlayingSource:
    """A garden, as a host's door knows it."""

    def __init__(self, garden: Workspace, wish: HostDefaults) -> None:
        """A garden, and what is played where a host names nothing."""
        self._garden = garden
        self._wish = wish

    async def begin(
        self, wish: playing_messages.PlayBeginRequest, asked: IdempotencyKey | None
    ) -> Playing:
        """A new run.

        Raises:
            RunError: `NOTHING_TO_PLAY`.
            SaniwaError: It cannot begin.
        """
        named = sum(map(bool, (wish.scenario, wish.story, wish.draft)))
        origin = PlayOrigin(
            scenario=wish.scenario if named else self._wish.scenario,
            story=wish.story if named else self._wish.story,
            draft=wish.draft,
            language=wish.language or self._wish.language,
            actor=wish.actor,
            seed=wish.seed,
            created=self._garden.clock.now(),
        )
        if sum(map(bool, (origin.scenario, origin.story, origin.draft))) != 1:
            raise make_nothing_named_error()
        return await self._garden.begin(origin, asked)

    async def find_playing(self, named: str) -> Playing:
        """A run by its id, or the newest.

        Raises:
            StoreError: `RUN_NOT_FOUND`; it cannot be read.
            SaniwaError: It cannot be gone on with.
        """
        if named != LAST:
            return await self._garden.find_playing(named)
        newest = max(self._garden.list_run_ids(), default="")
        if not newest:
            raise make_no_run_error(LAST)
        return await self._garden.find_playing(newest)

    def read_asset(self, run: str, path: str) -> playing_messages.PlayAssetAnswer:
        """A file of the story that a run plays.

        Raises:
            ScriptError: `ASSET_NOT_FOUND`, `STORY_NOT_FOUND`.
        """
        record = self._garden.find_record(run)
        if record is None or not record.origin.story:
            raise make_no_asset_error("", path)
        found = read_asset(self._garden.library.find(record.origin.story), path)
        return playing_messages.PlayAssetAnswer(
            media=found.media, content=found.content
        )


def open_playing_handler(places: WorkspacePlaces, wish: HostDefaults) -> PlayingHandler:
    """The door to a garden at these places.

    A story that is named by its path is found in the folder it lies in.

    Raises:
        StoreError: The store cannot be opened.
        ScriptError: `STORY_NOT_FOUND` for a path where no story lies.
    """
    if wish.story.endswith(".md") or os.sep in wish.story:
        folder, story, language = locate_story(Path(wish.story))
        places = msgspec.structs.replace(places, stories=str(folder))
        wish = msgspec.structs.replace(
            wish, story=story, language=wish.language or language
        )
    return PlayingHandler(WorkspacePlayingSource(Workspace(places), wish))
