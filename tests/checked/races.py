"""Which other orders must be tried, derived from one schedule that was played.

Two steps race if their order could make a difference and their callers have not
synchronized in between. For every race, what led to the later step without the earlier one
must once come first (Abdulla, Aronis, Jonsson and Sagonas, 2014: source sets): every other
order ends where one that was tried ends.
"""

from tests.checked.step import Step, is_dependent

Clock = dict[int, int]
"""For each caller, the last of its steps that came before in every possible order."""


class ChoiceNode:
    """A moment at which a caller had to be chosen."""

    def __init__(self, pending: dict[int, Step], sleep: set[int]) -> None:
        self.pending = pending
        """The next step of every caller."""
        self.enabled = {p for p, step in pending.items() if step.is_enabled}
        """Callers whose next step can be done now."""
        self.sleep = sleep
        """Callers that need not go first here, because that leads to no new state."""
        self.todo: set[int] = set()
        """Callers that must go first here at least once."""
        self.done: set[int] = set()
        """Callers that went first here in an earlier schedule."""
        self.pick = -1
        """The caller that goes first in this schedule."""

    def list_asleep(self) -> set[int]:
        """Callers that need not go directly after the one that was picked."""
        step = self.pending[self.pick]
        before = (self.sleep | self.done) - {self.pick}
        return {p for p in before if not is_dependent(self.pending[p], step)}


class _DoneSteps:
    """The steps that were done, and which happened before which."""

    def __init__(self) -> None:
        self._callers: list[int] = []
        self._clocks: list[Clock] = []
        self._latest: dict[int, Clock] = {}
        self._touched: dict[str, list[int]] = {}
        self._written: dict[str, list[int]] = {}

    def list_racing(self, caller: int, step: Step) -> list[int]:
        """Steps of other callers that could come after this one, where the order matters."""
        known = self._latest.get(caller, {})
        return [
            number
            for number in self._find_related(step)
            if self._callers[number] != caller and number > known.get(self._callers[number], -1)
        ]

    def add(self, caller: int, step: Step) -> None:
        """Add one step."""
        number = len(self._clocks)
        clock = dict(self._latest.get(caller, {}))
        for each in self._find_related(step):
            for other, reached in self._clocks[each].items():
                clock[other] = max(clock.get(other, -1), reached)
        clock[caller] = number
        self._callers.append(caller)
        self._clocks.append(clock)
        self._latest[caller] = clock
        for thing in step.reads | step.writes:
            self._touched.setdefault(thing, []).append(number)
        for thing in step.writes:
            self._written.setdefault(thing, []).append(number)

    def begin(self, caller: int, parent: int) -> None:
        """A new caller starts with the knowledge of the caller that started it."""
        if caller not in self._latest:
            self._latest[caller] = dict(self._latest.get(parent, {}))

    def list_leading(self, early: int, late: int) -> set[int]:
        """Callers that could go first to reach the late step without the early one."""
        culprit = self._callers[early]
        rest = [
            each
            for each in (*range(early + 1, late), late)
            if each == late or self._clocks[each].get(culprit, -1) < early
        ]
        found, seen = set[int](), list[int]()
        for each in rest:
            clock = self._clocks[each]
            if not any(clock.get(self._callers[k], -1) >= k for k in seen):
                found.add(self._callers[each])
            seen.append(each)
        return found

    def _find_related(self, step: Step) -> set[int]:
        found = set[int]()
        for thing in step.reads:
            found.update(self._written.get(thing, ()))
        for thing in step.writes:
            found.update(self._touched.get(thing, ()))
        return found


def mark_races(nodes: list[ChoiceNode], fresh: int) -> None:
    """Note at every moment which other callers must go first, by the steps from `fresh` on."""
    done, before = _DoneSteps(), -1
    for number, node in enumerate(nodes):
        for caller in node.pending:
            done.begin(caller, before)
        step = node.pending[node.pick]
        races = done.list_racing(node.pick, step) if number >= fresh else []
        done.add(node.pick, step)
        for race in races:
            _turn_round(nodes[race], done.list_leading(race, number))
        before = node.pick


def _turn_round(node: ChoiceNode, leading: set[int]) -> None:
    # A caller that cannot go there yet waits for this very step, so that order cannot occur.
    able = leading & node.enabled
    if able and able.isdisjoint(node.todo):
        node.todo.add(min(able))
