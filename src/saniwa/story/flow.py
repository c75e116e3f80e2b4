"""Where the flow of a program can go, and where it goes round for ever.

Flow inside a call and outside of one are kept apart, because a section's end is a way
back in the one and a way on in the other. A condition that never changes is followed on
its one side, any other on both; what stands behind a call is reached whether it comes
back or not, but a circle may go through calls that never do. Costs the number of
operations.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cached_property
from operator import or_
from typing import Final, NamedTuple, cast

from saniwa.core.errors import ScriptError
from saniwa.story.evaluation import ExpressionScope, Value, is_true
from saniwa.story.program import (
    WAITS,
    AskOp,
    AssignOp,
    CallOp,
    DoOp,
    EndOp,
    FallOp,
    GoOp,
    IfOp,
    JumpOp,
    OfferOp,
    OfferOption,
    Op,
    Program,
    ReturnOp,
    SoundOp,
    can_wait,
)

_TURNS: Final[frozenset[type]] = frozenset(
    {GoOp, JumpOp, CallOp, IfOp, DoOp, OfferOp, EndOp, ReturnOp, FallOp}
)
"""Operations after which flow does not always go on with the next one."""

_BACK: Final[frozenset[type]] = frozenset({ReturnOp, FallOp})
"""Operations at which a call comes back."""

_STOPS: Final[frozenset[type]] = frozenset(WAITS) - {SoundOp, EndOp}
"""Operations that always wait; a sound may, and an end may be a way back."""


_BUILT_IN_VARIABLES: Final = frozenset({"allowed", "reason", "heard"})
"""Variables the player sets by itself."""


class _InitialScope(NamedTuple):
    """What a condition may ask that reads only what never changes."""

    variables: Mapping[str, Value]
    """Declared variables with their first values."""


class FlowPoint(NamedTuple):
    """An operation, and whether flow is inside a call there."""

    address: int
    """The operation's address."""
    called: bool
    """Whether a call is open."""


def is_always_open(way: OfferOption) -> bool:
    """Whether an option can be taken however the story went before."""
    return not way.once and way.only_if is None and way.enabled_if is None


def can_be_empty(offer: OfferOp) -> bool:
    """Whether every option has a condition or is gone once it was taken."""
    return not any(map(is_always_open, offer.ways))


class StoryFlow:
    """Where flow goes in one program."""

    def __init__(self, program: Program) -> None:
        self._program, self._ops = program, program.ops
        self._fixed: dict[int, bool] = {}
        self._dry = self._find_empty_offers()
        self._reached = (bytearray(len(self._ops)), bytearray(len(self._ops)))
        self._mark_reachable()

    def is_reachable(self, address: int) -> bool:
        """Whether flow from the beginning can come to an operation."""
        return bool(self._reached[0][address] or self._reached[1][address])

    def is_reachable_outside_call(self, address: int) -> bool:
        """Whether flow can come to an operation outside of any call."""
        return bool(self._reached[0][address])

    def can_offer_nothing(self, address: int) -> bool:
        """Whether a reader may come to this choice and find nothing to take.

        An option that is gone once taken is still there if taking it never leads back.
        """
        return address in self._dry

    def can_repeat(self, address: int) -> bool:
        """Whether flow may come to this choice more than once."""
        offer = self._ops[address]
        assert isinstance(offer, OfferOp)
        goals = (*(way.to for way in offer.ways), offer.after)
        return any(self._components[to] == self._components[address] for to in goals)

    def _find_empty_offers(self) -> frozenset[int]:
        """The choices of which a reader may find nothing to take."""
        offers = (
            (at, op) for at, op in enumerate(self._ops) if isinstance(op, OfferOp)
        )
        return frozenset(
            at
            for at, offer in offers
            if can_be_empty(offer)
            and not any(
                way.only_if is None
                and way.enabled_if is None
                and self._components[way.to] != self._components[at]
                for way in offer.ways
            )
        )

    @cached_property
    def _components(self) -> list[int]:
        """For every operation the ring it is part of: all that lead to each other.

        Every return may lead behind every call, and every condition both ways, so that
        two operations in different rings are surely not joined in a circle.
        """
        ops, program = self._ops, self._program
        # One more address stands for all returns.
        returns = len(ops)
        back = tuple(at + 1 for at, op in enumerate(ops) if isinstance(op, CallOp))

        def follow(address: int) -> tuple[int, ...]:
            if address == returns:
                return back
            goals = program.list_successors(address)
            return (*goals, returns) if _is_return(ops[address]) else goals

        return find_components(returns + 1, follow)

    def find_path(self, address: int) -> tuple[int, ...]:
        """The addresses of a shortest way from the beginning; only itself without one."""
        before: dict[FlowPoint, FlowPoint | None] = {FlowPoint(0, called=False): None}
        waiting = deque(before)
        while waiting:
            spot = waiting.popleft()
            if spot.address == address:
                return _trace_path(spot, before)
            for to in self._list_possible(spot):
                if to not in before:
                    before[to] = spot
                    waiting.append(to)
        return (address,)

    def find_loops(self) -> Iterator[tuple[int, ...]]:
        """Addresses of each circle that flow enters and can never leave or wait in."""
        told = set()
        for circle in self._find_circles():
            addresses = tuple(sorted({spot.address for spot in circle}))
            if addresses not in told:
                told.add(addresses)
                yield addresses

    def _mark_reachable(self) -> None:
        ops, reached = self._ops, self._reached
        waiting = [FlowPoint(0, called=False)] if ops else []
        while waiting:
            address, called = waiting.pop()
            seen = reached[called]
            while not seen[address]:
                seen[address] = 1
                op = ops[address]
                if isinstance(op, GoOp):
                    address = op.to
                elif op.__class__ in _TURNS:
                    if op.__class__ is IfOp:
                        self._resolve_condition(address)
                        waiting.extend(self._list_possible(FlowPoint(address, called)))
                    else:
                        waiting.extend(self._list_following(op, address, called))
                    break
                else:
                    address += 1

    def _resolve_condition(self, address: int) -> None:
        """Find out whether a condition never changes."""
        op = self._ops[address]
        assert isinstance(op, IfOp)
        asked = op.when
        if asked.calls or not all(
            name.name in self._constant_variables for name in asked.names
        ):
            return
        try:
            self._fixed[address] = is_true(
                asked.worth(cast(ExpressionScope, self._initial_scope))
            )
        except ScriptError:
            return

    @cached_property
    def _constant_variables(self) -> frozenset[str]:
        """The variables that are declared and that nothing sets."""
        moved = {op.name for op in self._ops if isinstance(op, AssignOp | AskOp)}
        return frozenset(
            self._initial_scope.variables.keys() - moved - _BUILT_IN_VARIABLES
        )

    @cached_property
    def _initial_scope(self) -> "_InitialScope":
        return _InitialScope(self._program.make_initial_values())

    # Circles. Only operations that do not wait can be part of one.

    @cached_property
    def _evident_waits(self) -> bytearray:
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
                plain[address] = self._leads_to_wait(ops[address], address, plain)
            open_ones = [address for address in open_ones if not plain[address]]
        return plain

    def _leads_to_wait(self, op: Op, address: int, plain: bytearray) -> bool:
        """Whether an operation waits, or leads to one that is known to."""
        if op.__class__ not in _TURNS:
            return bool(plain[address + 1]) or can_wait(op)
        if isinstance(op, GoOp):
            return bool(plain[op.to])
        if _is_return(op):
            return False
        if isinstance(op, CallOp) and op.to is not None:
            # Whether it comes back is another question.
            return bool(plain[op.to])
        if address in self._fixed:
            return any(
                plain[to.address]
                for to in self._list_possible(FlowPoint(address, False))
            )
        return can_wait(op) or any(
            plain[to] for to in self._program.list_successors(address)
        )

    @cached_property
    def _silent_points(self) -> tuple[FlowPoint, ...]:
        """The spots of which more has to be known."""
        return tuple(
            FlowPoint(address, called)
            for address, plain in enumerate(self._evident_waits)
            if not plain
            for called in (False, True)
            if self._reached[called][address]
        )

    def _find_circles(self) -> Iterator[list[FlowPoint]]:
        """Every circle, by going on from each spot that leads nowhere else."""
        stuck = self._find_stuck()
        passed: dict[FlowPoint, int] = {}
        for turn, first in enumerate(stuck):
            path, spot = [], first
            while spot not in passed:
                passed[spot] = turn
                path.append(spot)
                spot = stuck[spot]
            if passed[spot] == turn:
                yield path[path.index(spot) :]

    def _find_stuck(self) -> Mapping[FlowPoint, FlowPoint]:
        """The spots from which flow never waits, ends or returns; each with one next."""
        loud, back = self._find_outcomes()
        free = loud | back
        return {
            spot: next((to for to in self._list_next(spot) if to not in free), spot)
            for spot in self._silent_points
            if spot not in free
        }

    def _list_next(self, spot: FlowPoint) -> tuple[FlowPoint, ...]:
        """Where flow may go, calls first, and past a condition before into it."""
        follow = self._list_possible(spot)
        return follow if self._is_call(spot) else follow[::-1]

    def _find_outcomes(self) -> tuple[set[FlowPoint], set[FlowPoint]]:
        """The silent spots from which flow may come to a wait, or back from its call."""
        before = defaultdict(list)
        for spot in self._silent_points:
            for to in self._list_possible(spot):
                before[to].append(spot)
        loud = {spot for spot in self._silent_points if self._waits_next(spot)}
        back = {
            s
            for s in self._silent_points
            if s.called and _is_return(self._ops[s.address])
        }
        waiting = [*loud, *back]
        while waiting:
            for spot in before[waiting.pop()]:
                if spot not in loud and self._reaches_goal(spot, loud, loud, back):
                    loud.add(spot)
                    waiting.append(spot)
                if (
                    spot.called
                    and spot not in back
                    and self._reaches_goal(spot, back, (), back)
                ):
                    back.add(spot)
                    waiting.append(spot)
        return loud, back

    def _reaches_goal(
        self,
        spot: FlowPoint,
        goals: set[FlowPoint],
        inside: Container[FlowPoint],
        back: set[FlowPoint],
    ) -> bool:
        """Whether flow comes to a goal: behind a call only if that comes back."""
        follow = self._list_possible(spot)
        if not self._is_call(spot) or len(follow) == 1:
            return any(to in goals for to in follow)
        into, after = follow
        if into in inside:
            return True
        return into in back and (after in goals or self._is_waiting(after, goals, back))

    def _is_waiting(
        self, spot: FlowPoint, goals: set[FlowPoint], back: set[FlowPoint]
    ) -> bool:
        """Whether flow waits right there, where waits are the goals."""
        return goals is not back and bool(self._evident_waits[spot.address])

    def _waits_next(self, spot: FlowPoint) -> bool:
        """Whether flow ends here, or goes on to where it plainly waits."""
        if not spot.called and isinstance(self._ops[spot.address], EndOp):
            return True
        follow = self._list_possible(spot)
        if self._is_call(spot) and len(follow) > 1:
            follow = follow[:1]
        return any(self._evident_waits[to.address] for to in follow)

    def _is_call(self, spot: FlowPoint) -> bool:
        return isinstance(self._ops[spot.address], CallOp)

    def _list_following(
        self, op: Op, address: int, called: bool
    ) -> tuple[FlowPoint, ...]:
        """Where flow may go; after a call, last where it comes back to."""
        match op:
            case GoOp(to=to):
                return (FlowPoint(to, called),)
            case JumpOp(to=to):
                return (FlowPoint(address + 1 if to is None else to, called),)
            case EndOp():
                return ()
            case ReturnOp() | FallOp() if called:
                return ()
            case CallOp(to=to):
                back = FlowPoint(address + 1, called)
                return (back,) if to is None else (FlowPoint(to, called=True), back)
            case IfOp(otherwise=otherwise) | DoOp(otherwise=otherwise):
                return (FlowPoint(address + 1, called), FlowPoint(otherwise, called))
            case OfferOp(ways=ways, after=after):
                goals = [way.to for way in ways]
                goals += [after] if address in self._dry else []
                return tuple(FlowPoint(to, called) for to in goals)
            case _:
                return (FlowPoint(address + 1, called),)

    def _list_possible(self, spot: FlowPoint) -> tuple[FlowPoint, ...]:
        address = spot.address
        follow = self._list_following(self._ops[address], address, spot.called)
        holds = self._fixed.get(address)
        if holds is None:
            return follow
        return follow[:1] if holds else follow[1:]


def _trace_path(
    last: FlowPoint, before: Mapping[FlowPoint, FlowPoint | None]
) -> tuple[int, ...]:
    """The way that led to a spot, from what came before each."""
    way, spot = list[int](), before[last]
    while spot is not None:
        way.append(spot.address)
        spot = before[spot]
    return (*reversed(way), last.address)


def _is_return(op: Op) -> bool:
    """Whether flow goes back here, if anything was called."""
    if isinstance(op, EndOp):
        return op.ending is None
    return op.__class__ in _BACK


def find_components(count: int, follow: Callable[[int], Sequence[int]]) -> list[int]:
    """For each of so many nodes a number, the same for nodes that lead to each other.

    Tarjan's strongly connected components, without recursion.
    """
    found, low, rings = [0] * count, [0] * count, [-1] * count
    path, clock = list[int](), 0
    for first in range(count):
        if found[first]:
            continue
        work = [(first, iter(follow(first)))]
        clock += 1
        found[first] = low[first] = clock
        path.append(first)
        while work:
            node, goals = work[-1]
            for to in goals:
                if not found[to]:
                    clock += 1
                    found[to] = low[to] = clock
                    path.append(to)
                    work.append((to, iter(follow(to))))
                    break
                if rings[to] < 0:
                    low[node] = min(low[node], found[to])
            else:
                work.pop()
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[node])
                if low[node] == found[node]:
                    while rings[node] < 0:
                        rings[path.pop()] = node
    return rings
