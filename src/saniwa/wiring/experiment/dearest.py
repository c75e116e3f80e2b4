"""What one question of a condition may take at most; nobody is asked.

Stand-ins play a cell of each condition, and their longest prompt is taken with the
longest answer. Models may talk more than stand-ins do, and what was said is told again:
there is room for that, too.
"""

import os
from collections.abc import Mapping
from itertools import islice
from typing import Final

import msgspec

from saniwa.agent.bridges.metered import tokens_told
from saniwa.agent.oracle import Answer, Hear, Request, Usage
from saniwa.core.clock import Clock, SystemClock
from saniwa.experiment.cell import cells_of
from saniwa.experiment.plan import Condition, Faults, Plan, Prepared
from saniwa.experiment.playing.cell import play_cell
from saniwa.experiment.playing.opening import Stages
from saniwa.experiment.telling.prompt import REMEMBERED
from saniwa.wiring.experiment.forecast import PATIENCE_MS, TURNS
from saniwa.wiring.experiment.oracles import name_model, price_of

LINE: Final = 100
"""Tokens of a line that is told again, at most."""


async def dearest_calls(
    prepared: Prepared,
    *,
    priced: bool = False,
    environment: Mapping[str, str] | None = None,
    clock: Clock | None = None,
) -> dict[str, Usage]:
    """The most that one question may take, by the name of the condition.

    Args:
        prepared: The plan.
        priced: Whether dollars are wanted; `unpriced` where nobody knows them.
        environment: Where keys of models are found; else the program's own.
        clock: Tells when it has taken long enough.

    Raises:
        ConfigurationError: A model cannot be had.
    """
    plan = prepared.plan
    told = await _longest(prepared, clock or SystemClock())
    most = max(told.values())
    again = min(plan.max_turns, REMEMBERED) * min(plan.max_tokens, LINE)
    known = os.environ if environment is None else environment
    calls = dict[str, Usage]()
    for condition in plan.conditions:
        tokens = told.get(condition.name, most) + again
        cost = _cost(plan, condition, tokens, known) if priced else 0
        calls[condition.name] = Usage(
            calls=1,
            input_tokens=tokens,
            output_tokens=plan.max_tokens,
            cost=cost or 0,
            unpriced=int(cost is None),
        )
    return calls


def _cost(
    plan: Plan, condition: Condition, told: int, known: Mapping[str, str]
) -> int | None:
    price = price_of(plan, condition.model)
    if price is None:
        price = name_model(plan, condition.model, known).opened().price
    return price(told, plan.max_tokens)


class _Listening:
    """A stand-in that keeps the length of the longest prompt."""

    def __init__(self) -> None:
        from saniwa.experiment.standin.oracle import StandIn

        self._standin = StandIn(Faults())
        self.longest = 0

    async def answer(self, request: Request, hear: Hear | None = None) -> Answer:
        self.longest = max(self.longest, tokens_told(request))
        return await self._standin.answer(request, hear)

    async def close(self) -> None: ...


async def _longest(prepared: Prepared, clock: Clock) -> dict[str, int]:
    """The longest prompt of each condition, as far as patience goes; of one at least."""
    plan, began = prepared.plan, clock.now()
    short = msgspec.structs.replace(plan, max_turns=min(plan.max_turns, TURNS))
    stages = Stages(msgspec.structs.replace(prepared, plan=short))
    longest = dict[str, int]()
    for cell in islice(cells_of(plan), len(plan.scenarios) * len(plan.conditions)):
        oracle, name = _Listening(), cell.condition.name
        await play_cell(stages, cell, oracle)
        longest[name] = max(longest.get(name, 0), oracle.longest)
        if clock.now() - began > PATIENCE_MS:
            break
    return longest
