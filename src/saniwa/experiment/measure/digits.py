"""Figures as they are written: six digits, finite, or None.

The last bits of a sum depend on the machine that added it up; nothing that is written may.
"""

from math import floor, isfinite, log10
from typing import Final

DIGITS: Final = 6
"""Digits that are kept, whatever the size of the number."""
_DECIMALS: Final = 12


def tidy(number: float | None) -> float | None:
    """The number to six digits; None for none and for what is no number.

    What is smaller than a millionth of a millionth is 0, without a sign.
    """
    if number is None or not isfinite(number):
        return None
    return float(f"{round(float(number), _DECIMALS):.{DIGITS}g}") + 0.0


def apart(first: float, second: float) -> float:
    """Second less first, to twelve digits of the larger: equal distances are equal."""
    larger = max(abs(first), abs(second))
    if larger == 0:
        return 0.0
    return round(second - first, _DECIMALS - 1 - floor(log10(larger)))
