"""The StepResult contract as records: what a host shows.

The contract is `schemas/stepresult.schema.json`; these records are written in exactly
its shape. Existing directives never change their meaning or lose a field; new ones may
be added. Fields that the author or host did not ask for are omitted from the JSON, not
written empty.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from math import inf
from pathlib import Path
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
    """The place in the author's file."""

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
    """A marked range of a text, such as emphasis."""

    start: Annotated[int, msgspec.Meta(ge=0)]
    """The first character, counted from 0 in Unicode code points."""
    end: _Counted
    """The position after the last character."""
    kind: Literal["emphasis", "strong", "code"]
    """The kind of mark."""


class SayArgs(_Args, frozen=True):
    """The speaker and the text."""

    speaker: str
    """The speaker; empty for the narrator."""
    text: str
    """The words."""
    id: str | UnsetType = UNSET
    """The id of the line: the author's own, or one made from its words."""
    tags: tuple[str, ...] | UnsetType = UNSET
    """The author's tags, such as `whisper`."""
    voice: str | UnsetType = UNSET
    """The logical name of the recorded voice."""
    spans: tuple[TextSpan, ...] | UnsetType = UNSET
    """The marked ranges of the text in order; an outer range precedes an inner one."""


class Say(_Directive, frozen=True, tag="Say"):
    """Show a line of text."""

    args: SayArgs
    """The speaker and the text."""

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
    """The picture and its position."""

    layer: str
    """The layer it is shown on."""
    path: str | None = None
    """The file; null if it was not found."""


class ShowImage(_Directive, frozen=True, tag="ShowImage"):
    """Show a picture on a layer."""

    args: ShowImageArgs
    """The picture and its layer."""

    @classmethod
    def build(cls, layer: str, path: str | None, source: Source | UnsetType = UNSET) -> "ShowImage":
        """Build a picture from its parts."""
        return cls(ShowImageArgs(layer, path, source=source))


class PlayBgmArgs(_Args, frozen=True):
    """The music."""

    path: str | None = None
    """The file; null if it was not found."""


class PlayBgm(_Directive, frozen=True, tag="PlayBgm"):
    """Play music in the background."""

    args: PlayBgmArgs
    """The music."""

    @classmethod
    def build(cls, path: str | None, source: Source | UnsetType = UNSET) -> "PlayBgm":
        """Build music from its file."""
        return cls(PlayBgmArgs(path, source=source))


class WaitArgs(_Args, frozen=True):
    """The duration."""

    seconds: float
    """Seconds to wait; a host treats a negative number as 0."""

    def __post_init__(self) -> None:
        # JSON cannot represent these: they would be written as null.
        if not -inf < self.seconds < inf:
            raise ValueError(f"a wait cannot last {self.seconds!r} seconds")


class Wait(_Directive, frozen=True, tag="Wait"):
    """Let time pass."""

    args: WaitArgs
    """The duration."""

    @classmethod
    def build(cls, seconds: float, source: Source | UnsetType = UNSET) -> "Wait":
        """Build a pause of so many seconds.

        Raises:
            ValueError: If the seconds are infinite or not a number.
        """
        return cls(WaitArgs(seconds, source=source))


class Option(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A choice with its details."""

    text: str
    """The text of the choice, as in `choices`."""
    enabled: bool
    """Whether it can be chosen; a disabled choice is shown too."""
    id: str | UnsetType = UNSET
    """The id of the choice: the author's own, or one made from its words."""
    tags: tuple[str, ...] | UnsetType = UNSET
    """The author's tags."""

    @classmethod
    def build(
        cls, text: str, enabled: bool = True, id: str = "", tags: tuple[str, ...] = ()
    ) -> "Option":
        """Build a choice from its parts; an empty id and no tags are omitted."""
        return cls(text, enabled, id or UNSET, tags or UNSET)


class BranchArgs(_Args, frozen=True):
    """The options to choose from."""

    choices: tuple[str, ...]
    """The texts of the choices, in order; `choose` counts them from 0."""
    options: tuple[Option, ...] | UnsetType = UNSET
    """The same choices in the same order, with details."""


class Branch(_Directive, frozen=True, tag="Branch"):
    """Offer choices."""

    args: BranchArgs
    """The choices."""

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
    """The layer."""

    layer: str
    """The layer to empty."""


class ClearLayer(_Directive, frozen=True, tag="ClearLayer"):
    """Remove what a layer shows."""

    args: ClearLayerArgs
    """The layer."""

    @classmethod
    def build(cls, layer: str, source: Source | UnsetType = UNSET) -> "ClearLayer":
        """Build a cleared layer from its name."""
        return cls(ClearLayerArgs(layer, source=source))


class PlaySeArgs(_Args, frozen=True):
    """The sound."""

    path: str | None = None
    """The file; null if it was not found."""


class PlaySe(_Directive, frozen=True, tag="PlaySe"):
    """Play a sound once."""

    args: PlaySeArgs
    """The sound."""

    @classmethod
    def build(cls, path: str | None, source: Source | UnsetType = UNSET) -> "PlaySe":
        """Build a sound from its file."""
        return cls(PlaySeArgs(path, source=source))


class PlayMovieArgs(_Args, frozen=True):
    """The film."""

    path: str | None = None
    """The file; null if it was not found."""


class PlayMovie(_Directive, frozen=True, tag="PlayMovie"):
    """Play a film."""

    args: PlayMovieArgs
    """The film."""

    @classmethod
    def build(cls, path: str | None, source: Source | UnsetType = UNSET) -> "PlayMovie":
        """Build a film from its file."""
        return cls(PlayMovieArgs(path, source=source))


class EventArgs(_Args, frozen=True):
    """The name and data of the event."""

    name: str
    """The author's name for the event."""
    values: dict[str, str]
    """Its values, in the order written."""


class Event(_Directive, frozen=True, tag="Event"):
    """An event of the author's own for the host."""

    args: EventArgs
    """The name and the values."""

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
    """The ending."""

    id: str
    """The id of the ending."""
    name: str | UnsetType = UNSET
    """The name of the ending."""


class Ending(_Directive, frozen=True, tag="Ending"):
    """The story has reached an ending."""

    args: EndingArgs
    """The ending."""

    @classmethod
    def build(cls, id: str, name: str = "", source: Source | UnsetType = UNSET) -> "Ending":
        """Build an ending from its id; an empty name is omitted."""
        return cls(EndingArgs(id, name or UNSET, source=source))


class AskArgs(_Args, frozen=True):
    """The question."""

    prompt: str
    """The question; may be empty."""


class Ask(_Directive, frozen=True, tag="Ask"):
    """Ask the player for free text; the host sends it with `answer(text)`."""

    args: AskArgs
    """The question."""

    @classmethod
    def build(cls, prompt: str, source: Source | UnsetType = UNSET) -> "Ask":
        """Build a question from its text."""
        return cls(AskArgs(prompt, source=source))


class ReachedLabelArgs(_Args, frozen=True):
    """The label."""

    label: str
    """The label, as written."""


class ReachedLabel(_Directive, frozen=True, tag="ReachedLabel"):
    """The story passed a label; sent only if every command is a step."""

    args: ReachedLabelArgs
    """The label."""

    @classmethod
    def build(cls, label: str, source: Source | UnsetType = UNSET) -> "ReachedLabel":
        """Build a label that was entered from its name."""
        return cls(ReachedLabelArgs(label, source=source))


class JumpToArgs(_Args, frozen=True):
    """The target label."""

    label: str
    """The label, as written."""


class JumpTo(_Directive, frozen=True, tag="JumpTo"):
    """The story jumps to a label; sent only if every command is a step."""

    args: JumpToArgs
    """The target label."""

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
    """One step of the story, complete. All story content reaches a host in this record."""

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
    folder = Path(__file__).parent / "schemas"
    return (folder / "stepresult.schema.json").read_text(encoding="utf-8")
