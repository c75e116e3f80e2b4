"""Straight pieces of a program, worked out once and then only followed.

A stretch runs from an address to the next wait or fork. What happens on it never depends
on anything, so its directives are made the first time somebody passes.
"""

import msgspec

from saniwa.story.directive_builder import DirectiveBuilder
from saniwa.story.program import (
    AskOp,
    AssignOp,
    ClearOp,
    EnterOp,
    FallOp,
    GoOp,
    JumpOp,
    OfferOp,
    Op,
    Program,
    ShowOp,
    SignalOp,
    SoundOp,
    SpeakOp,
)
from saniwa.story.stepresult import Directive, Next, StepResult
from saniwa.story.text import find_constant

_MOST = 1_000
"""Operations of one stretch; a circle of them is for the player to notice."""


Move = EnterOp | AssignOp | ShowOp | ClearOp | SoundOp
"""What leaves a trace in the story's memory."""


class JoinedQuestion(msgspec.Struct, frozen=True, gc=False):
    """A question that follows a line at once: nothing is shown in between."""

    moves: tuple[EnterOp | AssignOp, ...]
    """What is remembered on the way to it, in order."""
    end: OfferOp | AskOp
    """What is asked."""
    at: int
    """Its address."""
    falls: bool
    """Whether a section ends on the way: inside a call, flow returns there instead."""


class LocatedStep(msgspec.Struct, frozen=True, gc=False):
    """A step, and where it is written."""

    result: StepResult
    """What is shown."""
    start: int
    """Where the story stands before it."""
    at: int
    """Where what is shown last of it is written."""
    props: tuple[Directive, ...]
    """What is shown before that."""


class Span(msgspec.Struct, frozen=True, gc=False):
    """A straight piece, and the operation that ends it."""

    moves: tuple[Move, ...]
    """What is remembered on the way, in order."""
    props: tuple[Directive, ...]
    """What is shown on the way."""
    size: int
    """How many operations it has."""
    at: int
    """The address of its end."""
    end: Op
    """The operation that ends it: a wait, or a fork."""
    joins: JoinedQuestion | None
    """What follows its line at once and shares its step."""
    line: SpeakOp | None
    """Its end, if that is a line."""
    result: StepResult | None
    """The whole step, if it is the same whenever somebody comes by."""


class SpanIndex:
    """All stretches of a program, made when they are first needed."""

    def __init__(self, program: Program, stage: DirectiveBuilder) -> None:
        self._ops = program.ops
        self._stage = stage
        self.made: list[Span | None] = [None] * len(program.ops)
        """Those that were passed, by where they begin."""
        self.plain: list[LocatedStep | None] = [None] * len(program.ops)
        """Those of them that are the same step each time and leave nothing behind."""
        self.passed = 0
        """How many were made."""

    def get_span(self, start: int) -> Span:
        """The stretch that begins at an address."""
        made = self.made[start]
        if made is None:
            made = self.made[start] = self._build_span(start)
            self.passed += 1
        return made

    def _build_span(self, start: int) -> Span:
        moves: list[Move] = []
        props: list[Directive] = []
        at, size = start, 0
        while size < _MOST:
            size += 1
            op = self._ops[at]
            match op:
                case EnterOp() | AssignOp():
                    moves.append(op)
                    at += 1
                case GoOp(to=to):
                    at = to
                case JumpOp(to=to):
                    at = at + 1 if to is None else to
                case ShowOp() | ClearOp() | SoundOp(kind="bgm"):
                    moves.append(op)
                    props.append(self._stage.build_effect(op, at))
                    at += 1
                case SignalOp() | SoundOp(kind="se"):
                    props.append(self._stage.build_effect(op, at))
                    at += 1
                case _:
                    break
        return self._end_span(start, tuple(moves), tuple(props), size, at)

    def _end_span(
        self,
        start: int,
        moves: tuple[Move, ...],
        props: tuple[Directive, ...],
        size: int,
        at: int,
    ) -> Span:
        end = self._ops[at]
        joins, line, result = None, None, None
        if isinstance(end, SpeakOp):
            line = end
            joins = None if end.click else self.find_joined_question(at + 1)
            said = find_constant(end.words)
            if joins is None and said is not None:
                told = (*props, self._stage.build_line(end, said, at))
                result = StepResult(next=Next.WAIT_USER, directives=told)
            if result is not None and not moves:
                self.plain[start] = LocatedStep(result, start, at, props)
        return Span(moves, props, size, at, end, joins, line, result)

    def find_joined_question(self, at: int) -> JoinedQuestion | None:
        """The question that is asked from here on with nothing shown before it."""
        moves: list[EnterOp | AssignOp] = []
        falls = False
        for _ in range(_MOST):
            op = self._ops[at]
            match op:
                case OfferOp() | AskOp():
                    return JoinedQuestion(tuple(moves), op, at, falls)
                case FallOp():
                    falls = True
                    at += 1
                case EnterOp() | AssignOp():
                    moves.append(op)
                    at += 1
                case GoOp(to=to):
                    at = to
                case JumpOp(to=to):
                    at = at + 1 if to is None else to
                case _:
                    return None
        return None
