"""A run as the published CSV, wherever it is kept; and as a table for spreadsheets.

`rows` gives, byte for byte, what `runs/{run_id}.csv` holds (`saniwa gate export --exact`).
With `safe`, which the command line uses unless told otherwise, no cell can be taken for a
formula: an apostrophe stands before every part of a cell that begins with one
of `= + - @`, their full-width forms, a tab or a line end. Parts are what lies between
commas, semicolons, tabs and line ends, because a spreadsheet may split a row at any of
them, whatever the quotes say. Such a table is for people to look at: it is not the log.
"""

import re
from collections.abc import Iterable, Iterator

from saniwa.process.record import HEADER, Entry, Record, cells_of, line_of, row_of

_BEFORE_FORMULA = re.compile(
    r"""(?:\A|(?<=[,;\t\r\n]))(?=[" ]*[=+\-@\t\r\n＝＋－＠])"""
)


def rows(entries: Iterable[Entry], *, safe: bool = False) -> Iterator[str]:
    """The lines of a run's table, header first, line ends included.

    Only events have a row; notes stand beside the log.
    """
    yield HEADER
    for entry in entries:
        if isinstance(entry, Record):
            yield _harmless_row(entry) if safe else row_of(entry)


def harmless(cell: str) -> str:
    """The cell with an apostrophe before whatever a spreadsheet could calculate."""
    return _BEFORE_FORMULA.sub("'", cell)


def _harmless_row(record: Record) -> str:
    return line_of(harmless(cell) for cell in cells_of(record))
