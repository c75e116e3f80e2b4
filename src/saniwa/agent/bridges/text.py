"""Texts as models tell them: how long one may be, and in which pieces it comes."""

from collections.abc import Iterator
from typing import Final

from saniwa.agent.oracle import Hear

LONGEST: Final = 4_000_000
"""Letters of an answer; whoever says more is not asked for a story."""
_PIECE: Final = 40


def pieces(text: str) -> Iterator[str]:
    """The text as a model would have told it: always the same pieces, none of them empty.

    A long text is told in larger ones, so that telling it takes no longer.
    """
    size = max(_PIECE, len(text) // 100)
    for start in range(0, len(text), size):
        yield text[start : start + size]


def tell(text: str, hear: Hear | None) -> None:
    """Tell a text that is there already to whoever listens, piece by piece."""
    if hear is not None:
        for piece in pieces(text):
            hear(piece)
