"""Rows of CSV: quoted as RFC 4180 asks, and harmless where a spreadsheet opens them."""

import re
from collections.abc import Iterable
from typing import Final

LINE_END: Final = "\r\n"
"""What ends a row."""
_NEEDS_QUOTES: Final = re.compile(r'[",\r\n]').search
_BEFORE_FORMULA: Final = re.compile(
    r"""(?:\A|(?<=[,;\t\r\n]))(?=[" ]*[=+\-@\t\r\n＝＋－＠])"""
)


def format_csv_row(cells: Iterable[str]) -> str:
    """A row of these cells, quoted where it is asked for, line end included."""
    return ",".join([quote_csv_cell(cell) for cell in cells]) + LINE_END


def quote_csv_cell(text: str) -> str:
    """One cell of a row."""
    if not text or _NEEDS_QUOTES(text) is None:
        return text
    return '"' + text.replace('"', '""') + '"'


def escape_formulas(cell: str) -> str:
    """The cell with an apostrophe before whatever a spreadsheet could calculate.

    That is every part that begins with one of `= + - @`, their full-width forms, a tab or
    a line end. Parts are what lies between commas, semicolons, tabs and line ends: a
    spreadsheet may split a row at any of them, whatever the quotes say.
    """
    return _BEFORE_FORMULA.sub("'", cell)
