"""Figures as they are written: six digits, finite, or None.

The last bits of a sum depend on the machine that added it up; nothing that is written may.
"""

from math import floor, isfinite, log10
from typing import Final

DIGITS: Final = 6
"""Digits that are kept, whatever the size of the number."""
LEAST: Final = 1e-9
"""No probability is written as less: nothing is known so surely."""
_DECIMALS: Final = 12
_STEADY: Final = 14


def tidy(number: float | None) -> float | None:
    """The number to six digits; None for none and for what is no number.

    What is smaller than a millionth of a millionth is 0, without a sign.
    """
    if number is None or not isfinite(number):
        return None
    return float(f"{round(float(number), _DECIMALS):.{DIGITS}g}") + 0.0


def apart(first: float, second: float) -> float:
    """Second less first: distances that are equal on paper are equal."""
    return steady(second - first, max(abs(first), abs(second)))


def steady(number: float, beside: float) -> float:
    """The number, to fourteen digits of the largest it was reckoned from."""
    return round(number, _STEADY - 1 - floor(log10(beside))) if beside else 0.0


def probable(p: float | None) -> float | None:
    """A probability as it is written: six digits, and never 0."""
    return None if p is None else tidy(max(p, LEAST))
