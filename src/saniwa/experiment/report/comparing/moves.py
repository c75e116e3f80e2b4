"""What became of each number: the difference of two means, and how sure it is."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any, Final, NamedTuple

from saniwa.experiment.measure.digits import tidy
from saniwa.experiment.measure.inference.bootstrap import LEVEL, SEED, intervals
from saniwa.experiment.measure.metrics import METRICS, value
from saniwa.experiment.measure.model import Better, Estimate, Metric, Numbers
from saniwa.experiment.report.comparing.record import Change, Experiment, Move

RESAMPLES: Final = 1_999
"""Resamples where blocks are not the same."""
METHOD: Final = (
    "Differences are second less first, with 95 % bootstrap intervals: of the differences "
    "block by block where both experiments have a value in the same blocks of scenario "
    "and seed, else of the two means, each resampled by itself. Better or worse is what "
    "has an interval on one side of nothing. The intervals are not corrected for their "
    "number: where nothing changed, about one in twenty still lies on one side."
)
"""How it is reckoned, in words."""
_NONE: Final = Estimate(mean=None, low=None, high=None, n=0, note="nothing to count")
_AT_ONCE: Final = 2_000_000

Block = tuple[str, int]


class _Sides(NamedTuple):
    """The values of both experiments, by block."""

    first: dict[Block, float]
    second: dict[Block, float]

    @property
    def paired(self) -> bool:
        return bool(self.first) and self.first.keys() == self.second.keys()

    @property
    def apart(self) -> list[float]:
        """Differences block by block."""
        return [self.second[block] - self.first[block] for block in sorted(self.first)]


def moves(first: Experiment, second: Experiment) -> tuple[Move, ...]:
    """Every metric in every condition that both have."""
    cells = _by_condition(first.numbers), _by_condition(second.numbers)
    known = {each.name for each in second.prepared.plan.conditions}
    places = [
        (each.name, metric)
        for each in first.prepared.plan.conditions
        if each.name in known
        for metric in METRICS
    ]
    sides = [
        _Sides(*(_values(found.get(name, ()), metric.name) for found in cells))
        for name, metric in places
    ]
    ends = intervals([each.apart if each.paired else [] for each in sides])
    made: list[Move] = []
    for (name, metric), side, end in zip(places, sides, ends, strict=True):
        low_high = (end.low, end.high) if end else _unpaired(side)
        made.append(_move(first, second, name, metric, side, low_high))
    return tuple(made)


def _by_condition(numbers: Sequence[Numbers]) -> dict[str, list[Numbers]]:
    found: dict[str, list[Numbers]] = {}
    for each in numbers:
        found.setdefault(each.condition, []).append(each)
    return found


def _values(cells: Sequence[Numbers], metric: str) -> dict[Block, float]:
    told = (((each.scenario, each.seed), value(metric, each)) for each in cells)
    return {block: found for block, found in told if found is not None}


def _move(
    first: Experiment,
    second: Experiment,
    condition: str,
    metric: Metric,
    side: _Sides,
    ends: tuple[float, float] | None,
) -> Move:
    some = side.first and side.second
    apart = fmean(side.second.values()) - fmean(side.first.values()) if some else None
    low, high = (tidy(ends[0]), tidy(ends[1])) if ends else (None, None)
    return Move(
        condition=condition,
        metric=metric.name,
        first=_estimate(first, condition, metric.name),
        second=_estimate(second, condition, metric.name),
        difference=tidy(apart),
        low=low,
        high=high,
        paired=side.paired,
        change=_change(low, high, metric.better),
    )


def _estimate(experiment: Experiment, condition: str, metric: str) -> Estimate:
    return experiment.analysis.estimates.get(condition, {}).get(metric, _NONE)


def _change(low: float | None, high: float | None, better: Better) -> Change:
    if low is None or high is None or not better or low <= 0 <= high:
        return "undecided"
    return "better" if (high < 0) == (better == "less") else "worse"


def _unpaired(side: _Sides) -> tuple[float, float] | None:
    """The interval of a difference of two means; None where one has too few values."""
    one, other = (sorted(each.values()) for each in side)
    if side.paired or min(len(one), len(other)) < 2:
        return None
    if one[0] == one[-1] and other[0] == other[-1]:
        return other[0] - one[0], other[0] - one[0]
    import numpy as np
    from scipy import stats  # type: ignore[import-untyped]

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


def _apart(second: Any, first: Any, axis: int = -1) -> Any:
    return second.mean(axis=axis) - first.mean(axis=axis)
