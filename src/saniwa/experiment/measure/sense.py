"""What a test comes to, in a word: no more than the figures bear.

Words for people are made from these, in whatever language.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from saniwa.experiment.measure.inference.permutation import ALPHA, can_show
from saniwa.experiment.measure.metrics import METRICS
from saniwa.experiment.measure.model import Better, Comparison, Effect
from saniwa.experiment.measure.reach import Reach

Sense = Literal[
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
"""`better`, `worse` and `differs` were shown; `overlap`, `strengthen` and `depends` are
shown of two factors together; `no change`: no block differs, and there are enough blocks
for a difference to be shown; `could not be shown`: in so few blocks it never could."""
_BETTER = {each.name: each.better for each in METRICS}


def sense_of_comparison(comparison: Comparison, reach: Reach) -> Sense:
    """What became of a number from one condition to the other."""
    early = _unshown(
        comparison.difference,
        comparison.p_corrected,
        comparison.blocks,
        _least(reach, "pairs", comparison.least_p),
    )
    return early or _way(comparison.difference, _BETTER[comparison.metric])


def sense_of_effect(effect: Effect, effects: Sequence[Effect], reach: Reach) -> Sense:
    """What a factor does to a number, or two do together."""
    early = _unshown(
        effect.estimate,
        effect.p_corrected,
        effect.blocks,
        _least(reach, effect.family, effect.least_p),
    )
    if early:
        return early
    better = _BETTER[effect.metric]
    if len(effect.factors) == 1:
        return _way(effect.estimate, better)
    return _meeting(effect, better, _mains(effect, effects))


def _least(reach: Reach, family: str, least: float | None) -> float | None:
    return None if least is None else reach[family].get(least)


def _unshown(
    found: float | None, p: float | None, blocks: int, least: float | None
) -> Sense | None:
    if p is None:
        return _unchanged(blocks) if found == 0 and blocks > 1 else "unknown"
    if p < ALPHA:
        return None
    return "could not be shown" if least is not None and least >= ALPHA else "not shown"


def _unchanged(blocks: int) -> Sense:
    """What it comes to that no block differs."""
    return "no change" if can_show(blocks) else "could not be shown"


def _way(found: float | None, better: Better) -> Sense:
    if found is None or not better:
        return "differs"
    return "better" if (found < 0) == (better == "less") else "worse"


def _mains(effect: Effect, effects: Sequence[Effect]) -> Mapping[str, float | None]:
    return {
        each.factors[0]: each.estimate
        for each in effects
        if each.metric == effect.metric and len(each.factors) == 1
    }


def _meeting(
    effect: Effect, better: Better, mains: Mapping[str, float | None]
) -> Sense:
    """Two factors that help apiece do part of each other's work, or more than their own."""
    alone = [mains.get(factor) for factor in effect.factors]
    helping = all(each and _way(each, better) == "better" for each in alone)
    if effect.estimate is None or not helping:
        return "depends"
    return "strengthen" if _way(effect.estimate, better) == "better" else "overlap"
