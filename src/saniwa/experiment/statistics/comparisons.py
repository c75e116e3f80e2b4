"""Compares pairs of conditions: differences with intervals, tested and corrected."""

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Final

from saniwa.experiment.metrics.analysis_records import ConditionComparison
from saniwa.experiment.metrics.definitions import (
    ALPHA,
    find_metric_bounds,
    round_figure,
    round_probability,
    subtract_rounded,
)
from saniwa.experiment.statistics import design
from saniwa.experiment.statistics.bootstrap import Interval, compute_intervals, widen_bounds
from saniwa.experiment.statistics.estimates import describe_values
from saniwa.experiment.statistics.permutation import compute_paired_p, find_least_paired_p
from saniwa.experiment.statistics.significance import (
    compute_effect_size,
    correct_holm,
    name_effect_size,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]


UNTESTED: Final = "no block differs, so there is nothing to test"


def compare_conditions(
    table: design.MetricTable, pairs: Sequence[design.ConditionPair]
) -> tuple[tuple[ConditionComparison, ...], list[Interval | None]]:
    """Compare every pair in every metric both can have; also returns the intervals."""
    places = [
        (pair, metric)
        for metric, rows in table.rows.items()
        for pair in pairs
        if pair.first.name in rows and pair.second.name in rows
    ]
    rows = []
    for pair, metric in places:
        first, second = (table.rows[metric][each.name] for each in (pair.first, pair.second))
        rows.append([subtract_rounded(first[n], second[n]) for n in first if n in second])
    bounds = [widen_bounds(find_metric_bounds(metric)) for _, metric in places]
    made, found = compute_intervals(rows, bounds), compute_paired_p(rows)
    corrected = correct_holm(found)
    compared = (
        _make_comparison(*place, row, interval, (p, corrected_p), len(rows))
        for place, row, interval, p, corrected_p in zip(
            places, rows, made, found, corrected, strict=True
        )
    )
    return tuple(compared), made


def _make_comparison(
    pair: design.ConditionPair,
    metric: str,
    row: Sequence[float],
    interval: Interval | None,
    tested: tuple[float | None, float | None],
    rows: int,
) -> ConditionComparison:
    effect = compute_effect_size(row)
    return ConditionComparison(
        metric=metric,
        first=pair.first.name,
        second=pair.second.name,
        difference=round_figure(fmean(row)) if row else None,
        low=round_figure(interval.low) if interval else None,
        high=round_figure(interval.high) if interval else None,
        p=round_probability(tested[0]),
        p_corrected=round_probability(tested[1]),
        effect=round_figure(effect),
        size=name_effect_size(effect),
        blocks=len(row),
        least_p=None if tested[0] is None else round_figure(find_least_paired_p(len(row), rows)),
        factor=pair.factor,
        note=describe_test(row),
    )


def describe_test(row: Sequence[float]) -> str:
    """Describe what is unusual about differences, and if their test has no power."""
    if row and not any(row):
        return UNTESTED
    notes = (
        describe_values(row, "block"),
        describe_too_few_blocks(len(row), find_least_paired_p(len(row), 1)),
    )
    return "; ".join(note for note in notes if note)


def describe_too_few_blocks(blocks: int, least: float) -> str:
    """Say that so few blocks can show nothing; empty if they can, or without a test."""
    if blocks < 2 or least < ALPHA:
        return ""
    return f"{blocks} blocks: p cannot be below {least:.4g}"
