"""Invented numbers of cells, for tests of the analysis."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from saniwa.experiment.analysis_records import CellNumbers
from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.metrics import count_outcome
from saniwa.experiment.plan import ExperimentPlan
from tests.fakes.experiments import make_plan


def make_numbers(condition: str = "D", seed: int = 0, **counted: Any) -> CellNumbers:
    """A cell of ten turns with one action each and no problem, except for the given numbers."""
    empty = count_outcome(
        CellOutcome(key=f"{condition}-{seed}", condition=condition, scenario="house", seed=seed)
    )
    usual: dict[str, Any] = {
        "answers": f"answers of {counted.get('scenario', 'house')} {seed}",
        "turns": 10,
        "generation_calls": 10,
        "actions": 10,
        "kept_actions": 10,
        "first_try_valid": 10,
        "latency_ms": (100,) * 10,
    }
    return msgspec.structs.replace(empty, **(usual | counted))


def make_two_by_two(
    values: Mapping[str, Sequence[float]], metric: str = "stall_mean"
) -> tuple[ExperimentPlan, list[CellNumbers]]:
    """A plan and its cells, where a condition has the given value in each of its blocks."""
    seeds = range(max(map(len, values.values())))
    made = make_plan("".join(sorted(values)), seeds=tuple(seeds))
    cells = [
        make_numbers(letter, seed, **{metric: value})
        for letter, row in values.items()
        for seed, value in enumerate(row)
    ]
    return made, cells
