"""Analyses an experiment: estimates, comparisons, effects, gates and the method used."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from saniwa.core.errors import ExperimentError
from saniwa.core.extras import require_packages
from saniwa.experiment.metrics.analysis_records import Analysis, CellNumbers, CorrectionFamily
from saniwa.experiment.metrics.gate_limits import judge_gates
from saniwa.experiment.plan import ExperimentPlan
from saniwa.experiment.statistics import bootstrap, design, permutation
from saniwa.experiment.statistics.bootstrap import Interval
from saniwa.experiment.statistics.estimates import (
    compare_conditions,
    compute_effects,
    estimate_conditions,
    estimate_scenarios,
)
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
    yield from _describe_blocks(table)
    yield from _describe_intervals(intervals)
    if 1 < table.blocks < FEW_BLOCKS:
        yield f"With fewer than {FEW_BLOCKS} blocks they are too narrow."
    tested = {name: each for name, each in families.items() if each.tests}
    if tested:
        yield from _describe_tests(tested)
    if pairs > MAX_PAIRS:
        yield f"Only the first {MAX_PAIRS} pairs of conditions are compared."
    if pairs:
        yield (
            "Effect sizes are Cohen's d of the differences: small from 0.2, medium from "
            "0.5, large from 0.8."
        )


def _describe_blocks(table: design.MetricTable) -> Iterator[str]:
    yield f"A block is a scenario with a seed; there are {table.blocks}."
    if table.folded:
        count = "counts" if table.folded == 1 else "count"
        yield (
            f"{table.folded} more had the very same answers in every condition as all "
            f"others of their scenario or as one of another, and {count} in no test and no "
            "interval."
        )
    yield (
        "A metric is reckoned for every cell, and a condition's estimate is the mean over "
        "all its cells."
    )
    if len(set(table.scenarios)) > 1:
        yield (
            "Blocks of all scenarios are taken together; what they show holds for these "
            "scenarios, each weighing as many blocks as it has, and not for others."
        )


def _describe_intervals(made: Sequence[Interval | None]) -> Iterator[str]:
    often = Counter(interval.method for interval in made if interval)
    if not often:
        yield "No interval could be made: no condition has two cells."
        return
    yield (
        "Intervals are 95 % bootstrap intervals over blocks, not corrected for their number "
        f"({bootstrap.RESAMPLES} resamples, {bootstrap.FEWER_RESAMPLES} above "
        f"{bootstrap.MANY} blocks; seed {bootstrap.SEED}): "
        f"{often['BCa']} bias-corrected and accelerated (BCa), "
        f"{often['percentile']} by percentile, where BCa is degenerate or blocks are many, "
        f"and {often['exact']} exact, where all values of a share are the same: so much "
        "of what was not seen is still likely. Other numbers that are all the same have no "
        "interval."
    )


def _describe_tests(tested: dict[str, CorrectionFamily]) -> Iterator[str]:
    yield (
        "Every test takes one value from each block: the difference of two conditions that "
        "differ in one factor, or what a factor of two levels changes on the average over "
        "all else, or for two such factors the difference of differences. It is a "
        "permutation test of the mean that turns signs: all ways up to "
        f"{permutation.EXACT_BLOCKS} blocks, ways drawn by chance above "
        f"(seed {permutation.SEED}). With more levels, levels change places within blocks "
        f"({permutation.LEVEL_DRAWS} ways, {permutation.FEWER_LEVEL_DRAWS} where values are many, a "
        f"chi-square above {permutation.MANY_BLOCKS} blocks; seed {permutation.LEVEL_SEED}): that tests "
        "whether levels can be exchanged, and may find levels that only scatter "
        "differently."
    )
    yield (
        "Probabilities are corrected by Holm within each family by itself: "
        + "; ".join(_describe_family(each) for each in tested.values())
        + "."
    )


def _describe_family(family: CorrectionFamily) -> str:
    return (
        f"{family.about} ({family.tests} that could be tested; with {family.blocks} blocks "
        f"none can be below {family.least_p:.4g}, corrected "
        f"{family.least_corrected:.4g})"
    )


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
