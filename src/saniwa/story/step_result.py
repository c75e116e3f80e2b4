"""The StepResult contract as records: what a host shows.

The contract is `schemas/stepresult.schema.json`; these records are written in exactly
its shape. Existing directives never change their meaning or lose a field; new ones may
be added. Fields that the author or host did not ask for are omitted from the JSON, not
written empty.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from importlib.resources import files
from math import inf
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType


class Next(StrEnum):
    """What the host does after showing the directives."""

    NEXT = "Next"
    """Go on to the next step at once."""
    WAIT_USER = "WaitUser"
    """Wait for the person, then go on."""
    WAIT_BRANCH = "WaitBranch"
    """Wait until one of the choices is chosen."""
    HALT = "Halt"
    """The end."""


_Counted = Annotated[int, msgspec.Meta(ge=1)]


# Nothing below can contain itself, so the cycle collector need not track it.
class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Where the author wrote something."""

    line: _Counted
    """The line, counted from 1."""
    column: _Counted
    """The column in characters, counted from 1."""
    file: str | UnsetType = UNSET
    """The file, as the author named it."""


class _Args(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The arguments of one directive."""

    source: Source | UnsetType = UNSET
    """Where the author wrote it; given only if the host asked for it."""


class _Directive(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False, tag_field="type"
):
    """One thing to show, told apart by `type`."""


class TextSpan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """Some characters of a text that the author marked."""

    start: Annotated[int, msgspec.Meta(ge=0)]
    """The first of them, counted from 0 in characters (Unicode code points)."""
    end: _Counted
    """The first one after them."""
    kind: Literal["emphasis", "strong", "code"]
    """How they are marked."""


class SayArgs(_Args, frozen=True):
    """Who says what."""

    speaker: str
    """Who speaks; empty for the narrator."""
    text: str
    """The words."""
    id: str | UnsetType = UNSET
    """The line's id, the author's own or made from its words."""
    tags: tuple[str, ...] | UnsetType = UNSET
    """What the author attached to the line, such as `whisper`."""
    voice: str | UnsetType = UNSET
    """The logical name of the recorded voice."""
    spans: tuple[TextSpan, ...] | UnsetType = UNSET
    """What the author marked in the text, in order; an outer one before an inner one."""


class Say(_Directive, frozen=True, tag="Say"):
    """Show a line of text."""

    args: SayArgs
    """Who says what."""

    @classmethod
    def build(
        cls,
        speaker: str,
        text: str,
        id: str = "",
        tags: tuple[str, ...] = (),
        voice: str = "",
        source: Source | UnsetType = UNSET,
        spans: tuple[TextSpan, ...] = (),
    ) -> "Say":
        """Build a line from its parts; empty fields after the text are omitted."""
        return cls(
            SayArgs(
                speaker,
                text,
                id or UNSET,
                tags or UNSET,
                voice or UNSET,
                spans or UNSET,
                source=source,
            )
        )


class ShowImageArgs(_Args, frozen=True):
    """Which picture, and where."""

    layer: str
    """The layer it is shown on."""
    path: str | None = None
    """The file; None where it could not be found."""


class ShowImage(_Directive, frozen=True, tag="ShowImage"):
    """Show a picture on a layer."""

    args: ShowImageArgs
    """Which picture, and where."""

    @classmethod
    def build(cls, layer: str, path: str | None, source: Source | UnsetType = UNSET) -> "ShowImage":
        """Build a picture from its parts."""
        return cls(ShowImageArgs(layer, path, source=source))


class PlayBgmArgs(_Args, frozen=True):
    """Which music."""

    path: str | None = None
    """The file; None where it could not be found."""


class PlayBgm(_Directive, frozen=True, tag="PlayBgm"):
    """Play music in the background."""

    args: PlayBgmArgs
    """Which music."""

    @classmethod
    def build(cls, path: str | None, source: Source | UnsetType = UNSET) -> "PlayBgm":
        """Build music from its file."""
        return cls(PlayBgmArgs(path, source=source))


class WaitArgs(_Args, frozen=True):
    """How long."""

    seconds: float
    """Seconds to wait; a host takes what is below 0 for 0."""

    def __post_init__(self) -> None:
        # JSON cannot represent these: they would be written as null.
        if not -inf < self.seconds < inf:
            raise ValueError(f"a wait cannot last {self.seconds!r} seconds")


class Wait(_Directive, frozen=True, tag="Wait"):
    """Let time pass."""

    args: WaitArgs
    """How long."""

    @classmethod
    def build(cls, seconds: float, source: Source | UnsetType = UNSET) -> "Wait":
        """Build a pause of so many seconds.

        Raises:
            ValueError: If the seconds are infinite or not a number.
        """
        return cls(WaitArgs(seconds, source=source))


class Option(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """One choice, with more about it than its words."""

    text: str
    """The choice as people read it; the same as in `choices`."""
    enabled: bool
    """Whether it can be chosen; if not, it is shown all the same."""
    id: str | UnsetType = UNSET
    """The choice's id, the author's own or made from its words."""
    tags: tuple[str, ...] | UnsetType = UNSET
    """What the author attached to the choice."""

    @classmethod
    def build(
        cls, text: str, enabled: bool = True, id: str = "", tags: tuple[str, ...] = ()
    ) -> "Option":
        """Build a choice from its parts; an empty id and no tags are omitted."""
        return cls(text, enabled, id or UNSET, tags or UNSET)


class BranchArgs(_Args, frozen=True):
    """What can be chosen."""

    choices: tuple[str, ...]
    """The choices as people read them, in order; `choose` counts them from 0."""
    options: tuple[Option, ...] | UnsetType = UNSET
    """The same choices in the same order, with more about each."""


class Branch(_Directive, frozen=True, tag="Branch"):
    """Offer choices."""

    args: BranchArgs
    """What can be chosen."""

    @classmethod
    def build(cls, *choices: str) -> "Branch":
        """Build a branch from its choices."""
        return cls(BranchArgs(choices))

    @classmethod
    def build_from_options(
        cls, options: tuple[Option, ...], source: Source | UnsetType = UNSET
    ) -> "Branch":
        """Build a branch from its options; `choices` lists the same texts."""
        return cls(BranchArgs(tuple([o.text for o in options]), options, source=source))


class ClearLayerArgs(_Args, frozen=True):
    """Which layer."""

    layer: str
    """The layer to empty."""


class ClearLayer(_Directive, frozen=True, tag="ClearLayer"):
    """Take away whatever a layer shows."""

    args: ClearLayerArgs
    """Which layer."""

    @classmethod
    def build(cls, layer: str, source: Source | UnsetType = UNSET) -> "ClearLayer":
        """Build a cleared layer from its name."""
        return cls(ClearLayerArgs(layer, source=source))


class PlaySeArgs(_Args, frozen=True):
    """Which sound."""

    path: str | None = None
    """The file; None where it could not be found."""


class PlaySe(_Directive, frozen=True, tag="PlaySe"):
    """Play a sound once."""

    args: PlaySeArgs
    """Which sound."""

    @classmethod
    def build(cls, path: str | None, source: Source | UnsetType = UNSET) -> "PlaySe":
        """Build a sound from its file."""
        return cls(PlaySeArgs(path, source=source))


class PlayMovieArgs(_Args, frozen=True):
    """Which film."""

    path: str | None = None
    """The file; None where it could not be found."""


class PlayMovie(_Directive, frozen=True, tag="PlayMovie"):
    """Play a film."""

    args: PlayMovieArgs
    """Which film."""

    @classmethod
    def build(cls, path: str | None, source: Source | UnsetType = UNSET) -> "PlayMovie":
        """Build a film from its file."""
        return cls(PlayMovieArgs(path, source=source))


class EventArgs(_Args, frozen=True):
    """What happened."""

    name: str
    """What happened, in the author's word for it."""
    values: dict[str, str]
    """What comes with it, in the order written."""


class Event(_Directive, frozen=True, tag="Event"):
    """Tell the host something of the author's own."""

    args: EventArgs
    """What happened."""

    @classmethod
    def build(
        cls,
        name: str,
        values: Mapping[str, str] | tuple[tuple[str, str], ...] = (),
        source: Source | UnsetType = UNSET,
    ) -> "Event":
        """Build an event from its name and values."""
        return cls(EventArgs(name, dict(values), source=source))


class EndingArgs(_Args, frozen=True):
    """Which ending."""

    id: str
    """Which ending."""
    name: str | UnsetType = UNSET
    """Its name for people."""


class Ending(_Directive, frozen=True, tag="Ending"):
    """An ending is reached."""

    args: EndingArgs
    """Which ending."""

    @classmethod
    def build(cls, id: str, name: str = "", source: Source | UnsetType = UNSET) -> "Ending":
        """Build an ending from its id; an empty name is omitted."""
        return cls(EndingArgs(id, name or UNSET, source=source))


class AskArgs(_Args, frozen=True):
    """What is asked."""

    prompt: str
    """What is asked; may be empty."""


class Ask(_Directive, frozen=True, tag="Ask"):
    """Let the person answer in their own words: `answer(text)`."""

    args: AskArgs
    """What is asked."""

    @classmethod
    def build(cls, prompt: str, source: Source | UnsetType = UNSET) -> "Ask":
        """Build a question from its text."""
        return cls(AskArgs(prompt, source=source))


class ReachedLabelArgs(_Args, frozen=True):
    """Which label."""

    label: str
    """The label, as written."""


class ReachedLabel(_Directive, frozen=True, tag="ReachedLabel"):
    """A label was passed; only where every command makes a step."""

    args: ReachedLabelArgs
    """Which label."""

    @classmethod
    def build(cls, label: str, source: Source | UnsetType = UNSET) -> "ReachedLabel":
        """Build a label that was entered from its name."""
        return cls(ReachedLabelArgs(label, source=source))


class JumpToArgs(_Args, frozen=True):
    """Where to."""

    label: str
    """The label, as written."""


class JumpTo(_Directive, frozen=True, tag="JumpTo"):
    """The story goes on at a label; only where every command makes a step."""

    args: JumpToArgs
    """Where to."""

    @classmethod
    def build(cls, label: str, source: Source | UnsetType = UNSET) -> "JumpTo":
        """Build a jump from the label it leads to."""
        return cls(JumpToArgs(label, source=source))


Directive = (
    Say
    | ShowImage
    | PlayBgm
    | Wait
    | Branch
    | ClearLayer
    | PlaySe
    | PlayMovie
    | Event
    | Ending
    | Ask
    | ReachedLabel
    | JumpTo
)
"""Every directive. A closed union; it may grow, never shrink."""


class StepResult(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """One advance of the story, whole: the only thing that carries story to a host."""

    next: Next
    """What the host does after showing the directives."""
    directives: tuple[Directive, ...]
    """What to show, in order."""

    def to_document(self) -> dict[str, Any]:
        """Return the step as plain values, in the shape of the schema."""
        document: dict[str, Any] = msgspec.json.decode(self.to_json())
        return document

    def to_json(self) -> bytes:
        """Return the step as JSON, in the shape of the schema."""
        return msgspec.json.encode(self)


@cache
def read_schema_text() -> str:
    """Return the published contract, JSON Schema draft 2020-12, from the package."""
    folder = files("saniwa.story") / "schemas"
    return (folder / "stepresult.schema.json").read_text(encoding="utf-8")
