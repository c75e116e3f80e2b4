"""What a factor does in each block: its levels side by side, everything else evened out.

Cells of a block are no independent witnesses, however many factors are crossed. So a
block gives one value for each level, or one for each pair of levels of two factors: the
mean over all groups of conditions that are the same but for those factors.
"""

from collections.abc import Sequence
from itertools import combinations, product
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from saniwa.experiment.measure.inference.factors import NAMES, Factor, level_of
from saniwa.experiment.measure.inference.permutation import least_p
from saniwa.experiment.measure.inference.shuffling import least_shuffled
from saniwa.experiment.measure.inference.table import Table
from saniwa.experiment.plan import Condition, Level

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

MOST_LEVELS: Final = 300
"""Levels of a term; what has more is not analysed, and that is said."""
_STEADY: Final = 13


class Term(NamedTuple):
    """A factor, or two that act on each other."""

    factors: tuple[str, ...]
    """Their names."""
    shape: tuple[int, ...]
    """How many levels each has."""
    groups: tuple[tuple[str, ...], ...]
    """Conditions that are the same but for these factors: one for every level, in order."""

    @property
    def two_level(self) -> bool:
        """Whether one number says how much it does."""
        return max(self.shape) == 2

    def least(self, blocks: int, rows: int) -> float:
        """The smallest probability its test can come to, made with so many others."""
        if self.two_level:
            return least_p(blocks, rows)
        return least_shuffled(blocks, self.shape)

    @property
    def fits(self) -> bool:
        """Whether it has few enough levels."""
        return prod(self.shape) <= MOST_LEVELS


def terms_of(
    conditions: Sequence[Condition], factors: Sequence[Factor]
) -> tuple[Term, ...]:
    """Main effects first, then every pair of factors."""
    chosen = [(factor,) for factor in factors] + list(combinations(factors, 2))
    return tuple(_term(conditions, each) for each in chosen)


def _term(conditions: Sequence[Condition], factors: tuple[Factor, ...]) -> Term:
    names = tuple(factor.name for factor in factors)
    shape = tuple(len(factor.levels) for factor in factors)
    term = Term(names, shape, ())
    return term._replace(groups=_groups(conditions, factors)) if term.fits else term


def _groups(
    conditions: Sequence[Condition], factors: tuple[Factor, ...]
) -> tuple[tuple[str, ...], ...]:
    """Groups that lack a level are left out; of two conditions alike the first counts."""
    varied = [factor.name for factor in factors]
    rest = [name for name in NAMES if name not in varied]
    found: dict[tuple[Level, ...], dict[tuple[Level, ...], str]] = {}
    for condition in conditions:
        group = found.setdefault(_levels(condition, rest), {})
        group.setdefault(_levels(condition, varied), condition.name)
    wanted = list(product(*(factor.levels for factor in factors)))
    return tuple(
        tuple(group[levels] for levels in wanted)
        for group in found.values()
        if len(group) == len(wanted)
    )


def _levels(condition: Condition, names: Sequence[str]) -> tuple[Level, ...]:
    return tuple(level_of(condition, name) for name in names)


def side_by_side(table: Table, metric: str, term: Term) -> "Matrix | None":
    """A line for each block that has every cell, a column for each level.

    What lower terms do is taken out: every line adds up to 0, along each factor. None
    where no group of conditions can have the metric.
    """
    import numpy as np

    rows = table.rows[metric]
    groups = [group for group in term.groups if all(name in rows for name in group)]
    if not groups:
        return None
    whole = np.full((len(groups), len(groups[0]), table.blocks), np.nan)
    for n, group in enumerate(groups):
        for place, name in enumerate(group):
            row = rows[name]
            whole[n, place, list(row)] = list(row.values())
    means: Matrix = whole.mean(axis=0).T
    return _centred(means[np.isfinite(means).all(axis=1)], term.shape)


def _centred(means: "Matrix", shape: tuple[int, ...]) -> "Matrix":
    """Lines that add up to 0; rounding is cut off, so that what is equal stays equal."""
    import numpy as np

    if not means.size:
        return means
    left: Any = means.reshape(len(means), *shape)
    for axis in range(1, left.ndim):
        left = left - left.mean(axis=axis, keepdims=True)
    largest = float(np.abs(means).max()) or 1.0
    steady = np.round(left.reshape(means.shape) / largest, _STEADY) * largest
    return np.asarray(steady)


def contrasts(sides: "Matrix", term: Term) -> list[float]:
    """For two levels: how much each block changes; for two factors, how differently."""
    times = 2 ** len(term.factors)
    return [float(line) * times for line in sides[:, -1]]
