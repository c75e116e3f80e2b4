"""Columns as editors count them, and as we do.

We count letters from 1; editors count units of some encoding from 0, mostly UTF-16, in
which 😀 is two.
"""

from collections.abc import Callable, Mapping
from typing import Final, Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]
"""What an editor counts in."""

_WIDTHS: Final[Mapping[Encoding, Callable[[str], int]]] = {
    "utf-8": lambda c: 1 + (c > "\x7f") + (c > "\u07ff") + (c > "\uffff"),
    "utf-16": lambda c: 1 + (c > "\uffff"),
    "utf-32": lambda _: 1,
}


def to_units(line: str, column: int, encoding: Encoding = "utf-16") -> int:
    """How many units stand before a column; a column behind the line is its end."""
    before = line[: max(column - 1, 0)]
    if before.isascii():
        return len(before)
    return sum(map(_WIDTHS[encoding], before))


def from_units(line: str, units: int, encoding: Encoding = "utf-16") -> int:
    """The column of the letter that a unit belongs to; behind the line, its end."""
    if line.isascii():
        return min(max(units, 0), len(line)) + 1
    width, passed = _WIDTHS[encoding], 0
    for column, letter in enumerate(line, 1):
        passed += width(letter)
        if passed > units:
            return column
    return len(line) + 1
