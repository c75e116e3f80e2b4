"""Small statistics: the correction for many tests, and the size of an effect in words."""

from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Final

SIZES: Final = ((0.8, "large"), (0.5, "medium"), (0.2, "small"))
"""Cohen's words, from which size on; `none` below."""
ALPHA: Final = 0.05
"""How often a difference may be claimed where there is none."""
_ALL_ALIKE: Final = 1e-12


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
