"""What became of each number: the difference of two means, and how sure it is."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Final

from saniwa.experiment.measure.digits import probable, tidy
from saniwa.experiment.measure.inference.bootstrap import intervals
from saniwa.experiment.measure.inference.correction import holm
from saniwa.experiment.measure.inference.estimates import estimate_of, note_of
from saniwa.experiment.measure.inference.permutation import ALPHA
from saniwa.experiment.measure.metrics import METRICS, bounds_of
from saniwa.experiment.measure.model import HEADLINE, Better, Estimate, Metric, Numbers
from saniwa.experiment.report.comparing.record import Change, Move, Side
from saniwa.experiment.report.comparing.sides import (
    Cells,
    Values,
    cells_of_both,
    values_of,
)
from saniwa.experiment.report.comparing.testing import (
    ends,
    least,
    probabilities,
    testable,
)

METHOD: Final = (
    "Differences are second less first. Where at least half of the blocks of scenario and "
    "seed are of both experiments, they are compared block by block, in those blocks, and "
    "tested by turning signs; else the values of both are dealt anew, by chance where there "
    "are very many ways. First, Second and the difference are of the same runs. Blocks "
    f"that have the very same answers count once. A number is better or worse where p < {ALPHA} after Holm's correction: one for the "
    "numbers a reader sees first, in all conditions, and one for all others. Intervals are "
    "95 % bootstrap intervals and not corrected, so one may lie on one side of nothing "
    "where the verdict is undecided."
)
"""How it is reckoned, in words."""


def moves(first: Side, second: Side) -> tuple[Move, ...]:
    """Every metric in every condition that both have."""
    cells = _cells(first, second)
    guided = {each.name for each in first.prepared.plan.conditions if each.gm}
    places = [
        (name, metric)
        for name in cells
        for metric in METRICS
        if name in guided or not metric.guided
    ]
    values = [values_of(cells[name], metric.name) for name, metric in places]
    found = probabilities(values)
    corrected = _corrected(places, found)
    metrics = [metric for _, metric in places]
    firsts = _estimates([each.first for each in values], metrics)
    seconds = _estimates([each.second for each in values], metrics)
    made: list[Move] = []
    for n, ((name, metric), interval) in enumerate(
        zip(places, ends(values, metrics), strict=True)
    ):
        low, high = interval or (None, None)
        difference = _difference(values[n])
        made.append(
            Move(
                condition=name,
                metric=metric.name,
                first=firsts[n],
                second=seconds[n],
                difference=tidy(difference),
                low=tidy(low),
                high=tidy(high),
                p=probable(found[n]),
                p_corrected=probable(corrected[n]),
                least_p=probable(least(values[n])) if testable(values[n]) else None,
                paired=values[n].paired,
                blocks=len(values[n].first) if values[n].paired else 0,
                change=_change(values[n], corrected[n], metric.better),
            )
        )
    return tuple(made)


def _cells(first: Side, second: Side) -> dict[str, Cells]:
    """The cells of every condition that both have, in the order of the first."""
    one, other = _by_condition(first.numbers), _by_condition(second.numbers)
    known = {each.name for each in second.prepared.plan.conditions}
    return {
        each.name: cells_of_both(one.get(each.name, ()), other.get(each.name, ()))
        for each in first.prepared.plan.conditions
        if each.name in known
    }


def folded(first: Side, second: Side) -> int:
    """The most blocks of a condition that were left out as copies of others."""
    cells = _cells(first, second).values()
    return max((each.folded for each in cells), default=0)


def alone(first: Side, second: Side) -> int:
    """The most runs of a condition whose blocks the other has not got."""
    cells = _cells(first, second).values()
    return max((each.alone for each in cells), default=0)


def _by_condition(numbers: Iterable[Numbers]) -> dict[str, list[Numbers]]:
    found: dict[str, list[Numbers]] = {}
    for each in numbers:
        found.setdefault(each.condition, []).append(each)
    return found


def _corrected(
    places: Sequence[tuple[str, Metric]], found: Sequence[float | None]
) -> list[float | None]:
    """Corrected in two families: the numbers a reader sees first, and all others."""
    corrected: list[float | None] = [None] * len(found)
    for seen in (True, False):
        family = [
            n
            for n, (_, metric) in enumerate(places)
            if (metric.name in HEADLINE) == seen
        ]
        made = holm([found[n] for n in family])
        for n, p in zip(family, made, strict=True):
            corrected[n] = p
    return corrected


def _difference(values: Values) -> float | None:
    if not (values.first and values.second):
        return None
    if values.paired:
        return fmean(values.apart)
    return fmean(values.second) - fmean(values.first)


def _estimates(
    rows: Sequence[Sequence[float]], metrics: Sequence[Metric]
) -> list[Estimate]:
    """The mean of each row with its interval."""
    made = intervals(rows, [bounds_of(each.name) for each in metrics])
    return [
        estimate_of(row, interval, note_of(row, "cell"))
        for row, interval in zip(rows, made, strict=True)
    ]


def _change(values: Values, p: float | None, better: Better) -> Change:
    if not (values.first and values.second):
        return "nothing to count"
    if values.alike:
        return "the same"
    if p is None or p >= ALPHA or not better:
        return "undecided"
    falls = (_difference(values) or 0.0) < 0
    return "better" if falls == (better == "less") else "worse"
