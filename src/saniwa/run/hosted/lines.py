"""The lines of the host's door: every request and every answer, as records.

`saniwa schema host` publishes them as JSON Schema. Fields may be added; none changes its
meaning or goes away within a protocol number.
"""

from typing import Annotated, Final, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

from saniwa.run.hosted.form import Slot
from saniwa.run.hosted.moment import Moment
from saniwa.run.hosted.understanding import Understanding
from saniwa.run.lines import Refused
from saniwa.script.directive import StepResult

PROTOCOL: Final = 1
"""Raised when an old host could misread an answer; additions do not raise it."""

Named = Annotated[str, msgspec.Meta(max_length=1_000)]
Said = Annotated[str, msgspec.Meta(max_length=10_000)]
Text = Annotated[str, msgspec.Meta(max_length=2_000_000)]
Key = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9._:-]{0,128}$")]
Whole = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


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

    revision: Whole | None = None
    """The revision the host has seen: another one is refused. None for whatever stands."""
    key: Key = ""
    """The host's name for the request: under the same name, it is done once."""


class Begin(_Request, frozen=True, kw_only=True, tag="begin"):
    """Begin a run of one thing, or of what the command names; an open run stays kept."""

    scenario: Named = ""
    """A scenario's id."""
    story: Named = ""
    """A story's id."""
    draft: Text = ""
    """A story's text."""
    language: Named = ""
    """The language; empty for what the command says, else the author's own."""
    actor: Named = ""
    """Whom to play; empty for the one the scenario names."""
    seed: Whole = 0
    """Where chance starts."""
    key: Key = ""
    """The host's name for the request: under the same name, there is one run."""


class Resume(_Request, frozen=True, kw_only=True, tag="resume"):
    """Go on with a run, in this process or a later one."""

    run: Named = "last"
    """Its id; `last` for the newest."""


class Here(_Request, frozen=True, kw_only=True, tag="moment"):
    """Where the run stands, with its scenery, for a host that comes in here."""


class Step(_Change, frozen=True, kw_only=True, tag="step"):
    """Go on; where something else is awaited, the same again."""


class Choose(_Change, frozen=True, kw_only=True, tag="choose"):
    """Take one of the choices, and go on."""

    index: Whole
    """Which, from 0."""


class Say(_Change, frozen=True, kw_only=True, tag="say"):
    """Say or do something in one's own words, and go on."""

    text: Said
    """The words."""
    actor: Named | None = None
    """Who speaks; None for whoever the run is played as."""


class Back(_Change, frozen=True, kw_only=True, tag="back"):
    """Go back, in the story and in its world."""

    steps: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 1
    """How many steps."""


class Skip(_Change, frozen=True, kw_only=True, tag="skip"):
    """Go on through what was seen before."""


class Load(_Change, frozen=True, kw_only=True, tag="load"):
    """Go to a place that was saved."""

    name: Named
    """Which."""


class Save(_Request, frozen=True, kw_only=True, tag="save"):
    """Name the point where the run stands; the same name moves."""

    name: Named
    """The player's name for it."""


class Saves(_Request, frozen=True, kw_only=True, tag="saves"):
    """The places to come back to."""


class Remove(_Request, frozen=True, kw_only=True, tag="remove"):
    """Forget such a place."""

    name: Named
    """Which."""


class Preview(_Request, frozen=True, kw_only=True, tag="preview"):
    """How words would be understood; nothing happens."""

    text: Said
    """The words."""
    actor: Named | None = None
    """Who would speak; None for whoever the run is played as."""


class Backlog(_Request, frozen=True, kw_only=True, tag="backlog"):
    """What was shown, oldest first, as far as it is kept."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=1_000)] = 100
    """How many steps at most, counted from the last."""


class Fetch(_Request, frozen=True, kw_only=True, tag="asset"):
    """A picture, sound or film of the story that is played."""

    path: Named
    """Its path, as a directive gives it."""


Request = (
    Begin
    | Resume
    | Here
    | Step
    | Choose
    | Say
    | Back
    | Skip
    | Load
    | Save
    | Saves
    | Remove
    | Preview
    | Backlog
    | Fetch
)
Change = Step | Choose | Say | Back | Skip | Load

REQUESTS: Final[dict[str, type[Request]]] = {
    str(cls.__struct_config__.tag): cls for cls in get_args(Request)
}
"""Every request, by the name of its operation."""


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Every good answer says so."""

    ok: Literal[True] = True
    """The line was understood and answered; a refusal by the world is an answer too."""
    id: str | int | UnsetType = UNSET
    """The request's own `id`, if it had one."""


class Begun(_Answer, frozen=True, kw_only=True):
    """Answer to `begin` and `resume`."""

    protocol: int = PROTOCOL
    """The protocol spoken here."""
    moment: Moment
    """Where the run stands."""


class Told(_Answer, frozen=True, kw_only=True):
    """Answer to whatever goes on, goes back, or asks where the run stands."""

    moment: Moment
    """Where the run stands."""


class Skipped(_Answer, frozen=True, kw_only=True):
    """Answer to `skip`."""

    moment: Moment
    """Where it ended."""
    passed: list[StepResult]
    """What was passed; empty where a request was answered before."""


class Saved(_Answer, frozen=True, kw_only=True):
    """Answer to `save`, `saves` and `remove`."""

    saves: list[Slot]
    """The places to come back to, in order of name."""


class Understood(_Answer, frozen=True, kw_only=True):
    """Answer to `preview`."""

    understanding: Understanding
    """How the words would be understood."""


class Shown(_Answer, frozen=True, kw_only=True):
    """Answer to `backlog`."""

    steps: list[StepResult]
    """What was shown, oldest first."""


class Fetched(_Answer, frozen=True, kw_only=True):
    """Answer to `asset`."""

    media: str
    """What it is, such as `image/png`."""
    content: bytes
    """Its bytes, in base64."""


Answer = Begun | Told | Skipped | Saved | Understood | Shown | Fetched
ANSWERS: Final = (
    Begun,
    Told,
    Skipped,
    Saved,
    Understood,
    Shown,
    Fetched,
    Refused,
)
"""Every answer there is."""
