"""Ceilings that lose no answer: a cell is begun when there is room for all of it.

What a model has said is paid for, and a cell that is not finished is not kept. So a cell
waits at its first question until the ceiling has room for the most that it may take; where
it never will, it is told so before anything was asked. Calls are known beforehand; of
tokens and dollars, what the dearest cell so far has taken is set aside, and the first
cell plays alone.
"""

import asyncio
from typing import Final

from saniwa.agent.bridges.metered import Meter
from saniwa.agent.definition import Limits
from saniwa.agent.oracle import Answer, Hear, Oracle, Request, Usage
from saniwa.core.errors import ExperimentError, SdkBridgeError
from saniwa.experiment.cell import Cell
from saniwa.experiment.plan import Condition, Plan

_MILLION: Final = 1_000_000


def most_calls(plan: Plan, condition: Condition) -> int:
    """Questions that a cell of a condition may ask, if every answer is refused."""
    return plan.max_turns * (1 + plan.max_retries * condition.gm)


def check_ceiling(plan: Plan, limits: Limits) -> None:
    """Refuse a ceiling under which not even one cell could be finished.

    Raises:
        ExperimentError: `BUDGET_SPENT`.
    """
    least = min(most_calls(plan, each) for each in plan.conditions)
    if limits.max_calls is None or limits.max_calls >= least:
        return
    raise ExperimentError(
        "BUDGET_SPENT",
        f"one cell may take {least} calls, and {limits.max_calls} are allowed",
        hint="raise the ceiling, or play fewer turns or retries",
    )


class Desk:
    """Lets cells begin while there is room for the whole of them."""

    def __init__(self, plan: Plan, limits: Limits, meter: Meter) -> None:
        self._plan, self._limits, self._meter = plan, limits, meter
        self._playing: dict[str, int] = {}
        self._dearest: Usage | None = None
        self._spent = False
        self._changed = asyncio.Event()

    def admitted(self, cell: Cell, oracle: Oracle) -> Oracle:
        """The oracle, which waits for room; as it is where there is no ceiling."""
        ceilings = (
            self._limits.max_calls,
            self._limits.max_tokens,
            self._limits.max_cost,
        )
        if all(each is None for each in ceilings):
            return oracle
        return _Admitted(self, cell, oracle)

    async def begin(self, cell: Cell) -> None:
        """Wait for room for a cell.

        Raises:
            SdkBridgeError: `BUDGET_SPENT`: there will be none.
        """
        calls = most_calls(self._plan, cell.condition)
        while not self._fits(calls):
            if not self._playing:
                raise _no_room(cell, calls)
            await self._wait()
        self._playing[cell.key] = calls

    def asked(self, cell: Cell) -> None:
        """One question of a cell is counted as spent, and no more set aside."""
        if self._playing.get(cell.key, 0) > 0:
            self._playing[cell.key] -= 1

    def end(self, cell: Cell, took: Usage) -> None:
        """A cell is over, however it ended."""
        if self._playing.pop(cell.key, None) is not None:
            self._dearest = _dearer(self._dearest or Usage(), took)
        self._tell()

    async def spent(self, cell: Cell) -> None:
        """A cell met the ceiling: wait until those that go on without it are over."""
        self._playing.pop(cell.key, None)
        self._spent = True
        self._tell()
        while self._playing:
            await self._wait()

    def _fits(self, calls: int) -> bool:
        """Whether what all cells under way and one more may take is still allowed."""
        limits, spent = self._limits, self._meter.spent
        aside = sum(self._playing.values()) + calls
        if self._spent:
            return False
        if limits.max_calls is not None and spent.calls + aside > limits.max_calls:
            return False
        if limits.max_tokens is None and limits.max_cost is None:
            return True
        if self._dearest is None:
            return not self._playing
        more = len(self._playing) + 1
        tokens = _tokens(spent) + more * _tokens(self._dearest)
        if limits.max_tokens is not None and tokens > limits.max_tokens:
            return False
        cost = spent.cost + more * self._dearest.cost
        return limits.max_cost is None or cost <= limits.max_cost * _MILLION

    async def _wait(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _tell(self) -> None:
        self._changed.set()


class _Admitted:
    """An oracle of one cell, which asks nothing before the cell has its room."""

    def __init__(self, desk: Desk, cell: Cell, oracle: Oracle) -> None:
        self._desk, self._cell, self._oracle = desk, cell, oracle
        self._begun = False
        self._took = Usage()

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        """The oracle's answer.

        Raises:
            SdkBridgeError: `BUDGET_SPENT`, or what the oracle says.
        """
        if not self._begun:
            await self._desk.begin(self._cell)
            self._begun = True
        try:
            answer = await self._oracle.answer(request, hear)
        except SdkBridgeError as problem:
            if problem.code == "BUDGET_SPENT":
                await self._desk.spent(self._cell)
            raise
        finally:
            self._desk.asked(self._cell)
        self._took += answer.usage
        return answer

    async def close(self) -> None:
        """Make room for others, and let the oracle go; more than once is no mistake."""
        self._desk.end(self._cell, self._took)
        await self._oracle.close()


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens


def _dearer(one: Usage, other: Usage) -> Usage:
    return Usage(
        input_tokens=max(one.input_tokens, other.input_tokens),
        output_tokens=max(one.output_tokens, other.output_tokens),
        cost=max(one.cost, other.cost),
    )


def _no_room(cell: Cell, calls: int) -> SdkBridgeError:
    return SdkBridgeError(
        "BUDGET_SPENT",
        f"what is left under the ceiling may not do for the cell {cell.key!r}, which "
        f"may take {calls} calls: it was not begun",
        hint="raise the ceiling and resume; everything that was answered is kept",
        details={"cell": cell.key, "calls": calls},
    )
