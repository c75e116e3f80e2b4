"""The messages of the JSON Lines interface for hosts: every request and every answer.

`saniwa schema host` publishes them as JSON Schema. Fields may be added; none changes
its meaning or goes away within a protocol number.
"""

from typing import Annotated, Final, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

from saniwa.runs.playing import PlayState, PreviewSummary, SaveSlot
from saniwa.runs.world_messages import ErrorAnswer
from saniwa.story.step_result import StepResult

PLAY_PROTOCOL: Final = 1
"""Raised when an old host could misread an answer; additions do not raise it."""

NameField = Annotated[str, msgspec.Meta(max_length=1_000)]
WordsField = Annotated[str, msgspec.Meta(max_length=10_000)]
TextField = Annotated[str, msgspec.Meta(max_length=2_000_000)]
KeyField = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._:-]{0,128}$")]
CountField = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class _Request(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    tag_field="op",
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """Every request names its `op`; an `id` comes back with the answer."""

    id: str | int | None = None
    """Anything the host wants back with the answer."""


class _Change(_Request, frozen=True, kw_only=True):
    """What changes a run may say what it has seen, and have a name."""

    revision: CountField | None = None
    """The revision the host has seen: another one is refused. None for whatever stands."""
    key: KeyField = ""
    """The host's name for the request: under the same name, it is done once."""


class PlayBeginRequest(_Request, frozen=True, kw_only=True, tag="begin"):
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


class PlayResumeRequest(_Request, frozen=True, kw_only=True, tag="resume"):
    """Go on with a run, in this process or a later one."""

    run: NameField = "last"
    """Its id; `last` for the newest."""


class PlayStateRequest(_Request, frozen=True, kw_only=True, tag="moment"):
    """Where the run stands, with its scenery, for a host that comes in here."""


class PlayStepRequest(_Change, frozen=True, kw_only=True, tag="step"):
    """Go on; where something else is awaited, the same again."""


class PlayChooseRequest(_Change, frozen=True, kw_only=True, tag="choose"):
    """Take one of the choices, and go on."""

    index: CountField
    """Which, from 0."""


class PlaySayRequest(_Change, frozen=True, kw_only=True, tag="say"):
    """Say or do something in one's own words, and go on."""

    text: WordsField
    """The words."""
    actor: NameField | None = None
    """Who speaks; None for the run's own character."""


class PlayBackRequest(_Change, frozen=True, kw_only=True, tag="back"):
    """Go back, in the story and in its world."""

    steps: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 1
    """How many steps."""


class PlaySkipRequest(_Change, frozen=True, kw_only=True, tag="skip"):
    """Go on through what was seen before."""


class PlayLoadRequest(_Change, frozen=True, kw_only=True, tag="load"):
    """Go to a place that was saved."""

    name: NameField
    """Which."""


class PlaySaveRequest(_Request, frozen=True, kw_only=True, tag="save"):
    """Name the point where the run stands; the same name moves."""

    name: NameField
    """The player's name for it."""


class PlaySavesRequest(_Request, frozen=True, kw_only=True, tag="saves"):
    """The places to come back to."""


class PlayRemoveRequest(_Request, frozen=True, kw_only=True, tag="remove"):
    """Forget such a place."""

    name: NameField
    """Which."""


class PlayPreviewRequest(_Request, frozen=True, kw_only=True, tag="preview"):
    """How words would be understood; nothing happens."""

    text: WordsField
    """The words."""
    actor: NameField | None = None
    """Who would speak; None for the run's own character."""


class PlayBacklogRequest(_Request, frozen=True, kw_only=True, tag="backlog"):
    """What was shown, oldest first, as far as it is kept."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 100
    """How many steps at most, counted from the last."""


class PlayAssetRequest(_Request, frozen=True, kw_only=True, tag="asset"):
    """A picture, sound or film of the story that is played."""

    path: NameField
    """Its path, as a directive gives it."""


PlayMessage = (
    PlayBeginRequest
    | PlayResumeRequest
    | PlayStateRequest
    | PlayStepRequest
    | PlayChooseRequest
    | PlaySayRequest
    | PlayBackRequest
    | PlaySkipRequest
    | PlayLoadRequest
    | PlaySaveRequest
    | PlaySavesRequest
    | PlayRemoveRequest
    | PlayPreviewRequest
    | PlayBacklogRequest
    | PlayAssetRequest
)
PlayChangeMessage = (
    PlayStepRequest
    | PlayChooseRequest
    | PlaySayRequest
    | PlayBackRequest
    | PlaySkipRequest
    | PlayLoadRequest
)

PLAY_REQUESTS: Final[dict[str, type[PlayMessage]]] = {
    str(cls.__struct_config__.tag): cls for cls in get_args(PlayMessage)
}
"""Every request, by the name of its operation."""


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Every good answer says so."""

    ok: Literal[True] = True
    """The line was understood and answered; a refusal by the world is an answer too."""
    id: str | int | UnsetType = UNSET
    """The request's own `id`, if it had one."""


class PlayBeginAnswer(_Answer, frozen=True, kw_only=True):
    """Answer to `begin` and `resume`."""

    protocol: int = PLAY_PROTOCOL
    """The protocol spoken here."""
    moment: PlayState
    """Where the run stands."""


class PlayStateAnswer(_Answer, frozen=True, kw_only=True):
    """Answer to whatever goes on, goes back, or asks where the run stands."""

    moment: PlayState
    """Where the run stands."""


class PlaySkipAnswer(_Answer, frozen=True, kw_only=True):
    """Answer to `skip`."""

    moment: PlayState
    """Where it ended."""
    passed: list[StepResult]
    """What was passed; empty where a request was answered before."""


class PlaySavesAnswer(_Answer, frozen=True, kw_only=True):
    """Answer to `save`, `saves` and `remove`."""

    saves: list[SaveSlot]
    """The places to come back to, in order of name."""


class PlayPreviewAnswer(_Answer, frozen=True, kw_only=True):
    """Answer to `preview`."""

    understanding: PreviewSummary
    """How the words would be understood."""


class PlayBacklogAnswer(_Answer, frozen=True, kw_only=True):
    """Answer to `backlog`."""

    steps: list[StepResult]
    """What was shown, oldest first."""


class PlayAssetAnswer(_Answer, frozen=True, kw_only=True):
    """Answer to `asset`."""

    media: str
    """What it is, such as `image/png`."""
    content: bytes
    """Its bytes, in base64."""


PlayAnswer = (
    PlayBeginAnswer
    | PlayStateAnswer
    | PlaySkipAnswer
    | PlaySavesAnswer
    | PlayPreviewAnswer
    | PlayBacklogAnswer
    | PlayAssetAnswer
)
PLAY_ANSWERS: Final = (
    PlayBeginAnswer,
    PlayStateAnswer,
    PlaySkipAnswer,
    PlaySavesAnswer,
    PlayPreviewAnswer,
    PlayBacklogAnswer,
    PlayAssetAnswer,
    ErrorAnswer,
)
"""Every answer there is."""
