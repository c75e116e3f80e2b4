"""What an experiment would take: cells, calls, tokens, dollars, disk. Nobody is asked.

Prompts are measured by letting stand-ins play a few of the cells.
"""

import os
from collections.abc import Mapping
from itertools import islice
from typing import Final

import msgspec

from saniwa.agent.bridges.metered import tokens_told
from saniwa.agent.bridges.provider.table import PROVIDERS
from saniwa.agent.definition import Asking
from saniwa.agent.oracle import Answer, Hear, Request
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.redaction import Redaction, environment_secrets
from saniwa.experiment.cell import Cell, cells_of, count_cells
from saniwa.experiment.outcome import encode
from saniwa.experiment.plan import Condition, Faults, Plan, Prepared
from saniwa.experiment.playing.cell import play_cell
from saniwa.experiment.playing.opening import Stages
from saniwa.wiring.model_named import Named

TRIED: Final = 24
"""Cells that are played to measure prompts."""
TURNS: Final = 30
"""Turns of each that are played; prompts are no longer after them."""
PATIENCE_MS: Final = 5_000
"""After so long no further cell is tried."""
_NO_KEY: Final = "none"
_MILLION: Final = 1_000_000
_FILES: Final = 5
"""Bytes in the folder for one of a cell's outcome: artifacts and logs beside it."""


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """What an experiment would take."""

    cells: int
    """Runs."""
    calls_fewest: int
    """Questions to a model, if no answer is refused; fewer where a story ends early."""
    calls_most: int
    """The same if every answer is refused that may be."""
    tokens_fewest: int
    """Tokens told and said with the fewest calls and short answers."""
    tokens_most: int
    """The same with the most calls and the longest answers."""
    cost_fewest: float | None
    """US dollars for the former; None where a price is not known, 0 in simulation."""
    cost_most: float | None
    """US dollars for the latter."""
    unpriced: tuple[str, ...]
    """Models whose price nobody knows."""
    disk: int
    """About how many bytes the folder will have."""


async def forecast(
    prepared: Prepared,
    environment: Mapping[str, str] | None = None,
) -> Forecast:
    """What carrying the plan out would take."""
    plan = prepared.plan
    blocks = len(plan.scenarios) * len(plan.seeds)
    tried = await _tried(prepared, SystemClock())
    fewest = [blocks * plan.max_turns for _ in plan.conditions]
    most = [
        calls * (1 + plan.max_retries * condition.gm)
        for calls, condition in zip(fewest, plan.conditions, strict=True)
    ]
    prices = _Prices(plan, os.environ if environment is None else environment)
    low = _Sum(plan, fewest, tried.told, tried.said, prices)
    high = _Sum(plan, most, tried.longest, plan.max_tokens, prices)
    return Forecast(
        cells=count_cells(plan),
        calls_fewest=sum(fewest),
        calls_most=sum(most),
        tokens_fewest=low.tokens,
        tokens_most=high.tokens,
        cost_fewest=low.cost,
        cost_most=high.cost,
        unpriced=prices.unknown,
        disk=tried.bytes * count_cells(plan) * _FILES,
    )


def unasked() -> dict[str, str]:
    """The environment for somebody who asks nobody: every provider has a key there."""
    names = {provider.keys[0] for provider in PROVIDERS.values() if provider.keys}
    return {**dict.fromkeys(names, _NO_KEY), **os.environ}


class _Measured(msgspec.Struct):
    """What the cells that were tried came to, a question or a cell on the average."""

    told: int
    said: int
    longest: int
    bytes: int


class _Sum:
    """Tokens and dollars of all conditions."""

    def __init__(
        self, plan: Plan, calls: list[int], told: int, said: int, prices: "_Prices"
    ) -> None:
        self.tokens = sum(calls) * (told + said)
        costs = [
            prices.price(condition, calls * told, calls * said)
            for condition, calls in zip(plan.conditions, calls, strict=True)
        ]
        known = [cost for cost in costs if cost is not None]
        self.cost = round(sum(known), 4) if len(known) == len(costs) else None


class _Prices:
    """What models cost: as the plan says, else as the library of models knows."""

    def __init__(self, plan: Plan, environment: Mapping[str, str]) -> None:
        self._plan = plan
        self._known = environment
        self._unknown = dict[str, None]()

    @property
    def unknown(self) -> tuple[str, ...]:
        return tuple(self._unknown)

    def price(self, condition: Condition, told: int, said: int) -> float | None:
        if self._plan.mode == "sim":
            return 0.0
        written = self._plan.prices.get(condition.model)
        if written is not None:
            return (written[0] * told + written[1] * said) / _MILLION
        asking = Asking(use=condition.model, url=self._plan.llm_url)
        redaction = Redaction(environment_secrets(self._known))
        model = Named(asking, None, self._known, redaction, None).opened()
        cost = model.price(told, said)
        if cost is None:
            self._unknown[condition.model] = None
            return None
        return cost / _MILLION


class _Measuring:
    """A stand-in that counts what it is told."""

    def __init__(self, faults: Faults) -> None:
        from saniwa.experiment.standin.oracle import StandIn

        self._standin = StandIn(faults)
        self.told = list[int]()
        self.said = list[int]()

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        answer = await self._standin.answer(request, hear)
        self.told.append(tokens_told(request))
        self.said.append(answer.usage.output_tokens)
        return answer

    async def close(self) -> None: ...


async def _tried(prepared: Prepared, clock: Clock) -> _Measured:
    plan = prepared.plan
    turns = min(plan.max_turns, TURNS)
    short = msgspec.structs.replace(plan, max_turns=turns)
    stages = Stages(msgspec.structs.replace(prepared, plan=short))
    oracle, sizes, began = _Measuring(Faults()), list[int](), clock.now()
    for cell in _spread(plan):
        size = len(encode(await play_cell(stages, cell, oracle)))
        sizes.append(size * plan.max_turns // turns)
        if clock.now() - began > PATIENCE_MS:
            break
    questions = max(len(oracle.told), 1)
    return _Measured(
        told=sum(oracle.told) // questions,
        said=sum(oracle.said) // questions,
        longest=max(oracle.told, default=0),
        bytes=sum(sizes) // max(len(sizes), 1),
    )


def _spread(plan: Plan) -> list[Cell]:
    """A few cells, of as many scenarios and conditions as can be."""
    first = islice(cells_of(plan), len(plan.scenarios) * len(plan.conditions))
    cells = list(first)
    return cells[:: max(len(cells) // TRIED, 1)][:TRIED]
