"""Cells: one run of one condition in one block, found by number or by key.

A block is a scenario with a seed. Every condition is run in every block, in an order
drawn for that block, so that nothing that drifts while a plan runs favours one of them.
"""

from collections.abc import Iterator

import msgspec

from saniwa.core import chance
from saniwa.experiment.plan import Condition, Plan


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One run that is to be played."""

    number: int
    """Its place in the plan; from 0."""
    key: str
    """`{experiment_id}_{condition}_{scenario}_{seed}`: also the name of its folder."""
    condition: Condition
    """How it is played."""
    scenario: str
    """What is played."""
    seed: int
    """Where its chance starts."""


def count_cells(plan: Plan) -> int:
    """How many cells a plan has."""
    return len(plan.scenarios) * len(plan.seeds) * len(plan.conditions)


def cells_of(plan: Plan) -> Iterator[Cell]:
    """All cells in the order they are begun, one at a time."""
    number = 0
    for seed in plan.seeds:
        for scenario in plan.scenarios:
            block = chance.seeded(plan.order_seed, f"{scenario} {seed}")
            for place in chance.permutation(block, len(plan.conditions)):
                condition = plan.conditions[place]
                yield Cell(
                    number=number,
                    key=key_of(plan, condition, scenario, seed),
                    condition=condition,
                    scenario=scenario,
                    seed=seed,
                )
                number += 1


def key_of(plan: Plan, condition: Condition, scenario: str, seed: int) -> str:
    """The key of the cell for these."""
    return f"{plan.experiment_id}_{condition.name}_{scenario}_{seed}"
