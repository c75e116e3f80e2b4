"""Short texts for messages: quoted values, truncation, visible control characters.

`repr` follows a value as deep and as long as it goes, so no message uses it for values
from outside.
"""

import unicodedata
from collections.abc import Mapping
from itertools import islice
from typing import Any

LONGEST_QUOTE = 60
"""The most characters of a quoted value."""
_LEVELS = 3
_ITEMS = 4
_BITS = 200
_JOINER = "\u200d"
_MOST_BACKTRACK = 32
"""How far back the beginning of a visible character is searched; a longer sequence is
cut."""


def quote_value(value: Any) -> str:
    """Render a value for a message, cut if it is long or deep."""
    return truncate(_render_value(value, _LEVELS), LONGEST_QUOTE)


def truncate(text: str, longest: int) -> str:
    """Shorten a text to at most `longest` characters, with an ellipsis at the end.

    Accents stay on their character, and joined emoji stay together.
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
    """Whether a cut here would divide one visible character."""
    return (
        unicodedata.category(text[end]).startswith("M")
        or text[end] == _JOINER
        or text[end - 1] == _JOINER
    )


def _render_value(value: Any, levels: int) -> str:
    if isinstance(value, str):
        return repr(value[: LONGEST_QUOTE + 1])
    if isinstance(value, Mapping):
        pairs = (f"{_render_value(k, 0)}: {_render_value(v, levels - 1)}" for k, v in value.items())
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
    """Make control characters visible, so that an author cannot move the cursor."""
    return "".join(
        letter if letter.isprintable() or letter == "\n" else repr(letter)[1:-1] for letter in text
    )
