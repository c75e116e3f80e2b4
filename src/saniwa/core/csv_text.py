"""CSV rows: quoted according to RFC 4180, and safe to open in a spreadsheet."""

import re
from collections.abc import Iterable
from typing import Final

LINE_END: Final = "\r\n"
"""The end of a row."""
_NEEDS_QUOTES: Final = re.compile(r'[",\r\n]').search
_BEFORE_FORMULA: Final = re.compile(r"""(?:\A|(?<=[,;\t\r\n]))(?=[" ]*[=+\-@\t\r\n＝＋－＠])""")


def format_csv_row(cells: Iterable[str]) -> str:
    """Format one row, with quotes where they are needed and the line end."""
    return ",".join([quote_csv_cell(cell) for cell in cells]) + LINE_END


def quote_csv_cell(text: str) -> str:
    """Quote one cell, if it needs quotes."""
    if not text or _NEEDS_QUOTES(text) is None:
        return text
    return '"' + text.replace('"', '""') + '"'


def escape_formulas(cell: str) -> str:
    """Put an apostrophe before every part of a cell that could be a formula.

    That is every part that begins with one of `= + - @`, their full-width forms, a tab
    or a line end. Parts are separated by commas, semicolons, tabs and line ends: a
    spreadsheet may split a row at any of them, even inside quotes.
    """
    return _BEFORE_FORMULA.sub("'", cell)
