"""What SQLite's complaints mean to us."""

import sqlite3
from typing import Final

from saniwa.core.errors import StoreError
from saniwa.core.where import Where


def error(code: str, problem: Exception, place: str) -> StoreError:
    """What went wrong, in our words; `code` where SQLite does not say it better."""
    number = getattr(problem, "sqlite_errorcode", 0)
    known = _KNOWN.get(number) or _KNOWN.get(number & 0xFF)
    code, hint = known or (code, "see whether the file and its folder can be used")
    return StoreError(
        code,
        f"the store cannot go on: {problem}",
        where=Where(file=place),
        hint=hint,
        recoverable=code == "STORE_BUSY",
        details={"sqlite": getattr(problem, "sqlite_errorname", "")},
    )


def untouchable(problem: Exception, place: str) -> StoreError:
    """The error for a store in whose folder nothing may be made."""
    return StoreError(
        "TRACE_UNWRITABLE",
        f"nothing can be written beside the store, which opening it needs: {problem}",
        where=Where(file=place),
        hint="allow writing in its folder, or copy it and its '-wal' to where you may",
        details={"sqlite": getattr(problem, "sqlite_errorname", "")},
    )


_BUSY: Final = ("STORE_BUSY", "another process is writing; try again")
_FULL: Final = (
    "TRACE_UNWRITABLE",
    "make room or make the file writable; nothing of this turn was kept",
)
_KNOWN: Final = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_READONLY: _FULL,
    sqlite3.SQLITE_IOERR_WRITE: _FULL,
    # Even looking needs room: SQLite keeps an index of its log beside the file.
    sqlite3.SQLITE_IOERR_SHMSIZE: _FULL,
    sqlite3.SQLITE_CORRUPT: ("TRACE_CORRUPT", "bring the file back from a copy"),
    sqlite3.SQLITE_NOTADB: (
        "STORE_UNREADABLE",
        "this is no file of runs; name another",
    ),
    # Only opening a file is bounded; see `sqlite_schema.limit_steps`.
    sqlite3.SQLITE_INTERRUPT: (
        "STORE_UNREADABLE",
        "its schema is too large to be one of ours; name another file",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "STORE_UNREADABLE",
        "see whether the file and its folder exist",
    ),
}
"""What SQLite's refusals mean; the rest is decided by what we were doing."""
