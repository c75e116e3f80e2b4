"""Estimates what an experiment would use: cells, calls, tokens, dollars, disk space.

No model is called. Prompts are measured by letting stand-ins play a few of the cells.
"""

import os
from collections.abc import Mapping
from itertools import islice
from typing import Final

import msgspec

from saniwa.agent.definition import ModelSettings
from saniwa.app.experiments.models import find_plan_price, make_model_name
from saniwa.app.model_names import ModelName
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.redaction import Redactor, find_environment_secrets
from saniwa.experiment.cell_player import play_cell
from saniwa.experiment.outcome import encode_outcome
from saniwa.experiment.plan import (
    Condition,
    ExperimentCell,
    ExperimentPlan,
    PreparedPlan,
    StandInFaults,
    count_cells,
    iterate_cells,
)
from saniwa.experiment.prompts import REMEMBERED_LINES
from saniwa.experiment.run_template import RunTemplates
from saniwa.models.metering import estimate_request_tokens
from saniwa.models.oracle import OracleAnswer, OracleRequest, TextListener, Usage
from saniwa.models.providers.table import PROVIDERS

MOST_TRIED: Final = 24
"""Cells that are played to measure prompts."""
TURNS: Final = 30
"""Turns played of each; prompts do not grow after them."""
PATIENCE_MS: Final = 5_000
"""No further cell is played after this time."""
_NO_KEY: Final = "none"
_MILLION: Final = 1_000_000
_BYTES_PER_OUTCOME_BYTE: Final = 5
"""Bytes in the folder per byte of a cell's outcome: artifacts and logs included."""


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """What an experiment would use."""

    cells: int
    """Runs."""
    calls_fewest: int
    """Requests to models if no answer is refused; fewer if a story ends early."""
    calls_most: int
    """Requests to models if every answer is refused that may be."""
    tokens_fewest: int
    """Input and output tokens with the fewest calls and short answers."""
    tokens_most: int
    """Input and output tokens with the most calls and the longest answers."""
    cost_fewest: float | None
    """US dollars for `tokens_fewest`; None if a price is unknown, 0 in simulation."""
    cost_most: float | None
    """US dollars for `tokens_most`."""
    unpriced: tuple[str, ...]
    """Models whose price is unknown."""
    disk: int
    """Roughly how many bytes the folder will have."""


async def make_forecast(
    prepared: PreparedPlan, environment: Mapping[str, str] | None = None
) -> Forecast:
    """Estimate what running the plan would use."""
    plan = prepared.plan
    blocks = len(plan.scenarios) * len(plan.seeds)
    tried = await _measure_cells(prepared, SystemClock())
    fewest = [blocks * plan.max_turns for _ in plan.conditions]
    most = [
        calls * (1 + plan.max_retries * condition.gm)
        for calls, condition in zip(fewest, plan.conditions, strict=True)
    ]
    prices = _PriceTable(plan, os.environ if environment is None else environment)
    low = _ForecastTotal(plan, fewest, tried.told, tried.said, prices)
    high = _ForecastTotal(plan, most, tried.longest, plan.max_tokens, prices)
    return Forecast(
        cells=count_cells(plan),
        calls_fewest=sum(fewest),
        calls_most=sum(most),
        tokens_fewest=low.tokens,
        tokens_most=high.tokens,
        cost_fewest=low.cost,
        cost_most=high.cost,
        unpriced=prices.unknown_models,
        disk=tried.bytes * count_cells(plan) * _BYTES_PER_OUTCOME_BYTE,
    )


def make_offline_environment() -> dict[str, str]:
    """Return an environment in which every provider has a key, for use without calls."""
    names = {provider.key_variables[0] for provider in PROVIDERS.values() if provider.key_variables}
    return {**dict.fromkeys(names, _NO_KEY), **os.environ}


class _Measurement(msgspec.Struct):
    """Averages per request or per cell, over the cells that were played."""

    told: int
    said: int
    longest: int
    bytes: int


class _ForecastTotal:
    """Tokens and dollars over all conditions."""

    def __init__(
        self,
        plan: ExperimentPlan,
        calls: list[int],
        input_tokens: int,
        output_tokens: int,
        prices: "_PriceTable",
    ) -> None:
        self.tokens = sum(calls) * (input_tokens + output_tokens)
        costs = [
            prices.compute_price(condition, calls * input_tokens, calls * output_tokens)
            for condition, calls in zip(plan.conditions, calls, strict=True)
        ]
        known = [cost for cost in costs if cost is not None]
        self.cost = round(sum(known), 4) if len(known) == len(costs) else None


class _PriceTable:
    """The prices of models: the plan's own, else those of the models package."""

    def __init__(self, plan: ExperimentPlan, environment: Mapping[str, str]) -> None:
        self._plan = plan
        self._known = environment
        self._unknown = dict[str, None]()

    @property
    def unknown_models(self) -> tuple[str, ...]:
        return tuple(self._unknown)

    def compute_price(
        self, condition: Condition, input_tokens: int, output_tokens: int
    ) -> float | None:
        if self._plan.mode == "sim":
            return 0.0
        written = self._plan.prices.get(condition.model)
        if written is not None:
            return (written[0] * input_tokens + written[1] * output_tokens) / _MILLION
        asking = ModelSettings(use=condition.model, url=self._plan.llm_url)
        redaction = Redactor(find_environment_secrets(self._known))
        model = ModelName(asking, None, self._known, redaction, None).open()
        cost = model.price(input_tokens, output_tokens)
        if cost is None:
            self._unknown[condition.model] = None
            return None
        return cost / _MILLION


class _MeasuringOracle:
    """A stand-in that counts the tokens of its requests."""

    def __init__(self, faults: StandInFaults) -> None:
        from saniwa.experiment.stand_in.oracle import StandIn

        self._standin = StandIn(faults)
        self.told = list[int]()
        self.said = list[int]()

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        answer = await self._standin.answer(request, hear)
        self.told.append(estimate_request_tokens(request))
        self.said.append(answer.usage.output_tokens)
        return answer

    async def close(self) -> None: ...


async def _measure_cells(prepared: PreparedPlan, clock: Clock) -> _Measurement:
    plan = prepared.plan
    turns = min(plan.max_turns, TURNS)
    short = msgspec.structs.replace(plan, max_turns=turns)
    templates = RunTemplates(msgspec.structs.replace(prepared, plan=short))
    oracle, sizes, began = _MeasuringOracle(StandInFaults()), list[int](), clock.now()
    for cell in _pick_cells(plan):
        size = len(encode_outcome(await play_cell(templates, cell, oracle)))
        sizes.append(size * plan.max_turns // turns)
        if clock.now() - began > PATIENCE_MS:
            break
    questions = max(len(oracle.told), 1)
    return _Measurement(
        told=sum(oracle.told) // questions,
        said=sum(oracle.said) // questions,
        longest=max(oracle.told, default=0),
        bytes=sum(sizes) // max(len(sizes), 1),
    )


def _pick_cells(plan: ExperimentPlan) -> list[ExperimentCell]:
    """Pick a few cells of as many scenarios and conditions as possible."""
    first = islice(iterate_cells(plan), len(plan.scenarios) * len(plan.conditions))
    cells = list(first)
    return cells[:: max(len(cells) // MOST_TRIED, 1)][:MOST_TRIED]


LINE_TOKENS: Final = 100
"""The most tokens that one repeated transcript line may have."""


async def find_worst_case_costs(
    prepared: PreparedPlan,
    *,
    priced: bool = False,
    environment: Mapping[str, str] | None = None,
    clock: Clock | None = None,
) -> dict[str, Usage]:
    """Return the most that one request may use, by condition name.

    Args:
        prepared: The plan.
        priced: Whether to compute dollars; `unpriced` if a price is unknown.
        environment: Where model keys are found; the process's own by default.
        clock: Decides when to stop measuring.

    Raises:
        ConfigurationError: A model is not available.
    """
    plan = prepared.plan
    longest = await _measure_longest(prepared, clock or SystemClock())
    most = max(longest.values())
    repeated = min(plan.max_turns, REMEMBERED_LINES) * min(plan.max_tokens, LINE_TOKENS)
    known = os.environ if environment is None else environment
    calls = dict[str, Usage]()
    for condition in plan.conditions:
        tokens = longest.get(condition.name, most) + repeated
        cost = _compute_cost(plan, condition, tokens, known) if priced else 0
        calls[condition.name] = Usage(
            calls=1,
            input_tokens=tokens,
            output_tokens=plan.max_tokens,
            cost=cost or 0,
            unpriced=int(cost is None),
        )
    return calls


def _compute_cost(
    plan: ExperimentPlan, condition: Condition, input_tokens: int, known: Mapping[str, str]
) -> int | None:
    price = find_plan_price(plan, condition.model)
    if price is None:
        price = make_model_name(plan, condition.model, known).open().price
    return price(input_tokens, plan.max_tokens)


class _ListeningOracle:
    """A stand-in that records the length of the longest prompt."""

    def __init__(self) -> None:
        from saniwa.experiment.stand_in.oracle import StandIn

        self._standin = StandIn(StandInFaults())
        self.longest = 0

    async def answer(
        self, request: OracleRequest, hear: TextListener | None = None
    ) -> OracleAnswer:
        self.longest = max(self.longest, estimate_request_tokens(request))
        return await self._standin.answer(request, hear)

    async def close(self) -> None: ...


async def _measure_longest(prepared: PreparedPlan, clock: Clock) -> dict[str, int]:
    """Measure the longest prompt of each condition until time is up; of at least one."""
    plan, began = prepared.plan, clock.now()
    short = msgspec.structs.replace(plan, max_turns=min(plan.max_turns, TURNS))
    templates = RunTemplates(msgspec.structs.replace(prepared, plan=short))
    longest = dict[str, int]()
    for cell in islice(iterate_cells(plan), len(plan.scenarios) * len(plan.conditions)):
        oracle, name = _ListeningOracle(), cell.condition.name
        await play_cell(templates, cell, oracle)
        longest[name] = max(longest.get(name, 0), oracle.longest)
        if clock.now() - began > PATIENCE_MS:
            break
    return longest
