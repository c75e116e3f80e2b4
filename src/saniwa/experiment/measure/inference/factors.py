"""What conditions differ in: the factors that vary, and pairs that differ in just one."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final, NamedTuple, get_args

from saniwa.experiment.plan import Condition, FactorName, Level, Plan

NAMES: Final[tuple[FactorName, ...]] = get_args(FactorName)
"""Everything conditions can differ in."""


class Factor(NamedTuple):
    """A factor of which there are at least two levels."""

    name: str
    """Its name."""
    levels: tuple[Level, ...]
    """Its levels: off before on, else in the plan's order."""


class Pair(NamedTuple):
    """Two conditions that are the same but for one factor."""

    factor: str
    """What they differ in."""
    first: Condition
    """The one with the earlier level."""
    second: Condition
    """The one with the later."""


def factors_of(plan: Plan) -> tuple[Factor, ...]:
    """The factors in which the plan's conditions really differ."""
    found = (Factor(name, _levels(plan, name)) for name in NAMES)
    return tuple(factor for factor in found if len(factor.levels) > 1)


def level_of(condition: Condition, name: str) -> Level:
    """A condition's level of a factor."""
    level: Level = getattr(condition, name)
    return level


def pairs_of(plan: Plan, factors: Sequence[Factor]) -> Iterator[Pair]:
    """All pairs that differ in exactly one factor: factor by factor, in the plan's order."""
    for factor in factors:
        groups = defaultdict[tuple[Level, ...], list[Condition]](list)
        rest = [name for name in NAMES if name != factor.name]
        for condition in plan.conditions:
            groups[tuple(level_of(condition, name) for name in rest)].append(condition)
        place = {level: n for n, level in enumerate(factor.levels)}
        for group in groups.values():
            group.sort(key=lambda c: place[level_of(c, factor.name)])
            for first, second in combinations(group, 2):
                if level_of(first, factor.name) != level_of(second, factor.name):
                    yield Pair(factor.name, first, second)


def _levels(plan: Plan, name: str) -> tuple[Level, ...]:
    used = dict.fromkeys(level_of(condition, name) for condition in plan.conditions)
    if all(isinstance(level, bool) for level in used):
        return tuple(sorted(used))
    planned = [level for level in plan.factors.get(name, ()) if level in used]
    return tuple(dict.fromkeys((*planned, *used)))
