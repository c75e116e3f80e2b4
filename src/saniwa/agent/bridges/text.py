"""Texts as they come from models: made fit to be kept, and told in pieces."""

import re
from collections.abc import Iterator
from typing import Final

LONGEST: Final = 4_000_000
"""Letters of an answer; whoever says more is not asked for a story."""
_PIECE: Final = 40
_HALVES: Final = re.compile(r"[\ud800-\udfff]")


def sound(text: str) -> str:
    """The text without halves of surrogate pairs, which no file could keep.

    Each becomes U+FFFD, so that a text and its pieces come out the same.
    """
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _HALVES.sub("\ufffd", text)
    return text


def pieces(text: str) -> Iterator[str]:
    """The text as a model would have told it: always the same pieces, none of them empty.

    A long text is told in larger ones, so that telling it takes no longer.
    """
    size = max(_PIECE, len(text) // 100)
    for start in range(0, len(text), size):
        yield text[start : start + size]
