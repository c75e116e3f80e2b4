"""Ceilings that lose no answer: a cell is begun when there is room for all of it.

What a model has said is paid for, and a cell that is not finished is not kept. So a cell
waits at its first question until the ceiling has room for the most that it may take; where
it never will, it is told so before anything was asked. Calls are known beforehand; of
tokens and dollars, for every call what the dearest one of its condition has taken is set
aside, and before there was any, what one may take at most.
"""

import asyncio
from collections.abc import Mapping
from typing import Final

from saniwa.agent.definition import AgentLimits
from saniwa.core.errors import ExperimentError, SdkBridgeError
from saniwa.experiment.plan import Condition, ExperimentCell, ExperimentPlan
from saniwa.models.metering import UsageMeter
from saniwa.models.oracle import (
    Oracle,
    OracleAnswer,
    OracleRequest,
    TextListener,
    Usage,
)

_MILLION: Final = 1_000_000


def count_most_calls(plan: ExperimentPlan, condition: Condition) -> int:
    """Questions that a cell of a condition may ask, if every answer is refused."""
    return plan.max_turns * (1 + plan.max_retries * condition.gm)


def check_budget(
    plan: ExperimentPlan,
    limits: AgentLimits,
    foretold: Mapping[str, Usage] | None = None,
) -> None:
    """Refuse a ceiling under which not even one cell could be finished.

    Args:
        plan: The plan.
        limits: The ceilings.
        foretold: The most that one call may take, by condition; without it, only the
            number of calls is looked at.

    Raises:
        ExperimentError: `BUDGET_SPENT`; `BUDGET_UNPRICED` where there is a ceiling on
            dollars, and nobody knows what a model costs.
    """
    calls = {each.name: count_most_calls(plan, each) for each in plan.conditions}
    _check_limit("calls", limits.max_calls, min(calls.values()))
    if foretold is None:
        return
    each = [(calls[name], one) for name, one in foretold.items()]
    _check_limit(
        "tokens", limits.max_tokens, min(n * _count_tokens(one) for n, one in each)
    )
    if limits.max_cost is None:
        return
    if any(one.unpriced for _, one in each):
        raise _make_unpriced_error(limits.max_cost)
    dollars = min(n * one.cost for n, one in each) / _MILLION
    _check_limit("US dollars", limits.max_cost, dollars)


def _check_limit(what: str, ceiling: float | None, least: float) -> None:
    if ceiling is None or ceiling >= least:
        return
    raise ExperimentError(
        "BUDGET_SPENT",
        f"one cell may take {least} {what}, and {ceiling} are allowed",
        hint=f"allow {least} or more, or play fewer turns or retries, or ask for "
        "shorter answers",
        details={"what": what, "least": least, "ceiling": ceiling},
    )


class CellBudget:
    """Lets cells begin while there is room for the whole of them."""

    def __init__(
        self,
        plan: ExperimentPlan,
        limits: AgentLimits,
        meter: UsageMeter,
        foretold: Mapping[str, Usage] | None = None,
    ) -> None:
        """Keep a desk.

        `foretold` is the most that one call may take, by condition; without it the first
        cell of a condition plays alone.
        """
        self._plan, self._limits, self._meter = plan, limits, meter
        self._foretold = dict(foretold or {})
        self._playing: dict[str, tuple[str, int]] = {}
        self._dearest: dict[str, Usage] = {}
        self._finished = set[str]()
        self._spent = False
        self._changed = asyncio.Event()

    def limit_oracle(self, cell: ExperimentCell, oracle: Oracle) -> Oracle:
        """The oracle, which waits for room; as it is where there is no ceiling."""
        ceilings = (
            self._limits.max_calls,
            self._limits.max_tokens,
            self._limits.max_cost,
        )
        if all(each is None for each in ceilings):
            return oracle
        return _LimitedOracle(self, cell, oracle)

    async def reserve(self, cell: ExperimentCell) -> None:
        """Wait for room for a cell.

        Raises:
            SdkBridgeError: `BUDGET_SPENT`: there will be none.
        """
        name, calls = cell.condition.name, count_most_calls(self._plan, cell.condition)
        while not self._is_affordable(name, calls):
            if not self._playing:
                # Whoever began now would be stopped by what is raised here.
                self._spent = True
                raise _make_exhausted_error(
                    cell, calls, _count_tokens(self._estimate_reserve(name, calls))
                )
            await self._wait()
        self._playing[cell.key] = name, calls

    def count_call(self, cell: ExperimentCell, took: Usage) -> None:
        """One question of a cell is counted as spent, and no more set aside."""
        name, left = self._playing.get(cell.key, (cell.condition.name, 0))
        self._dearest[name] = _take_larger(self._dearest.get(name, Usage()), took)
        if left > 0:
            self._playing[cell.key] = name, left - 1

    def release(self, cell: ExperimentCell) -> None:
        """A cell is over, however it ended."""
        if self._playing.pop(cell.key, None) is not None:
            self._finished.add(cell.condition.name)
        self._wake()

    async def wait_out(self, cell: ExperimentCell) -> None:
        """A cell met the ceiling: wait until those that go on without it are over."""
        self._playing.pop(cell.key, None)
        self._spent = True
        self._wake()
        while self._playing:
            await self._wait()

    def _is_affordable(self, name: str, calls: int) -> bool:
        """Whether what all cells under way and one more may take is still allowed."""
        limits, then = self._limits, self._meter.spent
        if self._spent:
            return False
        for each in (*self._playing.values(), (name, calls)):
            then += self._estimate_reserve(*each)
        if limits.max_calls is not None and then.calls > limits.max_calls:
            return False
        if limits.max_tokens is None and limits.max_cost is None:
            return True
        if name not in self._finished and name not in self._foretold:
            return not self._playing
        if limits.max_tokens is not None and _count_tokens(then) > limits.max_tokens:
            return False
        return limits.max_cost is None or then.cost <= limits.max_cost * _MILLION

    def _estimate_reserve(self, name: str, calls: int) -> Usage:
        """What is set aside for the calls that a cell of a condition may still make.

        The meter lets a question pass that has room for the longest answer, so the last
        call has that, whatever calls have taken so far.
        """
        foretold = self._foretold.get(name, Usage())
        seen = self._dearest.get(name, Usage())
        most = _take_larger(foretold, seen)
        each = seen if name in self._finished else most
        before = max(calls - 1, 0)
        return Usage(
            calls=calls,
            input_tokens=before * each.input_tokens + min(calls, 1) * most.input_tokens,
            output_tokens=before * each.output_tokens
            + min(calls, 1) * most.output_tokens,
            cost=before * each.cost + min(calls, 1) * most.cost,
        )

    async def _wait(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    def _wake(self) -> None:
        self._changed.set()


class _LimitedOracle:
    """An oracle of one cell, which asks nothing before the cell has its room."""

    def __init__(self, desk: CellBudget, cell: ExperimentCell, oracle: Oracle) -> None:
        self._desk, self._cell, self._oracle = desk, cell, oracle
        self._begun = False

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """The oracle's answer.

        Raises:
            SdkBridgeError: `BUDGET_SPENT`, or what the oracle says.
        """
        if not self._begun:
            await self._desk.reserve(self._cell)
            self._begun = True
        took = Usage()
        try:
            answer = await self._oracle.answer(request, hear)
            took = answer.usage
        except SdkBridgeError as problem:
            if problem.code == "BUDGET_SPENT":
                await self._desk.wait_out(self._cell)
            raise
        finally:
            self._desk.count_call(self._cell, took)
        return answer

    async def close(self) -> None:
        """Make room for others, and let the oracle go; more than once is no mistake."""
        self._desk.release(self._cell)
        await self._oracle.close()


def _count_tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens


def _take_larger(one: Usage, other: Usage) -> Usage:
    return Usage(
        input_tokens=max(one.input_tokens, other.input_tokens),
        output_tokens=max(one.output_tokens, other.output_tokens),
        cost=max(one.cost, other.cost),
    )


def _make_exhausted_error(
    cell: ExperimentCell, calls: int, tokens: int
) -> SdkBridgeError:
    most = f"{calls} calls" + (f" and {tokens} tokens" if tokens else "")
    return SdkBridgeError(
        "BUDGET_SPENT",
        f"what is left under the ceiling may not do for the cell {cell.key!r}, which "
        f"may take {most}: it was not begun",
        hint="raise the ceiling and resume; everything that was answered is kept",
        details={"cell": cell.key, "calls": calls, "tokens": tokens},
    )


def _make_unpriced_error(ceiling: float) -> ExperimentError:
    return ExperimentError(
        "BUDGET_UNPRICED",
        f"there is a ceiling of {ceiling} US dollars, and nobody knows what a model of "
        "this plan costs",
        hint="set a ceiling on tokens or calls instead",
    )
