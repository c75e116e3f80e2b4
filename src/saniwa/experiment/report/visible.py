"""Text from outside, made harmless to look at."""

from typing import Final

_KEPT: Final = frozenset("\n\u3000\u200d\ufe0f")
"""Ends of lines, the wide space of Japanese, and what holds emoji together."""


def visible(text: str) -> str:
    """The text with everything unseen made visible: marks of direction, escapes."""
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter in _KEPT else _shown(letter)
        for letter in text.replace("\r\n", "\n").expandtabs(4)
    )


def visible_line(text: str) -> str:
    """The same on one line."""
    return " ".join(visible(text).split("\n"))


def _shown(letter: str) -> str:
    return repr(letter)[1:-1]
