"""Analyse where the flow of a program can go, and where it loops forever.

Flow inside a call and outside of one are separate, because the end of a section returns
in the first case and continues in the second. A constant condition is followed on its
one side, any other on both. What comes after a call is reached whether the call returns
or not, but a loop may go through calls that never return. Time is linear in the number
of operations.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cached_property
from operator import or_
from typing import Final, NamedTuple, cast

from saniwa.core.errors import ScriptError
from saniwa.story.elements import (
    AskElement,
    AssignElement,
    ChoiceOption,
    ReturnElement,
    SoundElement,
)
from saniwa.story.program import (
    WAITS,
    CallOp,
    DoOp,
    EndOp,
    FallOp,
    GoOp,
    IfOp,
    JumpOp,
    OfferOp,
    Op,
    Program,
    can_wait,
)
from saniwa.story.value_operations import BUILT_IN_VARIABLES, ExpressionScope, Value, is_true

_TURNS: Final[frozenset[type]] = frozenset(
    {GoOp, JumpOp, CallOp, IfOp, DoOp, OfferOp, EndOp, ReturnElement, FallOp}
)
"""Operations after which flow does not always continue with the next one."""

_BACK: Final[frozenset[type]] = frozenset({ReturnElement, FallOp})
"""Operations at which a call returns."""

_STOPS: Final[frozenset[type]] = frozenset(WAITS) - {SoundElement, EndOp}
"""Operations that always wait; a sound may, and an end may be a return."""


class _InitialScope(NamedTuple):
    """The scope for conditions that read only constant variables."""

    variables: Mapping[str, Value]
    """Declared variables with their initial values."""


class FlowPoint(NamedTuple):
    """An operation, and whether flow is inside a call there."""

    address: int
    """The operation's address."""
    called: bool
    """Whether a call is open."""


def is_always_open(way: ChoiceOption) -> bool:
    """Whether an option can be taken whatever happened before in the story."""
    return not way.once and way.only_if is None and way.enabled_if is None


def can_be_empty(offer: OfferOp) -> bool:
    """Whether every option has a condition or disappears once taken."""
    return not any(map(is_always_open, offer.ways))


class StoryFlow:
    """The possible flow of one program."""

    def __init__(self, program: Program) -> None:
        self._program, self._ops = program, program.ops
        self._fixed: dict[int, bool] = {}
        self._empty_offers = self._find_empty_offers()
        self._reached = (bytearray(len(self._ops)), bytearray(len(self._ops)))
        self._mark_reachable()

    def is_reachable(self, address: int) -> bool:
        """Whether an operation can be reached from the beginning."""
        return bool(self._reached[0][address] or self._reached[1][address])

    def is_reachable_outside_call(self, address: int) -> bool:
        """Whether an operation can be reached outside of any call."""
        return bool(self._reached[0][address])

    def can_offer_nothing(self, address: int) -> bool:
        """Whether a player may reach this choice and find no option to take.

        An option that disappears once taken still counts if taking it never leads back.
        """
        return address in self._empty_offers

    def can_repeat(self, address: int) -> bool:
        """Whether this choice may be reached more than once."""
        offer = self._ops[address]
        assert isinstance(offer, OfferOp)
        goals = (*(way.to for way in offer.ways), offer.after)
        return any(self._components[to] == self._components[address] for to in goals)

    def _find_empty_offers(self) -> frozenset[int]:
        """Find the choices where a player may have no option to take."""
        offers = ((at, op) for at, op in enumerate(self._ops) if isinstance(op, OfferOp))
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
        """The strongly connected component of every operation.

        Assumes that every return may lead to after every call, and that every condition
        may go both ways, so operations of different components are surely in no common
        loop.
        """
        ops, program = self._ops, self._program
        # One extra address represents all returns.
        returns = len(ops)
        back = tuple(at + 1 for at, op in enumerate(ops) if isinstance(op, CallOp))

        def follow(address: int) -> tuple[int, ...]:
            if address == returns:
                return back
            goals = program.list_successors(address)
            return (*goals, returns) if _is_return(ops[address]) else goals

        return find_components(returns + 1, follow)

    def find_path(self, address: int) -> tuple[int, ...]:
        """Return a shortest path of addresses from the beginning to `address`.

        If there is none, the path is `address` alone.
        """
        before: dict[FlowPoint, FlowPoint | None] = {FlowPoint(0, called=False): None}
        waiting = deque(before)
        while waiting:
            point = waiting.popleft()
            if point.address == address:
                return _trace_path(point, before)
            for to in self._list_possible(point):
                if to not in before:
                    before[to] = point
                    waiting.append(to)
        return (address,)

    def find_loops(self) -> Iterator[tuple[int, ...]]:
        """Yield the addresses of each loop that flow can enter and never leave.

        Only loops in which flow never waits are meant.
        """
        reported = set()
        for circle in self._find_circles():
            addresses = tuple(sorted({point.address for point in circle}))
            if addresses not in reported:
                reported.add(addresses)
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
        """Find out whether a condition is constant."""
        op = self._ops[address]
        assert isinstance(op, IfOp)
        asked = op.when
        if asked.calls or not all(name.name in self._constant_variables for name in asked.names):
            return
        try:
            self._fixed[address] = is_true(asked.worth(cast(ExpressionScope, self._initial_scope)))
        except ScriptError:
            return

    @cached_property
    def _constant_variables(self) -> frozenset[str]:
        """The variables that are declared and never set."""
        moved = {op.name for op in self._ops if isinstance(op, AssignElement | AskElement)}
        return frozenset(self._initial_scope.variables.keys() - moved - BUILT_IN_VARIABLES)

    @cached_property
    def _initial_scope(self) -> "_InitialScope":
        return _InitialScope(self._program.make_initial_values())

    # Loops. Only operations that do not wait can be part of one.

    @cached_property
    def _evident_waits(self) -> bytearray:
        """The operations that evidently lead to a wait: nearly all of them.

        The second pass is for backward jumps, whose targets the first had not yet seen.
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
            # Whether the call returns is not needed here.
            return bool(plain[op.to])
        if address in self._fixed:
            return any(plain[to.address] for to in self._list_possible(FlowPoint(address, False)))
        return can_wait(op) or any(plain[to] for to in self._program.list_successors(address))

    @cached_property
    def _silent_points(self) -> tuple[FlowPoint, ...]:
        """The points that need a closer look."""
        return tuple(
            FlowPoint(address, called)
            for address, plain in enumerate(self._evident_waits)
            if not plain
            for called in (False, True)
            if self._reached[called][address]
        )

    def _find_circles(self) -> Iterator[list[FlowPoint]]:
        """Find every loop by following each point from which flow is stuck."""
        stuck = self._find_stuck()
        passed: dict[FlowPoint, int] = {}
        for turn, first in enumerate(stuck):
            path, point = [], first
            while point not in passed:
                passed[point] = turn
                path.append(point)
                point = stuck[point]
            if passed[point] == turn:
                yield path[path.index(point) :]

    def _find_stuck(self) -> Mapping[FlowPoint, FlowPoint]:
        """Find points from which flow never waits, ends or returns, with one next."""
        waiting_points, back = self._find_outcomes()
        free = waiting_points | back
        return {
            point: next((to for to in self._list_next(point) if to not in free), point)
            for point in self._silent_points
            if point not in free
        }

    def _list_next(self, point: FlowPoint) -> tuple[FlowPoint, ...]:
        """List where flow may go, calls first, and past a condition before into it."""
        follow = self._list_possible(point)
        return follow if self._is_call(point) else follow[::-1]

    def _find_outcomes(self) -> tuple[set[FlowPoint], set[FlowPoint]]:
        """Find the points from which flow may reach a wait, or return from its call."""
        before = defaultdict(list)
        for point in self._silent_points:
            for to in self._list_possible(point):
                before[to].append(point)
        waiting_points = {point for point in self._silent_points if self._waits_next(point)}
        back = {s for s in self._silent_points if s.called and _is_return(self._ops[s.address])}
        waiting = [*waiting_points, *back]
        while waiting:
            for point in before[waiting.pop()]:
                if point not in waiting_points and self._reaches_goal(
                    point, waiting_points, waiting_points, back
                ):
                    waiting_points.add(point)
                    waiting.append(point)
                if point.called and point not in back and self._reaches_goal(point, back, (), back):
                    back.add(point)
                    waiting.append(point)
        return waiting_points, back

    def _reaches_goal(
        self,
        point: FlowPoint,
        goals: set[FlowPoint],
        inside: Container[FlowPoint],
        back: set[FlowPoint],
    ) -> bool:
        """Whether flow reaches a goal; after a call, only if the call returns."""
        follow = self._list_possible(point)
        if not self._is_call(point) or len(follow) == 1:
            return any(to in goals for to in follow)
        into, after = follow
        if into in inside:
            return True
        return into in back and (after in goals or self._is_waiting(after, goals, back))

    def _is_waiting(self, point: FlowPoint, goals: set[FlowPoint], back: set[FlowPoint]) -> bool:
        """Whether flow waits right there, if waits are the goals."""
        return goals is not back and bool(self._evident_waits[point.address])

    def _waits_next(self, point: FlowPoint) -> bool:
        """Whether flow ends here, or continues to where it evidently waits."""
        if not point.called and isinstance(self._ops[point.address], EndOp):
            return True
        follow = self._list_possible(point)
        if self._is_call(point) and len(follow) > 1:
            follow = follow[:1]
        return any(self._evident_waits[to.address] for to in follow)

    def _is_call(self, point: FlowPoint) -> bool:
        return isinstance(self._ops[point.address], CallOp)

    def _list_following(self, op: Op, address: int, called: bool) -> tuple[FlowPoint, ...]:
        """List where flow may go; for a call, the return point comes last."""
        if called and isinstance(op, ReturnElement | FallOp):
            return ()
        if isinstance(op, CallOp) and op.to is not None:
            return (FlowPoint(op.to, called=True), FlowPoint(address + 1, called))
        goals = self._program.list_successors(address)
        if isinstance(op, OfferOp) and address not in self._empty_offers:
            goals = goals[:-1]
        return tuple([FlowPoint(to, called) for to in goals])

    def _list_possible(self, point: FlowPoint) -> tuple[FlowPoint, ...]:
        address = point.address
        follow = self._list_following(self._ops[address], address, point.called)
        holds = self._fixed.get(address)
        if holds is None:
            return follow
        return follow[:1] if holds else follow[1:]


def _trace_path(last: FlowPoint, before: Mapping[FlowPoint, FlowPoint | None]) -> tuple[int, ...]:
    """Return the path to a point, from the predecessor of each."""
    way, point = list[int](), before[last]
    while point is not None:
        way.append(point.address)
        point = before[point]
    return (*reversed(way), last.address)


def _is_return(op: Op) -> bool:
    """Whether flow returns here if it is inside a call."""
    if isinstance(op, EndOp):
        return op.ending is None
    return op.__class__ in _BACK


def find_components(count: int, follow: Callable[[int], Sequence[int]]) -> list[int]:
    """Number the nodes so that nodes which lead to each other share a number.

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
