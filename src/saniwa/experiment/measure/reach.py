"""What a test could have come to at best, corrected with the others of its family.

Holm's corrected probabilities never fall when another grows: each is lowest where every
test of the family comes to its own least.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate

from saniwa.experiment.measure.inference.correction import ALPHA
from saniwa.experiment.measure.inference.permutation import EXACT
from saniwa.experiment.measure.model import Analysis, Comparison, Effect

Reach = Mapping[str, Mapping[float, float]]
"""For each family: a test's own least probability, and the least it is corrected to."""


def reach_of(analysis: Analysis) -> Reach:
    """How small the probabilities of an analysis could have become."""
    effects = analysis.effects
    return {
        "answer": _corrected([each for each in effects if each.family == "answer"]),
        "effects": _corrected([each for each in effects if each.family == "effects"]),
        "pairs": _corrected(analysis.comparisons),
    }


def blocks_needed(effect: Effect, effects: Sequence[Effect]) -> int | None:
    """So few blocks could show it, if all say the same; None where no number could.

    A test's least is a power of the ways there are in one block, so that of other blocks
    follows from it, up to where ways are drawn by chance.
    """
    least, blocks = effect.least_p, effect.blocks
    if least is None or not 2 <= blocks <= EXACT:
        return None
    beside = [each for each in effects if each.family == effect.family]
    rank = sum(each.least_p is not None and each.least_p >= least for each in beside)
    each_more = least ** (1 / (blocks - 1))
    enough = (n for n in range(2, EXACT + 3) if rank * each_more ** (n - 1) < ALPHA)
    return next(enough, None)


def _corrected(tested: Sequence[Effect | Comparison]) -> dict[float, float]:
    many = Counter(each.least_p for each in tested if each.least_p is not None)
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
