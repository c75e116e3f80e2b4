"""What the JSON and YAML readers both give back: plain values, and where each began.

A place is an offset in characters; `documents.document` turns offsets into lines and columns.
"""

from typing import Any, NamedTuple

DEEPEST = 100
"""Levels a document may nest."""
MOST_NODES = 5_000_000
"""Values a document may hold, those repeated through aliases counted each time."""
MOST_REPEATED = 100_000
"""Values that may come through aliases, all of a document's aliases together."""
MOST_REPEATED_LETTERS = 4 * 1024 * 1024
"""Letters that may come through aliases, all of a document's aliases together."""
LONGEST_NUMBER = 1_000
"""Digits a number may have."""
FLATTER = "nest less deeply"
"""The cure for a document that nests too deeply."""
FEWER = "split it into several files"
"""The cure for a document with too many values."""
_AS_TEXT = "round it, or put it in quotes"

Offsets = Any
"""Where a value began: an offset for a scalar; for a list `(offset, [spots])`; for a
mapping `(offset, {key: (key offset, spot)})`. A union that names itself would say so
better, but each value is one of these and there are millions."""


class DuplicateKey(NamedTuple):
    """A key that a mapping has already."""

    path: tuple[str | int, ...]
    """The way to the mapping, the key included."""
    offset: int
    """Where it stands the second time."""
    first: int
    """Where it stood first; that value counts."""


class DocumentTree(NamedTuple):
    """A document that could be read."""

    plain: Any
    """Its values: dict, list, str, int, float, bool, None."""
    spot: Offsets
    """Where each began."""
    repeats: tuple[DuplicateKey, ...] = ()
    """Keys written twice."""


class TextError(Exception):
    """The text breaks the rules of its format; never leaves `core`."""

    def __init__(self, offset: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message
        self.hint = hint


def parse_whole_number(text: str, base: int, offset: int) -> int:
    """The text as a whole number.

    Raises:
        TextError: it has more digits than anybody counts.
    """
    if len(text) > LONGEST_NUMBER:
        raise TextError(offset, f"a number of {len(text)} digits is too long", _AS_TEXT)
    return int(text, base)


def parse_fraction(text: str, offset: int) -> float:
    """The text as a fraction.

    Raises:
        TextError: it is too long or too large to be one.
    """
    if len(text) > LONGEST_NUMBER:
        raise TextError(offset, f"a number of {len(text)} digits is too long", _AS_TEXT)
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise TextError(offset, f"the number {text} is too large", _AS_TEXT)
    return number
