"""Computes bootstrap intervals of means for many rows together.

SciPy draws the resamples and corrects the interval; it gets the indices of the blocks,
so that one draw serves every row of the same length.
"""

import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

CONFIDENCE_LEVEL: Final = 0.95
"""The confidence level of intervals."""
RESAMPLES: Final = 9_999
"""Resamples, up to `MANY` blocks."""
FEWER_RESAMPLES: Final = 1_999
"""Resamples above `MANY` blocks."""
MANY: Final = 500
"""Blocks above which bias and skew no longer matter, but time does."""
SEED: Final = 20_170
"""The seed; fixed, so that the same numbers give the same interval."""
_ROWS: Final = 250
_AT_ONCE: Final = 2_000_000
_DECIMALS: Final = 12

IntervalMethod = Literal["BCa", "percentile", "exact"]
Bounds = tuple[float, float]
"""The bounds of every value in a row."""


class Interval(NamedTuple):
    """The interval of a mean."""

    low: float
    """The lower end."""
    high: float
    """The upper end."""
    method: IntervalMethod
    """How it was computed; `exact` if all values are equal."""


def widen_bounds(bounds: Bounds | None, times: int = 1) -> Bounds | None:
    """Return the bounds of a difference of two values with these bounds.

    Args:
        bounds: Those of the values.
        times: 2 for a difference of two such differences, and so on.
    """
    if bounds is None:
        return None
    reach = (bounds[1] - bounds[0]) * times
    return -reach, reach


def compute_intervals(
    rows: Sequence[Sequence[float]], bounds: Sequence[Bounds | None]
) -> list[Interval | None]:
    """Compute the 95 % interval of each row's mean.

    None for a row with fewer than two values, and for one whose values are all equal
    and have no bounds: its resamples have no variation, and nothing says how far
    another value could be. Rows may differ in length; values are finite. A row's
    interval does not depend on the other rows.
    """
    found: list[Interval | None] = [None] * len(rows)
    by_length = defaultdict[int, list[int]](list)
    for place, (row, within) in enumerate(zip(rows, bounds, strict=True)):
        if len(row) > 1 and min(row) == max(row):
            found[place] = _compute_exact(row, within)
        elif len(row) > 1:
            by_length[len(row)].append(place)
    for places in by_length.values():
        for start in range(0, len(places), _ROWS):
            part = places[start : start + _ROWS]
            made = _bootstrap_rows([rows[place] for place in part])
            for place, interval in zip(part, made, strict=True):
                found[place] = interval
    return found


def _compute_exact(row: Sequence[float], bounds: Bounds | None) -> Interval | None:
    """Compute the interval of a row whose values are all equal.

    If a block has this value with a probability below `usual`, that many blocks would
    all have it less than 1 time in 40. All other blocks may be at either bound; those
    of a difference, anywhere between 0 and its own bound. If the value is a bound, this
    is the interval of Clopper and Pearson.
    """
    if bounds is None:
        return None
    low, high = bounds
    if low < 0 < high and row[0]:
        low, high = (0.0, high) if row[0] > 0 else (low, 0.0)
    usual = ((1 - CONFIDENCE_LEVEL) / 2) ** (1 / len(row))
    return Interval(low + (row[0] - low) * usual, high - (high - row[0]) * usual, "exact")


def _bootstrap_rows(rows: Sequence[Sequence[float]]) -> list[Interval]:
    """Compute intervals of rows of one length, none of them constant."""
    import numpy as np

    matrix = np.asarray(rows, dtype=float)
    least = matrix.min(axis=1)
    width = matrix.max(axis=1) - least
    low, high, corrected = _compute_unit_intervals((matrix - least[:, None]) / width[:, None])
    return [
        Interval(
            float(least[n] + low[n] * width[n]),
            float(least[n] + high[n] * width[n]),
            "BCa" if corrected[n] else "percentile",
        )
        for n in range(len(rows))
    ]


def _compute_unit_intervals(matrix: "Matrix") -> tuple[Any, Any, Any]:
    """Compute the ends for rows from 0 to 1, and which of them are bias-corrected."""
    import numpy as np

    few = matrix.shape[1] <= MANY
    drawn = _resample(
        matrix,
        n_resamples=RESAMPLES if few else FEWER_RESAMPLES,
        method="BCa" if few else "percentile",
        rng=np.random.default_rng(SEED),
    )
    low, high = drawn.confidence_interval
    corrected = np.isfinite(low) & np.isfinite(high) & few
    if corrected.all() or not few:
        return low, high, corrected
    plain = _resample(
        matrix, n_resamples=0, bootstrap_result=drawn, method="percentile"
    ).confidence_interval
    return (np.where(corrected, low, plain.low), np.where(corrected, high, plain.high), corrected)


def _resample(matrix: "Matrix", **settings: Any) -> Any:
    """Run SciPy's bootstrap with the same blocks drawn for all rows.

    An interval that cannot be corrected is NaN, without SciPy's warning.
    """
    import numpy as np
    from scipy import stats

    blocks = matrix.shape[1]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        return stats.bootstrap(
            (np.arange(blocks),),
            statistic=_make_mean_statistic(matrix),
            vectorized=True,
            axis=-1,
            confidence_level=CONFIDENCE_LEVEL,
            batch=max(1, _AT_ONCE // blocks),
            **settings,
        )


def _make_mean_statistic(matrix: "Matrix") -> Callable[..., Any]:
    """Return the statistic: the means of all rows over the drawn blocks.

    The number of times each block was drawn times its value is one matrix product.
    Means are rounded, because whether two of them are equal must not depend on the last
    bit.
    """
    import numpy as np

    blocks = matrix.shape[1]

    def means(drawn: Any, axis: int = -1) -> Any:
        del axis
        lines = drawn.reshape(-1, drawn.shape[-1])
        shifted = lines + np.arange(len(lines))[:, None] * blocks
        often = np.bincount(shifted.ravel(), minlength=len(lines) * blocks)
        weights = often.reshape(len(lines), blocks) / lines.shape[1]
        found = np.round(matrix @ weights.T, _DECIMALS)
        return found.reshape(len(matrix), *drawn.shape[:-1])

    return means
