"""Where the flow of a program can go, and where it goes round for ever.

Flow inside a call and outside of one are kept apart, because a section's end is a way
back in the one and a way on in the other. Whatever a condition may come to, flow is
taken to go both ways; that a call comes back is taken for granted. Costs the number of
operations.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from operator import or_
from typing import Final, NamedTuple

from saniwa.script.program import (
    WAITS,
    Back,
    Call,
    Do,
    End,
    Fall,
    Go,
    Leap,
    Offer,
    Op,
    Program,
    Sound,
    Test,
    Way,
    waits,
)

_TURNS: Final[frozenset[type]] = frozenset(
    {Go, Leap, Call, Test, Do, Offer, End, Back, Fall}
)
"""Operations after which flow does not always go on with the next one."""

_BACK: Final[frozenset[type]] = frozenset({Back, Fall})
"""Operations at which a call comes back."""

_STOPS: Final[frozenset[type]] = frozenset(WAITS) - {Sound, End}
"""Operations that always wait; a sound may, and an end may be a way back."""


class Spot(NamedTuple):
    """An operation, and whether flow is inside a call there."""

    address: int
    """The operation's address."""
    called: bool
    """Whether a call is open."""


def is_sure(way: Way) -> bool:
    """Whether an option can be taken however the story went before."""
    return not way.once and way.only_if is None and way.enabled_if is None


def can_run_dry(offer: Offer) -> bool:
    """Whether a reader may come to a choice of which nothing can be taken."""
    return not any(map(is_sure, offer.ways))


class Flow:
    """Where flow goes in one program."""

    def __init__(self, program: Program) -> None:
        self._program, self._ops = program, program.ops
        self._reached = (bytearray(len(self._ops)), bytearray(len(self._ops)))
        self._spread()

    def reaches(self, address: int) -> bool:
        """Whether flow from the beginning can come to an operation."""
        return bool(self._reached[0][address] or self._reached[1][address])

    def goes_on(self, address: int) -> bool:
        """Whether flow can come to an operation outside of any call."""
        return bool(self._reached[0][address])

    def circles(self) -> Iterator[tuple[int, ...]]:
        """Addresses of each circle that flow enters and can never leave or wait in."""
        told = set()
        for circle in self._rounds():
            addresses = tuple(sorted({spot.address for spot in circle}))
            if addresses not in told:
                told.add(addresses)
                yield addresses

    def _spread(self) -> None:
        ops, reached = self._ops, self._reached
        waiting = [Spot(0, called=False)] if ops else []
        while waiting:
            address, called = waiting.pop()
            seen = reached[called]
            while not seen[address]:
                seen[address] = 1
                op = ops[address]
                if isinstance(op, Go):
                    address = op.to
                elif op.__class__ in _TURNS:
                    waiting.extend(_following(op, address, called))
                    break
                else:
                    address += 1

    # Circles. Only operations that do not wait can be part of one.

    @cached_property
    def _evident(self) -> bytearray:
        """The operations that plainly lead to a wait: nearly all of them.

        The second round is for jumps back, of which the first did not know the goals.
        """
        ops = self._ops
        plain = bytearray(op.__class__ in _STOPS for op in ops)
        reached = bytes(map(or_, *self._reached))
        backwards = range(len(ops) - 1, -1, -1)
        open_ones = [at for at in backwards if reached[at] and not plain[at]]
        for _ in range(2):
            for address in open_ones:
                plain[address] = self._leads(ops[address], address, plain)
            open_ones = [address for address in open_ones if not plain[address]]
        return plain

    def _leads(self, op: Op, address: int, plain: bytearray) -> bool:
        """Whether an operation waits, or leads to one that is known to."""
        if op.__class__ not in _TURNS:
            return bool(plain[address + 1]) or waits(op)
        if isinstance(op, Go):
            return bool(plain[op.to])
        if _returns(op):
            return False
        return waits(op) or any(plain[to] for to in self._program.following(address))

    @cached_property
    def _silent(self) -> tuple[Spot, ...]:
        """The spots of which more has to be known."""
        return tuple(
            Spot(address, called)
            for address, plain in enumerate(self._evident)
            if not plain
            for called in (False, True)
            if self._reached[called][address]
        )

    def _rounds(self) -> Iterator[list[Spot]]:
        """Every circle, by going on from each spot that leads nowhere else."""
        stuck = self._stuck()
        passed: dict[Spot, int] = {}
        for turn, first in enumerate(stuck):
            path, spot = [], first
            while spot not in passed:
                passed[spot] = turn
                path.append(spot)
                spot = stuck[spot]
            if passed[spot] == turn:
                yield path[path.index(spot) :]

    def _stuck(self) -> Mapping[Spot, Spot]:
        """The spots from which flow never waits, ends or returns; each with one next."""
        loud = self._leading(self._to_waits(), self._ways())
        freed = {s for s in self._silent if s.called and _returns(self._ops[s.address])}
        free = self._leading(loud | freed, self._ways(calls=False))
        return {spot: self._next(spot)[-1] for spot in self._silent if spot not in free}

    def _to_waits(self) -> set[Spot]:
        plain = self._evident
        return {
            spot
            for spot in self._silent
            if self._ends(spot) or any(plain[to.address] for to in self._next(spot))
        }

    def _ends(self, spot: Spot) -> bool:
        return not spot.called and isinstance(self._ops[spot.address], End)

    def _ways(self, *, calls: bool = True) -> Iterator[tuple[Spot, Spot]]:
        """Every way from one silent spot to another; at will without those into calls."""
        for spot in self._silent:
            follow = self._next(spot)
            for to in follow if calls else follow[-1:] if self._calls(spot) else follow:
                yield spot, to

    def _calls(self, spot: Spot) -> bool:
        return isinstance(self._ops[spot.address], Call)

    def _leading(
        self, goals: set[Spot], ways: Iterable[tuple[Spot, Spot]]
    ) -> set[Spot]:
        """All spots from which some way leads to a goal."""
        before = defaultdict(list)
        for spot, to in ways:
            before[to].append(spot)
        found, waiting = set(goals), list(goals)
        while waiting:
            for spot in before[waiting.pop()]:
                if spot not in found:
                    found.add(spot)
                    waiting.append(spot)
        return found

    def _next(self, spot: Spot) -> tuple[Spot, ...]:
        return _following(self._ops[spot.address], spot.address, spot.called)


def _returns(op: Op) -> bool:
    """Whether flow goes back here, if anything was called."""
    if isinstance(op, End):
        return op.ending is None
    return op.__class__ in _BACK


def _following(op: Op, address: int, called: bool) -> tuple[Spot, ...]:
    """Where flow may go; after a call, last where it comes back to."""
    match op:
        case Go(to=to):
            return (Spot(to, called),)
        case Leap(to=to):
            return (Spot(address + 1 if to is None else to, called),)
        case End():
            return ()
        case Back() | Fall() if called:
            return ()
        case Call(to=to):
            back = Spot(address + 1, called)
            return (back,) if to is None else (Spot(to, called=True), back)
        case Test(otherwise=otherwise) | Do(otherwise=otherwise):
            return (Spot(address + 1, called), Spot(otherwise, called))
        case Offer():
            return tuple(Spot(to, called) for to in _offered(op))
        case _:
            return (Spot(address + 1, called),)


def _offered(offer: Offer) -> Iterator[int]:
    yield from (way.to for way in offer.ways)
    if can_run_dry(offer):
        yield offer.after
