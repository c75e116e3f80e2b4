"""How long something lasts, as authors write it: `48h`, `1h30m`, `500ms`."""

import re

LONGEST = 3_660 * 24 * 3_600 * 1_000
"""Ten years, in milliseconds."""

_UNITS = {"d": 86_400_000, "h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
_PART = r"(\d{1,15})(ms|d|h|m|s)"
_WHOLE = re.compile(rf"(?:{_PART}\s*){{1,5}}", re.ASCII).fullmatch
_PARTS = re.compile(_PART, re.ASCII).findall


def milliseconds_in(text: str) -> int | None:
    """The milliseconds a text names; None if it names no time.

    Each unit at most once, in any order; from one millisecond to ten years.
    """
    if _WHOLE(text.strip()) is None:
        return None
    parts = _PARTS(text)
    if len({unit for _, unit in parts}) < len(parts):
        return None
    total = sum(int(number) * _UNITS[unit] for number, unit in parts)
    return total if 0 < total <= LONGEST else None
