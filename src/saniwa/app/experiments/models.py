"""Opens what answers in a cell: a stand-in, a model, or the recording of a model.

Requests that contain a secret of the environment are refused, because a recording could
not store them as they are.

Answers are paid for, and an unfinished cell is not stored. A cell therefore waits at
its first request until the limits have room for the most that the whole cell may use;
if they never will, it fails before any request is sent. The number of calls is known in
advance. For tokens and dollars, each remaining call reserves what the most expensive
call of its condition has used so far; before there is such a call, the most that one
call may use.
"""

import asyncio
import os
from collections.abc import Mapping
from math import ceil
from typing import Final

from saniwa.agent.definition import AgentLimits, ModelSettings
from saniwa.agent.journal import MemoryJournal
from saniwa.app import describe
from saniwa.app.experiments.folder import read_outcome
from saniwa.app.model_factory import ModelName, SharedOracle, open_oracle
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import ExperimentError, SdkBridgeError
from saniwa.core.redaction import Redactor, find_environment_secrets
from saniwa.experiment.plan import (
    Condition,
    ExperimentCell,
    ExperimentPlan,
    PreparedPlan,
    StandInFaults,
)
from saniwa.experiment.ports import OracleFactory, OutcomeStore
from saniwa.models.metering import PriceFunction, TimedOracle, UsageMeter
from saniwa.models.oracle import Oracle, OracleAnswer, OracleRequest, TextListener, Usage
from saniwa.models.recording import AgentJournal, RecordingOracle, ReplayingOracle
from saniwa.models.redaction import redact_request

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


class SecretFreeOracle:
    """Sends only requests that can be recorded unchanged."""

    def __init__(self, oracle: Oracle, redaction: Redactor) -> None:
        self._oracle, self._redaction = oracle, redaction

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        """Return the oracle's answer.

        Raises:
            ExperimentError: `NAME_UNUSABLE`: the request contains a secret.
            SdkBridgeError: The oracle's own error.
        """
        if redact_request(request, self._redaction).key != request.key:
            raise _make_secret_error("a secret of the environment", "the variable")
        return await self._oracle.answer(request, hear)

    async def close(self) -> None:
        """Close the oracle; safe to call more than once."""
        await self._oracle.close()


def check_no_secrets(prepared: PreparedPlan, environment: Mapping[str, str] | None = None) -> None:
    """Check that a plan, its scenarios and its prompts contain no secret.

    Raises:
        ExperimentError: `NAME_UNUSABLE`.
    """
    known = os.environ if environment is None else environment
    written = prepared.encode().decode()
    for name, value in sorted(known.items()):
        redaction = Redactor(find_environment_secrets({name: value}))
        if redaction.redact_text(written) != written:
            raise _make_secret_error(f"the secret in {name}", name)


def _make_secret_error(what: str, variable: str) -> ExperimentError:
    said = describe("NAME_UNUSABLE/secret", what=what, variable=variable)
    return said.to_error(ExperimentError)


_SEQUENTIAL_KINDS: Final = ("canned", "fuzz", "replay")
"""Models that answer in sequence: each cell opens its own, from the start."""


def make_stand_ins(plan: ExperimentPlan) -> OracleFactory:
    """Return a factory of stand-ins with the faults of each cell's condition."""
    from saniwa.experiment.stand_in.character import StandIn

    def open_stand_in(cell: ExperimentCell, journal: AgentJournal) -> Oracle:
        del journal  # answers follow from the request, so no recording is needed
        return StandIn(plan.faults.get(cell.condition.faults, StandInFaults()))

    return open_stand_in


class LiveModels:
    """The models of one plan: opened once each, metered together, recorded.

    Limits count what this process sends; requests sent before a resume do not count. A
    cell that could not be finished within the limits is not started.
    """

    def __init__(
        self,
        plan: ExperimentPlan,
        *,
        limits: AgentLimits | None = None,
        clock: Clock | None = None,
        environment: Mapping[str, str] | None = None,
        largest_calls: Mapping[str, Usage] | None = None,
    ) -> None:
        """`largest_calls` is the most that one call may use, by condition."""
        self._plan = plan
        limits = limits or AgentLimits()
        self._meter = UsageMeter(limits)
        self._budget = CellBudget(plan, limits, self._meter, largest_calls)
        self._clock = clock or SystemClock()
        self._environment = environment
        self._redaction = _make_redactor(environment)
        self._opened: dict[str, Oracle] = {}

    @property
    def usage(self) -> Usage:
        """What all answers have used so far."""
        return self._meter.spent

    def __call__(self, cell: ExperimentCell, journal: AgentJournal) -> Oracle:
        """Return the model of a cell's condition; the journal records every call.

        Raises:
            ConfigurationError: The model is not available.
        """
        timed = TimedOracle(self._find_model(cell.condition.model), self._clock)
        recorded = RecordingOracle(timed, journal, self._redaction)
        return self._budget.limit_oracle(cell, SecretFreeOracle(recorded, self._redaction))

    async def close(self) -> None:
        """Close all models; safe to call more than once."""
        for oracle in self._opened.values():
            await oracle.close()

    def _find_model(self, named: str) -> Oracle:
        if named.partition(":")[0] in _SEQUENTIAL_KINDS:
            return self._open_model(named)
        if named not in self._opened:
            self._opened[named] = self._open_model(named)
        return SharedOracle(self._opened[named])

    def _open_model(self, named: str) -> Oracle:
        return open_plan_model(self._plan, named, meter=self._meter, environment=self._environment)


def open_plan_model(
    plan: ExperimentPlan,
    named: str,
    *,
    meter: UsageMeter | None = None,
    environment: Mapping[str, str] | None = None,
) -> Oracle:
    """Open a model of a plan, at the plan's address if it has one.

    Raises:
        ConfigurationError: `MODEL_UNKNOWN`, `MODEL_KEY_MISSING`, `EXTRA_MISSING`…
    """
    asking = ModelSettings(use=named, url=plan.llm_url, history=0)
    return open_oracle(
        asking, limits=meter, environment=environment, price=find_plan_price(plan, named)
    )


def find_plan_price(plan: ExperimentPlan, named: str) -> PriceFunction | None:
    """Return the token price of a model as the plan states it; None if it does not."""
    written = plan.prices.get(named)
    if written is None:
        return None
    input_price, output_price = written

    def price(input_tokens: int, output_tokens: int) -> int:
        # Dollars per million tokens equal millionths of a dollar per token. Rounded up,
        # so that many small answers do not add up to nothing.
        return ceil(input_price * input_tokens + output_price * output_tokens)

    return price


def list_unsent_settings(
    plan: ExperimentPlan, named: str, environment: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """List the plan's settings that a model would not be sent; no model is called.

    Raises:
        ConfigurationError: The model is not available.
    """
    opened = make_model_name(plan, named, environment).open()
    return opened.unsent() if opened.unsent is not None else ()


def make_model_name(
    plan: ExperimentPlan, named: str, environment: Mapping[str, str] | None = None
) -> ModelName:
    """Return a model of a plan, not opened yet."""
    known = os.environ if environment is None else environment
    asking = ModelSettings(use=named, url=plan.llm_url)
    return ModelName(asking, None, known, _make_redactor(environment), None)


def _make_redactor(environment: Mapping[str, str] | None) -> Redactor:
    return Redactor(find_environment_secrets(os.environ if environment is None else environment))


class RecordedModels:
    """Answers from the cells of another experiment that have the same key."""

    def __init__(
        self, outcome_store: OutcomeStore, environment: Mapping[str, str] | None = None
    ) -> None:
        self._outcome_store = outcome_store
        self._redaction = _make_redactor(environment)

    def __call__(self, cell: ExperimentCell, journal: AgentJournal) -> Oracle:
        """Return an oracle with the cell's recorded answers, which are recorded again.

        Raises:
            ExperimentError: `RECORDING_MISSING`.
            StoreError: The recording cannot be read.
        """
        outcome = read_outcome(self._outcome_store, cell)
        if outcome is None:
            raise make_no_recording_error(cell.key)
        recording = MemoryJournal(outcome.calls)
        recorder = RecordingOracle(
            ReplayingOracle(recording, self._redaction), journal, self._redaction
        )
        return SecretFreeOracle(recorder, self._redaction)

    async def close(self) -> None:
        """Close the recordings."""
        self._outcome_store.close()


def make_no_recording_error(key: str, missing: int = 1) -> ExperimentError:
    """Build the error for cells that were never recorded; `key` is the first of them."""
    more = f", nor of {missing - 1} more" if missing > 1 else ""
    said = describe("RECORDING_MISSING/cell", cell=key, more=more, missing=missing)
    return said.to_error(ExperimentError)
