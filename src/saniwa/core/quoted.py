"""Values as messages quote them: short, whatever they are.

`repr` follows a value as deep and as long as it goes, so no message uses it for what came
from outside.
"""

import unicodedata
from collections.abc import Mapping
from itertools import islice
from typing import Any

LONGEST = 60
"""Letters a quotation may have."""
_LEVELS = 3
_ITEMS = 4
_BITS = 200
_JOINER = "\u200d"
_FARTHEST = 32
"""How far back a letter's beginning is looked for; what is longer is no letter."""


def quoted(value: Any) -> str:
    """The value as it would be written, cut where it becomes long or deep."""
    return cut(_shown(value, _LEVELS), LONGEST)


def cut(text: str, longest: int) -> str:
    """The text, its end replaced with an ellipsis where it has too many letters.

    Accents stay on their letter, and emoji that are joined stay together.
    """
    if len(text) <= longest:
        return text
    end = max(longest - 1, 0)
    for back in range(min(_FARTHEST, end)):
        if not _inside(text, end - back):
            end -= back
            break
    return text[:end] + "…" if longest > 0 else ""


def _inside(text: str, end: int) -> bool:
    """Whether the place lies within what is seen as one character."""
    return (
        unicodedata.category(text[end]).startswith("M")
        or text[end] == _JOINER
        or text[end - 1] == _JOINER
    )


def _shown(value: Any, levels: int) -> str:
    if isinstance(value, str):
        return repr(value[: LONGEST + 1])
    if isinstance(value, Mapping):
        pairs = (f"{_shown(k, 0)}: {_shown(v, levels - 1)}" for k, v in value.items())
        return "{" + _some(pairs, len(value), levels) + "}"
    if isinstance(value, list | tuple):
        items = (_shown(each, levels - 1) for each in value)
        return "[" + _some(items, len(value), levels) + "]"
    if isinstance(value, int) and value.bit_length() > _BITS:
        return f"a number of {value.bit_length()} bits"
    if value is None or isinstance(value, int | float):
        return repr(value)
    return f"a {type(value).__name__}"


def _some(shown: Any, count: int, levels: int) -> str:
    if levels == 0:
        return "…" if count else ""
    more = ["…"] if count > _ITEMS else []
    return ", ".join([*islice(shown, _ITEMS), *more])


def printable(text: str) -> str:
    """The text with control characters made visible: no author moves the cursor."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1]
        for letter in text
    )
