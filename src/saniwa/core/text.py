"""Values as messages quote them: short, whatever they are.

`repr` follows a value as deep and as long as it goes, so no message uses it for what came
from outside.
"""

import unicodedata
from collections.abc import Mapping
from itertools import islice
from typing import Any

LONGEST_QUOTE = 60
"""Letters a quotation may have."""
_LEVELS = 3
_ITEMS = 4
_BITS = 200
_JOINER = "\u200d"
_MOST_BACKTRACK = 32
"""How far back a letter's beginning is looked for; what is longer is no letter."""


def quote_value(value: Any) -> str:
    """The value as it would be written, cut where it becomes long or deep."""
    return truncate(_render_value(value, _LEVELS), LONGEST_QUOTE)


def truncate(text: str, longest: int) -> str:
    """The text, its end replaced with an ellipsis where it has too many letters.

    Accents stay on their letter, and emoji that are joined stay together.
    """
    if len(text) <= longest:
        return text
    end = max(longest - 1, 0)
    for back in range(min(_MOST_BACKTRACK, end)):
        if not _splits_character(text, end - back):
            end -= back
            break
    return text[:end] + "…" if longest > 0 else ""


def _splits_character(text: str, end: int) -> bool:
    """Whether the place lies within what is seen as one character."""
    return (
        unicodedata.category(text[end]).startswith("M")
        or text[end] == _JOINER
        or text[end - 1] == _JOINER
    )


def _render_value(value: Any, levels: int) -> str:
    if isinstance(value, str):
        return repr(value[: LONGEST_QUOTE + 1])
    if isinstance(value, Mapping):
        pairs = (
            f"{_render_value(k, 0)}: {_render_value(v, levels - 1)}"
            for k, v in value.items()
        )
        return "{" + _join_first(pairs, len(value), levels) + "}"
    if isinstance(value, list | tuple):
        items = (_render_value(each, levels - 1) for each in value)
        return "[" + _join_first(items, len(value), levels) + "]"
    if isinstance(value, int) and value.bit_length() > _BITS:
        return f"a number of {value.bit_length()} bits"
    if value is None or isinstance(value, int | float):
        return repr(value)
    return f"a {type(value).__name__}"


def _join_first(shown: Any, count: int, levels: int) -> str:
    if levels == 0:
        return "…" if count else ""
    more = ["…"] if count > _ITEMS else []
    return ", ".join([*islice(shown, _ITEMS), *more])


def escape_control_characters(text: str) -> str:
    """The text with control characters made visible: no author moves the cursor."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1]
        for letter in text
    )
