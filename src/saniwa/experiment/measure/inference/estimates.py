"""Means over cells with their intervals: by condition, and by scenario as well."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Final

from saniwa.experiment.measure.digits import tidy
from saniwa.experiment.measure.inference.bootstrap import Interval, intervals
from saniwa.experiment.measure.inference.table import Table
from saniwa.experiment.measure.model import HEADLINE, Estimate

FEW: Final = 5
"""Values below which an interval is known to be too narrow."""
MOST_PLACES: Final = 500
"""Scenarios times conditions that are told of one by one; with more, none are."""
UNGUIDED: Final = "told only where there is a game master"

Estimates = dict[str, dict[str, Estimate]]
"""By condition, then by metric."""


def estimates_of(table: Table) -> tuple[Estimates, list[Interval | None]]:
    """Every metric of every condition, and the intervals as they were made."""
    return _estimates(table, table.rows, range(table.blocks))


def by_scenario(table: Table) -> dict[str, Estimates]:
    """The metrics a reader sees first, for each scenario by itself.

    Nothing where there is one scenario only, or more than anybody reads.
    """
    named = sorted(set(table.scenarios))
    if not 1 < len(named) <= MOST_PLACES / max(len(table.conditions), 1):
        return {}
    return {
        scenario: _estimates(
            table, HEADLINE, [n for n, s in enumerate(table.scenarios) if s == scenario]
        )[0]
        for scenario in named
    }


def _estimates(
    table: Table, metrics: Iterable[str], blocks: Iterable[int]
) -> tuple[Estimates, list[Interval | None]]:
    wanted = set(blocks)
    places = [(c.name, metric) for c in table.conditions for metric in metrics]
    rows = [_values(table, metric, name, wanted) for name, metric in places]
    made = intervals(rows)
    found: Estimates = {c.name: {} for c in table.conditions}
    for (name, metric), row, interval in zip(places, rows, made, strict=True):
        told = name in table.rows[metric]
        note = note_of(row, "cell") if told else UNGUIDED
        found[name][metric] = _estimate(row, interval, note)
    return found, made


def _values(table: Table, metric: str, condition: str, blocks: set[int]) -> list[float]:
    row = table.rows[metric].get(condition, {})
    return [found for block, found in row.items() if block in blocks]


def _estimate(row: Sequence[float], interval: Interval | None, note: str) -> Estimate:
    return Estimate(
        mean=tidy(fmean(row)) if row else None,
        low=tidy(interval.low) if interval else None,
        high=tidy(interval.high) if interval else None,
        n=len(row),
        note=note,
    )


def note_of(row: Sequence[float], what: str) -> str:
    """What is unusual about values, in a few words."""
    if not row:
        return "nothing to count" if what == "cell" else "no block has both"
    if len(row) == 1:
        return f"one {what}: no interval"
    if min(row) == max(row):
        return f"the same in all {len(row)} {what}s"
    return f"{len(row)} {what}s: the interval is too narrow" if len(row) < FEW else ""
