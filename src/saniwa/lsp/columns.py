"""Converts columns between characters and the units in which an editor counts."""

from collections.abc import Callable, Mapping
from typing import Final, Literal

ColumnEncoding = Literal["utf-8", "utf-16", "utf-32"]
"""The unit in which an editor counts columns."""


_WIDTHS: Final[Mapping[ColumnEncoding, Callable[[str], int]]] = {
    "utf-8": lambda c: 1 + (c > "\x7f") + (c > "\u07ff") + (c > "\uffff"),
    "utf-16": lambda c: 1 + (c > "\uffff"),
    "utf-32": lambda _: 1,
}


def to_units(line: str, column: int, encoding: ColumnEncoding = "utf-16") -> int:
    """Count the units before a column; a column after the line is its end."""
    before = line[: max(column - 1, 0)]
    if before.isascii():
        return len(before)
    return sum(map(_WIDTHS[encoding], before))


def from_units(line: str, units: int, encoding: ColumnEncoding = "utf-16") -> int:
    """Return the column of the character that a unit belongs to, at most the end."""
    if line.isascii():
        return min(max(units, 0), len(line)) + 1
    width, passed = _WIDTHS[encoding], 0
    for column, character in enumerate(line, 1):
        passed += width(character)
        if passed > units:
            return column
    return len(line) + 1
