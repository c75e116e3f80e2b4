"""The JSON Lines interface for hosts: every request, what it does, and every answer.

`saniwa schema host` publishes them as JSON Schema. Fields may be added; none changes
its meaning or goes away within a protocol number.
"""

from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Annotated, Any, Final

import msgspec

from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.line_messages import (
    ErrorAnswer,
    LineAnswer,
    LineRequest,
    index_requests,
    list_messages,
)
from saniwa.runs.playing import (
    Playing,
    PlayRequest,
    PlayState,
    PreviewSummary,
    SaveSlot,
    summarise_preview,
)
from saniwa.story.step_result import StepResult

PLAY_PROTOCOL: Final = 1
"""Raised when an old host could misread an answer; additions do not raise it."""

NameField = Annotated[str, msgspec.Meta(max_length=1_000)]
WordsField = Annotated[str, msgspec.Meta(max_length=10_000)]
TextField = Annotated[str, msgspec.Meta(max_length=2_000_000)]
KeyField = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._:-]{0,128}$")]
CountField = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class _PlayChange(LineRequest, frozen=True, kw_only=True):
    """What changes a run may say what it has seen, and have a name."""

    revision: CountField | None = None
    """The revision the host has seen: another one is refused. None for whatever stands."""
    key: KeyField = ""
    """The host's name for the request: under the same name, it is done once."""


class PlayBeginRequest(LineRequest, frozen=True, kw_only=True, tag="begin"):
    """Begin a run of one thing, or of what the command names; an open run stays kept."""

    scenario: NameField = ""
    """A scenario's id."""
    story: NameField = ""
    """A story's id."""
    draft: TextField = ""
    """A story's text."""
    language: NameField = ""
    """The language; empty for what the command says, else the author's own."""
    actor: NameField = ""
    """Whom to play; empty for the one the scenario names."""
    seed: CountField = 0
    """Where chance starts."""
    key: KeyField = ""
    """The host's name for the request: under the same name, there is one run."""


class PlayResumeRequest(LineRequest, frozen=True, kw_only=True, tag="resume"):
    """Go on with a run, in this process or a later one."""

    run: NameField = "last"
    """Its id; `last` for the newest."""


class PlayStateRequest(LineRequest, frozen=True, kw_only=True, tag="moment"):
    """Where the run stands, with its scenery, for a host that comes in here."""


class PlayStepRequest(_PlayChange, frozen=True, kw_only=True, tag="step"):
    """Go on; where something else is awaited, the same again."""


class PlayChooseRequest(_PlayChange, frozen=True, kw_only=True, tag="choose"):
    """Take one of the choices, and go on."""

    index: CountField
    """Which, from 0."""


class PlaySayRequest(_PlayChange, frozen=True, kw_only=True, tag="say"):
    """Say or do something in one's own words, and go on."""

    text: WordsField
    """The words."""
    actor: NameField | None = None
    """Who speaks; None for the run's own character."""


class PlayBackRequest(_PlayChange, frozen=True, kw_only=True, tag="back"):
    """Go back, in the story and in its world."""

    steps: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 1
    """How many steps."""


class PlaySkipRequest(_PlayChange, frozen=True, kw_only=True, tag="skip"):
    """Go on through what was seen before."""


class PlayLoadRequest(_PlayChange, frozen=True, kw_only=True, tag="load"):
    """Go to a place that was saved."""

    name: NameField
    """Which."""


class PlaySaveRequest(LineRequest, frozen=True, kw_only=True, tag="save"):
    """Name the point where the run stands; the same name moves."""

    name: NameField
    """The player's name for it."""


class PlaySavesRequest(LineRequest, frozen=True, kw_only=True, tag="saves"):
    """The places to come back to."""


class PlayRemoveRequest(LineRequest, frozen=True, kw_only=True, tag="remove"):
    """Forget such a place."""

    name: NameField
    """Which."""


class PlayPreviewRequest(LineRequest, frozen=True, kw_only=True, tag="preview"):
    """How words would be understood; nothing happens."""

    text: WordsField
    """The words."""
    actor: NameField | None = None
    """Who would speak; None for the run's own character."""


class PlayBacklogRequest(LineRequest, frozen=True, kw_only=True, tag="backlog"):
    """What was shown, oldest first, as far as it is kept."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 100
    """How many steps at most, counted from the last."""


class PlayAssetRequest(LineRequest, frozen=True, kw_only=True, tag="asset"):
    """A picture, sound or film of the story that is played."""

    path: NameField
    """Its path, as a directive gives it."""


class PlayBeginAnswer(LineAnswer, frozen=True, kw_only=True):
    """Answer to `begin` and `resume`."""

    protocol: int = PLAY_PROTOCOL
    """The protocol spoken here."""
    moment: PlayState
    """Where the run stands."""


class PlayStateAnswer(LineAnswer, frozen=True, kw_only=True):
    """Answer to whatever goes on, goes back, or asks where the run stands."""

    moment: PlayState
    """Where the run stands."""


class PlaySkipAnswer(LineAnswer, frozen=True, kw_only=True):
    """Answer to `skip`."""

    moment: PlayState
    """Where it ended."""
    passed: list[StepResult]
    """What was passed; empty where a request was answered before."""


class PlaySavesAnswer(LineAnswer, frozen=True, kw_only=True):
    """Answer to `save`, `saves` and `remove`."""

    saves: list[SaveSlot]
    """The places to come back to, in order of name."""


class PlayPreviewAnswer(LineAnswer, frozen=True, kw_only=True):
    """Answer to `preview`."""

    understanding: PreviewSummary
    """How the words would be understood."""


class PlayBacklogAnswer(LineAnswer, frozen=True, kw_only=True):
    """Answer to `backlog`."""

    steps: list[StepResult]
    """What was shown, oldest first."""


class PlayAssetAnswer(LineAnswer, frozen=True, kw_only=True):
    """Answer to `asset`."""

    media: str
    """What it is, such as `image/png`."""
    content: bytes
    """Its bytes, in base64."""


PLAY_REQUESTS: Final = index_requests(globals())
"""Every request, by the name of its operation."""
PLAY_ANSWERS: Final[tuple[type, ...]] = (*list_messages(globals(), LineAnswer), ErrorAnswer)
"""Every answer there is."""
CHANGES: Final[dict[type, Callable[[Playing, PlayRequest, Any], Awaitable[PlayState]]]] = {
    PlayStepRequest: lambda playing, seen, _: playing.step(seen),
    PlayChooseRequest: lambda playing, seen, sent: playing.choose(seen, sent.index),
    PlaySayRequest: lambda playing, seen, sent: playing.say(seen, sent.text, sent.actor),
    PlayBackRequest: lambda playing, seen, sent: playing.back(seen, sent.steps),
    PlayLoadRequest: lambda playing, seen, sent: playing.load(seen, sent.name),
}
"""The requests that change a run, with what each does."""


def make_idempotency_key(request: PlayBeginRequest | _PlayChange) -> IdempotencyKey | None:
    """The request's key with a hash of its content; None if it has no key."""
    if not request.key:
        return None
    plain = msgspec.to_builtins(request)
    content = {name: plain[name] for name in plain if name not in ("id", "revision")}
    digest = sha256(msgspec.json.encode(content, order="sorted")).hexdigest()
    return IdempotencyKey(key=request.key, digest=digest)


async def perform_request(request: LineRequest, playing: Playing) -> LineAnswer:
    """Do what a request asks of a playing, and answer it.

    Raises:
        SaniwaError: The playing refuses it.
    """
    match request:
        case _PlayChange():
            return await _perform_change(request, playing)
        case PlayPreviewRequest(text=text, actor=actor):
            seen = await playing.preview(text, actor)
            return PlayPreviewAnswer(understanding=summarise_preview(seen))
        case PlayBacklogRequest(limit=limit):
            return PlayBacklogAnswer(steps=list(playing.list_backlog())[-limit:])
        case PlayStateRequest():
            return PlayStateAnswer(moment=playing.read_state())
        case PlaySaveRequest(name=name):
            await playing.save(name)
        case PlayRemoveRequest(name=name):
            await playing.remove_save(name)
    return PlaySavesAnswer(saves=list(playing.list_saves()))


async def _perform_change(request: _PlayChange, playing: Playing) -> LineAnswer:
    """Change the run as it is now, unless the host names another revision."""
    revision = playing.revision if request.revision is None else request.revision
    seen = PlayRequest(revision=revision, asked=make_idempotency_key(request))
    if isinstance(request, PlaySkipRequest):
        moment, passed = await playing.skip(seen)
        return PlaySkipAnswer(moment=moment, passed=list(passed))
    return PlayStateAnswer(moment=await CHANGES[type(request)](playing, seen, request))
