"""The correction for many tests, family by family, and the size of an effect in words."""

from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Final

import msgspec

from saniwa.experiment.measure.digits import probable
from saniwa.experiment.measure.inference.contrasts import Term
from saniwa.experiment.measure.inference.permutation import ALPHA, EXACT
from saniwa.experiment.measure.model import HEADLINE, Comparison, Effect, Family

SIZES: Final = ((0.8, "large"), (0.5, "medium"), (0.2, "small"))
"""Cohen's words, from which size on; `none` below."""
_ALL_ALIKE: Final = 1e-12
_PAIR: Final = Term((), (2,), ())


def holm(found: Sequence[float | None]) -> list[float | None]:
    """The probabilities, corrected by Holm for all that are there; None stays None."""
    places = [place for place, p in enumerate(found) if p is not None]
    corrected: list[float | None] = [None] * len(found)
    if not places:
        return corrected
    from statsmodels.stats.multitest import (  # type: ignore[import-untyped]
        multipletests,
    )

    known = [p for p in found if p is not None]
    _, adjusted, _, _ = multipletests(known, alpha=ALPHA, method="holm")
    for place, p in zip(places, adjusted, strict=True):
        corrected[place] = float(p)
    return corrected


def corrected(effects: Sequence[Effect]) -> tuple[Effect, ...]:
    """The effects, each corrected with the others of its family."""
    found = list(effects)
    for family in ("answer", "effects"):
        places = [n for n, each in enumerate(effects) if each.family == family]
        for n, p in zip(places, holm([effects[n].p for n in places]), strict=True):
            found[n] = msgspec.structs.replace(effects[n], p_corrected=probable(p))
    return tuple(found)


def families_of(
    effects: Sequence[Effect],
    comparisons: Sequence[Comparison],
    terms: Sequence[Term],
) -> dict[str, Family]:
    """What was corrected together, and what so many blocks could have shown.

    `terms` are those that the effects are of; a pair of conditions is one of two levels.
    """
    answer = [each for each in effects if each.family == "answer"]
    others = [each for each in effects if each.family == "effects"]
    return {
        "answer": _family(
            f"the effects on `{HEADLINE[0]}`", answer, _kinds(answer, terms)
        ),
        "effects": _family(
            "the effects on all other metrics", others, _kinds(others, terms)
        ),
        "pairs": _family(
            "all pairs of conditions on all metrics", comparisons, [_PAIR]
        ),
    }


def _kinds(effects: Sequence[Effect], terms: Sequence[Term]) -> list[Term]:
    """The terms of which at least one test was made."""
    made = {each.factors for each in effects if each.p is not None}
    return [each for each in terms if each.factors in made]


def _family(
    about: str, tested: Sequence[Effect | Comparison], kinds: Sequence[Term]
) -> Family:
    made = [each for each in tested if each.p is not None]
    tests, blocks = len(made), max((each.blocks for each in made), default=0)
    least = min((each.least_p or 1.0 for each in made), default=None)
    return Family(
        about=about,
        tests=tests,
        blocks=blocks,
        least_p=probable(least),
        least_corrected=None if least is None else probable(min(1.0, least * tests)),
        blocks_needed=blocks_enough(kinds, tests) if tests else None,
    )


def blocks_enough(kinds: Sequence[Term], tests: int) -> int | None:
    """So few blocks could bring the surest of these kinds below the border.

    If all blocks say the same, and it is corrected as one of so many tests; None where
    no number of blocks could.
    """
    if not kinds:
        return None
    for blocks in range(2, EXACT + 3):
        if tests * min(each.least(blocks, tests) for each in kinds) < ALPHA:
            return blocks
    return None


def effect_size(differences: Sequence[float]) -> float | None:
    """Cohen's d of paired differences: their mean in units of their own spread.

    0 where no pair differs; None where it has no size: fewer than two pairs, or the very
    same difference in every pair.
    """
    if len(differences) < 2:
        return None
    if not any(differences):
        return 0.0
    spread = stdev(differences)
    if spread <= _ALL_ALIKE * max(map(abs, differences)):
        return None
    return fmean(differences) / spread


def size_word(effect: float | None) -> str:
    """The effect in Cohen's words; empty where it has no size."""
    if effect is None:
        return ""
    return next((word for border, word in SIZES if abs(effect) >= border), "none")
