"""Limits on what the cells of an experiment use: a cell starts only if they have room for it.

Answers are paid for, and an unfinished cell is not stored. A cell therefore waits at
its first request until the limits have room for the most that the whole cell may use;
if they never will, it fails before any request is sent. The number of calls is known in
advance. For tokens and dollars, each remaining call reserves what the most expensive
call of its condition has used so far; before there is such a call, the most that one
call may use.
"""

import asyncio
from collections.abc import Mapping
from typing import Final

from saniwa.agent.definition import AgentLimits
from saniwa.app import describe
from saniwa.core.errors import ExperimentError, SdkBridgeError
from saniwa.experiment.plan import Condition, ExperimentCell, ExperimentPlan
from saniwa.models.metering import UsageMeter
from saniwa.models.oracle import Oracle, OracleAnswer, OracleRequest, TextListener, Usage

_MILLION: Final = 1_000_000


def count_most_calls(plan: ExperimentPlan, condition: Condition) -> int:
    """Count the requests that one cell may send if every answer is refused."""
    return plan.max_turns * (1 + plan.max_retries * condition.gm)


def check_budget(
    plan: ExperimentPlan, limits: AgentLimits, largest_calls: Mapping[str, Usage] | None = None
) -> None:
    """Refuse limits under which not even one cell could be finished.

    Args:
        plan: The plan.
        limits: The limits.
        largest_calls: The most that one call may use, by condition; without it, only the
            number of calls is checked.

    Raises:
        ExperimentError: `BUDGET_SPENT`; `BUDGET_UNPRICED` if cost is limited and the
            price of a model is unknown.
    """
    calls = {each.name: count_most_calls(plan, each) for each in plan.conditions}
    _check_limit("calls", limits.max_calls, min(calls.values()))
    if largest_calls is None:
        return
    each = [(calls[name], one) for name, one in largest_calls.items()]
    _check_limit("tokens", limits.max_tokens, min(n * _count_tokens(one) for n, one in each))
    if limits.max_cost is None:
        return
    if any(one.unpriced for _, one in each):
        said = describe("BUDGET_UNPRICED/plan", ceiling=limits.max_cost)
        raise said.to_error(ExperimentError)
    dollars = min(n * one.cost for n, one in each) / _MILLION
    _check_limit("US dollars", limits.max_cost, dollars)


def _check_limit(what: str, ceiling: float | None, least: float) -> None:
    if ceiling is None or ceiling >= least:
        return
    said = describe("BUDGET_SPENT/plan", what=what, least=least, ceiling=ceiling)
    raise said.to_error(ExperimentError)


class CellBudget:
    """Lets a cell start only while the limits have room for all of it."""

    def __init__(
        self,
        plan: ExperimentPlan,
        limits: AgentLimits,
        meter: UsageMeter,
        largest_calls: Mapping[str, Usage] | None = None,
    ) -> None:
        """Create the budget of one plan.

        `largest_calls` is the most that one call may use, by condition; without it the first
        cell of a condition plays alone.
        """
        self._plan, self._limits, self._meter = plan, limits, meter
        self._largest_calls = dict(largest_calls or {})
        self._playing: dict[str, tuple[str, int]] = {}
        self._largest_call: dict[str, Usage] = {}
        self._finished = set[str]()
        self._spent = False
        self._changed = asyncio.Event()

    def limit_oracle(self, cell: ExperimentCell, oracle: Oracle) -> Oracle:
        """Return the oracle wrapped to wait for room; unchanged if there are no limits."""
        ceilings = (self._limits.max_calls, self._limits.max_tokens, self._limits.max_cost)
        if all(each is None for each in ceilings):
            return oracle
        return _LimitedOracle(self, cell, oracle)

    async def reserve(self, cell: ExperimentCell) -> None:
        """Wait until there is room for a cell.

        Raises:
            SdkBridgeError: `BUDGET_SPENT`: there will never be room.
        """
        name, calls = cell.condition.name, count_most_calls(self._plan, cell.condition)
        while not self._is_affordable(name, calls):
            if not self._playing:
                # Stop other cells from starting too: the error raised here would stop
                # them.
                self._spent = True
                tokens = _count_tokens(self._estimate_reserve(name, calls))
                most = f"{calls} calls" + (f" and {tokens} tokens" if tokens else "")
                raise describe(
                    "BUDGET_SPENT/cell", cell=cell.key, most=most, calls=calls, tokens=tokens
                ).to_error(SdkBridgeError)
            await self._wait()
        self._playing[cell.key] = name, calls

    def count_call(self, cell: ExperimentCell, took: Usage) -> None:
        """Count one request of a cell as spent and release its reserve."""
        name, left = self._playing.get(cell.key, (cell.condition.name, 0))
        self._largest_call[name] = _take_larger(self._largest_call.get(name, Usage()), took)
        if left > 0:
            self._playing[cell.key] = name, left - 1

    def release(self, cell: ExperimentCell) -> None:
        """Release what is still reserved for a cell that ended, for whatever reason."""
        if self._playing.pop(cell.key, None) is not None:
            self._finished.add(cell.condition.name)
        self._changed.set()

    async def wait_out(self, cell: ExperimentCell) -> None:
        """After a cell hit the limit, wait until all other cells have ended."""
        self._playing.pop(cell.key, None)
        self._spent = True
        self._changed.set()
        while self._playing:
            await self._wait()

    def _is_affordable(self, name: str, calls: int) -> bool:
        """Return whether all running cells and one more stay within the limits."""
        limits, then = self._limits, self._meter.spent
        if self._spent:
            return False
        for each in (*self._playing.values(), (name, calls)):
            then += self._estimate_reserve(*each)
        if limits.max_calls is not None and then.calls > limits.max_calls:
            return False
        if limits.max_tokens is None and limits.max_cost is None:
            return True
        if name not in self._finished and name not in self._largest_calls:
            return not self._playing
        if limits.max_tokens is not None and _count_tokens(then) > limits.max_tokens:
            return False
        return limits.max_cost is None or then.cost <= limits.max_cost * _MILLION

    def _estimate_reserve(self, name: str, calls: int) -> Usage:
        """Return what is reserved for the calls that a cell may still make.

        The meter accepts a request only if there is room for the longest answer, so the
        last call always reserves that much, whatever earlier calls used.
        """
        largest_calls = self._largest_calls.get(name, Usage())
        seen = self._largest_call.get(name, Usage())
        most = _take_larger(largest_calls, seen)
        each = seen if name in self._finished else most
        before = max(calls - 1, 0)
        return Usage(
            calls=calls,
            input_tokens=before * each.input_tokens + min(calls, 1) * most.input_tokens,
            output_tokens=before * each.output_tokens + min(calls, 1) * most.output_tokens,
            cost=before * each.cost + min(calls, 1) * most.cost,
        )

    async def _wait(self) -> None:
        self._changed.clear()
        await self._changed.wait()


class _LimitedOracle:
    """The oracle of one cell; it sends no request before the cell has its reserve."""

    def __init__(self, budget: CellBudget, cell: ExperimentCell, oracle: Oracle) -> None:
        self._budget, self._cell, self._oracle = budget, cell, oracle
        self._begun = False

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the oracle's answer.

        Raises:
            SdkBridgeError: `BUDGET_SPENT`, or the oracle's own error.
        """
        if not self._begun:
            await self._budget.reserve(self._cell)
            self._begun = True
        took = Usage()
        try:
            answer = await self._oracle.answer(request, hear)
            took = answer.usage
        except SdkBridgeError as problem:
            if problem.code == "BUDGET_SPENT":
                await self._budget.wait_out(self._cell)
            raise
        finally:
            self._budget.count_call(self._cell, took)
        return answer

    async def close(self) -> None:
        """Release the reserve and close the oracle; safe to call more than once."""
        self._budget.release(self._cell)
        await self._oracle.close()


def _count_tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens


def _take_larger(one: Usage, other: Usage) -> Usage:
    return Usage(
        input_tokens=max(one.input_tokens, other.input_tokens),
        output_tokens=max(one.output_tokens, other.output_tokens),
        cost=max(one.cost, other.cost),
    )
