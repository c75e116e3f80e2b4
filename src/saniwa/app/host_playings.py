"""Opens playings for hosts that have one at a time: JSON lines and MCP."""

import os
from pathlib import Path
from typing import Final

import msgspec

from saniwa.app.playings import make_no_run_error, make_nothing_named_error
from saniwa.app.story_library import locate_story, make_no_asset_error, read_asset
from saniwa.app.workspace import Workspace, WorkspacePlaces
from saniwa.runs import playing_messages
from saniwa.runs.playing import Playing
from saniwa.runs.playing_handler import PlayingHandler
from saniwa.runs.playing_record import PlayOrigin
from saniwa.turn.record import IdempotencyKey

LAST: Final = "last"
"""The word that means the newest run."""


class HostDefaults(msgspec.Struct, frozen=True, kw_only=True):
    """What a host's command names, for a `begin` request that names nothing."""

    scenario: str = ""
    """A scenario's id."""
    story: str = ""
    """A story's id, or the path of its file or folder."""
    language: str = ""
    """The language; empty for the author's own."""


class WorkspacePlayingSource:
    """A workspace as the source of playings for a host."""

    def __init__(self, workspace: Workspace, defaults: HostDefaults) -> None:
        """Use a workspace, and defaults for a host that names nothing."""
        self._workspace = workspace
        self._defaults = defaults

    async def begin(
        self, wish: playing_messages.PlayBeginRequest, asked: IdempotencyKey | None
    ) -> Playing:
        """Begin a run.

        Raises:
            RunError: `NOTHING_TO_PLAY`.
            SaniwaError: It cannot begin.
        """
        named = sum(map(bool, (wish.scenario, wish.story, wish.draft)))
        origin = PlayOrigin(
            scenario=wish.scenario if named else self._defaults.scenario,
            story=wish.story if named else self._defaults.story,
            draft=wish.draft,
            language=wish.language or self._defaults.language,
            actor=wish.actor,
            seed=wish.seed,
            created=self._workspace.clock.now(),
        )
        if sum(map(bool, (origin.scenario, origin.story, origin.draft))) != 1:
            raise make_nothing_named_error()
        return await self._workspace.begin(origin, asked)

    async def find_playing(self, named: str) -> Playing:
        """Return a run by its id, or the newest.

        Raises:
            StoreError: `RUN_NOT_FOUND`; it cannot be read.
            SaniwaError: It cannot be continued.
        """
        if named != LAST:
            return await self._workspace.find_playing(named)
        newest = max(self._workspace.list_run_ids(), default="")
        if not newest:
            raise make_no_run_error(LAST)
        return await self._workspace.find_playing(newest)

    def read_asset(self, run: str, path: str) -> playing_messages.PlayAssetAnswer:
        """Read a file of the story that a run plays.

        Raises:
            ScriptError: `ASSET_NOT_FOUND`, `STORY_NOT_FOUND`.
        """
        record = self._workspace.find_record(run)
        if record is None or not record.origin.story:
            raise make_no_asset_error("", path)
        found = read_asset(self._workspace.library.find(record.origin.story), path)
        return playing_messages.PlayAssetAnswer(media=found.media, content=found.content)


def open_playing_handler(places: WorkspacePlaces, defaults: HostDefaults) -> PlayingHandler:
    """Open the handler of a host for a workspace at these places.

    A story that is named by its path is found in the folder that contains it.

    Raises:
        StoreError: The store cannot be opened.
        ScriptError: `STORY_NOT_FOUND` for a path without a story.
    """
    if defaults.story.endswith(".md") or os.sep in defaults.story:
        folder, story, language = locate_story(Path(defaults.story))
        places = msgspec.structs.replace(places, stories=str(folder))
        defaults = msgspec.structs.replace(
            defaults, story=story, language=defaults.language or language
        )
    return PlayingHandler(WorkspacePlayingSource(Workspace(places), defaults))
