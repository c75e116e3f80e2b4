"""The design of an experiment as a matrix: factors and their interactions in columns."""

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

from saniwa.experiment.measure.inference.factors import Factor, level_of
from saniwa.experiment.plan import Condition

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

MOST_COLUMNS: Final = 300
"""Columns of a matrix; what does not fit is not analysed, and that is said."""


class Term(NamedTuple):
    """A factor, or two that act on each other."""

    factors: tuple[str, ...]
    """Their names."""
    columns: tuple[int, ...]
    """Its columns; none where it does not fit."""
    two_level: bool
    """Whether one number says how much it does."""


def terms_of(factors: Sequence[Factor]) -> tuple[Term, ...]:
    """Main effects first, then every pair of factors."""
    chosen = [(factor,) for factor in factors] + list(combinations(factors, 2))
    terms, used = [], 0
    for factors_of_term in chosen:
        width = 1
        for factor in factors_of_term:
            width *= len(factor.levels) - 1
        fits = used + width <= MOST_COLUMNS
        columns = tuple(range(used, used + width)) if fits else ()
        names = tuple(factor.name for factor in factors_of_term)
        terms.append(Term(names, columns, two_level=width == 1))
        used += len(columns)
    return tuple(terms)


def matrix_of(
    conditions: Sequence[Condition], factors: Sequence[Factor], terms: Sequence[Term]
) -> "Matrix":
    """One line for each condition.

    Levels are coded around 0, half a step up or down for two of them: so the coefficient
    of a factor is its mean difference, and that of two the difference of differences.
    """
    import numpy as np

    coded = {factor.name: _coded(conditions, factor) for factor in factors}
    columns = [np.empty((len(conditions), 0))]
    for term in terms:
        if term.columns:
            block = coded[term.factors[0]]
            for name in term.factors[1:]:
                product = block[:, :, None] * coded[name][:, None, :]
                block = product.reshape(len(conditions), -1)
            columns.append(block)
    return np.hstack(columns)


def _coded(conditions: Sequence[Condition], factor: Factor) -> "Matrix":
    import numpy as np

    count = len(factor.levels)
    codes = np.eye(count)[:, 1:] - 1 / count
    place = {level: n for n, level in enumerate(factor.levels)}
    return np.asarray(codes[[place[level_of(c, factor.name)] for c in conditions]])
