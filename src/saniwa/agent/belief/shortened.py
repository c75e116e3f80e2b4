"""Texts made shorter, never inside a character."""

import unicodedata

_JOINER = "\u200d"
_FARTHEST = 32
"""How far back a letter's beginning is looked for; what is longer is no letter."""


def shortened(text: str, longest: int) -> str:
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
