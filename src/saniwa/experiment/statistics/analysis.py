"""Analyses an experiment: estimates, comparisons, effects, gates and the method used."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from saniwa.core.errors import ExperimentError
from saniwa.core.extras import require_packages
from saniwa.experiment.metrics.analysis_records import Analysis, CellNumbers, CorrectionFamily
from saniwa.experiment.metrics.counts import judge_gates
from saniwa.experiment.plan import ExperimentPlan
from saniwa.experiment.report_wording import find_sentence, write_sentence
from saniwa.experiment.statistics import bootstrap, design, permutation
from saniwa.experiment.statistics.bootstrap import Interval
from saniwa.experiment.statistics.comparisons import compare_conditions
from saniwa.experiment.statistics.estimates import estimate_conditions, estimate_scenarios
from saniwa.experiment.statistics.factor_effects import compute_effects
from saniwa.experiment.statistics.significance import build_families, correct_effects


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
    intervals: Sequence[Interval | None],
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
    often = Counter(interval.method for interval in intervals if interval)
    sentence = "method.intervals" if often else "method.no intervals"
    yield write_sentence(sentence, b=bootstrap, often=often)
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
    intervals = (*of_estimates, *of_comparisons, *of_effects)
    return Analysis(
        estimates=estimates,
        comparisons=comparisons,
        effects=correct_effects(effects),
        gates=judge_gates(plan, numbers),
        method=" ".join(_describe_method(table, intervals, families, len(pairs))),
        families=families,
        blocks=table.blocks,
        folded=table.folded,
        by_scenario=estimate_scenarios(tables),
    )
