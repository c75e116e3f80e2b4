"""Check that a SQLite file has the expected schema, and nothing that runs by itself.

A file may come from a stranger. A view in place of a table would run any query inside
ours, and a trigger would change what we write. So the schema is compared before the
first query, with a limit on the work that this takes.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from saniwa.core import atomic_files

_FILE_MODE: Final = 0o644
"""The mode with which SQLite creates its files."""


def is_empty_file(path: Path) -> bool:
    """Whether a file exists and is empty."""
    with suppress(OSError):
        return path.is_file() and path.stat().st_size == 0
    return False


def is_truncated(path: Path, page: int) -> bool:
    """Whether a file ends within a page and has no log that could complete it."""
    with suppress(OSError):
        torn = path.stat().st_size % page
        # Checked second: a process killed while it moves a page from the log to the
        # file leaves both.
        return bool(torn) and not _has_content(path.with_name(f"{path.name}-wal"))
    return False


def make_file(path: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Create a file and give it its name, durably, unless another process was first.

    If this fails, nothing remains, and the code that opens the file reports why, or
    creates the file in place, on a file system without hard links.
    """
    with (
        suppress(OSError, sqlite3.Error),
        atomic_files.open_pending_file(path.parent, _FILE_MODE) as new,
    ):
        # Closing a file gives up the locks that SQLite has on it under any other name.
        new.file.close()
        temporary = path.with_name(new.name)
        with closing(sqlite3.connect(temporary, isolation_level=None)) as made:
            fill(made)
        os.link(temporary, path)
        atomic_files.sync_folder(path.parent)


def _has_content(log: Path) -> bool:
    return log.exists() and log.stat().st_size > 0


MOST_STEPS: Final = 200_000
"""Most steps of SQLite's machine for opening a file; ours take a few hundred.
"""
LONGEST_STATEMENT: Final = 100_000
"""Most characters of a statement, those of the schema included."""
LARGEST_VALUE: Final = 256 * 1024 * 1024
"""Most bytes of one value in a file."""
_STEPS_PER_CALL: Final = 1_000
_SELECT_SCHEMA: Final = "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema"


class SqliteSchemaEntry(NamedTuple):
    """One table, index, view or trigger."""

    type: str
    """Which of these it is."""
    name: str
    """Its name."""
    table: str
    """The table it belongs to."""
    page: int
    """The page of its rows; 0 if it has none of its own, such as a virtual table."""
    sql: str
    """The statement that created it; empty for SQLite's automatic indexes.
    """


def restrict_connection(connection: sqlite3.Connection) -> None:
    """Keep a file's schema from calling functions, and limit sizes."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, LONGEST_STATEMENT)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")


@contextmanager
def limit_steps(connection: sqlite3.Connection) -> Iterator[None]:
    """Interrupt queries inside the block after `MOST_STEPS` steps."""
    left = MOST_STEPS // _STEPS_PER_CALL

    def count() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    connection.set_progress_handler(count, _STEPS_PER_CALL)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


def find_schema_fault(connection: sqlite3.Connection, statements: tuple[str, ...]) -> str:
    """Say what is wrong with the schema of a file; empty if nothing is.

    The tables must be those that the statements create, without further indexes. Other
    ordinary tables, such as those of a backup program, are never queried and may stay.

    Raises:
        sqlite3.Error: The schema cannot be read.
    """
    expected = _build_expected_schema(statements)
    missing = set(expected)
    for row in connection.execute(_SELECT_SCHEMA):
        found = _build_entry(row)
        if found.type not in ("table", "index") or (found.type == "table" and not found.page):
            return f"it has the {_describe_kind(found)} {found.name!r}"
        wanted = expected.get(found.name)
        if wanted is None and found.type == "index" and found.sql:
            return f"it has the index {found.name!r}"
        if wanted is not None and _normalize_entry(found) != _normalize_entry(wanted):
            return f"the {found.type} {found.name!r} has another shape"
        missing.discard(found.name)
    return f"the table {min(missing)!r} is missing" if missing else ""


@cache
def _build_expected_schema(statements: tuple[str, ...]) -> dict[str, SqliteSchemaEntry]:
    with closing(sqlite3.connect(":memory:")) as made:
        for statement in statements:
            made.execute(statement)
        rows = made.execute(_SELECT_SCHEMA).fetchall()
    return {each.name: each for each in map(_build_entry, rows)}


def _build_entry(row: tuple[Any, ...]) -> SqliteSchemaEntry:
    kind, name, table, page, sql = row
    return SqliteSchemaEntry(kind or "", name or "", table or "", page or 0, sql or "")


def _normalize_entry(entry: SqliteSchemaEntry) -> tuple[str, str, str]:
    return entry.type, entry.table, " ".join(entry.sql.split())


def _describe_kind(entry: SqliteSchemaEntry) -> str:
    return "virtual table" if entry.type == "table" else entry.type
