"""The runs and saves of one story, as a terminal finds and opens them.

They are in the same records as those of other hosts, so that a story that is left here
is continued in a browser, and the other way round.
"""

import os
import unicodedata
from contextlib import closing

import msgspec

from saniwa.app.old_terminal_saves import STORIES_FOLDER, OldTerminalSaves
from saniwa.app.playing_service import PlayingService
from saniwa.app.run_service import RunService
from saniwa.app.run_stores import locate_beside
from saniwa.app.story_library import StoryLibrary
from saniwa.app.story_opening import load_story, make_no_save_error, make_story_origin
from saniwa.core.clock import SystemClock
from saniwa.core.errors import StoreError
from saniwa.core.ids import TimeOrderedIds
from saniwa.runs.playing_record import LastPlay, PlayOrigin, SaveSlots, make_missing_save_error
from saniwa.runs.stored_story_playing import StoredStoryPlaying
from saniwa.store.play_records import MemoryPlayRecords, PlayRecords
from saniwa.story.story import Story


class StoryPlays:
    """Finds the runs of one story, and begins new ones."""

    def __init__(
        self, file: str, parts: RunService, language: str | None = None, *, aside: bool = False
    ) -> None:
        """Use the records next to the run store, which nothing creates before a story is stored.

        With `aside`, a new run neither moves the reader's place nor adds to the lines
        seen; it is stored if it has a world, or once something is saved.
        """
        library = StoryLibrary.from_folder()
        self._file, self._parts, self._aside = file, parts, aside
        self._language = language
        self._origin = make_story_origin(file, parts.place, library, language=language)
        self._temporary = MemoryPlayRecords()
        self._unstored: StoredStoryPlaying | None = None
        self.unreadable: StoreError | None = None
        """Why saves of an earlier version cannot be read; None if they can."""
        self.unkept: StoreError | None = None
        """Why nothing can be stored; None if it can."""
        self._records = self._open_records()
        self._service = PlayingService(
            parts, self._records, library, SystemClock(), TimeOrderedIds()
        )
        self._last = LastPlay(self._origin, file, self._records)

    def _open_records(self) -> PlayRecords:
        folder = OldTerminalSaves(self._file, self._parts.place)
        if self._aside and not (folder.exists or self._parts.has_plays):
            return self._temporary
        try:
            records = self._parts.plays
        except StoreError as problem:
            self.unkept = problem
            return self._temporary
        try:
            folder.import_into(records, self._origin)
        except StoreError as problem:
            self.unreadable = problem
        return records

    def close(self) -> None:
        """Stop reading stories."""
        self._service.close()

    def find_last(self) -> str | None:
        """Return the run that was played last and has not ended.

        Raises:
            StoreError: It cannot be read.
        """
        return self._last.find_run_id() or None

    def find_save(self, name: str) -> str:
        """Return the newest run that has a save of this name.

        Raises:
            StoreError: `SAVE_NOT_FOUND`; it cannot be read.
        """
        found = self._service.find_save(self._origin, unicodedata.normalize("NFC", name))
        if found is None:
            raise self.unreadable or make_missing_save_error(name, self.list_save_names())
        return found

    def list_save_names(self, playing: StoredStoryPlaying | None = None) -> list[str]:
        """List the names of the saves of all runs, and of the one being played.

        Raises:
            StoreError: It cannot be read.
        """
        own = [] if playing is None else [slot.name for slot in playing.list_saves()]
        others = (slot.name for _, slot in self._service.list_story_saves(self._origin))
        return sorted({*own, *others})

    def begin(self, story: Story, seed: int) -> StoredStoryPlaying:
        """Prepare a new run; its first step stores it.

        Raises:
            SaniwaError: It cannot begin.
        """
        origin = msgspec.structs.replace(self._origin, seed=seed)
        if not self._aside:
            return self._service.prepare_story(origin, story, self._records)
        playing = self._unstored = self._service.prepare_story(origin, story, self._temporary)
        if playing.performance.run is not None:
            self.store_playing(playing)
        return playing

    async def open_run(self, run_id: str) -> StoredStoryPlaying:
        """Open a run where it was left.

        Raises:
            SaniwaError: It cannot be continued.
        """
        record = self._service.find_record(run_id)
        if record is None:
            raise self.unreadable or make_no_save_error(self._file)
        language = self._language or record.origin.language or None
        story = load_story(self._file, self._parts.registry, language=language)
        return await self._service.resume_story(run_id, story)

    async def open_save(self, name: str, playing: StoredStoryPlaying) -> StoredStoryPlaying:
        """Open the run that has a save: the one being played, else the newest of the story.

        Raises:
            SaniwaError: `SAVE_NOT_FOUND`; it cannot be continued.
        """
        wanted = unicodedata.normalize("NFC", name)
        if wanted in {slot.name for slot in playing.list_saves()}:
            return playing
        found = self.find_save(name)
        if self._unstored is None:
            return await self.open_run(found)
        playing.copy_save(name, SaveSlots(found, self._records))
        return playing

    def store_playing(self, playing: StoredStoryPlaying) -> None:
        """Store a run that was played aside, so that it can have saves.

        Raises:
            StoreError: It could not be stored.
        """
        if playing is self._unstored:
            playing.store_in(self._parts.plays)
            self._unstored = None


def find_story_run(parts: RunService, named: str) -> tuple[str, str] | None:
    """Return the story's run that the user names, and the story's file.

    None if the run is a scenario's, or there is none.

    Raises:
        StoreError: `RUN_AMBIGUOUS`; it cannot be read.
        ScriptError: `STORY_NOT_FOUND`, `STORY_UNREADABLE`.
    """
    if not _has_stories(parts):
        return None
    with closing(_open_service(parts)) as service:
        found = service.find_story_run(named)
        return (
            None if found is None else (found[0], os.path.relpath(service.locate_story(found[1])))
        )


def list_story_runs(parts: RunService) -> list[tuple[str, PlayOrigin]]:
    """List the runs of stories, oldest first, with what each plays; drafts are left out.

    Raises:
        StoreError: It cannot be read.
    """
    if not _has_stories(parts):
        return []
    with closing(_open_service(parts)) as service:
        return sorted(service.list_story_runs(), key=lambda each: each[0])


def _has_stories(parts: RunService) -> bool:
    """Whether there may be runs of stories; looking creates no records."""
    folder = locate_beside(parts.place, STORIES_FOLDER)
    return parts.has_plays or (folder is not None and folder.is_dir())


def _open_service(parts: RunService) -> PlayingService:
    library = StoryLibrary.from_folder()
    return PlayingService(parts, parts.plays, library, SystemClock(), TimeOrderedIds())
