"""A compiled story: one flat list of operations, run by the player, read by the tools.

Many elements are operations as they are; the others become operations of their own.
An operation's address is its index. Addresses never leave this package: what is saved
or sent names labels and line ids, because those survive an edit of the story.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Literal, NamedTuple

import msgspec

from saniwa.core.findings import SourceLocation
from saniwa.story import elements
from saniwa.story.expression_parser import Expression
from saniwa.story.text_template import Words, find_text_expressions, to_typed
from saniwa.story.value_operations import Value


class _Op(msgspec.Struct, frozen=True, gc=False):
    """One operation, and the place in its file it comes from."""

    line: int
    """The line, from 1."""
    column: int
    """The column, from 1."""


class OfferOp(_Op, frozen=True, gc=False):
    """Offer choices; if none can be taken, flow continues at `after`."""

    ways: tuple[elements.ChoiceOption, ...]
    """The options."""
    after: int
    """The address where all options continue."""


class EnterOp(_Op, frozen=True, gc=False):
    """Enter a label: its visits are counted."""

    label: str
    """Its key."""
    name: str
    """Its name as written."""
    kind: elements.LabelKind
    """Its notation."""


class GoOp(_Op, frozen=True, gc=False):
    """Continue elsewhere; not a jump that the author wrote."""

    to: int
    """The address."""


class JumpOp(_Op, frozen=True, gc=False):
    """A jump the author wrote; without a target, flow continues after it."""

    label: str
    """The label's name as written."""
    to: int | None
    """The address; None if there is no such label."""


class CallOp(_Op, frozen=True, gc=False):
    """A jump that returns."""

    label: str
    """The label's name as written."""
    to: int | None
    """The address; None if there is no such label."""


class FallOp(_Op, frozen=True, gc=False):
    """Flow passes from a section into the next one: inside a call this returns."""


class IfOp(_Op, frozen=True, gc=False):
    """Continue if the condition is true, else go to `otherwise`."""

    when: Expression
    """The condition."""
    otherwise: int
    """The address if it is false."""


OutcomeDisplay = Literal["never", "refused", "always"]
"""When the world's own lines about a deed are shown."""


class DoOp(_Op, frozen=True, gc=False):
    """Do a deed in the story's world."""

    words: Words | None
    """The deed, in a player's words; None for the player's last answer."""
    otherwise: int
    """The address if it is refused."""
    tells: OutcomeDisplay
    """When the world's own lines are shown."""


class EndOp(_Op, frozen=True, gc=False):
    """End the story; at the mere end of a file, a call returns first."""

    ending: str | None
    """The id of the ending; None for the end of a file."""
    name: str
    """Its display name."""


Op = (
    elements.DirectElement
    | OfferOp
    | EnterOp
    | GoOp
    | JumpOp
    | CallOp
    | FallOp
    | IfOp
    | DoOp
    | EndOp
)
"""All operations. A closed union."""


def list_op_expressions(op: Op) -> Iterable[Expression]:
    """List the expressions that an operation evaluates."""
    match op:
        case IfOp(when=when):
            return (when,)
        case DoOp(words=words):
            return find_text_expressions(words or "")
        case OfferOp(ways=ways):
            return elements.list_element_expressions(elements.ChoiceElement(0, 0, 0, ways))
        case EnterOp() | GoOp() | JumpOp() | CallOp() | FallOp() | EndOp():
            return ()
        case _:
            return elements.list_element_expressions(op)


WAITS = (
    elements.SayElement,
    elements.SoundElement,
    elements.PauseElement,
    OfferOp,
    elements.AskElement,
    EndOp,
    DoOp,
)
"""Operations at which flow may wait; a sound only if it is a film."""


def can_wait(op: Op) -> bool:
    """Whether flow waits for the host here, so that it cannot run on forever."""
    return isinstance(op, WAITS) and not (
        isinstance(op, elements.SoundElement) and op.kind != "movie"
    )


def get_line_id(op: Op) -> str:
    """Return the id of a line or a choice; empty for everything else."""
    if isinstance(op, elements.SayElement):
        return op.id
    if isinstance(op, OfferOp) and op.ways:
        return op.ways[0].id
    return ""


StoryText = elements.SayElement | elements.ChoiceOption
"""A text that players read: a line or an option."""


def list_op_texts(op: Op) -> tuple[StoryText, ...]:
    """List the line, or the options, of an operation; most others have neither."""
    if isinstance(op, elements.SayElement):
        return (op,)
    return op.ways if isinstance(op, OfferOp) else ()


def describe_effect(op: Op) -> str:
    """Describe what an operation does, in words that edits elsewhere do not change."""
    match op:
        case elements.AssignElement(name=name, operator=operator, worth=worth):
            return f"set {name} {operator} {worth.source}"
        case IfOp(when=when):
            return f"when {when.source}"
        case elements.PictureElement(name=name, layer=layer):
            return f"show {name} {layer}"
        case elements.SoundElement(kind=kind, name=name):
            return f"play {kind} {name}"
        case elements.ClearElement(layer=layer):
            return f"clear {layer}"
        case elements.PauseElement(seconds=seconds):
            return f"wait {seconds}"
        case elements.EventElement(name=name):
            return f"event {name}"
        case CallOp(label=label):
            return f"call {label}"
        case JumpOp(label=label):
            return f"jump {label}"
        case DoOp(words=words):
            return f"do {to_typed(words or '')}"
        case elements.AskElement(prompt=prompt, name=name):
            return f"ask {name} {to_typed(prompt)}"
        case EndOp(ending=ending):
            return f"end {ending or ''}"
        case GoOp() | EnterOp():
            return ""
        # These words are stored in saves: they stay when a class is renamed.
        case elements.SayElement():
            return "speak"
        case OfferOp():
            return "offer"
        case elements.ReturnElement():
            return "back"
        case FallOp():
            return "fall"


class ResolvedLink(NamedTuple):
    """A jump as written, and the address it resolves to."""

    file: str
    """The file it is written in."""
    target: elements.LinkTarget
    """As written."""
    to: int | None
    """The address; None if there is no such label."""


class Program(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A complete story, ready to be played."""

    fingerprint: str
    """Hash of all its text: the same story has the same fingerprint."""
    ops: tuple[Op, ...]
    """The operations; the first is where the story begins."""
    labels: Mapping[str, int]
    """Addresses of labels by key, in the order of the story."""
    aliases: Mapping[str, str]
    """Keys of labels by every accepted spelling."""
    files: tuple[tuple[int, str], ...]
    """Where each file begins, by first address."""
    ids: Mapping[str, int]
    """Addresses of lines (and of the offers that contain options) by id."""
    links: tuple[ResolvedLink, ...]
    """Every jump an author wrote."""
    variables: tuple[elements.Declaration, ...]
    """Declared variables with their initial values."""
    ground: elements.WorldReference | None = None
    """The world it is played in."""

    def find_file(self, address: int) -> str:
        """Return the file an operation comes from."""
        index = bisect_right(self.files, (address, "\U0010ffff")) - 1
        return self.files[index][1]

    def locate_op(self, address: int, text: StoryText | None = None) -> SourceLocation:
        """Return the place of an operation, or of one of its texts."""
        part = text or self.ops[address]
        return SourceLocation(file=self.find_file(address), line=part.line, column=part.column)

    def list_texts(self) -> Iterator[tuple[int, StoryText]]:
        """Yield every line and every option, with the address of its operation."""
        for address, op in enumerate(self.ops):
            if op.__class__ is elements.SayElement:
                yield address, op
            elif op.__class__ is OfferOp:
                yield from ((address, way) for way in op.ways)

    def find_label(self, address: int) -> str:
        """Return the key of the label an operation is under; empty before the first."""
        index = bisect_right(self._starts, address) - 1
        return self._keys[index] if index >= 0 else ""

    def make_initial_values(self) -> dict[str, Value]:
        """Return every declared variable with its initial value."""
        return {name.name: name.value for name in self.variables}

    def list_successors(self, address: int) -> tuple[int, ...]:
        """List where flow may go next, except the addresses a return leads to."""
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
