"""Means over cells with their intervals: by condition, and by scenario as well."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Final

from saniwa.experiment.measure.digits import tidy
from saniwa.experiment.measure.inference.bootstrap import Interval, intervals
from saniwa.experiment.measure.inference.table import Table, Tables
from saniwa.experiment.measure.metrics import bounds_of
from saniwa.experiment.measure.model import HEADLINE, Estimate

FEW: Final = 5
"""Values below which an interval is known to be too narrow."""
MOST_PLACES: Final = 500
"""Scenarios times conditions that are told of one by one; with more, none are."""
UNGUIDED: Final = "told only where there is a game master"

Estimates = dict[str, dict[str, Estimate]]
"""By condition, then by metric."""


def estimates_of(tables: Tables) -> tuple[Estimates, list[Interval | None]]:
    """Every metric of every condition, and the intervals as they were made.

    Means are over all cells. Copies make no interval narrower: it is that of the cells
    without them, and there is none where those have another mean.
    """
    return _estimates(tables, tables.whole.rows, set(tables.whole.scenarios))


def by_scenario(tables: Tables) -> dict[str, Estimates]:
    """The metrics a reader sees first, for each scenario by itself.

    Nothing where there is one scenario only, or more than anybody reads.
    """
    whole = tables.whole
    named = sorted(set(whole.scenarios))
    if not 1 < len(named) <= MOST_PLACES / max(len(whole.conditions), 1):
        return {}
    return {scenario: _estimates(tables, HEADLINE, {scenario})[0] for scenario in named}


def _estimates(
    tables: Tables, metrics: Iterable[str], scenarios: set[str]
) -> tuple[Estimates, list[Interval | None]]:
    whole = tables.whole
    places = [(c.name, metric) for c in whole.conditions for metric in metrics]
    rows, without = (
        [_values(table, metric, name, scenarios) for name, metric in places]
        for table in tables
    )
    spread = [
        alone if _of_one_mean(row, alone) else []
        for row, alone in zip(rows, without, strict=True)
    ]
    made = intervals(spread, [bounds_of(metric) for _, metric in places])
    found: Estimates = {c.name: {} for c in whole.conditions}
    for n, (name, metric) in enumerate(places):
        told = name in whole.rows[metric]
        note = _note(rows[n], spread[n]) if told else UNGUIDED
        found[name][metric] = estimate_of(rows[n], made[n], note)
    return found, made


def _values(
    table: Table, metric: str, condition: str, scenarios: set[str]
) -> list[float]:
    row = table.rows[metric].get(condition, {})
    return [
        found for block, found in row.items() if table.scenarios[block] in scenarios
    ]


def _of_one_mean(row: Sequence[float], without: Sequence[float]) -> bool:
    """Whether an interval of what is left without copies is about the mean of all."""
    if not (row and without):
        return False
    return tidy(fmean(row)) == tidy(fmean(without))


def _note(row: Sequence[float], spread: Sequence[float]) -> str:
    copies = len(row) - len(spread)
    if not copies:
        return note_of(row, "cell")
    if not spread:
        return "copies among them: no interval"
    about = f"{copies} of {len(row)} cells only copies"
    return "; ".join(note for note in (about, note_of(spread, "cell")) if note)


def estimate_of(row: Sequence[float], interval: Interval | None, note: str) -> Estimate:
    """The mean of the values, and how sure it is."""
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
