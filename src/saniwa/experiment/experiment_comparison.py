"""Computes how each metric changed between two experiments, with tests and intervals.

Cells are matched by scenario and seed where possible. Nothing is rendered here.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Final, Literal, NamedTuple

import msgspec

from saniwa.experiment.analysis_records import (
    ALL_HEADLINE_METRICS,
    Analysis,
    Better,
    CellNumbers,
    Estimate,
    Metric,
)
from saniwa.experiment.metrics import (
    ALPHA,
    compute_metric,
    find_metric_bounds,
    group_by_condition,
    is_measured,
    list_metrics,
    round_figure,
    round_probability,
    subtract_rounded,
)
from saniwa.experiment.plan import ExperimentPlan, PreparedPlan
from saniwa.experiment.statistics import permutation
from saniwa.experiment.statistics.analysis import describe_values, make_estimate
from saniwa.experiment.statistics.design import find_distinct_blocks
from saniwa.experiment.statistics.intervals import (
    CONFIDENCE_LEVEL,
    Bounds,
    compute_intervals,
    widen_bounds,
)
from saniwa.experiment.statistics.significance import correct_families

ChangeVerdict = Literal["better", "worse", "undecided", "the same", "nothing to count"]
"""How a metric changed from the first experiment to the second."""


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """Records are encoded in snake_case, as the published results are."""


class ComparisonSide(_Record, frozen=True, kw_only=True):
    """One of the two experiments."""

    prepared: PreparedPlan
    """The plan with everything it names."""
    numbers: tuple[CellNumbers, ...]
    """The counts of each cell."""
    analysis: Analysis
    """The statistics."""


class PlanDifference(_Record, frozen=True, kw_only=True):
    """A difference in the setup of two experiments."""

    what: str
    """The field, such as `max_turns`."""
    first: str
    """The value in the first experiment."""
    second: str
    """The value in the second experiment."""


class MetricChange(_Record, frozen=True, kw_only=True):
    """How a metric changed in one condition."""

    condition: str
    """The condition, which both experiments have."""
    metric: str
    """The name of the metric."""
    first: Estimate
    """In the first experiment, over the runs that the difference is computed from."""
    second: Estimate
    """In the second experiment, over the runs that the difference is computed from."""
    difference: float | None
    """Second minus first; None if one of them has no values."""
    low: float | None
    """The lower end of its 95 % bootstrap interval; None if there is none."""
    high: float | None
    """The upper end of that interval."""
    p: float | None
    """The probability of such a difference if nothing has changed; None if there is
    nothing to test.
    """
    p_corrected: float | None
    """The probability after Holm's correction."""
    least_p: float | None
    """The smallest uncorrected probability that was possible; None without a test."""
    paired: bool
    """Whether it was computed block by block."""
    blocks: int
    """The number of blocks; 0 if not paired."""
    change: ChangeVerdict
    """The verdict; `better` and `worse` only if significant."""


class ExperimentComparison(_Record, frozen=True, kw_only=True):
    """Two experiments, compared."""

    first: str
    """The id of the first."""
    second: str
    """The id of the second."""
    differences: tuple[PlanDifference, ...]
    """How plans, scenarios and versions differ."""
    only_first: tuple[str, ...]
    """Conditions that the second does not have."""
    only_second: tuple[str, ...]
    """Conditions that the first does not have."""
    moves: tuple[MetricChange, ...]
    """Every metric in every condition that both have."""
    folded: int
    """The largest number of blocks in a condition left out as copies: all blocks of
    their scenario have exactly the same answers.
    """
    method: str
    """A description of the method."""
    alone: int = 0
    """The largest number of runs in a condition whose block the other does not have."""
    missing_first: dict[str, int] = {}
    """Planned runs of the first that are missing, by condition."""
    missing_second: dict[str, int] = {}
    """Planned runs of the second that are missing, by condition."""


BlockKey = tuple[str, int]
"""The scenario and seed of a cell."""


class ComparedCells(NamedTuple):
    """The cells of one condition in both experiments, without copies."""

    first: dict[BlockKey, CellNumbers]
    """Cells of the first experiment, by block."""
    second: dict[BlockKey, CellNumbers]
    """Cells of the second experiment, by block."""
    paired: bool
    """Whether cells are compared block by block, because most blocks are in both."""
    folded: int
    """Blocks left out as copies: another block has exactly the same answers."""
    alone: int
    """Runs left out because the other experiment does not have their block."""


class ComparedValues(NamedTuple):
    """The values of one metric of a condition in both experiments."""

    first: tuple[float, ...]
    """Values of the first experiment; if paired, in the order of blocks."""
    second: tuple[float, ...]
    """Values of the second experiment."""
    paired: bool
    """Whether the values at the same index belong to the same block."""

    @property
    def differences(self) -> list[float]:
        """Second minus first for each block; empty if not paired."""
        if not self.paired:
            return []
        return [subtract_rounded(*both) for both in zip(self.first, self.second, strict=True)]

    @property
    def is_alike(self) -> bool:
        """Whether there is no difference to test: all pairs, or all values, are equal."""
        if self.paired:
            return not any(self.differences)
        return len({*self.first, *self.second}) == 1


def match_cells(first: Iterable[CellNumbers], second: Iterable[CellNumbers]) -> ComparedCells:
    """Match the cells of one condition; cells with the same answers count once."""
    one, other = ({(each.scenario, each.seed): each for each in cells} for cells in (first, second))
    shared = sorted(one.keys() & other.keys())
    if 2 * len(shared) < max(len(one), len(other)):
        distinct = _drop_copies(one), _drop_copies(other)
        left = len(one) + len(other) - sum(map(len, distinct))
        return ComparedCells(*distinct, paired=False, folded=left, alone=0)
    both = [{"first": one[b], "second": other[b]} for b in shared]
    known = [shared[place] for place in find_distinct_blocks(both)]
    return ComparedCells(
        {block: one[block] for block in known},
        {block: other[block] for block in known},
        paired=bool(known),
        folded=len(shared) - len(known),
        alone=len(one) + len(other) - 2 * len(shared),
    )


def collect_values(cells: ComparedCells, metric: str) -> ComparedValues:
    """Return the values of a metric; if paired, for blocks where both have a value."""
    one, other = (
        {
            block: found
            for block, each in side.items()
            if (found := compute_metric(metric, each)) is not None
        }
        for side in (cells.first, cells.second)
    )
    if cells.paired:
        blocks = [block for block in one if block in other]
        one, other = ({b: side[b] for b in blocks} for side in (one, other))
    return ComparedValues(tuple(one.values()), tuple(other.values()), cells.paired)


def _drop_copies(cells: Mapping[BlockKey, CellNumbers]) -> dict[BlockKey, CellNumbers]:
    """Leave out copies if that leaves at most one run per scenario.

    Otherwise repeated runs would weigh less than others.
    """
    blocks = sorted(cells)
    known = [blocks[n] for n in find_distinct_blocks([{"": cells[b]} for b in blocks])]
    even = len(known) <= len({scenario for scenario, _ in blocks})
    return {block: cells[block] for block in (known if even else blocks)}


RESAMPLES: Final = 1_999
"""Bootstrap resamples for the interval of unpaired values."""
SEED: Final = 20_172
"""The seed of the random generator."""
_AT_ONCE: Final = 2_000_000


def compute_probabilities(found: Sequence[ComparedValues]) -> list[float | None]:
    """Compute two-sided p-values by flipping signs of pairs or permuting values.

    None if there is nothing to test.
    """
    made = permutation.compute_paired_p([each.differences for each in found])
    groups = defaultdict[tuple[int, int], list[int]](list)
    for place, each in enumerate(found):
        if is_testable(each) and not each.paired:
            groups[len(each.first), len(each.second)].append(place)
    for (first, _), places in groups.items():
        rows = [(*found[n].first, *found[n].second) for n in places]
        for place, p in zip(places, permutation.compute_unpaired_p(rows, first), strict=True):
            made[place] = p
    return made


def is_testable(values: ComparedValues) -> bool:
    """Return whether each side has two values, and not all are equal."""
    return min(len(values.first), len(values.second)) > 1 and not values.is_alike


def find_least_p(values: ComparedValues) -> float:
    """Return the smallest p-value that the test of these values could give."""
    if values.paired:
        return permutation.find_least_paired_p(len(values.first), 1)
    return permutation.find_least_unpaired_p(len(values.first), len(values.second))


def compute_interval_ends(
    found: Sequence[ComparedValues], metrics: Sequence[Metric]
) -> list[tuple[float, float] | None]:
    """Compute the 95 % interval of each difference of means.

    None if there are too few values, or all are equal and have no bounds.
    """
    bounds = [find_metric_bounds(each.name) for each in metrics]
    made = compute_intervals(
        [each.differences for each in found], [widen_bounds(b) for b in bounds]
    )
    return [
        (interval.low, interval.high) if interval else _bootstrap_unpaired(each, within)
        for each, within, interval in zip(found, bounds, made, strict=True)
    ]


def _bootstrap_unpaired(
    values: ComparedValues, within: Bounds | None
) -> tuple[float, float] | None:
    one, other = sorted(values.first), sorted(values.second)
    if values.paired or min(len(one), len(other)) < 2:
        return None
    if one[0] == one[-1] and other[0] == other[-1]:
        first, second = compute_intervals([one, other], [within, within])
        # Wider than necessary.
        return (second.low - first.high, second.high - first.low) if first and second else None
    import numpy as np
    from scipy import stats

    found = stats.bootstrap(
        (np.asarray(other), np.asarray(one)),
        lambda second, first, axis=-1: second.mean(axis=axis) - first.mean(axis=axis),
        n_resamples=RESAMPLES,
        confidence_level=CONFIDENCE_LEVEL,
        method="percentile",
        batch=max(1, _AT_ONCE // max(len(one), len(other))),
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return float(found.low), float(found.high)


def compute_changes(
    plan: ExperimentPlan, cells: Mapping[str, ComparedCells]
) -> tuple[MetricChange, ...]:
    """Compute the change of every metric in the conditions of `cells`."""
    conditions = {each.name: each for each in plan.conditions}
    places = [
        (name, metric)
        for name in cells
        for metric in list_metrics(plan.mode)
        if is_measured(metric, conditions[name])
    ]
    values = [collect_values(cells[name], metric.name) for name, metric in places]
    found = compute_probabilities(values)
    headline = [metric.name in ALL_HEADLINE_METRICS for _, metric in places]
    corrected = correct_families(found, headline)
    metrics = [metric for _, metric in places]
    firsts = _estimate_rows([each.first for each in values], metrics)
    seconds = _estimate_rows([each.second for each in values], metrics)
    made: list[MetricChange] = []
    for n, ((name, metric), interval) in enumerate(
        zip(places, compute_interval_ends(values, metrics), strict=True)
    ):
        low, high = interval or (None, None)
        difference = _compute_difference(values[n])
        made.append(
            MetricChange(
                condition=name,
                metric=metric.name,
                first=firsts[n],
                second=seconds[n],
                difference=round_figure(difference),
                low=round_figure(low),
                high=round_figure(high),
                p=round_probability(found[n]),
                p_corrected=round_probability(corrected[n]),
                least_p=round_probability(find_least_p(values[n]))
                if is_testable(values[n])
                else None,
                paired=values[n].paired,
                blocks=len(values[n].first) if values[n].paired else 0,
                change=_judge_change(values[n], corrected[n], metric.better),
            )
        )
    return tuple(made)


def match_conditions(first: ComparisonSide, second: ComparisonSide) -> dict[str, ComparedCells]:
    """Match the cells of every condition that both have, in the order of the first."""
    one, other = group_by_condition(first.numbers), group_by_condition(second.numbers)
    known = {each.name for each in second.prepared.plan.conditions}
    return {
        each.name: match_cells(one.get(each.name, ()), other.get(each.name, ()))
        for each in first.prepared.plan.conditions
        if each.name in known
    }


def _compute_difference(values: ComparedValues) -> float | None:
    if not (values.first and values.second):
        return None
    if values.paired:
        return fmean(values.differences)
    return fmean(values.second) - fmean(values.first)


def _estimate_rows(rows: Sequence[Sequence[float]], metrics: Sequence[Metric]) -> list[Estimate]:
    """Return the mean of each row with its interval."""
    made = compute_intervals(rows, [find_metric_bounds(each.name) for each in metrics])
    return [
        make_estimate(row, interval, describe_values(row, "cell"))
        for row, interval in zip(rows, made, strict=True)
    ]


def _judge_change(values: ComparedValues, p: float | None, better: Better) -> ChangeVerdict:
    if not (values.first and values.second):
        return "nothing to count"
    if values.is_alike:
        return "the same"
    if p is None or p >= ALPHA or not better:
        return "undecided"
    falls = (_compute_difference(values) or 0.0) < 0
    return "better" if falls == (better == "less") else "worse"
