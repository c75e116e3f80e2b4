"""A run as the published CSV, wherever it is kept; and as a table for spreadsheets.

`rows` gives, byte for byte, what `runs/{run_id}.csv` holds (`saniwa gate export --exact`).
With `safe`, which the command line uses unless told otherwise, no cell can be taken for a
formula. Such a table is for people to look at: it is not the log.
"""

from collections.abc import Iterable, Iterator

from saniwa.core.csv_text import harmless, line_of
from saniwa.process.record import HEADER, Entry, Record, cells_of, row_of


def rows(entries: Iterable[Entry], *, safe: bool = False) -> Iterator[str]:
    """The lines of a run's table, header first, line ends included.

    Only events have a row; notes stand beside the log.
    """
    yield HEADER
    for entry in entries:
        if isinstance(entry, Record):
            yield _harmless_row(entry) if safe else row_of(entry)


def _harmless_row(record: Record) -> str:
    return line_of(harmless(cell) for cell in cells_of(record))
