"""How likely differences between two experiments are where nothing has changed."""

from collections import defaultdict
from collections.abc import Sequence
from math import comb
from typing import TYPE_CHECKING, Any, Final

from saniwa.experiment.measure.inference.bootstrap import (
    LEVEL,
    Bounds,
    Interval,
    intervals,
    widened,
)
from saniwa.experiment.measure.inference.permutation import least_p, paired_p
from saniwa.experiment.measure.metrics import bounds_of
from saniwa.experiment.measure.model import Metric
from saniwa.experiment.report.comparing.sides import Values

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

DRAWS: Final = 99_999
"""Ways to deal values to two experiments that are tried, where there are more."""
FEWER_DRAWS: Final = 9_999
"""The same where values are many."""
RESAMPLES: Final = 1_999
"""Resamples of an interval where values have no partners."""
SEED: Final = 20_172
"""Where chance starts."""
_MANY: Final = 500
_DECIMALS: Final = 9
_AT_ONCE: Final = 2_000_000


def probabilities(found: Sequence[Values]) -> list[float | None]:
    """Two-sided, by turning signs of partners or by dealing values anew.

    None where there is nothing to test.
    """
    made = paired_p([each.apart for each in found])
    groups = defaultdict[tuple[int, int], list[int]](list)
    for place, each in enumerate(found):
        if testable(each) and not each.paired:
            groups[len(each.first), len(each.second)].append(place)
    for (first, _), places in groups.items():
        whole = _filled([(*found[n].first, *found[n].second) for n in places])
        for place, p in zip(places, _dealt(whole, first), strict=True):
            made[place] = p
    return made


def testable(values: Values) -> bool:
    """Whether there are two values on each side, and any that differ."""
    return min(len(values.first), len(values.second)) > 1 and not values.alike


def least(values: Values) -> float:
    """The smallest probability the test of these could have come to."""
    if values.paired:
        return least_p(len(values.first), 1)
    whole = len(values.first) + len(values.second)
    ways = comb(whole, len(values.first))
    return 2 / min(ways, _draws(whole) + 1)


def ends(
    found: Sequence[Values], metrics: Sequence[Metric]
) -> list[tuple[float, float] | None]:
    """The 95 % interval of each difference of means.

    None for too few values, and where all are the same and have no bounds.
    """
    bounds = [bounds_of(each.name) for each in metrics]
    made = intervals([each.apart for each in found], [widened(b) for b in bounds])
    return [
        (interval.low, interval.high) if interval else _unpaired(each, within)
        for each, within, interval in zip(found, bounds, made, strict=True)
    ]


def _draws(values: int) -> int:
    return DRAWS if values <= _MANY else FEWER_DRAWS


def _filled(rows: Sequence[Sequence[float]]) -> "Matrix":
    """Rows between 0 and 1."""
    import numpy as np

    whole = np.asarray(rows, dtype=float)
    whole = whole - whole.min(axis=1)[:, None]
    return np.asarray(whole / whole.max(axis=1)[:, None])


def _dealt(whole: "Matrix", first: int) -> list[float]:
    """All rows are tested with the same ways of dealing."""
    import numpy as np
    from scipy import stats  # type: ignore[import-untyped]

    values = whole.shape[1]
    total = whole.sum(axis=1)

    def differences(one: Any, other: Any, axis: int = -1) -> Any:
        del other, axis
        lines = np.zeros((max(one.size // first, 1), values))
        np.put_along_axis(lines, one.reshape(-1, first).astype(int), 1.0, axis=1)
        sums = lines @ whole.T
        apart = (total - sums) / (values - first) - sums / first
        return np.round(apart, _DECIMALS).reshape(*one.shape[:-1], len(whole))

    tested = stats.permutation_test(
        (np.arange(first), np.arange(first, values)),
        differences,
        permutation_type="independent",
        vectorized=True,
        n_resamples=_draws(values),
        batch=max(1, _AT_ONCE // values),
        axis=-1,
        rng=np.random.default_rng(SEED),
    )
    return [float(p) for p in tested.pvalue]


def _unpaired(values: Values, within: Bounds | None) -> tuple[float, float] | None:
    one, other = sorted(values.first), sorted(values.second)
    if values.paired or min(len(one), len(other)) < 2:
        return None
    if one[0] == one[-1] and other[0] == other[-1]:
        sides = intervals([one, other], [within, within])
        return _between(*sides)
    import numpy as np
    from scipy import stats

    found = stats.bootstrap(
        (np.asarray(other), np.asarray(one)),
        _apart,
        n_resamples=RESAMPLES,
        confidence_level=LEVEL,
        method="percentile",
        batch=max(1, _AT_ONCE // max(len(one), len(other))),
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return float(found.low), float(found.high)


def _between(
    first: Interval | None, second: Interval | None
) -> tuple[float, float] | None:
    """The interval of second less first, from their own; wider than it must be."""
    if first is None or second is None:
        return None
    return second.low - first.high, second.high - first.low


def _apart(second: Any, first: Any, axis: int = -1) -> Any:
    return second.mean(axis=axis) - first.mean(axis=axis)
