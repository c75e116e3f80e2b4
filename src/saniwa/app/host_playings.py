"""The JSON Lines interface through which one host plays one run at a time."""

import os
from pathlib import Path

import msgspec

from saniwa.app.playings import make_no_run_error, make_nothing_named_error
from saniwa.app.story_library import locate_story, make_no_asset_error, read_asset
from saniwa.app.workspace import Workspace, WorkspacePlaces
from saniwa.core.errors import StoreError
from saniwa.runs import playing_messages
from saniwa.runs.line_messages import ErrorAnswer, LineAnswer, LineRequest, ReceivedLine
from saniwa.runs.playing import Playing
from saniwa.runs.playing_record import PlayOrigin
from saniwa.store.lookup import LAST


class HostDefaults(msgspec.Struct, frozen=True, kw_only=True):
    """What a host's command names, for a `begin` request that names nothing."""

    scenario: str = ""
    """A scenario's id."""
    story: str = ""
    """A story's id, or the path of its file or folder."""
    language: str = ""
    """The language; empty for the author's own."""


class PlayingHandler:
    """One host's conversation, with one run of a workspace at a time."""

    def __init__(self, workspace: Workspace, defaults: HostDefaults) -> None:
        """Use a workspace, and defaults for a host that names nothing."""
        self._workspace = workspace
        self._defaults = defaults
        self._run = ""

    async def handle_line(self, line: bytes) -> LineAnswer | ErrorAnswer:
        """Answer one line. Never raises, whatever the host sends."""
        with ReceivedLine(line, playing_messages.PLAY_REQUESTS) as sent:
            sent.answer = await self._handle_request(sent.read_request())
        return sent.mark_answer()

    async def _handle_request(self, request: LineRequest) -> LineAnswer:
        match request:
            case playing_messages.PlayBeginRequest():
                return self._answer_begin(await self._begin(request))
            case playing_messages.PlayResumeRequest(run=named):
                newest = max(self._workspace.list_run_ids(), default="") if named == LAST else named
                if not newest:
                    raise make_no_run_error(LAST)
                return self._answer_begin(await self._workspace.find_playing(newest))
        if not self._run:
            raise StoreError(
                "RUN_NOT_FOUND",
                "no run is begun yet",
                hint='send {"op":"begin"} first, or {"op":"resume"}',
            )
        playing = await self._workspace.find_playing(self._run)
        if isinstance(request, playing_messages.PlayAssetRequest):
            return self._read_asset(request.path)
        return await playing_messages.perform_request(request, playing)

    def _answer_begin(self, playing: Playing) -> LineAnswer:
        self._run = playing.id
        return playing_messages.PlayBeginAnswer(moment=playing.read_state())

    async def _begin(self, wish: playing_messages.PlayBeginRequest) -> Playing:
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
        return await self._workspace.begin(origin, playing_messages.make_idempotency_key(wish))

    def _read_asset(self, path: str) -> LineAnswer:
        record = self._workspace.find_record(self._run)
        if record is None or not (record.origin.story or record.origin.path):
            raise make_no_asset_error("", path)
        found = read_asset(self._workspace.hosting.find_story_place(record.origin), path)
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
    return PlayingHandler(Workspace(places), defaults)
