"""All schedules of some callers, each that could make a difference tried once.

Only the schedule is stored: every schedule is played from the beginning, in a new world, by
the real code. So whatever the code does between two steps must be the same each time:
clocks, ids and names come from the world.
"""

import logging
from collections.abc import Callable
from typing import Protocol

import msgspec

from tests.checked.races import ChoiceNode, mark_races
from tests.checked.schedule_run import ScheduleRun
from tests.checked.step import Step

_LOG = logging.getLogger(__name__)


class ScheduleWorld(Protocol):
    """What the callers share; a new one for every schedule."""

    def look(self) -> None:
        """Check what must be true at any moment."""
        ...

    def end(self) -> None:
        """Check what must be true once all callers have finished."""
        ...

    def close(self) -> None:
        """Release what the world holds."""
        ...


class ExplorationFigures(msgspec.Struct, kw_only=True):
    """How much was explored."""

    schedules: int = 0
    """Schedules played to their end."""
    redundant: int = 0
    """Schedules abandoned because they could not reach a new state."""
    states: int = 0
    """Moments at which a caller had to be chosen, each counted once."""
    longest: int = 0
    """Steps of the longest schedule."""

    def __iadd__(self, other: "ExplorationFigures") -> "ExplorationFigures":
        self.schedules += other.schedules
        self.redundant += other.redundant
        self.states += other.states
        self.longest = max(self.longest, other.longest)
        return self

    def log_figures(self, name: str) -> None:
        """Log the figures; `pytest --log-cli-level=INFO` shows them."""
        _LOG.info("%s: %s", name, self)


class BrokenPromiseError(AssertionError):
    """A schedule that breaks a promise, as a numbered list of steps."""

    def __init__(self, schedule: list[str], why: BaseException) -> None:
        steps = [f"{number:4}. {told}" for number, told in enumerate(schedule, 1)]
        told = f"{type(why).__name__}: {why}"
        super().__init__("\n".join([told, "after these steps:", *steps]))
        self.schedule = schedule
        self.why = why


def explore(
    make: Callable[[ScheduleRun], ScheduleWorld], *, reduced: bool = True, most: int = 1_000_000
) -> ExplorationFigures:
    """Play every schedule that could end differently from those before it.

    `make` adds the callers to a schedule. Without reduction, plays every schedule there is.

    Raises:
        BrokenPromiseError: The first schedule that breaks a promise.
    """
    search = _ScheduleSearch(reduced=reduced)
    while search.figures.schedules + search.figures.redundant < most:
        search.play(make)
        if not search.prepare_next():
            return search.figures
    raise AssertionError(f"more than {most} schedules")


class _ScheduleSearch:
    """A depth-first search through schedules."""

    def __init__(self, *, reduced: bool) -> None:
        self.figures = ExplorationFigures()
        self._reduced = reduced
        self._nodes: list[ChoiceNode] = []
        self._depth = self._fresh = 0
        self._rest: dict[int, Step] = {}
        self._redundant = False
        self._told: list[str] = []
        self._world: ScheduleWorld | None = None

    def play(self, make: Callable[[ScheduleRun], ScheduleWorld]) -> None:
        """Play one schedule: the fixed part first, then the default choices."""
        self._depth, self._redundant, self._told = 0, False, []
        playing = ScheduleRun(self)
        world = self._world = make(playing)
        try:
            playing.play()
            if playing.broken is None and not self._redundant:
                self._end(world)
        except AssertionError as problem:
            playing.broken = problem
        finally:
            world.close()
        if playing.broken is not None:
            raise BrokenPromiseError(self._told, playing.broken) from playing.broken
        self._count()

    def prepare_next(self) -> bool:
        """Prepare the next schedule; False if there is none."""
        if self._reduced:
            mark_races(self._nodes, self._fresh)
        while self._nodes:
            node = self._nodes[-1]
            node.done.add(node.pick)
            left = node.todo - node.done - node.sleep
            if left:
                node.pick = min(left)
                self._fresh = len(self._nodes) - 1
                return True
            self._nodes.pop()
        return False

    def choose(self, playing: ScheduleRun, pending: dict[int, Step]) -> int | None:
        """Choose the next caller, by the schedule so far or else the one that went before."""
        self._rest = pending
        if self._depth == len(self._nodes):
            node = self._make_node(pending, playing.last)
            if node is None:
                return None
            self._nodes.append(node)
        node = self._nodes[self._depth]
        known = {p: step.what for p, step in node.pending.items()}
        now = {p: step.what for p, step in pending.items()}
        assert known == now, f"not the same again: {known} and then {now}"
        self._depth += 1
        name = playing.callers[node.pick].name
        self._told.append(f"{name} {pending[node.pick].what}")
        return node.pick

    def check_state(self) -> None:
        """Check the world in each state that no earlier schedule has reached."""
        if self._world is not None and self._depth == len(self._nodes):
            self._world.look()

    def _make_node(self, pending: dict[int, Step], last: int) -> ChoiceNode | None:
        above = self._nodes[-1] if self._nodes else None
        asleep = above.list_asleep() if above is not None and self._reduced else set()
        node = ChoiceNode(pending, asleep)
        free = node.enabled - asleep
        if not free:
            self._redundant = bool(node.enabled)
            return None
        node.pick = last if last in free else min(free)
        node.todo = {node.pick} if self._reduced else set(node.enabled)
        self.figures.states += 1
        return node

    def _end(self, world: ScheduleWorld) -> None:
        waiting = {p: step.what for p, step in self._rest.items()}
        assert not waiting, f"no caller can continue: {waiting}"
        world.end()

    def _count(self) -> None:
        self.figures.longest = max(self.figures.longest, self._depth)
        if self._redundant:
            self.figures.redundant += 1
        else:
            self.figures.schedules += 1
