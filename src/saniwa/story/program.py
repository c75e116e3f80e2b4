"""A story compiled: one flat list of operations, run by the player, read by the tools.

An operation's address is its index. Addresses never leave the room: what is saved or
sent names labels and line ids, because those survive an edit of the story.
"""

from bisect import bisect_right
from collections.abc import Mapping
from functools import cached_property
from typing import Literal, NamedTuple

import msgspec

from saniwa.core.findings import SourceLocation
from saniwa.story.evaluation import Value
from saniwa.story.expressions import Expression
from saniwa.story.format import Declaration, LabelKind, LinkTarget, WorldReference
from saniwa.story.text import Words


class _Op(msgspec.Struct, frozen=True, gc=False):
    """One operation, and the place in its file that asks for it."""

    line: int
    """The line, from 1."""
    column: int
    """The column, from 1."""


class SpeakOp(_Op, frozen=True, gc=False):
    """Say a line."""

    speaker: str
    """Who; empty for the narrator."""
    words: Words
    """What."""
    id: str
    """Its id: the author's, else one made of label and content."""
    named: bool = False
    """Whether the id is the author's own."""
    tags: tuple[str, ...] = ()
    """The author's tags."""
    values: tuple[tuple[str, str], ...] = ()
    """What else the author attached, such as `voice`."""
    click: bool = False
    """Whether the author asks for a click after it: then no choice joins its step."""


class ShowOp(_Op, frozen=True, gc=False):
    """Show a picture."""

    name: str
    """Logical name."""
    layer: str
    """Where."""


class SoundOp(_Op, frozen=True, gc=False):
    """Play music, an effect or a film."""

    kind: Literal["bgm", "se", "movie"]
    """What sort of thing."""
    name: str
    """Logical name."""


class PauseOp(_Op, frozen=True, gc=False):
    """Let time pass."""

    seconds: float
    """How long."""


class ClearOp(_Op, frozen=True, gc=False):
    """Empty a layer."""

    layer: str
    """Which."""


class SignalOp(_Op, frozen=True, gc=False):
    """Tell the host something of the author's own."""

    name: str
    """What."""
    values: tuple[tuple[str, str], ...]
    """What comes with it."""


class OfferOption(msgspec.Struct, frozen=True, gc=False):
    """One option of an offer."""

    line: int
    """Where it is written."""
    column: int
    """Where it is written."""
    words: Words
    """How people read it."""
    to: int
    """Where flow goes when it is chosen."""
    id: str
    """Its id: the author's, else one made of label and content."""
    named: bool = False
    """Whether the id is the author's own."""
    once: bool = False
    """Gone once chosen."""
    only_if: Expression | None = None
    """Hidden unless."""
    enabled_if: Expression | None = None
    """Disabled unless."""
    fallback: bool = False
    """Taken by itself when nothing else can be."""
    ask: bool = False
    """Stands for the person's own words."""
    tags: tuple[str, ...] = ()
    """The author's tags."""
    heading: str = ""
    """The label a plain link leads to; empty for an arm."""


class OfferOp(_Op, frozen=True, gc=False):
    """Offer choices; where none can be taken, flow goes on at `after`."""

    ways: tuple[OfferOption, ...]
    """The options."""
    after: int
    """Where the options meet."""


class EnterOp(_Op, frozen=True, gc=False):
    """Pass a label: its visits are counted."""

    label: str
    """Its key."""
    name: str
    """Its name as written."""
    kind: LabelKind
    """Which notation made it."""


class GoOp(_Op, frozen=True, gc=False):
    """Flow goes on elsewhere; no author wrote this as a jump."""

    to: int
    """Where."""


class JumpOp(_Op, frozen=True, gc=False):
    """A jump the author wrote; to nowhere, flow goes on to the next operation."""

    label: str
    """The label's name as written."""
    to: int | None
    """Where; None where no such label is."""


class CallOp(_Op, frozen=True, gc=False):
    """A jump that comes back."""

    label: str
    """The label's name as written."""
    to: int | None
    """Where; None where no such label is."""


class ReturnOp(_Op, frozen=True, gc=False):
    """Return from a call; outside of one, flow goes on."""


class FallOp(_Op, frozen=True, gc=False):
    """Flow leaves a section for the next one: inside a call this returns."""


class IfOp(_Op, frozen=True, gc=False):
    """Go on if it holds, else go to `otherwise`."""

    when: Expression
    """What is tested."""
    otherwise: int
    """Where to, if it does not hold."""


class AssignOp(_Op, frozen=True, gc=False):
    """Give a variable a value."""

    name: str
    """Which."""
    operator: str
    """How: `=`, `+=`, `-=`, `*=`, `/=`."""
    worth: Expression
    """What."""


OutcomeDisplay = Literal["never", "refused", "always"]
"""When the world's own telling of a deed is shown."""


class DoOp(_Op, frozen=True, gc=False):
    """Do something in the world beneath."""

    words: Words | None
    """What, in a player's words; None for what the person just said."""
    otherwise: int
    """Where to, if it is refused."""
    tells: OutcomeDisplay
    """When the world's own telling is shown."""


class AskOp(_Op, frozen=True, gc=False):
    """Ask for the person's own words."""

    prompt: Words
    """What is asked."""
    name: str
    """The variable that keeps them; empty where they are played in the world."""


class EndOp(_Op, frozen=True, gc=False):
    """The story ends; where the file merely stops, a call returns first."""

    ending: str | None
    """Which ending; None where the file stops."""
    name: str
    """Its name for people."""


Op = (
    SpeakOp
    | ShowOp
    | SoundOp
    | PauseOp
    | ClearOp
    | SignalOp
    | OfferOp
    | EnterOp
    | GoOp
    | JumpOp
    | CallOp
    | ReturnOp
    | FallOp
    | IfOp
    | AssignOp
    | DoOp
    | AskOp
    | EndOp
)
"""All operations. A closed union."""

WAITS = (SpeakOp, SoundOp, PauseOp, OfferOp, AskOp, EndOp, DoOp)
"""Operations a flow may stop at; a sound only if it is a film."""


def can_wait(op: Op) -> bool:
    """Whether the host has something to do here, so that flow cannot run on for ever."""
    return isinstance(op, WAITS) and not (
        isinstance(op, SoundOp) and op.kind != "movie"
    )


class ResolvedLink(NamedTuple):
    """A jump as written, and where it was found to lead."""

    file: str
    """The file it stands in."""
    target: LinkTarget
    """As written."""
    to: int | None
    """The address; None where no such label is."""


class Program(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A whole story, ready to be played."""

    fingerprint: str
    """Hash of all its text: the same story, the same fingerprint."""
    ops: tuple[Op, ...]
    """The operations; the first is where the story begins."""
    labels: Mapping[str, int]
    """Addresses of labels by key, in the order of the story."""
    aliases: Mapping[str, str]
    """Keys of labels by every spelling that means them."""
    files: tuple[tuple[int, str], ...]
    """Where each file begins, by first address."""
    ids: Mapping[str, int]
    """Addresses of lines (and of the offers that hold options) by id."""
    links: tuple[ResolvedLink, ...]
    """Every jump an author wrote."""
    variables: tuple[Declaration, ...]
    """Declared variables with their first values."""
    ground: WorldReference | None = None
    """The world it stands on."""

    def find_file(self, address: int) -> str:
        """The file an operation comes from."""
        index = bisect_right(self.files, (address, "\U0010ffff")) - 1
        return self.files[index][1]

    def locate_op(self, address: int) -> SourceLocation:
        """The place of an operation."""
        op = self.ops[address]
        return SourceLocation(
            file=self.find_file(address), line=op.line, column=op.column
        )

    def find_label(self, address: int) -> str:
        """The key of the label an operation stands under; empty before the first."""
        index = bisect_right(self._starts, address) - 1
        return self._keys[index] if index >= 0 else ""

    def make_initial_values(self) -> dict[str, Value]:
        """Every declared variable with its first value."""
        return {name.name: name.value for name in self.variables}

    def list_successors(self, address: int) -> tuple[int, ...]:
        """Where flow may go next; a return's goals are those of all calls, not listed."""
        match self.ops[address]:
            case GoOp(to=to):
                return (to,)
            case JumpOp(to=to):
                return (address + 1 if to is None else to,)
            case CallOp(to=to):
                return (address + 1,) if to is None else (to, address + 1)
            case IfOp(otherwise=otherwise) | DoOp(otherwise=otherwise):
                return (address + 1, otherwise)
            case OfferOp(ways=ways, after=after):
                return (*(way.to for way in ways), after)
            case EndOp():
                return ()
            case _:
                return (address + 1,)

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return tuple(self.labels.values())

    @cached_property
    def _keys(self) -> tuple[str, ...]:
        return tuple(self.labels)
