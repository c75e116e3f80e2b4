"""Which other orders must be tried, told from one schedule that was played.

Two steps race if their order could make a difference and their callers have not met in
between. For every race, what led to the later step without the earlier one must once come
first (Abdulla, Aronis, Jonsson and Sagonas, 2014: source sets): every other order ends
where one that was tried ends.
"""

from tests.checked.step import Step, is_dependent

Clock = dict[int, int]
"""For each caller, the last of its steps that came before, whatever the order."""


class ChoiceNode:
    """A moment at which somebody had to be chosen."""

    def __init__(self, pending: dict[int, Step], sleep: set[int]) -> None:
        self.pending = pending
        """What everybody is about to do."""
        self.enabled = {p for p, step in pending.items() if step.is_enabled}
        """Who can."""
        self.sleep = sleep
        """Whose going first here leads nowhere new."""
        self.todo: set[int] = set()
        """Who must go first here at least once."""
        self.done: set[int] = set()
        """Who has, in an earlier schedule."""
        self.pick = -1
        """Who goes in this one."""

    def list_asleep(self) -> set[int]:
        """Who need not go right after the one that was picked."""
        step = self.pending[self.pick]
        before = (self.sleep | self.done) - {self.pick}
        return {p for p in before if not is_dependent(self.pending[p], step)}


class _DoneSteps:
    """The steps that were done, and what happened before what."""

    def __init__(self) -> None:
        self._callers: list[int] = []
        self._clocks: list[Clock] = []
        self._latest: dict[int, Clock] = {}
        self._touched: dict[str, list[int]] = {}
        self._written: dict[str, list[int]] = {}

    def list_racing(self, caller: int, step: Step) -> list[int]:
        """The steps of others that could come after this one, and would matter then."""
        known = self._latest.get(caller, {})
        return [
            number
            for number in self._find_related(step)
            if self._callers[number] != caller and number > known.get(self._callers[number], -1)
        ]

    def add(self, caller: int, step: Step) -> None:
        """One step more."""
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
        """A new caller knows what whoever started it knew."""
        if caller not in self._latest:
            self._latest[caller] = dict(self._latest.get(parent, {}))

    def list_leading(self, early: int, late: int) -> set[int]:
        """Who could go first to reach the late step without the early one."""
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
    """Note in every moment who else must go first there, by the steps from `fresh` on."""
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
    # Who cannot go there yet, waits for the very step: that order there is not.
    able = leading & node.enabled
    if able and able.isdisjoint(node.todo):
        node.todo.add(min(able))
