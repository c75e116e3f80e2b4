"""Begins and resumes hosted runs of scenarios and stories.

A story is first read by a separate thread, so that other requests are served meanwhile.
The steps after that are short.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

import msgspec

from saniwa.app import describe
from saniwa.app.creation_requests import CreationIndex
from saniwa.app.old_terminal_saves import STORIES_FOLDER, OldTerminalSaves
from saniwa.app.run_service import FileCache, RunService
from saniwa.app.run_stores import locate_beside
from saniwa.app.scenario_lookup import find_entry, locate_registry, read_named_book
from saniwa.app.story_and_scenario_drafts import load_playable_draft, read_loose_draft
from saniwa.app.story_library import StoryLibrary, StoryPlace, read_story_place
from saniwa.app.story_opening import (
    begin_story_run,
    check_playable_story,
    load_story,
    locate_origin,
    make_story_origin,
    resume_story_run,
)
from saniwa.app.work_queue import WorkQueue, wait_for_result
from saniwa.core.clock import Clock
from saniwa.core.errors import RunError, ScriptError, StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.core.ids import Ids
from saniwa.core.suggestions import suggest_nearest
from saniwa.runs.playing import Playing, SaveSlot
from saniwa.runs.playing_record import (
    PlayingRecord,
    PlayOrigin,
    SaveSlots,
    decode_playing_record,
    load_playing_record,
)
from saniwa.runs.run import Run
from saniwa.runs.scenario_playing import ScenarioPlaying
from saniwa.runs.stored_story_playing import StoredStoryPlaying
from saniwa.runs.story_playing import StoryPlaying, decode_playing_state
from saniwa.store.play_records import PlayRecords
from saniwa.store.run_id_lookup import LAST, pick_run_id
from saniwa.story.player import resolve_address, start_at
from saniwa.story.story import Story

MOST_OPEN: Final = 512
"""The number of runs kept open; the least recently used is closed."""
HEAVIEST: Final = 400_000
"""The total operations of all open stories: about 200 MB."""
_CHARACTERS_PER_OPERATION: Final = 100
"""The number of characters of a draft that count as one operation."""


class OpenPlayings(OrderedDict[str, Playing]):
    """Cache of open runs by id, limited by number and by size; least recently used first."""

    def add(self, playing: Playing) -> None:
        """Keep a run open, and evict others if there are too many."""
        new = playing.id not in self
        self[playing.id] = playing
        self.move_to_end(playing.id)
        if new:
            self._evict(playing)

    def _evict(self, newest: Playing) -> None:
        while len(self) > MOST_OPEN:
            self.popitem(last=False)
        # Evict only large runs for size: a small run must not make way for a large one.
        for each in [*self.values()]:
            if self._measure_total() <= HEAVIEST:
                return
            if each is not newest and _measure_playing(each) > HEAVIEST // MOST_OPEN:
                del self[each.id]

    def _measure_total(self) -> int:
        """Add up all stories, each counted once, and the state of each player."""
        playings = [each for each in self.values() if isinstance(each, StoredStoryPlaying)]
        stories = {id(each.performance.story): each.performance.story for each in playings}
        return sum(map(measure_story, stories.values())) + sum(map(_measure_player, playings))


def measure_story(story: Story) -> int:
    """Return the size of a story, in operations."""
    return len(story.program.ops)


def _measure_playing(playing: Playing) -> int:
    if not isinstance(playing, StoredStoryPlaying):
        return 0
    return measure_story(playing.performance.story) + _measure_player(playing)


def _measure_player(playing: StoredStoryPlaying) -> int:
    """Return a playing's size without its story: the player's state, and its draft."""
    return (
        playing.performance.player.weight + len(playing.origin.draft) // _CHARACTERS_PER_OPERATION
    )


HEAVIEST_CACHE: Final = 200_000
"""The total operations of cached stories."""


class StoryLoader:
    """Reads stories, and caches those that were read last."""

    def __init__(self, clock: Clock, workshop: WorkQueue) -> None:
        """Create a loader with an empty cache."""
        self._work_queue = workshop
        self._once = FileCache[Story](clock, measure_story, HEAVIEST_CACHE)
        self._reading = dict[Hashable, Future[Story]]()

    async def load(
        self,
        name: Hashable,
        folders: Sequence[Path],
        read: Callable[[], Story],
        whose: str | None = None,
    ) -> Story:
        """Return the story of a name, read from the folders as they are now.

        `whose` as for `WorkQueue.submit`.

        Raises:
            ProtocolError: `TOO_MANY_REQUESTS`.
            Exception: Any error of `read`; errors are not cached.
        """
        key = self._once.make_key(name, folders)
        if key is None:
            return await self._work_queue.run(read, whose)
        known = self._once.find(key)
        if known is not None:
            return known
        return self._once.remember(
            key, await wait_for_result(self._start_reading(key, read, whose))
        )

    def _start_reading(
        self, key: Hashable, read: Callable[[], Story], whose: str | None
    ) -> Future[Story]:
        """Start reading, or join a read of the same key that is already running."""
        reading = self._reading.get(key)
        if reading is None:
            reading = self._reading[key] = self._work_queue.submit(read, whose)
            reading.add_done_callback(lambda _: self._reading.pop(key, None))
        return reading


class PlayingService:
    """Begins runs for hosts, and resumes earlier ones."""

    def __init__(
        self, parts: RunService, plays: PlayRecords, library: StoryLibrary, clock: Clock, ids: Ids
    ) -> None:
        """Use a run store, with positions in stories stored next to it."""
        self.open: Final = OpenPlayings()
        """The open runs."""
        self._opening = WeakValueDictionary[str, asyncio.Lock]()
        self._begun, self._ids = CreationIndex(plays), ids
        self._parts = parts
        self._plays = plays
        self._library = library
        self._clock = clock
        self._has_imported = False
        self._work_queue = WorkQueue()
        self._stories = StoryLoader(clock, self._work_queue)
        # A separate cache, so that drafts do not evict stories of the library.
        self._drafts = StoryLoader(clock, self._work_queue)

    async def load_story(self, origin: PlayOrigin) -> Story | None:
        """Read the story that a run plays; None for a run of a scenario.

        Raises:
            ProtocolError: `TOO_MANY_REQUESTS` if the owner has too many drafts being
                read.
            SaniwaError: It cannot be played.
        """
        if origin.scenario:
            return None
        return await (self._load_draft(origin) if origin.draft else self._load_saved(origin))

    async def begin(self, origin: PlayOrigin, asked: IdempotencyKey | None = None) -> Playing:
        """Begin a run; a repeated request gets the run of the first.

        Raises:
            SaniwaError: It cannot begin.
        """
        run_id = await self._claim_run_id(origin.owner, asked)
        if not self._has_record(run_id):
            story = await self.load_story(origin)
            try:
                run_id = await self._begin_once(origin, story, asked, run_id)
            except StoreError as problem:
                if problem.code != "RUN_EXISTS":
                    raise
                run_id = await self._claim_run_id(origin.owner, asked, spent=run_id)
                run_id = await self._begin_once(origin, story, asked, run_id)
        return await self.find_playing(run_id)

    async def find_playing(self, run_id: str, *, current: bool = True) -> Playing:
        """Return a run in its current state, with turns that other processes added.

        Without `current`, an open run is returned as it is: for a request that changes
        it, before which it catches up itself.

        Raises:
            StoreError: `RUN_NOT_FOUND`; it cannot be read.
            SaniwaError: It cannot be continued.
        """
        playing = self.open.get(run_id) or await self._resume_playing(run_id)
        if current:
            await playing.catch_up()
        self.open.add(playing)
        return playing

    async def _resume_playing(self, run_id: str) -> Playing:
        """Open a run that is not cached; concurrent callers open it once."""
        async with self._opening.setdefault(run_id, asyncio.Lock()):
            playing = self.open.get(run_id)
            if playing is None:
                playing = await self._resume(run_id)
                self.open.add(playing)
            return playing

    def list_run_ids(self) -> Iterator[str]:
        """Yield the ids of all runs, in the store and of stories without a world.

        Raises:
            StoreError: It cannot be read.
        """
        self.import_old_stories()
        seen = {each.run_id for each in self._parts.store.list_runs()}
        yield from seen
        yield from (each for each in self._list_recorded_ids() if each not in seen)

    def _list_recorded_ids(self) -> Iterator[str]:
        after = "run-"
        while page := self._plays.list_ids(after=after):
            for id in page:
                if not id.startswith("run-"):
                    return
                yield id
            after = page[-1]

    async def _claim_run_id(self, owner: str, asked: IdempotencyKey | None, spent: str = "") -> str:
        fresh = self._ids.create_id("run")
        if asked is None:
            return fresh
        exists = self._has_record
        return await self._plays.commit(
            lambda: self._begun.claim_run_id(owner, asked, fresh, exists, spent=spent)
        )

    def _has_record(self, run_id: str) -> bool:
        return self._plays.get(run_id) is not None

    async def _begin_once(
        self, origin: PlayOrigin, story: Story | None, asked: IdempotencyKey | None, run_id: str
    ) -> str:
        """Begin a run under an id, unless the same request, sent twice, has done so."""
        async with self._opening.setdefault(run_id, asyncio.Lock()):
            if self._has_record(run_id):
                return run_id
            try:
                playing = await self._begin(origin, story, run_id, asked)
            except StoreError as problem:
                # Sent twice, to two processes: the other process has begun it.
                if problem.code != "RUN_EXISTS" or not self._has_record(run_id):
                    raise
            else:
                self.open.add(playing)
        return run_id

    async def _begin(
        self, origin: PlayOrigin, story: Story | None, run_id: str, asked: IdempotencyKey | None
    ) -> Playing:
        """Begin a run and store it at once.

        If a process was killed while it began this same run, the run is continued.

        Raises:
            StoreError: `RUN_EXISTS` if the id is taken.
            SaniwaError: It cannot begin; nothing was stored for hosts.
        """
        if story is None:
            return await self._begin_scenario(origin, run_id)
        # Resolve it before anything is stored, because the place may not exist.
        place = resolve_address(story.program, origin.at) if origin.at else None
        language = origin.language or None
        run = None
        if story.program.ground is not None:
            run = await self._begin_or_reuse(
                run_id,
                lambda: begin_story_run(story, self._parts, language, origin.seed, run_id=run_id),
            )
        performance = StoryPlaying(story, run, seed=origin.seed, reopen=self._parts.resume)
        if place is not None:
            start_at(performance.player, place)
        return await StoredStoryPlaying.begin(
            run_id, performance, self._plays, origin, self._clock, asked
        )

    def prepare_story(
        self, origin: PlayOrigin, story: Story, plays: PlayRecords
    ) -> StoredStoryPlaying:
        """Prepare a new run of a loaded story; its first step stores it in `plays`.

        Raises:
            SaniwaError: It cannot begin.
        """
        run_id, language = self._ids.create_id("run"), origin.language or None
        run = begin_story_run(story, self._parts, language, origin.seed, run_id=run_id)
        performance = StoryPlaying(story, run, seed=origin.seed, reopen=self._parts.resume)
        begun = msgspec.structs.replace(origin, created=self._clock.now())
        return StoredStoryPlaying.prepare(run_id, performance, plays, begun, self._clock)

    def find_save(self, origin: PlayOrigin, name: str) -> str | None:
        """Return the newest run of a story that has a save of this name.

        Raises:
            StoreError: It cannot be read.
        """
        found = (run_id for run_id, slot in self.list_story_saves(origin) if slot.name == name)
        return max(found, default=None)

    def list_story_saves(self, origin: PlayOrigin) -> Iterator[tuple[str, SaveSlot]]:
        """Yield the saves of all runs in which its user plays a story, with their runs.

        Editions in files of their own are told apart.

        Raises:
            StoreError: It cannot be read.
        """
        same = {origin.language: True}
        for run_id, other in self.list_story_runs():
            if not _is_same_story(other, origin):
                continue
            if other.language not in same:
                same[other.language] = self.locate_story(other) == self.locate_story(origin)
            if same[other.language]:
                yield from ((run_id, slot) for slot in SaveSlots(run_id, self._plays).list_slots())

    def import_old_stories(self) -> None:
        """Import what terminals of earlier versions saved of the library's stories.

        What cannot be read is left out; listing the stories reports it.

        Raises:
            StoreError: It could not be stored.
        """
        folder = locate_beside(self._parts.place, STORIES_FOLDER)
        if self._has_imported or folder is None or not folder.is_dir():
            return
        for story_id in self._library.list_ids():
            with suppress(ScriptError):
                self.import_old_saves(self._library.find(story_id))
        self._has_imported = True

    def import_old_saves(self, place: StoryPlace) -> list[StoreError]:
        """Import what a terminal of an earlier version saved of each file of a story.

        Returns the errors for what cannot be read.

        Raises:
            StoreError: It could not be stored.
        """
        problems = list[StoreError]()
        for path in dict.fromkeys(edition.path for edition in place.editions):
            folder = OldTerminalSaves(path, self._parts.place)
            if not folder.exists:
                continue
            origin = make_story_origin(path, self._parts.place, self._library)
            try:
                folder.import_into(self._plays, origin)
            except StoreError as problem:
                if problem.code != "STORE_UNREADABLE":
                    raise
                problems.append(problem)
        return problems

    def find_story_run(self, named: str) -> tuple[str, PlayOrigin] | None:
        """Return the story's run that the caller names by id, part of it, or `last`.

        None if there is no such run, or if it is a scenario's or a draft's.

        Raises:
            StoreError: `RUN_AMBIGUOUS`; it cannot be read.
        """
        ids = set(self.list_run_ids())
        try:
            run_id = max(ids) if named == LAST else pick_run_id(named, ids, self._plays.place)
        except (StoreError, ValueError) as problem:
            if isinstance(problem, StoreError) and problem.code != "RUN_NOT_FOUND":
                raise
            return None
        return next((each for each in self.list_story_runs() if each[0] == run_id), None)

    def list_story_runs(self) -> Iterator[tuple[str, PlayOrigin]]:
        """Yield the runs of stories, with what each plays; drafts are left out.

        Raises:
            StoreError: It cannot be read.
        """
        self.import_old_stories()
        for run_id in self._list_recorded_ids():
            record = self.find_record(run_id)
            if record and (record.origin.story or record.origin.path) and not record.origin.draft:
                yield run_id, record.origin

    def find_story_place(self, origin: PlayOrigin) -> StoryPlace:
        """Return the files of the story that a run plays.

        Raises:
            ScriptError: `STORY_NOT_FOUND`, `STORY_UNREADABLE`.
        """
        if origin.path:
            return read_story_place(locate_origin(origin, self._parts.place))
        return self._library.find(origin.story)

    def locate_story(self, origin: PlayOrigin) -> Path:
        """Return the file in which the story of a run begins, in the run's language.

        Raises:
            ScriptError: `STORY_NOT_FOUND`, `STORY_UNREADABLE`.
        """
        if origin.path:
            return locate_origin(origin, self._parts.place)
        return self._library.find(origin.story).find_edition(origin.language or None).path

    async def _resume(self, run_id: str) -> Playing:
        """Resume a run where it stopped.

        Raises:
            StoreError: `RUN_NOT_FOUND`; it cannot be read.
            SaniwaError: It cannot be continued.
        """
        record = self.find_record(run_id)
        if record is None:
            self.import_old_stories()
            record = self.find_record(run_id)
        # A workspace without any run is not an error: create its store here, before a
        # thread reads it.
        _ = self._parts.store
        # A long history takes seconds to read: other requests are served meanwhile.
        if record is None or record.origin.scenario:
            return ScenarioPlaying(await asyncio.to_thread(self._resume_run, run_id))
        story = await self.load_story(record.origin)
        assert story is not None, "it is no scenario's"
        return await self.resume_story(run_id, story)

    async def resume_story(self, run_id: str, story: Story) -> StoredStoryPlaying:
        """Resume a run of a story where it stopped, in the story as it was loaded.

        Raises:
            StoreError: `RUN_NOT_FOUND`; it cannot be read.
            SaniwaError: It cannot be continued.
        """
        record = await asyncio.to_thread(load_playing_record, run_id, self._plays)
        if record is None:
            raise make_no_run_error(run_id)
        state = decode_playing_state(bytes(record.passed[-1].state))
        run = await asyncio.to_thread(resume_story_run, story, state.run, self._parts)
        seed, reopen = record.origin.seed, self._parts.resume
        performance = StoryPlaying(story, run, seed=seed, reopen=reopen)
        return await StoredStoryPlaying.resume(run_id, performance, self._plays, self._clock)

    def close(self) -> None:
        """Stop reading stories, and forget all runs."""
        self.open.clear()
        self._work_queue.close()

    def find_record(self, run_id: str) -> PlayingRecord | None:
        """Return how a run was begun for hosts; None if no host began it.

        Raises:
            StoreError: It cannot be read.
        """
        stored = self._plays.get(run_id)
        return decode_playing_record(run_id, stored.content) if stored else None

    def _resume_run(self, run_id: str) -> Run:
        run = self._parts.resume(run_id)
        if run.id != run_id:
            raise make_no_run_error(run_id, [run.id])
        return run

    async def _begin_scenario(self, origin: PlayOrigin, run_id: str) -> Playing:
        # By id and never by path, because the caller may be remote.
        entry = find_entry(origin.scenario, self._parts.registry)
        scenario = await self._parts.open_scenario_in_thread(entry.scenario_id)
        book = None
        if origin.book:
            book = await asyncio.to_thread(read_named_book, origin.book, self._parts.registry)
        run = await self._begin_or_reuse(
            run_id,
            lambda: self._parts.begin(
                entry.scenario_id,
                language=origin.language or None,
                actor=origin.actor or None,
                book=book,
                seed=origin.seed,
                run_id=run_id,
                scenario=scenario,
            ),
        )
        assert run is not None, "a scenario has a world"
        content = PlayingRecord(origin=origin).to_bytes()
        await self._plays.commit(lambda: self._plays.create(run_id, content))
        return ScenarioPlaying(run)

    async def _begin_or_reuse(self, run_id: str, begin: Callable[[], Run | None]) -> Run | None:
        """Begin a run, or reuse one of the same id in which nothing has happened."""
        try:
            return await self._parts.store.commit(begin)
        except StoreError as problem:
            if problem.code != "RUN_EXISTS":
                raise
            run = self._parts.resume(run_id)
            if run.count:
                raise
            return run

    async def _load_saved(self, origin: PlayOrigin) -> Story:
        registry, language = self._parts.registry, origin.language or None
        path = self.locate_story(origin)
        return await self._stories.load(
            (path, language),
            (path.parent, locate_registry(registry).parent),
            lambda: load_story(path, registry, language=language),
        )

    async def _load_draft(self, origin: PlayOrigin) -> Story:
        text, registry = origin.draft, self._parts.registry
        folders = [locate_registry(registry).parent]
        digest = sha256(text.encode("utf-8", "surrogatepass")).digest()
        name = (digest, origin.story, origin.file, origin.language)
        if not origin.story:
            return await self._drafts.load(
                name,
                folders,
                lambda: check_playable_story(read_loose_draft(text, registry)),
                origin.owner,
            )
        place, language = self._library.find(origin.story), origin.language or None
        folders.append(place.find_edition(language).path.parent)
        return await self._drafts.load(
            name,
            folders,
            lambda: load_playable_draft(text, place, origin.file, registry, language=language),
            origin.owner,
        )


def _is_same_story(one: PlayOrigin, other: PlayOrigin) -> bool:
    """Whether two runs play the same story for the same user."""
    return (one.story, one.path, one.owner) == (other.story, other.path, other.owner)


def make_no_run_error(run_id: str, near: Sequence[str] = ()) -> StoreError:
    """Return the error for a run that does not exist."""
    said = describe("RUN_NOT_FOUND/play", hint=suggest_nearest(run_id, near), run=run_id)
    return said.to_error(StoreError)


def make_story_book_error() -> RunError:
    """Return the error for a rulebook that is chosen for a story or a draft."""
    return describe("NOTHING_TO_PLAY/book").to_error(RunError)


def make_nothing_named_error() -> RunError:
    """Return the error for a run that names nothing to play, or several things."""
    return describe("NOTHING_TO_PLAY").to_error(RunError)
