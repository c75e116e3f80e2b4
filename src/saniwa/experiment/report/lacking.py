"""Which runs were planned and are not there."""

from collections.abc import Mapping
from typing import Final

from saniwa.experiment.plan import Plan
from saniwa.experiment.report.figures import count

_MOST: Final = 8


def lacking(plan: Plan, runs: Mapping[str, int]) -> dict[str, int]:
    """How many runs are missing, by condition; only where any are.

    Args:
        plan: What was planned.
        runs: Runs that are there, by condition.
    """
    of_each = len(plan.scenarios) * len(plan.seeds)
    short = {each.name: of_each - runs.get(each.name, 0) for each in plan.conditions}
    return {name: missing for name, missing in short.items() if missing > 0}


def lacking_told(missing: Mapping[str, int]) -> str:
    """The conditions with how many they lack, such as `A 1, D 2`."""
    told = [f"{name} {count(many)}" for name, many in missing.items()]
    more = f" and {len(told) - _MOST} more" if len(told) > _MOST else ""
    return ", ".join(told[:_MOST]) + more
