"""Estimates what an experiment would use: cells, calls, tokens, dollars, disk space.

No model is called. Prompts are measured by letting stand-ins play a few of the cells.
"""

import os
from collections.abc import AsyncIterator, Iterable, Mapping
from itertools import islice
from typing import Final

import msgspec

from saniwa.app.experiments.cell_budget import count_most_calls
from saniwa.app.experiments.cell_models import find_plan_price, make_model_name
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import ConfigurationError
from saniwa.experiment.cell_outcome import CellOutcome, encode_outcome
from saniwa.experiment.cell_player import play_cell
from saniwa.experiment.plan import (
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
from saniwa.models.oracle import Oracle, OracleAnswer, OracleRequest, TextListener, Usage
from saniwa.models.providers import PROVIDERS, find_missing_extra

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
    """Input and output tokens with the fewest calls and short answers; 0 for agents."""
    tokens_most: int
    """Input and output tokens with the most calls and the longest answers; 0 for agents."""
    cost_fewest: float | None
    """US dollars for `tokens_fewest`; None if a price is unknown, 0 in simulation."""
    cost_most: float | None
    """US dollars for `tokens_most`."""
    unpriced: tuple[str, ...]
    """Models whose price is unknown."""
    disk: int
    """Roughly how many bytes the folder will have; 0 if that is not known."""


def _forecast_work(prepared: PreparedPlan) -> Forecast:
    """Forecast what agents use: what they read and write cannot be known before.

    The most calls are one in each iteration, and one after each tool call.
    """
    from saniwa.app.experiments.agent_plan_inputs import open_plan_agents

    plan, blocks = prepared.plan, len(prepared.plan.scenarios) * len(prepared.plan.seeds)
    most = {
        name: plan.max_turns + each.limits.max_tool_calls
        for name, each in open_plan_agents(prepared).items()
    }
    return Forecast(
        cells=count_cells(plan),
        calls_fewest=count_cells(plan),
        calls_most=blocks * sum(most[each.agent] for each in plan.conditions),
        tokens_fewest=0,
        tokens_most=0,
        cost_fewest=None,
        cost_most=None,
        unpriced=(),
        disk=0,
    )


async def make_forecast(
    prepared: PreparedPlan, environment: Mapping[str, str] | None = None
) -> Forecast:
    """Estimate what running the plan would use."""
    plan = prepared.plan
    if plan.mode == "work":
        return _forecast_work(prepared)
    known = os.environ if environment is None else environment
    blocks = len(plan.scenarios) * len(plan.seeds)
    oracle, sizes = _MeasuringOracle(), list[int]()
    turns = min(plan.max_turns, TURNS)
    async for _, outcome in _play_until_late(prepared, _pick_cells(plan), oracle, SystemClock()):
        sizes.append(len(encode_outcome(outcome)) * plan.max_turns // turns)
    questions = max(len(oracle.told), 1)
    told, said = sum(oracle.told) // questions, sum(oracle.said) // questions
    longest = max(oracle.told, default=0)
    fewest = [blocks * plan.max_turns for _ in plan.conditions]
    most = [blocks * count_most_calls(plan, each) for each in plan.conditions]
    low = _list_costs(plan, fewest, told, said, known)
    high = _list_costs(plan, most, longest, plan.max_tokens, known)
    models = zip(plan.conditions, low, strict=True)
    return Forecast(
        cells=count_cells(plan),
        calls_fewest=sum(fewest),
        calls_most=sum(most),
        tokens_fewest=sum(fewest) * (told + said),
        tokens_most=sum(most) * (longest + plan.max_tokens),
        cost_fewest=_sum_costs(low),
        cost_most=_sum_costs(high),
        unpriced=tuple(dict.fromkeys(each.model for each, cost in models if cost is None)),
        disk=sum(sizes) // max(len(sizes), 1) * count_cells(plan) * _BYTES_PER_OUTCOME_BYTE,
    )


def make_offline_environment() -> dict[str, str]:
    """Return an environment in which every provider has a key, for use without calls."""
    names = {provider.key_variables[0] for provider in PROVIDERS.values() if provider.key_variables}
    return {**dict.fromkeys(names, _NO_KEY), **os.environ}


def _list_costs(
    plan: ExperimentPlan,
    calls: list[int],
    input_tokens: int,
    output_tokens: int,
    known: Mapping[str, str],
) -> list[float | None]:
    """List the dollars of each condition; None if its model's price is unknown."""
    return [
        _compute_dollars(plan, each.model, often * input_tokens, often * output_tokens, known)
        for each, often in zip(plan.conditions, calls, strict=True)
    ]


def _compute_dollars(
    plan: ExperimentPlan,
    model: str,
    input_tokens: int,
    output_tokens: int,
    known: Mapping[str, str],
) -> float | None:
    if plan.mode == "sim":
        return 0.0
    written = plan.prices.get(model)
    if written is not None:
        return (written[0] * input_tokens + written[1] * output_tokens) / _MILLION
    named = make_model_name(plan, model, known)
    if named.is_provided and find_missing_extra() is not None:
        return None  # the library knows the prices
    cost = named.open(asked=False).price(input_tokens, output_tokens)
    return None if cost is None else cost / _MILLION


def find_plan_extra(plan: ExperimentPlan) -> ConfigurationError | None:
    """Return the error for the library that the plan's models need; None if it is installed.

    A forecast can be made without it, but knows neither prices nor which settings are sent.
    """
    names = () if plan.mode == "sim" else (each.model for each in plan.conditions)
    provided = any(make_model_name(plan, name).is_provided for name in names if name)
    return find_missing_extra() if provided else None


def _sum_costs(costs: list[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 4) if len(known) == len(costs) else None


class _MeasuringOracle:
    """A stand-in that counts the tokens of its requests."""

    def __init__(self) -> None:
        from saniwa.experiment.stand_in.character import StandIn

        self._standin = StandIn(StandInFaults())
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


async def _play_until_late(
    prepared: PreparedPlan, cells: Iterable[ExperimentCell], oracle: Oracle, clock: Clock
) -> AsyncIterator[tuple[ExperimentCell, CellOutcome]]:
    """Play cells until time is up, at least one; only the turns that prompts grow in."""
    plan, began = prepared.plan, clock.now()
    short = msgspec.structs.replace(plan, max_turns=min(plan.max_turns, TURNS))
    templates = RunTemplates(msgspec.structs.replace(prepared, plan=short))
    for cell in cells:
        yield cell, await play_cell(templates, cell, oracle)
        if clock.now() - began > PATIENCE_MS:
            break


def _pick_cells(plan: ExperimentPlan) -> list[ExperimentCell]:
    """Pick a few cells of as many scenarios and conditions as possible."""
    cells = list(islice(iterate_cells(plan), len(plan.scenarios) * len(plan.conditions)))
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
    plan, oracle, longest = prepared.plan, _MeasuringOracle(), dict[str, int]()
    cells = islice(iterate_cells(plan), len(plan.scenarios) * len(plan.conditions))
    async for cell, _ in _play_until_late(prepared, cells, oracle, clock or SystemClock()):
        name = cell.condition.name
        longest[name] = max([longest.get(name, 0), *oracle.told])
        oracle.told.clear()
    most = max(longest.values())
    repeated = min(plan.max_turns, REMEMBERED_LINES) * min(plan.max_tokens, LINE_TOKENS)
    calls = dict[str, Usage]()
    for condition in plan.conditions:
        tokens = longest.get(condition.name, most) + repeated
        cost: int | None = 0
        if priced:
            price = find_plan_price(plan, condition.model)
            known = price or make_model_name(plan, condition.model, environment).open().price
            cost = known(tokens, plan.max_tokens)
        calls[condition.name] = Usage(
            calls=1,
            input_tokens=tokens,
            output_tokens=plan.max_tokens,
            cost=cost or 0,
            unpriced=int(cost is None),
        )
    return calls
