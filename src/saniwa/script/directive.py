"""What a host is told to show: the StepResult contract, in records.

The contract is `schemas/stepresult.schema.json`; these records are written in exactly its
shape. Existing directives never change their meaning or lose a field; new ones may come.
"""

from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec


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


class _Args(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The arguments of one directive."""


class _Directive(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="type",
):
    """One thing to show, told apart by `type`."""


class SayArgs(_Args, frozen=True):
    """Who says what."""

    speaker: str
    """Who speaks; empty for the narrator."""
    text: str
    """The words."""


class Say(_Directive, frozen=True, tag="Say"):
    """Show a line of text."""

    args: SayArgs
    """Who says what."""

    @classmethod
    def of(cls, speaker: str, text: str) -> "Say":
        """A line, from its two parts."""
        return cls(args=SayArgs(speaker=speaker, text=text))


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
    def of(cls, layer: str, path: str | None) -> "ShowImage":
        """A picture, from its two parts."""
        return cls(args=ShowImageArgs(layer=layer, path=path))


class PlayBgmArgs(_Args, frozen=True):
    """Which music."""

    path: str | None = None
    """The file; None where it could not be found."""


class PlayBgm(_Directive, frozen=True, tag="PlayBgm"):
    """Play music in the background."""

    args: PlayBgmArgs
    """Which music."""

    @classmethod
    def of(cls, path: str | None) -> "PlayBgm":
        """Music, from its file."""
        return cls(args=PlayBgmArgs(path=path))


class WaitArgs(_Args, frozen=True):
    """How long."""

    seconds: float
    """Seconds to wait."""


class Wait(_Directive, frozen=True, tag="Wait"):
    """Let time pass."""

    args: WaitArgs
    """How long."""

    @classmethod
    def of(cls, seconds: float) -> "Wait":
        """A pause of so many seconds."""
        return cls(args=WaitArgs(seconds=seconds))


class BranchArgs(_Args, frozen=True):
    """What can be chosen."""

    choices: tuple[str, ...]
    """The choices as people read them, in order; `choose` counts them from 0."""


class Branch(_Directive, frozen=True, tag="Branch"):
    """Offer choices."""

    args: BranchArgs
    """What can be chosen."""

    @classmethod
    def of(cls, *choices: str) -> "Branch":
        """A branch, from its choices."""
        return cls(args=BranchArgs(choices=choices))


class ClearLayerArgs(_Args, frozen=True):
    """Which layer."""

    layer: str
    """The layer to empty."""


class ClearLayer(_Directive, frozen=True, tag="ClearLayer"):
    """Take away whatever a layer shows."""

    args: ClearLayerArgs
    """Which layer."""

    @classmethod
    def of(cls, layer: str) -> "ClearLayer":
        """An emptied layer, from its name."""
        return cls(args=ClearLayerArgs(layer=layer))


Directive = Say | ShowImage | PlayBgm | Wait | Branch | ClearLayer
"""All there is to show. A closed union; it may grow, never shrink."""


class StepResult(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One advance of the story, whole: the only thing that carries story to a host."""

    next: Next
    """What the host does after showing the directives."""
    directives: tuple[Directive, ...]
    """What to show, in order."""

    def as_document(self) -> dict[str, Any]:
        """The step as plain values, in the shape of the schema."""
        document: dict[str, Any] = msgspec.json.decode(self.as_json())
        return document

    def as_json(self) -> bytes:
        """The step as JSON, in the shape of the schema."""
        return msgspec.json.encode(self)


@cache
def schema_text() -> str:
    """The published contract, JSON Schema draft 2020-12, as shipped in the package."""
    folder = files("saniwa.script") / "schemas"
    return (folder / "stepresult.schema.json").read_text(encoding="utf-8")
