"""Decide whether two programs play alike: the same steps for the same choices.

Compares what is shown, tested and remembered along all paths at once. Places in the
file and the notation make no difference.
"""

from collections.abc import Iterator
from typing import Any

from saniwa.story.elements import AskElement, AssignElement, ReturnElement
from saniwa.story.expressions import Expression
from saniwa.story.program import (
    CallOp,
    DoOp,
    EndOp,
    EnterOp,
    FallOp,
    GoOp,
    IfOp,
    JumpOp,
    OfferOp,
    OfferOption,
    Op,
    Program,
    SpeakOp,
)
from saniwa.story.text import (
    EmphasisMark,
    SwitchPart,
    TextPart,
    ValuePart,
    VariationPart,
    Words,
    find_text_expressions,
    walk_parts,
)

_ENDLESS = -1
_PLACES = frozenset({"line", "column", "last", "name_column"})
"""Fields that say where an operation is written."""


def is_equivalent(
    one: Program, other: Program, *, calls: bool = False, named: frozenset[str] = frozenset()
) -> bool:
    """Whether they play alike from the beginning and from every label of `one`.

    `calls` says that other files call into the story, so that the ends of its sections
    matter; `named` are routes that other files name. Ids may be added, not changed.
    Time is linear in the length of the programs.
    """
    if one.make_initial_values() != other.make_initial_values():
        return False
    calls = calls or any(isinstance(op, CallOp) for op in one.ops)
    read = _list_read_labels(one) | _list_read_labels(other) | named
    left, right = _ProgramSide(one, calls, read), _ProgramSide(other, calls, read)
    starts = _pair_starts(left, right)
    return starts is not None and _compare_from(left, right, starts)


def _pair_starts(left: "_ProgramSide", right: "_ProgramSide") -> list[tuple[int, int]] | None:
    starts = [(0, 0)]
    for address, op in enumerate(left.program.ops):
        if isinstance(op, EnterOp) and left.is_counted(op):
            theirs = right.program.aliases.get(op.name)
            if theirs is None:
                return None
            starts.append((address, right.program.labels[theirs]))
    return starts


def _compare_from(
    left: "_ProgramSide", right: "_ProgramSide", waiting: list[tuple[int, int]]
) -> bool:
    seen: set[tuple[int, int]] = set()
    while waiting:
        mine, theirs = waiting.pop()
        pair = (left.find_next_shown(mine), right.find_next_shown(theirs))
        if pair in seen:
            continue
        seen.add(pair)
        if _ENDLESS in pair:
            if pair != (_ENDLESS, _ENDLESS):
                return False
            continue
        if left.describe_op(pair[0]) != right.describe_op(pair[1]):
            return False
        waiting += zip(left.list_targets(pair[0]), right.list_targets(pair[1]), strict=True)
    return True


class _ComparableId:
    """An id for comparing: a generated id equals any other."""

    def __init__(self, id: str, *, fixed: bool) -> None:
        self._id, self._fixed = id, fixed

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _ComparableId):
            return NotImplemented
        return not self._fixed or self._id == other._id

    __hash__ = None  # type: ignore[assignment]


class _ProgramSide:
    """One of the two programs."""

    def __init__(self, program: Program, calls: bool, read: frozenset[str]) -> None:
        self.program = program
        self._ops = program.ops
        self._calls = calls
        self._read = read

    def is_counted(self, op: EnterOp) -> bool:
        """Whether passing this label can have an effect."""
        return op.kind != "route" or op.name in self._read

    def find_next_shown(self, at: int) -> int:
        """Return the first operation from here that has an effect."""
        for _ in range(len(self._ops) + 1):
            op = self._ops[at]
            match op:
                case GoOp(to=to) | JumpOp(to=int(to)):
                    at = to
                case FallOp() if not self._calls:
                    at += 1
                case EnterOp() if not self.is_counted(op):
                    at += 1
                case _:
                    return at
        return _ENDLESS

    def list_targets(self, at: int) -> tuple[int, ...]:
        """List where flow may go from an operation."""
        op = self._ops[at]
        if isinstance(op, ReturnElement):
            return (at + 1,)
        return self.program.list_successors(at)

    def describe_op(self, at: int) -> tuple[Any, ...]:
        """Describe the effect of an operation."""
        op = self._ops[at]
        kind = type(op).__name__
        match op:
            case SpeakOp():
                id = _ComparableId(op.id, fixed=op.named or _has_shuffle(op.words))
                text = (op.speaker, _strip_places(op.words), op.tags, op.values)
                return (kind, *text, id, self._find_joined(at + 1))
            case OfferOp(ways=ways):
                return (kind, *map(_describe_option, ways))
            case EnterOp(name=name):
                return (kind, name)
            case IfOp(when=when):
                return (kind, when.source)
            case AssignElement(name=name, operator=operator, worth=worth):
                return (kind, name, operator, worth.source)
            case DoOp(words=words, tells=tells):
                return (kind, None if words is None else _strip_places(words), tells)
            case AskElement(prompt=prompt, name=name):
                return (kind, _strip_places(prompt), name)
            case CallOp(label=label, to=to) | JumpOp(label=label, to=to):
                return (kind, label, to is None)
            case EndOp(ending=ending, name=name):
                return (kind, ending, name)
            case _:
                return (kind, *_list_fields(op))

    def _find_joined(self, at: int) -> str:
        """What shares the step of a line: a choice or question right after it."""
        for _ in range(len(self._ops)):
            op = self._ops[at]
            if not isinstance(op, GoOp):
                return type(op).__name__ if isinstance(op, OfferOp | AskElement) else ""
            at = op.to
        return ""


def _list_fields(op: Op) -> tuple[Any, ...]:
    names = (n for n in op.__struct_fields__ if n not in _PLACES)
    return tuple(getattr(op, name) for name in names)


def _describe_option(way: OfferOption) -> tuple[Any, ...]:
    return (
        _strip_places(way.words),
        way.once,
        way.only_if.source if way.only_if else "",
        way.enabled_if.source if way.enabled_if else "",
        way.fallback,
        way.ask,
        way.tags,
        _ComparableId(way.id, fixed=way.named or _has_shuffle(way.words)),
    )


def _strip_places(words: Words) -> Any:
    """Return the words without their places."""
    # Recurses as deep as braces nest, which `parse_words` bounds.
    if isinstance(words, str):
        return words
    return tuple(_strip_part_places(part) for part in words.parts)


def _strip_part_places(part: TextPart) -> Any:
    match part:
        case str():
            return part
        case ValuePart(worth=worth):
            return ("show", worth.source)
        case EmphasisMark(kind=mark, opens=opens):
            return ("mark", mark, opens)
        case SwitchPart(worth=worth, yes=yes, no=no):
            return ("switch", worth.source, _strip_places(yes), _strip_places(no))
        case VariationPart(kind=kind, options=options, nth=nth):
            return (kind, nth, tuple(map(_strip_places, options)))


def _has_shuffle(words: Words) -> bool:
    parts = walk_parts(words)
    return any(isinstance(part, VariationPart) and part.kind == "shuffle" for part in parts)


def _list_read_labels(program: Program) -> frozenset[str]:
    """The labels whose visits are read, by name."""
    asked = set()
    for each in _list_expressions(program):
        for call in each.calls:
            if call.name == "visits" and call.given and isinstance(call.given[0], str):
                key = program.aliases.get(call.given[0])
                if key is not None:
                    enter = program.ops[program.labels[key]]
                    asked.add(enter.name if isinstance(enter, EnterOp) else key)
    return frozenset(asked)


def _list_expressions(program: Program) -> Iterator[Expression]:
    for op in program.ops:
        match op:
            case SpeakOp(words=words) | DoOp(words=words) if words is not None:
                yield from find_text_expressions(words)
            case AskElement(prompt=prompt):
                yield from find_text_expressions(prompt)
            case IfOp(when=asked) | AssignElement(worth=asked):
                yield asked
            case OfferOp(ways=ways):
                for way in ways:
                    yield from find_text_expressions(way.words)
                    conditions = (way.only_if, way.enabled_if)
                    yield from (each for each in conditions if each is not None)
            case _:
                pass
