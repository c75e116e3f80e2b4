import sqlite3

import pytest

from saniwa.store.sqlite_file import make_sqlite_error


@pytest.mark.parametrize(
    ("number", "code", "recoverable"),
    [
        (sqlite3.SQLITE_FULL, "TRACE_UNWRITABLE", False),
        (sqlite3.SQLITE_IOERR_SHMSIZE, "TRACE_UNWRITABLE", False),
        (sqlite3.SQLITE_IOERR_WRITE, "TRACE_UNWRITABLE", False),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "STORE_BUSY", True),
        (sqlite3.SQLITE_IOERR_READ, "STORE_UNREADABLE", False),
        (0, "STORE_UNREADABLE", False),
    ],
)
def test_a_complaint_is_reported_in_saniwas_words(
    number: int, code: str, recoverable: bool
) -> None:
    """SQLite's errors become documented ones, also a full disk while reading."""
    problem = sqlite3.OperationalError("disk I/O error")
    problem.sqlite_errorcode = number

    told = make_sqlite_error("STORE_UNREADABLE", problem, "runs.sqlite")

    assert (code, recoverable) == (told.code, told.recoverable)
