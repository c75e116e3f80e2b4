"""Analyses an experiment: estimates, comparisons, effects, gates and the method used.

Estimates are means by condition and by scenario, with intervals; comparisons are
differences between pairs of conditions; effects are those of factors and of pairs of
factors. `significance` corrects the tests of all of them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Final, NamedTuple

from saniwa.core.errors import ExperimentError
from saniwa.core.extras import require_packages
from saniwa.experiment.analysis_records import (
    ALL_HEADLINE_METRICS,
    ANSWER_METRICS,
    Analysis,
    CellNumbers,
    ConditionComparison,
    CorrectionFamily,
    Estimate,
    FactorEffect,
)
from saniwa.experiment.metrics import (
    ALPHA,
    find_metric_bounds,
    judge_gates,
    round_figure,
    round_probability,
    subtract_rounded,
)
from saniwa.experiment.plan import ExperimentPlan
from saniwa.experiment.report_wording import find_sentence, join_sentences, write_sentence
from saniwa.experiment.statistics import design, intervals, permutation
from saniwa.experiment.statistics.intervals import Interval, compute_intervals, widen_bounds
from saniwa.experiment.statistics.permutation import (
    compute_paired_p,
    compute_shuffled_p,
    find_least_paired_p,
)
from saniwa.experiment.statistics.significance import (
    build_families,
    correct_comparisons,
    correct_effects,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]


EFFECT_SIZES: Final = ((0.8, "large"), (0.5, "medium"), (0.2, "small"))
"""Cohen's names and the sizes from which they apply; `none` below."""
_ALL_ALIKE: Final = 1e-12
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
    compared = [
        _make_comparison(*place, row, interval, p, len(rows))
        for place, row, interval, p in zip(places, rows, made, found, strict=True)
    ]
    return correct_comparisons(compared), made


def _make_comparison(
    pair: design.ConditionPair,
    metric: str,
    row: Sequence[float],
    interval: Interval | None,
    p: float | None,
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
        p=round_probability(p),
        p_corrected=None,
        effect=round_figure(effect),
        size=name_effect_size(effect),
        blocks=len(row),
        least_p=None if p is None else round_figure(find_least_paired_p(len(row), rows)),
        factor=pair.factor,
        family="pairs" if metric in ANSWER_METRICS else "other_pairs",
        note=describe_test(row),
    )


def compute_effect_size(differences: Sequence[float]) -> float | None:
    """Compute Cohen's d of paired differences: their mean over their deviation.

    0 if no pair differs; None if undefined: fewer than two pairs, or exactly the same
    difference in every pair.
    """
    if len(differences) < 2:
        return None
    if not any(differences):
        return 0.0
    spread = stdev(differences)
    if spread <= _ALL_ALIKE * max(map(abs, differences)):
        return None
    return fmean(differences) / spread


def name_effect_size(effect: float | None) -> str:
    """Name the effect size in Cohen's words; empty if undefined."""
    if effect is None:
        return ""
    return next((word for border, word in EFFECT_SIZES if abs(effect) >= border), "none")


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


def require_statistics() -> None:
    """Check that the libraries are installed; cheap, because they are not imported.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    require_packages(
        "scipy", "statsmodels", extra="report", what="statistics need", kind=ExperimentError
    )


MAX_PAIRS: Final = 500
"""The most pairs of conditions compared; if there are more, the method says so."""
FEW_BLOCKS: Final = 10
"""With fewer blocks, intervals are known to cover less often than 9 times in 10."""


def _describe_method(
    table: design.MetricTable,
    computed: Sequence[Interval | None],
    families: dict[str, CorrectionFamily],
    pairs: int,
) -> Iterator[str]:
    """Describe the method in sentences; `pairs` is at most `MAX_PAIRS` + 1."""
    yield write_sentence("method.blocks", blocks=table.blocks)
    if table.folded:
        yield write_sentence("method.folded", folded=table.folded)
    yield find_sentence("method.cells")
    if len(set(table.scenarios)) > 1:
        yield find_sentence("method.scenarios")
    often = Counter(interval.method for interval in computed if interval)
    sentence = "method.intervals" if often else "method.no intervals"
    yield write_sentence(sentence, b=intervals, often=often)
    if 1 < table.blocks < FEW_BLOCKS:
        yield write_sentence("method.few blocks", few=FEW_BLOCKS)
    tested = [
        write_sentence("method.family", f=each, about=each.about)
        for each in families.values()
        if each.tests
    ]
    if tested:
        yield write_sentence("method.tests", p=permutation)
        yield write_sentence("method.families", families="; ".join(tested))
    if pairs > MAX_PAIRS:
        yield write_sentence("method.pairs", most=MAX_PAIRS)
    if pairs:
        yield find_sentence("method.sizes")


def analyse_experiment(plan: ExperimentPlan, numbers: Sequence[CellNumbers]) -> Analysis:
    """Compute all statistics of an experiment.

    Never raises because of the data: one seed, no variation or missing cells give None
    and a note. The order of the cells does not matter.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    require_statistics()
    tables, factors = design.build_tables(plan, numbers), design.find_factors(plan)
    table = tables.tested
    pairs = list(islice(design.find_pairs(plan, factors), MAX_PAIRS + 1))
    estimates, of_estimates = estimate_conditions(tables)
    comparisons, of_comparisons = compare_conditions(table, pairs[:MAX_PAIRS])
    effects, of_effects = compute_effects(table, factors)
    families = build_families(effects, comparisons, design.build_terms(table.conditions, factors))
    computed = (*of_estimates, *of_comparisons, *of_effects)
    return Analysis(
        estimates=estimates,
        comparisons=comparisons,
        effects=correct_effects(effects),
        gates=judge_gates(plan, numbers),
        method=join_sentences(_describe_method(table, computed, families, len(pairs))),
        families=families,
        blocks=table.blocks,
        folded=table.folded,
        by_scenario=estimate_scenarios(tables),
    )
