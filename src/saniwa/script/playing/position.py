"""Places in a story that survive an edit of it.

A place is told by what stands there and around it, never by a number alone: a line by its
id, anything else by what it does, and where either is gone, by its neighbours. What was
done before the place is never done again; what comes after it is never left out.
"""

from collections.abc import Iterator
from typing import Annotated, Final, Literal

import msgspec

from saniwa.script.language.words import to_typed
from saniwa.script.program import (
    Call,
    Clear,
    Do,
    End,
    Enter,
    Go,
    Hear,
    Leap,
    Offer,
    Op,
    Pause,
    Program,
    Put,
    Show,
    Signal,
    Sound,
    Speak,
    Test,
)

_NEIGHBOURS: Final = 3
_FARTHEST: Final = 200
"""Operations that are looked through for neighbours."""

Found = Literal["exactly", "id", "neighbour", "label", "beginning"]
"""How a place was found again, best first."""


class Position(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place in a story that survives an edit."""

    label: str
    """The key of the label it stands under."""
    nth: Annotated[int, msgspec.Meta(ge=0)]
    """Operations since that label; exact as long as the story is the same."""
    id: str = ""
    """The line or choice that stands here; empty where something else does."""
    deed: str = ""
    """What stands here instead, and which of its kind in the section."""
    before: tuple[str, ...] = ()
    """Ids of lines before, nearest first."""
    since: tuple[str, ...] = ()
    """What was done between the nearest line before and here."""
    after: tuple[str, ...] = ()
    """Ids of lines after, nearest first."""


def position_of(program: Program, address: int) -> Position:
    """The address as a place that survives an edit."""
    label = program.label_of(address)
    start = program.labels.get(label, 0)
    id = told(program.ops[address])
    before, since = list[str](), list[str]()
    for op in _backwards(program, address, start):
        if name := told(op):
            before.append(name)
        elif not before and (done := deed(op)):
            since.append(done)
        if len(before) == _NEIGHBOURS:
            break
    after = [name for op in _onwards(program, address) if (name := told(op))]
    return Position(
        label,
        address - start,
        id,
        "" if id else _numbered(program, address, start),
        tuple(before),
        tuple(reversed(since)),
        tuple(after[:_NEIGHBOURS]),
    )


def find(program: Program, position: Position, *, same: bool) -> tuple[Found, int]:
    """Where a place is now, and how it was found."""
    start = program.labels.get(position.label, 0 if not position.label else None)
    if same and start is not None and start + position.nth < len(program.ops):
        return "exactly", start + position.nth
    if position.id in program.ids:
        return "id", program.ids[position.id]
    if start is not None and position.deed:
        address = _same_deed(program, start, position.deed)
        if address is not None:
            return "id", address
    beside = _beside(program, position)
    if beside is not None:
        return "neighbour", beside
    if position.label and start is not None:
        return "label", start
    return "beginning", 0


def _beside(program: Program, position: Position) -> int | None:
    """Where what is gone would stand, told by the lines around it."""
    for name in position.after:
        end = program.ids.get(name)
        if end is not None:
            start = _silent_before(program, end)
            before = told(program.ops[start - 1]) if start else ""
            if position.id and before and before not in position.before:
                return start - 1  # another line in its place: its new wording
            return _undone(program, start, end, position.since)
    for name in position.before:
        last = program.ids.get(name)
        if last is not None:
            end = _next_told(program, last + 1)
            return _undone(program, last + 1, end, position.since)
    return None


def _undone(program: Program, start: int, end: int, since: tuple[str, ...]) -> int:
    """The first place in a silent stretch after all that was done of it already."""
    left, first = list(since), start
    for address in range(start, end):
        if left and deed(program.ops[address]) == left[0]:
            left.pop(0)
            first = address + 1
    return first


def _silent_before(program: Program, address: int) -> int:
    while address and _is_silent(program.ops[address - 1]):
        address -= 1
    return address


def _next_told(program: Program, address: int) -> int:
    while address < len(program.ops) - 1 and _is_silent(program.ops[address]):
        address += 1
    return address


def _is_silent(op: Op) -> bool:
    return not told(op) and not isinstance(op, Enter | End)


def _backwards(program: Program, address: int, start: int) -> Iterator[Op]:
    for at in range(address - 1, max(start, address - _FARTHEST) - 1, -1):
        if isinstance(op := program.ops[at], Enter):
            return
        yield op


def _onwards(program: Program, address: int) -> Iterator[Op]:
    for op in program.ops[address + 1 : address + _FARTHEST]:
        if isinstance(op, Enter):
            return
        yield op


def _same_deed(program: Program, start: int, numbered: str) -> int | None:
    """Where the section that begins here does this, for the time that is meant."""
    done, _, number = numbered.rpartition(" #")
    times = 0
    for at in range(start, len(program.ops)):
        op = program.ops[at]
        if at > start and isinstance(op, Enter):
            return None
        if deed(op) == done:
            times += 1
            if str(times) == number:
                return at
    return None


def _numbered(program: Program, address: int, start: int) -> str:
    """What stands at an address, and which of its kind in the section it is."""
    done = deed(program.ops[address])
    if not done:
        return ""
    count = sum(deed(op) == done for op in program.ops[start:address])
    return f"{done} #{count + 1}"


def told(op: Op) -> str:
    """The id of a line or a choice; empty for everything else."""
    if isinstance(op, Speak):
        return op.id
    if isinstance(op, Offer) and op.ways:
        return op.ways[0].id
    return ""


def deed(op: Op) -> str:
    """What an operation does, in words that an edit elsewhere does not change."""
    match op:
        case Put(name=name, operator=operator, worth=worth):
            return f"set {name} {operator} {worth.source}"
        case Test(when=when):
            return f"when {when.source}"
        case Show(name=name, layer=layer):
            return f"show {name} {layer}"
        case Sound(kind=kind, name=name):
            return f"play {kind} {name}"
        case Clear(layer=layer):
            return f"clear {layer}"
        case Pause(seconds=seconds):
            return f"wait {seconds}"
        case Signal(name=name):
            return f"event {name}"
        case Call(label=label):
            return f"call {label}"
        case Leap(label=label):
            return f"jump {label}"
        case Do(words=words):
            return f"do {to_typed(words or '')}"
        case Hear(prompt=prompt, name=name):
            return f"ask {name} {to_typed(prompt)}"
        case End(ending=ending):
            return f"end {ending or ''}"
        case Go() | Enter():
            return ""
        case _:
            return type(op).__name__.lower()
