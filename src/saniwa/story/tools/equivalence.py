"""Decide whether two programs play alike: the same steps for the same choices.

Compares what is shown, tested and remembered along all paths at once. Places in the
file and the notation make no difference.
"""

from itertools import chain
from typing import Any

import msgspec

from saniwa.story.elements import AskElement, ChoiceOption, ReturnElement, SayElement
from saniwa.story.expression_parser import Expression
from saniwa.story.program import (
    CallOp,
    EnterOp,
    FallOp,
    GoOp,
    JumpOp,
    OfferOp,
    Program,
    list_op_expressions,
)
from saniwa.story.text_template import TextTemplate, VariationPart, Words, walk_parts

_ENDLESS = -1
_IGNORED = frozenset(
    {"line", "column", "last", "name_column"}
    | {"to", "otherwise", "after", "target", "call", "arm", "deed", "refused"}
    | {"id", "named", "click", "heading", "old", "sign"}
)
"""Fields that say where something is written, where flow goes, or how it is spelled."""


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

    __hash__ = None  # type: ignore[assignment]  # its ids are compared only


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
        if isinstance(op, EnterOp):
            return (type(op), op.name)
        if isinstance(op, CallOp):
            return (type(op), op.label, op.to is None)
        joined = self._find_joined(at + 1) if isinstance(op, SayElement) else ""
        return (_describe(op), joined)

    def _find_joined(self, at: int) -> str:
        """What shares the step of a line: a choice or question right after it."""
        for _ in range(len(self._ops)):
            op = self._ops[at]
            if not isinstance(op, GoOp):
                return type(op).__name__ if isinstance(op, OfferOp | AskElement) else ""
            at = op.to
        return ""


def _describe(part: Any) -> Any:
    """Describe a part of an operation: its fields without places, addresses and spelling."""
    # Recurses as deep as braces nest, which `parse_words` bounds.
    if isinstance(part, tuple):
        return tuple(map(_describe, part))
    if isinstance(part, Expression):
        return part.source
    if isinstance(part, TextTemplate):
        return _describe(part.parts)
    if not isinstance(part, msgspec.Struct):
        return part
    names = [name for name in part.__struct_fields__ if name not in _IGNORED]
    described = [type(part), *(_describe(getattr(part, name)) for name in names)]
    if isinstance(part, SayElement | ChoiceOption):
        fixed = part.named or _has_shuffle(part.words)
        described.append(_ComparableId(part.id, fixed=fixed))
    return tuple(described)


def _has_shuffle(words: Words) -> bool:
    parts = walk_parts(words)
    return any(isinstance(part, VariationPart) and part.kind == "shuffle" for part in parts)


def _list_read_labels(program: Program) -> frozenset[str]:
    """The labels whose visits are read, by name."""
    asked = set()
    for each in chain.from_iterable(map(list_op_expressions, program.ops)):
        for call in each.calls:
            if call.name == "visits" and call.given and isinstance(call.given[0], str):
                key = program.aliases.get(call.given[0])
                if key is not None:
                    enter = program.ops[program.labels[key]]
                    asked.add(enter.name if isinstance(enter, EnterOp) else key)
    return frozenset(asked)
