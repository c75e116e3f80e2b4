"""Pairs of conditions that differ in one factor, compared block by block."""

from collections.abc import Sequence
from statistics import fmean
from typing import Final

from saniwa.experiment.measure.digits import apart, probable, tidy
from saniwa.experiment.measure.inference.bootstrap import (
    Interval,
    intervals,
    widened,
)
from saniwa.experiment.measure.inference.correction import (
    effect_size,
    holm,
    size_word,
)
from saniwa.experiment.measure.inference.estimates import note_of
from saniwa.experiment.measure.inference.factors import Pair
from saniwa.experiment.measure.inference.permutation import ALPHA, least_p, paired_p
from saniwa.experiment.measure.inference.table import Table
from saniwa.experiment.measure.metrics import bounds_of
from saniwa.experiment.measure.model import Comparison

UNTESTED: Final = "no block differs: nothing to test"


def comparisons_of(
    table: Table, pairs: Sequence[Pair]
) -> tuple[tuple[Comparison, ...], list[Interval | None]]:
    """Every pair for every metric both can have, and the intervals as they were made."""
    places = [
        (pair, metric)
        for metric, rows in table.rows.items()
        for pair in pairs
        if pair.first.name in rows and pair.second.name in rows
    ]
    rows = [_differences(table, pair, metric) for pair, metric in places]
    bounds = [widened(bounds_of(metric)) for _, metric in places]
    made, found = intervals(rows, bounds), paired_p(rows)
    corrected = holm(found)
    compared = (
        _comparison(*place, row, interval, (p, whole), len(rows))
        for place, row, interval, p, whole in zip(
            places, rows, made, found, corrected, strict=True
        )
    )
    return tuple(compared), made


def _differences(table: Table, pair: Pair, metric: str) -> list[float]:
    """Second less first, block by block, where both have a value."""
    first = table.rows[metric][pair.first.name]
    second = table.rows[metric][pair.second.name]
    return [apart(first[block], second[block]) for block in first if block in second]


def _comparison(
    pair: Pair,
    metric: str,
    row: Sequence[float],
    interval: Interval | None,
    tested: tuple[float | None, float | None],
    rows: int,
) -> Comparison:
    effect = effect_size(row)
    return Comparison(
        metric=metric,
        first=pair.first.name,
        second=pair.second.name,
        difference=tidy(fmean(row)) if row else None,
        low=tidy(interval.low) if interval else None,
        high=tidy(interval.high) if interval else None,
        p=probable(tested[0]),
        p_corrected=probable(tested[1]),
        effect=tidy(effect),
        size=size_word(effect),
        blocks=len(row),
        least_p=None if tested[0] is None else tidy(least_p(len(row), rows)),
        factor=pair.factor,
        note=tested_note(row),
    )


def tested_note(row: Sequence[float]) -> str:
    """What is unusual about differences, and whether their test could show anything."""
    if row and not any(row):
        return UNTESTED
    notes = note_of(row, "block"), unable_note(len(row), least_p(len(row), 1))
    return "; ".join(note for note in notes if note)


def unable_note(blocks: int, least: float) -> str:
    """That so few blocks can show nothing; empty where they can, or there is no test."""
    if blocks < 2 or least < ALPHA:
        return ""
    return f"{blocks} blocks: p cannot be below {least:.4g}"
