"""Main effects and interactions: an analysis of variance with the blocks taken out.

Sums of squares are of type II; statsmodels fits the models.
"""

from collections.abc import Sequence
from typing import Final

from saniwa.experiment.measure.digits import tidy
from saniwa.experiment.measure.inference.design import Term, matrix_of, terms_of
from saniwa.experiment.measure.inference.factors import Factor
from saniwa.experiment.measure.inference.fitting import (
    NOTHING,
    Fit,
    Problem,
    fit,
    problems_of,
)
from saniwa.experiment.measure.inference.table import Table
from saniwa.experiment.measure.model import Effect

TOO_MANY: Final = "too many levels to be analysed"
UNCOUNTED: Final = "nothing to count"
CONFOUNDED: Final = "cannot be told apart from blocks or other factors"
NO_SPREAD: Final = "the same in every condition of a block"
NO_ERROR: Final = "too few cells to tell it from chance"
NO_CHANCE: Final = "nothing is left to chance, so that F has no finite value"


def effects_of(table: Table, factors: Sequence[Factor]) -> list[Effect]:
    """Each factor and each pair of factors, for every metric; not yet corrected."""
    terms = terms_of(factors)
    if not terms:
        return []
    problems = problems_of(table, matrix_of(table.conditions, factors, terms))
    return [
        effect
        for metric in table.rows
        for effect in _effects(metric, terms, problems.get(metric))
    ]


def _effects(
    metric: str, terms: Sequence[Term], problem: Problem | None
) -> list[Effect]:
    if problem is None:
        return [_unknown(metric, term, UNCOUNTED) for term in terms]
    fits = dict[tuple[int, ...], Fit]()
    full = fit(problem, [c for term in terms for c in term.columns], fits)
    return [_effect(metric, term, terms, problem, full, fits) for term in terms]


def _effect(
    metric: str,
    term: Term,
    terms: Sequence[Term],
    problem: Problem,
    full: Fit,
    fits: dict[tuple[int, ...], Fit],
) -> Effect:
    """Type II: what the term explains beyond all terms that do not contain it."""
    if not term.columns:
        return _unknown(metric, term, TOO_MANY)
    rest = [
        column
        for other in terms
        if not set(other.factors) >= set(term.factors)
        for column in other.columns
    ]
    without, with_it = (
        fit(problem, rest, fits),
        fit(problem, [*rest, *term.columns], fits),
    )
    gained = with_it.rank - without.rank
    if gained < 1:
        return _unknown(metric, term, CONFOUNDED)
    return _told(metric, term, problem, full, (without, with_it, gained))


def _told(
    metric: str,
    term: Term,
    problem: Problem,
    full: Fit,
    nested: tuple[Fit, Fit, int],
) -> Effect:
    from scipy import stats  # type: ignore[import-untyped]

    without, with_it, gained = nested
    explained = max(without.squares - with_it.squares, 0.0)
    free = problem.free - full.rank
    note = _note(problem, full, free)
    f = None if note else (explained / gained) / (full.squares / free)
    estimate = spread = None
    if term.two_level:
        estimate = float(with_it.result.params[-1]) * problem.scale
        if not note:
            variance = with_it.result.normalized_cov_params[-1, -1]
            error = (variance * full.squares / free) ** 0.5 * problem.scale
            spread = float(stats.t.ppf(0.975, free)) * error
    whole = explained + full.squares
    return Effect(
        metric=metric,
        factors=term.factors,
        estimate=tidy(estimate),
        low=None if estimate is None or spread is None else tidy(estimate - spread),
        high=None if estimate is None or spread is None else tidy(estimate + spread),
        f=tidy(f),
        p=None if f is None else float(stats.f.sf(f, gained, free)),
        p_corrected=None,
        eta_squared=tidy(explained / whole) if whole > NOTHING and free > 0 else None,
        note=note,
    )


def _note(problem: Problem, full: Fit, free: int) -> str:
    """Why there is no test; empty where there is one."""
    if problem.scale == 0:
        return NO_SPREAD
    if free < 1:
        return NO_ERROR
    return NO_CHANCE if full.squares <= NOTHING else ""


def _unknown(metric: str, term: Term, note: str) -> Effect:
    return Effect(
        metric=metric,
        factors=term.factors,
        estimate=None,
        low=None,
        high=None,
        f=None,
        p=None,
        p_corrected=None,
        eta_squared=None,
        note=note,
    )
