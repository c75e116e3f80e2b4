"""Corrects families of tests for their number, and draws conclusions from p-values."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Final, Literal, TypeVar

import msgspec

from saniwa.experiment.analysis_records import (
    ANSWER_METRICS,
    Analysis,
    BestConditions,
    Better,
    ConditionComparison,
    CorrectionFamily,
    FactorEffect,
)
from saniwa.experiment.metrics import ALPHA, find_metric, round_probability
from saniwa.experiment.plan import PlanMode
from saniwa.experiment.statistics.design import FactorTerm, find_sufficient_blocks
from saniwa.experiment.statistics.permutation import has_enough_blocks

_MAIN_METRICS: Final = ("impossible_deed_rate", "final_impossible_deed_rate", "goal_reached")
_PAIR_TERM: Final = FactorTerm((), (2,), ())
_Test = TypeVar("_Test", FactorEffect, ConditionComparison)


def correct_holm(found: Sequence[float | None]) -> list[float | None]:
    """Correct p-values by Holm; None stays None and does not count."""
    places = [place for place, p in enumerate(found) if p is not None]
    corrected: list[float | None] = [None] * len(found)
    if not places:
        return corrected
    from statsmodels.stats.multitest import multipletests

    known = [p for p in found if p is not None]
    _, adjusted, _, _ = multipletests(known, alpha=ALPHA, method="holm")
    for place, p in zip(places, adjusted, strict=True):
        corrected[place] = float(p)
    return corrected


def correct_families(
    found: Sequence[float | None], families: Sequence[object]
) -> list[float | None]:
    """Correct each p-value with the others of its family; `families` are their labels."""
    corrected: list[float | None] = [None] * len(found)
    for family in dict.fromkeys(families):
        places = [n for n, each in enumerate(families) if each == family]
        for n, p in zip(places, correct_holm([found[n] for n in places]), strict=True):
            corrected[n] = p
    return corrected


def correct_effects(effects: Sequence[FactorEffect]) -> tuple[FactorEffect, ...]:
    """Correct each effect with the others of its family."""
    return _correct_tests(effects)


def correct_comparisons(
    comparisons: Sequence[ConditionComparison],
) -> tuple[ConditionComparison, ...]:
    """Correct each comparison with the others of its family."""
    return _correct_tests(comparisons)


def _correct_tests(tests: Sequence[_Test]) -> tuple[_Test, ...]:
    corrected = correct_families([e.p for e in tests], [e.family for e in tests])
    return tuple(
        msgspec.structs.replace(each, p_corrected=round_probability(p))
        for each, p in zip(tests, corrected, strict=True)
    )


def build_families(
    effects: Sequence[FactorEffect],
    comparisons: Sequence[ConditionComparison],
    terms: Sequence[FactorTerm],
) -> dict[str, CorrectionFamily]:
    """Describe what was corrected together, and what so many blocks could show.

    `terms` are those of the effects; a pair of conditions is a term with two levels.
    """
    answer = [each for each in effects if each.family == "answer"]
    others = [each for each in effects if each.family == "effects"]
    pairs = [each for each in comparisons if each.family == "pairs"]
    other_pairs = [each for each in comparisons if each.family == "other_pairs"]
    asked = answer[0].metric if answer else ANSWER_METRICS[0]
    return {
        "answer": _build_family(
            f"the effects on `{asked}`", answer, _list_tested_terms(answer, terms)
        ),
        "effects": _build_family(
            "the effects on all other metrics", others, _list_tested_terms(others, terms)
        ),
        "pairs": _build_family(f"the pairs of conditions on `{asked}`", pairs, [_PAIR_TERM]),
        "other_pairs": _build_family(
            "the pairs of conditions on all other metrics", other_pairs, [_PAIR_TERM]
        ),
    }


def _list_tested_terms(
    effects: Sequence[FactorEffect], terms: Sequence[FactorTerm]
) -> list[FactorTerm]:
    """List the terms with at least one test."""
    made = {each.factors for each in effects if each.p is not None}
    return [each for each in terms if each.factors in made]


def _build_family(
    about: str, tested: Sequence[FactorEffect | ConditionComparison], kinds: Sequence[FactorTerm]
) -> CorrectionFamily:
    made = [each for each in tested if each.p is not None]
    tests, blocks = len(made), max((each.blocks for each in made), default=0)
    least = min((each.least_p or 1.0 for each in made), default=None)
    return CorrectionFamily(
        about=about,
        tests=tests,
        blocks=blocks,
        least_p=round_probability(least),
        least_corrected=None if least is None else round_probability(min(1.0, least * tests)),
        blocks_needed=find_sufficient_blocks(kinds, tests) if tests else None,
    )


AttainableP = Mapping[str, Mapping[float, float]]
"""For each family: a test's smallest p-value, and that value after correction."""


def find_attainable_p(analysis: Analysis) -> AttainableP:
    """Return how small the p-values of an analysis could have been."""
    found = defaultdict[str, list[float | None]](list)
    tested: tuple[FactorEffect | ConditionComparison, ...]
    tested = (*analysis.effects, *analysis.comparisons)
    for each in tested:
        found[each.family].append(each.least_p)
    return {family: correct_least_p(least) for family, least in found.items()}


def correct_least_p(found: Iterable[float | None]) -> dict[float, float]:
    """Return the smallest corrected p-value for each smallest p-value of a family."""
    many = Counter(each for each in found if each is not None)
    ascending = sorted(many)
    smaller = accumulate((many[least] for least in ascending), initial=0)
    scaled = (
        least * (many.total() - before) for least, before in zip(ascending, smaller, strict=False)
    )
    return {
        least: min(1.0, found)
        for least, found in zip(ascending, accumulate(scaled, max), strict=True)
    }


Conclusion = Literal[
    "better",
    "worse",
    "differs",
    "overlap",
    "strengthen",
    "depends",
    "no change",
    "not shown",
    "could not be shown",
    "unknown",
]
"""`better`, `worse` and `differs` were shown; `overlap`, `strengthen` and `depends`
were shown of two factors together; `no change`: no block differs, and there are
enough blocks to show a difference; `could not be shown`: so few blocks never could.
"""


def conclude_comparison(comparison: ConditionComparison, reach: AttainableP) -> Conclusion:
    """Return how a metric changed from one condition to the other."""
    early = _conclude_unshown(
        comparison.difference,
        comparison.p_corrected,
        comparison.blocks,
        _find_least_p(reach, comparison.family, comparison.least_p),
    )
    return early or _conclude_direction(
        comparison.difference, find_metric(comparison.metric).better
    )


def conclude_effect(
    effect: FactorEffect, effects: Sequence[FactorEffect], reach: AttainableP
) -> Conclusion:
    """Return what a factor, or two together, do to a metric."""
    early = _conclude_unshown(
        effect.estimate,
        effect.p_corrected,
        effect.blocks,
        _find_least_p(reach, effect.family, effect.least_p),
    )
    if early:
        return early
    better = find_metric(effect.metric).better
    if len(effect.factors) == 1:
        return _conclude_direction(effect.estimate, better)
    mains = {
        each.factors[0]: each.estimate
        for each in effects
        if each.metric == effect.metric and len(each.factors) == 1
    }
    return _conclude_interaction(effect, better, mains)


def list_main_metrics(mode: PlanMode) -> tuple[str, ...]:
    """List the metrics for which the best condition is named."""
    return ("pass_rate", "fabrication_rate") if mode == "work" else _MAIN_METRICS


def find_best_conditions(
    analysis: Analysis, names: Sequence[str], metric: str
) -> BestConditions | None:
    """Find the conditions with the best mean of a metric, and how the others compare.

    None if fewer than two of them have a value.
    """
    means = {
        name: estimate.mean
        for name in names
        if (estimate := analysis.estimates.get(name, {}).get(metric)) and estimate.mean is not None
    }
    if len(means) < 2:
        return None
    choose = min if find_metric(metric).better == "less" else max
    mean = choose(means.values())
    best = tuple(name for name, each in means.items() if each == mean)
    reach, standings = find_attainable_p(analysis), defaultdict[str, list[str]](list)
    pairs = [
        (each, conclude_comparison(each, reach))
        for each in analysis.comparisons
        if each.metric == metric and (each.first in best) != (each.second in best)
    ]
    for name in means.keys() - best:
        found = {word for each, word in pairs if name in (each.first, each.second)}
        standings[_name_standing(found)].append(name)
    sorted_standings = {
        kind: tuple(sorted(some, key=names.index)) for kind, some in standings.items()
    }
    return BestConditions(
        metric=metric,
        conditions=best,
        mean=mean,
        are_all=len(best) == len(means),
        unshown=sorted_standings.get("unshown", ()),
        untestable=sorted_standings.get("untestable", ()),
        uncompared=sorted_standings.get("uncompared", ()),
    )


def _name_standing(found: set[Conclusion]) -> str:
    """Name how a condition compares to the best ones; empty if it was shown to be worse."""
    if not found:
        return "uncompared"
    if found & {"better", "worse", "differs"}:
        return ""
    return "untestable" if found <= {"could not be shown", "unknown"} else "unshown"


def _find_least_p(reach: AttainableP, family: str, least: float | None) -> float | None:
    return None if least is None else reach[family].get(least)


def _conclude_unshown(
    found: float | None, p: float | None, blocks: int, least: float | None
) -> Conclusion | None:
    if p is None:
        if found != 0 or blocks < 2:
            return "unknown"
        return "no change" if has_enough_blocks(blocks) else "could not be shown"
    if p < ALPHA:
        return None
    return "could not be shown" if least is not None and least >= ALPHA else "not shown"


def _conclude_direction(found: float | None, better: Better) -> Conclusion:
    if found is None or not better:
        return "differs"
    return "better" if (found < 0) == (better == "less") else "worse"


def _conclude_interaction(
    effect: FactorEffect, better: Better, mains: Mapping[str, float | None]
) -> Conclusion:
    """Judge an interaction: two factors that both help may overlap or strengthen."""
    main_estimates = [mains.get(factor) for factor in effect.factors]
    helping = all(each and _conclude_direction(each, better) == "better" for each in main_estimates)
    if effect.estimate is None or not helping:
        return "depends"
    return "strengthen" if _conclude_direction(effect.estimate, better) == "better" else "overlap"
