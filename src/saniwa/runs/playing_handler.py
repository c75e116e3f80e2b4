"""The JSON Lines interface through which one host plays one run at a time.

Every line gets exactly one answer. An invalid line neither changes the run nor ends the
conversation.
"""

from hashlib import sha256
from typing import Protocol

import msgspec

from saniwa.core.errors import SaniwaError, StoreError
from saniwa.runs import playing_messages
from saniwa.runs.playing import Playing, PlayRequest, PlayState, summarise_preview
from saniwa.runs.playing_messages import PlayAnswer
from saniwa.runs.world_messages import (
    ErrorAnswer,
    ReceivedLine,
    make_error_answer,
    make_nesting_error,
)
from saniwa.turn.record import IdempotencyKey


class PlayingSource(Protocol):
    """Opens the playings that a handler works on."""

    async def begin(
        self, wish: playing_messages.PlayBeginRequest, asked: IdempotencyKey | None
    ) -> Playing:
        """Begin a new run; a repeated request gets the run it got before.

        Raises:
            SaniwaError: It cannot begin.
        """
        ...

    async def find_playing(self, named: str) -> Playing:
        """The playing of a run in its latest stored state; `last` for the newest run.

        Raises:
            SaniwaError: There is no such run, or it cannot be resumed.
        """
        ...

    def read_asset(self, run: str, path: str) -> playing_messages.PlayAssetAnswer:
        """Read a file of the story that a run plays.

        Raises:
            ScriptError: `ASSET_NOT_FOUND`.
        """
        ...


class PlayingHandler:
    """One host's conversation, with one run at a time."""

    def __init__(self, source: PlayingSource) -> None:
        """Handle requests for playings of `source`; no run is open yet."""
        self._source = source
        self._run = ""

    async def handle_line(self, line: bytes) -> PlayAnswer | ErrorAnswer:
        """Answer one line. Never raises, whatever the host sends."""
        sent = ReceivedLine(line, playing_messages.PLAY_REQUESTS)
        try:
            answer: PlayAnswer | ErrorAnswer = await self._handle_request(sent.read_request())
        except SaniwaError as problem:
            answer = make_error_answer(problem)
        except RecursionError:
            answer = make_error_answer(make_nesting_error())
        return msgspec.structs.replace(answer, id=sent.mark)

    async def _handle_request(self, request: playing_messages.PlayMessage) -> PlayAnswer:
        match request:
            case playing_messages.PlayBeginRequest():
                hosted = await self._source.begin(request, make_idempotency_key(request))
                return self._answer_begin(hosted)
            case playing_messages.PlayResumeRequest(run=named):
                return self._answer_begin(await self._source.find_playing(named))
        hosted = await self._find_playing()
        match request:
            case playing_messages.PlaySkipRequest():
                moment, passed = await hosted.skip(_make_play_request(request, hosted))
                return playing_messages.PlaySkipAnswer(moment=moment, passed=list(passed))
            case playing_messages.PlayPreviewRequest(text=text, actor=actor):
                seen = await hosted.preview(text, actor)
                return playing_messages.PlayPreviewAnswer(understanding=summarise_preview(seen))
            case playing_messages.PlayBacklogRequest(limit=limit):
                return playing_messages.PlayBacklogAnswer(
                    steps=list(hosted.list_backlog())[-limit:]
                )
            case playing_messages.PlayAssetRequest(path=path):
                return self._source.read_asset(self._run, path)
            case (
                playing_messages.PlaySaveRequest()
                | playing_messages.PlaySavesRequest()
                | playing_messages.PlayRemoveRequest()
            ):
                return await _change_saves(hosted, request)
            case playing_messages.PlayStateRequest():
                return playing_messages.PlayStateAnswer(moment=hosted.read_state())
        return playing_messages.PlayStateAnswer(moment=await _advance(hosted, request))

    async def _find_playing(self) -> Playing:
        if not self._run:
            raise StoreError(
                "RUN_NOT_FOUND",
                "no run is begun yet",
                hint='send {"op":"begin"} first, or {"op":"resume"}',
            )
        return await self._source.find_playing(self._run)

    def _answer_begin(self, hosted: Playing) -> playing_messages.PlayBeginAnswer:
        self._run = hosted.id
        return playing_messages.PlayBeginAnswer(moment=hosted.read_state())


def make_idempotency_key(
    request: playing_messages.PlayBeginRequest | playing_messages.PlayChangeMessage,
) -> IdempotencyKey | None:
    """The request's key with a hash of its content; None if it has no key."""
    if not request.key:
        return None
    plain = msgspec.to_builtins(request)
    content = {name: plain[name] for name in plain if name not in ("id", "revision")}
    digest = sha256(msgspec.json.encode(content, order="sorted")).hexdigest()
    return IdempotencyKey(key=request.key, digest=digest)


async def _advance(hosted: Playing, request: playing_messages.PlayMessage) -> PlayState:
    match request:
        case playing_messages.PlayStepRequest():
            return await hosted.step(_make_play_request(request, hosted))
        case playing_messages.PlayChooseRequest(index=index):
            return await hosted.choose(_make_play_request(request, hosted), index)
        case playing_messages.PlaySayRequest(text=text, actor=actor):
            return await hosted.say(_make_play_request(request, hosted), text, actor)
        case playing_messages.PlayBackRequest(steps=steps):
            return await hosted.back(_make_play_request(request, hosted), steps)
        case playing_messages.PlayLoadRequest(name=name):
            return await hosted.load(_make_play_request(request, hosted), name)
    raise AssertionError(request)


async def _change_saves(
    hosted: Playing,
    request: playing_messages.PlaySaveRequest
    | playing_messages.PlaySavesRequest
    | playing_messages.PlayRemoveRequest,
) -> playing_messages.PlaySavesAnswer:
    match request:
        case playing_messages.PlaySaveRequest(name=name):
            await hosted.save(name)
        case playing_messages.PlayRemoveRequest(name=name):
            await hosted.remove_save(name)
    return playing_messages.PlaySavesAnswer(saves=list(hosted.list_saves()))


def _make_play_request(request: playing_messages.PlayChangeMessage, hosted: Playing) -> PlayRequest:
    """The request, based on the current revision unless the host names another."""
    seen = hosted.revision if request.revision is None else request.revision
    return PlayRequest(revision=seen, asked=make_idempotency_key(request))
