"""Estimates with intervals: means by condition and by scenario."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Final

from saniwa.experiment.metrics.analysis_records import ALL_HEADLINE_METRICS, Estimate
from saniwa.experiment.metrics.definitions import find_metric_bounds, round_figure
from saniwa.experiment.statistics import design
from saniwa.experiment.statistics.bootstrap import Interval, compute_intervals

FEW_VALUES: Final = 5
"""With fewer values, an interval is known to be too narrow."""
MAX_SCENARIO_ESTIMATES: Final = 500
"""Scenarios times conditions estimated separately; with more, none are."""
UNGUIDED: Final = "measured only with a game master"

Estimates = dict[str, dict[str, Estimate]]
"""Estimates by condition, then by metric."""


def estimate_conditions(tables: design.MetricTables) -> tuple[Estimates, list[Interval | None]]:
    """Estimate every metric of every condition; also returns the intervals.

    Means are over all cells. Copies make no interval narrower: it is computed from the
    cells without them, and there is none if those have another mean.
    """
    return _estimate_places(tables, tables.whole.rows, set(tables.whole.scenarios))


def estimate_scenarios(tables: design.MetricTables) -> dict[str, Estimates]:
    """Estimate the headline metrics for each scenario separately.

    Empty if there is only one scenario, or too many to read.
    """
    table = tables.whole
    named = sorted(set(table.scenarios))
    if not 1 < len(named) <= MAX_SCENARIO_ESTIMATES / max(len(table.conditions), 1):
        return {}
    headline = [name for name in ALL_HEADLINE_METRICS if name in table.rows]
    return {scenario: _estimate_places(tables, headline, {scenario})[0] for scenario in named}


def _estimate_places(
    tables: design.MetricTables, metrics: Iterable[str], scenarios: set[str]
) -> tuple[Estimates, list[Interval | None]]:
    complete = tables.whole
    places = [(c.name, metric) for c in complete.conditions for metric in metrics]
    rows, without = (
        [_list_values(table, metric, name, scenarios) for name, metric in places]
        for table in tables
    )
    # Leaving out copies must not change the mean.
    spread = [
        distinct if distinct and round_figure(fmean(row)) == round_figure(fmean(distinct)) else []
        for row, distinct in zip(rows, without, strict=True)
    ]
    made = compute_intervals(spread, [find_metric_bounds(metric) for _, metric in places])
    found: Estimates = {c.name: {} for c in complete.conditions}
    for n, (name, metric) in enumerate(places):
        is_measured = name in complete.rows[metric]
        note = _describe_row(rows[n], spread[n]) if is_measured else UNGUIDED
        found[name][metric] = make_estimate(rows[n], made[n], note)
    return found, made


def _list_values(
    table: design.MetricTable, metric: str, condition: str, scenarios: set[str]
) -> list[float]:
    row = table.rows[metric].get(condition, {})
    return [found for block, found in row.items() if table.scenarios[block] in scenarios]


def _describe_row(row: Sequence[float], spread: Sequence[float]) -> str:
    copies = len(row) - len(spread)
    if not copies:
        return describe_values(row, "cell")
    if not spread:
        return "copies among them: no interval"
    about = f"{copies} of {len(row)} cells only copies"
    return "; ".join(note for note in (about, describe_values(spread, "cell")) if note)


def make_estimate(row: Sequence[float], interval: Interval | None, note: str) -> Estimate:
    """Return the mean of the values with its interval."""
    return Estimate(
        mean=round_figure(fmean(row)) if row else None,
        low=round_figure(interval.low) if interval else None,
        high=round_figure(interval.high) if interval else None,
        n=len(row),
        note=note,
    )


def describe_values(row: Sequence[float], what: str) -> str:
    """Describe what is unusual about values; empty if nothing is."""
    if not row:
        return "nothing to count" if what == "cell" else "no block has both"
    if len(row) == 1:
        return f"one {what}: no interval"
    if min(row) == max(row):
        return f"the same in all {len(row)} {what}s"
    return f"{len(row)} {what}s: the interval is too narrow" if len(row) < FEW_VALUES else ""
