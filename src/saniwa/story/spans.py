"""Straight pieces of a program, worked out once and cached.

A span runs from an address to the next wait or fork. What happens on it depends on
nothing else, so its directives are made once, when flow first passes it.
"""

import msgspec

from saniwa.story.directive_builder import DirectiveBuilder
from saniwa.story.elements import (
    AskElement,
    AssignElement,
    ClearElement,
    EventElement,
    PictureElement,
    SoundElement,
)
from saniwa.story.program import EnterOp, FallOp, GoOp, JumpOp, OfferOp, Op, Program, SpeakOp
from saniwa.story.step_result import Directive, Next, StepResult
from saniwa.story.text import find_constant

_MOST = 1_000
"""The most operations in one span; the player detects endless loops."""


Move = EnterOp | AssignElement | PictureElement | ClearElement | SoundElement
"""Operations that change the story's memory."""


class JoinedQuestion(msgspec.Struct, frozen=True, gc=False):
    """A question right after a line: nothing is shown in between."""

    moves: tuple[EnterOp | AssignElement, ...]
    """Changes of the memory on the way to it, in order."""
    end: OfferOp | AskElement
    """The question."""
    at: int
    """Its address."""
    falls: bool
    """Whether a section ends on the way: inside a call, flow returns there instead."""


class LocatedStep(msgspec.Struct, frozen=True, gc=False):
    """A step, and its addresses."""

    result: StepResult
    """The step."""
    start: int
    """The address before the step."""
    at: int
    """The address of what is shown last."""
    props: tuple[Directive, ...]
    """What is shown before that."""


class Span(msgspec.Struct, frozen=True, gc=False):
    """A straight piece, and the operation that ends it."""

    moves: tuple[Move, ...]
    """Changes of the memory on the way, in order."""
    props: tuple[Directive, ...]
    """What is shown on the way."""
    size: int
    """How many operations it has."""
    at: int
    """The address of its end."""
    end: Op
    """The operation that ends it: a wait or a fork."""
    joins: JoinedQuestion | None
    """The question that follows its line and shares its step."""
    line: SpeakOp | None
    """Its end, if that is a line."""
    result: StepResult | None
    """The complete step, if it is the same each time."""


class SpanIndex:
    """All spans of a program, made when they are first needed."""

    def __init__(self, program: Program, stage: DirectiveBuilder) -> None:
        self._ops = program.ops
        self._stage = stage
        self.made: list[Span | None] = [None] * len(program.ops)
        """The spans made so far, by first address."""
        self.plain: list[LocatedStep | None] = [None] * len(program.ops)
        """Steps of spans that are always the same and change no memory."""
        self.passed = 0
        """How many were made."""

    def get_span(self, start: int) -> Span:
        """Return the span that begins at an address."""
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
                case EnterOp() | AssignElement():
                    moves.append(op)
                    at += 1
                case GoOp(to=to):
                    at = to
                case JumpOp(to=to):
                    at = at + 1 if to is None else to
                case PictureElement() | ClearElement() | SoundElement(kind="bgm"):
                    moves.append(op)
                    props.append(self._stage.build_effect(op, at))
                    at += 1
                case EventElement() | SoundElement(kind="se"):
                    props.append(self._stage.build_effect(op, at))
                    at += 1
                case _:
                    break
        return self._end_span(start, tuple(moves), tuple(props), size, at)

    def _end_span(
        self, start: int, moves: tuple[Move, ...], props: tuple[Directive, ...], size: int, at: int
    ) -> Span:
        end = self._ops[at]
        joins, line, result = None, None, None
        if isinstance(end, SpeakOp):
            line = end
            joins = None if end.click else self.find_joined_question(at + 1)
            utterance = find_constant(end.words)
            if joins is None and utterance is not None:
                directives = (*props, self._stage.build_line(end, utterance, at))
                result = StepResult(next=Next.WAIT_USER, directives=directives)
            if result is not None and not moves:
                self.plain[start] = LocatedStep(result, start, at, props)
        return Span(moves, props, size, at, end, joins, line, result)

    def find_joined_question(self, at: int) -> JoinedQuestion | None:
        """Find the question that is asked from here with nothing shown before it."""
        moves: list[EnterOp | AssignElement] = []
        falls = False
        for _ in range(_MOST):
            op = self._ops[at]
            match op:
                case OfferOp() | AskElement():
                    return JoinedQuestion(tuple(moves), op, at, falls)
                case FallOp():
                    falls = True
                    at += 1
                case EnterOp() | AssignElement():
                    moves.append(op)
                    at += 1
                case GoOp(to=to):
                    at = to
                case JumpOp(to=to):
                    at = at + 1 if to is None else to
                case _:
                    return None
        return None
