"""Straight pieces of a program, worked out once and then only followed.

A stretch runs from an address to the next wait or fork. What happens on it never depends
on anything, so its directives are made the first time somebody passes.
"""

import msgspec

from saniwa.script.directive import Directive, Next, StepResult
from saniwa.script.language.words import find_constant
from saniwa.script.playing.stage import Stage
from saniwa.script.program import (
    Clear,
    Enter,
    Fall,
    Go,
    Hear,
    Leap,
    Offer,
    Op,
    Program,
    Put,
    Show,
    Signal,
    Sound,
    Speak,
)

_MOST = 1_000
"""Operations of one stretch; a circle of them is for the player to notice."""


Move = Enter | Put | Show | Clear | Sound
"""What leaves a trace in the story's memory."""


class Joint(msgspec.Struct, frozen=True, gc=False):
    """A question that follows a line at once: nothing is shown in between."""

    moves: tuple[Enter | Put, ...]
    """What is remembered on the way to it, in order."""
    end: Offer | Hear
    """What is asked."""
    at: int
    """Its address."""
    falls: bool
    """Whether a section ends on the way: inside a call, flow returns there instead."""


class Told(msgspec.Struct, frozen=True, gc=False):
    """A step, and where it is written."""

    result: StepResult
    """What is shown."""
    start: int
    """Where the story stands before it."""
    at: int
    """Where what is shown last of it is written."""
    props: tuple[Directive, ...]
    """What is shown before that."""


class Stretch(msgspec.Struct, frozen=True, gc=False):
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
    joins: Joint | None
    """What follows its line at once and shares its step."""
    line: Speak | None
    """Its end, if that is a line."""
    result: StepResult | None
    """The whole step, if it is the same whenever somebody comes by."""


class Stretches:
    """All stretches of a program, made when they are first needed."""

    def __init__(self, program: Program, stage: Stage) -> None:
        self._ops = program.ops
        self._stage = stage
        self.made: list[Stretch | None] = [None] * len(program.ops)
        """Those that were passed, by where they begin."""
        self.plain: list[Told | None] = [None] * len(program.ops)
        """Those of them that are the same step each time and leave nothing behind."""
        self.passed = 0
        """How many were made."""

    def at(self, start: int) -> Stretch:
        """The stretch that begins at an address."""
        made = self.made[start]
        if made is None:
            made = self.made[start] = self._follow(start)
            self.passed += 1
        return made

    def _follow(self, start: int) -> Stretch:
        moves: list[Move] = []
        props: list[Directive] = []
        at, size = start, 0
        while size < _MOST:
            size += 1
            op = self._ops[at]
            match op:
                case Enter() | Put():
                    moves.append(op)
                    at += 1
                case Go(to=to):
                    at = to
                case Leap(to=to):
                    at = at + 1 if to is None else to
                case Show() | Clear() | Sound(kind="bgm"):
                    moves.append(op)
                    props.append(self._stage.prop(op, at))
                    at += 1
                case Signal() | Sound(kind="se"):
                    props.append(self._stage.prop(op, at))
                    at += 1
                case _:
                    break
        return self._ended(start, tuple(moves), tuple(props), size, at)

    def _ended(
        self,
        start: int,
        moves: tuple[Move, ...],
        props: tuple[Directive, ...],
        size: int,
        at: int,
    ) -> Stretch:
        end = self._ops[at]
        joins, line, result = None, None, None
        if isinstance(end, Speak):
            line = end
            joins = None if end.click else self.joint(at + 1)
            said = find_constant(end.words)
            if joins is None and said is not None:
                told = (*props, self._stage.line(end, said, at))
                result = StepResult(next=Next.WAIT_USER, directives=told)
            if result is not None and not moves:
                self.plain[start] = Told(result, start, at, props)
        return Stretch(moves, props, size, at, end, joins, line, result)

    def joint(self, at: int) -> Joint | None:
        """The question that is asked from here on with nothing shown before it."""
        moves: list[Enter | Put] = []
        falls = False
        for _ in range(_MOST):
            op = self._ops[at]
            match op:
                case Offer() | Hear():
                    return Joint(tuple(moves), op, at, falls)
                case Fall():
                    falls = True
                    at += 1
                case Enter() | Put():
                    moves.append(op)
                    at += 1
                case Go(to=to):
                    at = to
                case Leap(to=to):
                    at = at + 1 if to is None else to
                case _:
                    return None
        return None
