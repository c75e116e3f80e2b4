"""The result of the JSON and YAML parsers: plain values, and the offset of each.

Offsets count characters; `documents.document` turns them into lines and columns.
"""

from typing import Any, NamedTuple

DEEPEST = 100
"""The most levels of nesting."""
MOST_NODES = 5_000_000
"""The most values of a document; those repeated through aliases count each time."""
MOST_REPEATED = 100_000
"""The most values repeated by all aliases of a document together."""
MOST_REPEATED_LETTERS = 4 * 1024 * 1024
"""The most characters repeated by all aliases of a document together."""
LONGEST_STEP = 200
"""The most characters of one key that a path shows."""
LONGEST_NUMBER = 1_000
"""The most digits of a number."""
FLATTER = "nest less deeply"
"""The hint for a document that nests too deeply."""
FEWER = "split it into several files"
"""The hint for a document with too many values."""
_AS_TEXT = "round it, or put it in quotes"

Offsets = Any
"""Where a value began: an offset for a scalar; for a list `(offset, [spots])`; for a
mapping `(offset, {key: (key offset, spot)})`. A recursive union would describe it
better, but each value is one of these and there are millions."""


class DuplicateKey(NamedTuple):
    """A key that the mapping already has."""

    path: tuple[str | int, ...]
    """The path to the key."""
    offset: int
    """Where it occurs the second time."""
    first: int
    """Where it occurs first; that value counts."""


class DocumentTree(NamedTuple):
    """A parsed document."""

    plain: Any
    """Its values: dict, list, str, int, float, bool, None."""
    spot: Offsets
    """The offsets of the values."""
    repeats: tuple[DuplicateKey, ...] = ()
    """Keys written twice."""


class TextError(Exception):
    """The text breaks the rules of its format; never raised outside `documents`."""

    def __init__(self, offset: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.offset = offset
        self.message = message
        self.hint = hint


def parse_whole_number(text: str, base: int, offset: int) -> int:
    """Parse an integer.

    Raises:
        TextError: It has too many digits.
    """
    if len(text) > LONGEST_NUMBER:
        raise TextError(offset, f"a number of {len(text)} digits is too long", _AS_TEXT)
    return int(text, base)


def parse_fraction(text: str, offset: int) -> float:
    """Parse a fraction.

    Raises:
        TextError: It is too long or too large.
    """
    if len(text) > LONGEST_NUMBER:
        raise TextError(offset, f"a number of {len(text)} digits is too long", _AS_TEXT)
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise TextError(offset, f"the number {text} is too large", _AS_TEXT)
    return number
