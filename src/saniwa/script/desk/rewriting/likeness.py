"""Whether two programs play alike: the same steps for the same choices.

Compares what is shown, tested and remembered along every way at once. Where something
stands, and how it was written, makes no difference.
"""

from collections.abc import Iterator
from typing import Any

from saniwa.script.language.expression import Expression
from saniwa.script.language.words import Mark, Show, Switch, Vary, Words, expressions
from saniwa.script.program import (
    Back,
    Call,
    Do,
    End,
    Enter,
    Fall,
    Go,
    Hear,
    Leap,
    Offer,
    Op,
    Program,
    Put,
    Speak,
    Test,
    Way,
)

_ENDLESS = -1


def alike(
    one: Program,
    other: Program,
    *,
    calls: bool = False,
    named: frozenset[str] = frozenset(),
) -> bool:
    """Whether they play alike from the beginning and from every label of `one`.

    `calls` says that the story is called into from elsewhere, so that the ends of its
    sections count; `named` are routes that somebody else names. Ids may be added, not
    changed. Costs the length of the programs.
    """
    if one.first_values() != other.first_values():
        return False
    calls = calls or any(isinstance(op, Call) for op in one.ops)
    read = _read(one) | _read(other) | named
    left, right = _Side(one, calls, read), _Side(other, calls, read)
    starts = _starts(left, right)
    return starts is not None and _alike(left, right, starts)


def _starts(left: "_Side", right: "_Side") -> list[tuple[int, int]] | None:
    starts = [(0, 0)]
    for address, op in enumerate(left.program.ops):
        if isinstance(op, Enter) and left.counts(op):
            theirs = right.program.aliases.get(op.name)
            if theirs is None:
                return None
            starts.append((address, right.program.labels[theirs]))
    return starts


def _alike(left: "_Side", right: "_Side", waiting: list[tuple[int, int]]) -> bool:
    seen: set[tuple[int, int]] = set()
    while waiting:
        mine, theirs = waiting.pop()
        pair = (left.next_shown(mine), right.next_shown(theirs))
        if pair in seen:
            continue
        seen.add(pair)
        if _ENDLESS in pair:
            if pair != (_ENDLESS, _ENDLESS):
                return False
            continue
        if left.look(pair[0]) != right.look(pair[1]):
            return False
        waiting += zip(left.ways(pair[0]), right.ways(pair[1]), strict=True)
    return True


class _Id:
    """An id for comparing: one that was made is like any other."""

    def __init__(self, id: str, *, fixed: bool) -> None:
        self._id, self._fixed = id, fixed

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Id):
            return NotImplemented
        return not self._fixed or self._id == other._id

    __hash__ = None  # type: ignore[assignment]


class _Side:
    """One of two programs."""

    def __init__(self, program: Program, calls: bool, read: frozenset[str]) -> None:
        self.program = program
        self._ops = program.ops
        self._calls = calls
        self._read = read

    def counts(self, op: Enter) -> bool:
        """Whether anybody could notice that this label is passed."""
        return op.kind != "route" or op.name in self._read

    def next_shown(self, at: int) -> int:
        """The first operation from here that can be noticed."""
        for _ in range(len(self._ops) + 1):
            op = self._ops[at]
            match op:
                case Go(to=to) | Leap(to=int(to)):
                    at = to
                case Fall() if not self._calls:
                    at += 1
                case Enter() if not self.counts(op):
                    at += 1
                case _:
                    return at
        return _ENDLESS

    def ways(self, at: int) -> tuple[int, ...]:
        """Where flow may go from an operation."""
        op = self._ops[at]
        if isinstance(op, Back):
            return (at + 1,)
        return self.program.following(at)

    def look(self, at: int) -> tuple[Any, ...]:
        """What can be noticed of an operation."""
        op = self._ops[at]
        kind = type(op).__name__
        match op:
            case Speak():
                id = _Id(op.id, fixed=op.named or _shuffles(op.words))
                text = (op.speaker, _plain(op.words), op.tags, op.values)
                return (kind, *text, id, self._joins(at + 1))
            case Offer(ways=ways):
                return (kind, *map(_way, ways))
            case Enter(name=name):
                return (kind, name)
            case Test(when=when):
                return (kind, when.source)
            case Put(name=name, operator=operator, worth=worth):
                return (kind, name, operator, worth.source)
            case Do(words=words, tells=tells):
                return (kind, None if words is None else _plain(words), tells)
            case Hear(prompt=prompt, name=name):
                return (kind, _plain(prompt), name)
            case Call(label=label, to=to) | Leap(label=label, to=to):
                return (kind, label, to is None)
            case End(ending=ending, name=name):
                return (kind, ending, name)
            case _:
                return (kind, *_fields(op))

    def _joins(self, at: int) -> str:
        """What shares the step of a line: a choice or a question that follows at once."""
        for _ in range(len(self._ops)):
            op = self._ops[at]
            if not isinstance(op, Go):
                return type(op).__name__ if isinstance(op, Offer | Hear) else ""
            at = op.to
        return ""


def _fields(op: Op) -> tuple[Any, ...]:
    names = (n for n in op.__struct_fields__ if n not in ("line", "column"))
    return tuple(getattr(op, name) for name in names)


def _way(way: Way) -> tuple[Any, ...]:
    return (
        _plain(way.words),
        way.once,
        way.only_if.source if way.only_if else "",
        way.enabled_if.source if way.enabled_if else "",
        way.fallback,
        way.ask,
        way.tags,
        _Id(way.id, fixed=way.named or _shuffles(way.words)),
    )


def _plain(words: Words) -> Any:
    """The words without their places."""
    # As deep as braces nest, which `parse_words` bounds.
    if isinstance(words, str):
        return words
    return tuple(_part(part) for part in words.parts)


def _part(part: str | Show | Switch | Vary | Mark) -> Any:
    match part:
        case str():
            return part
        case Show(worth=worth):
            return ("show", worth.source)
        case Mark(kind=mark, opens=opens):
            return ("mark", mark, opens)
        case Switch(worth=worth, yes=yes, no=no):
            return ("switch", worth.source, _plain(yes), _plain(no))
        case Vary(kind=kind, options=options, nth=nth):
            return (kind, nth, tuple(map(_plain, options)))


def _shuffles(words: Words) -> bool:
    if isinstance(words, str):
        return False
    for part in words.parts:
        inner: tuple[Words, ...] = ()
        if isinstance(part, Switch):
            inner = (part.yes, part.no)
        if isinstance(part, Vary):
            if part.kind == "shuffle":
                return True
            inner = part.options
        if any(map(_shuffles, inner)):
            return True
    return False


def _read(program: Program) -> frozenset[str]:
    """The labels whose visits are asked for, by every name."""
    asked = set()
    for each in _expressions(program):
        for call in each.calls:
            if call.name == "visits" and call.given and isinstance(call.given[0], str):
                key = program.aliases.get(call.given[0])
                if key is not None:
                    enter = program.ops[program.labels[key]]
                    asked.add(enter.name if isinstance(enter, Enter) else key)
    return frozenset(asked)


def _expressions(program: Program) -> Iterator[Expression]:
    for op in program.ops:
        match op:
            case Speak(words=words) | Do(words=words) if words is not None:
                yield from expressions(words)
            case Hear(prompt=prompt):
                yield from expressions(prompt)
            case Test(when=asked) | Put(worth=asked):
                yield asked
            case Offer(ways=ways):
                for way in ways:
                    yield from expressions(way.words)
                    conditions = (way.only_if, way.enabled_if)
                    yield from (each for each in conditions if each is not None)
            case _:
                pass
