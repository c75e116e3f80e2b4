"""Effects of factors and of pairs of factors, not yet corrected: `significance` does that."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

from saniwa.experiment.metrics.analysis_records import ANSWER_METRICS, FactorEffect
from saniwa.experiment.metrics.definitions import (
    find_metric_bounds,
    round_figure,
    round_probability,
)
from saniwa.experiment.statistics import design
from saniwa.experiment.statistics.bootstrap import Interval, compute_intervals, widen_bounds
from saniwa.experiment.statistics.comparisons import (
    UNTESTED,
    describe_test,
    describe_too_few_blocks,
)
from saniwa.experiment.statistics.permutation import compute_paired_p, compute_shuffled_p

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]


TOO_MANY_LEVELS: Final = "too many levels to be analysed"
UNCOUNTED: Final = "nothing to count"
CONFOUNDED: Final = "no two conditions differ in it alone"
BY_DEFINITION: Final = "without a game master it is 0 by definition"
INCOMPLETE: Final = "no block has every cell it needs"
_NEGLIGIBLE: Final = 1e-12


class _TermValues(NamedTuple):
    """A term's values for a metric; a note if there are none."""

    metric: str
    term: design.FactorTerm
    sides: "Matrix | None"
    note: str

    @property
    def blocks(self) -> int:
        """Blocks that have every cell."""
        return 0 if self.sides is None else len(self.sides)

    def find_least_p(self, rows: int) -> float:
        """Return the smallest p-value its test can give, together with `rows` tests."""
        return self.term.find_least_p(self.blocks, rows)

    @property
    def row(self) -> list[float]:
        """The change of each block, for two levels."""
        if self.sides is None or not self.term.is_two_level:
            return []
        return design.compute_contrasts(self.sides, self.term)


def compute_effects(
    table: design.MetricTable, factors: Sequence[design.Factor]
) -> tuple[list[FactorEffect], list[Interval | None]]:
    """Compute each factor and pair of factors for every metric; not yet corrected: `significance` does that."""
    terms = design.build_terms(table.conditions, factors)
    found = [_find_term_values(table, metric, term) for metric in table.rows for term in terms]
    rows = [each.row for each in found]
    bounds = [
        widen_bounds(find_metric_bounds(each.metric), len(each.term.factors)) for each in found
    ]
    made, turned = compute_intervals(rows, bounds), compute_paired_p(rows)
    shuffled = _test_many_levels(found)
    effects = [
        _make_effect(each, row, interval, shuffled.get(n, p), len(rows))
        for n, (each, row, interval, p) in enumerate(zip(found, rows, made, turned, strict=True))
    ]
    return effects, made


def _find_term_values(
    table: design.MetricTable, metric: str, term: design.FactorTerm
) -> _TermValues:
    if not term.is_small_enough:
        return _TermValues(metric, term, None, TOO_MANY_LEVELS)
    if not any(table.rows[metric].values()):
        return _TermValues(metric, term, None, UNCOUNTED)
    if not term.groups:
        return _TermValues(metric, term, None, CONFOUNDED)
    sides = design.build_level_matrix(table, metric, term)
    if sides is None:
        return _TermValues(metric, term, None, BY_DEFINITION)
    note = "" if len(sides) else INCOMPLETE
    return _TermValues(metric, term, sides if len(sides) else None, note)


def _test_many_levels(found: Sequence[_TermValues]) -> dict[int, float]:
    """Test terms with many levels; similar ones share the permutations."""
    alike: dict[tuple[tuple[int, ...], int], list[tuple[int, Matrix]]] = defaultdict(list)
    for place, each in enumerate(found):
        sides = each.sides
        if not each.term.is_two_level and sides is not None and _is_testable(sides):
            alike[each.term.shape, len(sides)].append((place, sides))
    return {
        place: p
        for (shape, _), some in alike.items()
        for (place, _), p in zip(
            some, compute_shuffled_p([sides for _, sides in some], shape), strict=True
        )
    }


def _is_testable(sides: "Matrix") -> bool:
    return len(sides) > 1 and bool(sides.any())


def _make_effect(
    found: _TermValues, row: Sequence[float], interval: Interval | None, p: float | None, rows: int
) -> FactorEffect:
    f, eta_squared = _compute_f_and_eta(found)
    return FactorEffect(
        metric=found.metric,
        factors=found.term.factors,
        estimate=round_figure(fmean(row)) if row else None,
        low=round_figure(interval.low) if interval else None,
        high=round_figure(interval.high) if interval else None,
        f=round_figure(f),
        p=round_probability(p),
        p_corrected=None,
        eta_squared=round_figure(eta_squared),
        blocks=found.blocks,
        least_p=None if p is None else round_figure(found.find_least_p(rows)),
        family="answer" if found.metric in ANSWER_METRICS else "effects",
        note=found.note or _describe_effect_test(found, row),
    )


def _describe_effect_test(found: _TermValues, row: Sequence[float]) -> str:
    if found.sides is None or row:
        return describe_test(row)
    if not found.sides.any():
        return UNTESTED
    return describe_too_few_blocks(found.blocks, found.find_least_p(1))


def _compute_f_and_eta(found: _TermValues) -> tuple[float | None, float | None]:
    """Compute F, with the variation between blocks as error, and partial eta squared."""
    import numpy as np

    if found.sides is None or not _is_testable(found.sides):
        return None, None
    scaled = found.sides / np.abs(found.sides).max()
    blocks = len(scaled)
    explained = float((scaled.mean(axis=0) ** 2).sum() * blocks)
    total = float((scaled**2).sum())
    left = max(total - explained, 0.0)
    f = explained * (blocks - 1) / left if left > _NEGLIGIBLE * total else None
    return f, explained / total
