"""What a test could have come to at best, corrected with the others of its family.

Holm's corrected probabilities never fall when another grows: each is lowest where every
test of the family comes to its own least.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from saniwa.experiment.measure.inference.contrasts import Term, terms_of
from saniwa.experiment.measure.inference.correction import blocks_enough
from saniwa.experiment.measure.inference.factors import factors_of
from saniwa.experiment.measure.model import Analysis, Effect
from saniwa.experiment.plan import Plan

Reach = Mapping[str, Mapping[float, float]]
"""For each family: a test's own least probability, and the least it is corrected to."""


def reach_of(analysis: Analysis) -> Reach:
    """How small the probabilities of an analysis could have become."""
    effects = analysis.effects
    return {
        "answer": leasts(each.least_p for each in effects if each.family == "answer"),
        "effects": leasts(each.least_p for each in effects if each.family == "effects"),
        "pairs": leasts(each.least_p for each in analysis.comparisons),
    }


def blocks_needed(effect: Effect, effects: Sequence[Effect], plan: Plan) -> int | None:
    """So few blocks could show it, if all say the same; None where no number could."""
    least = effect.least_p
    if least is None:
        return None
    beside = [each for each in effects if each.family == effect.family]
    rank = sum(each.least_p is not None and each.least_p >= least for each in beside)
    kinds = [each for each in _terms(plan) if each.factors == effect.factors]
    return blocks_enough(kinds, rank)


def blocks_lacking(plan: Plan) -> int:
    """How many blocks a plan of tests needs to show anything; 0 where it has them.

    A plan that compares nothing lacks none.
    """
    terms = [each for each in _terms(plan) if each.groups]
    blocks = len(plan.scenarios) * len(plan.seeds)
    needed = blocks_enough(terms, len(terms)) or 0
    return needed if needed > blocks else 0


def _terms(plan: Plan) -> tuple[Term, ...]:
    return terms_of(plan.conditions, factors_of(plan))


def leasts(found: Iterable[float | None]) -> dict[float, float]:
    """For the least of each test of a family the least that it is corrected to."""
    many = Counter(each for each in found if each is not None)
    ascending = sorted(many)
    smaller = accumulate((many[least] for least in ascending), initial=0)
    alone = (
        least * (many.total() - before)
        for least, before in zip(ascending, smaller, strict=False)
    )
    return {
        least: min(1.0, found)
        for least, found in zip(ascending, accumulate(alone, max), strict=True)
    }
