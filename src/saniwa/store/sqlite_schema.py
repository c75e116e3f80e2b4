"""Whether a SQLite file has the schema it must have, and nothing that runs by itself.

A file may come from a stranger. A view in place of a table would run any query under our
questions, and a trigger would change what we write. So the schema is compared before the
first question, with a bound on the work that this takes.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from typing import Any, Final, NamedTuple

MOST_STEPS: Final = 200_000
"""Steps of SQLite's machine for opening a file; a schema of ours takes a few hundred."""
LONGEST_STATEMENT: Final = 100_000
"""Characters of a statement, those of the schema included."""
LARGEST_VALUE: Final = 256 * 1024 * 1024
"""Bytes of one value in a file."""
_EACH: Final = 1_000
_SCHEMA: Final = "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema"


class SchemaEntry(NamedTuple):
    """One table, index, view or trigger."""

    type: str
    """Which of these."""
    name: str
    """Its name."""
    table: str
    """The table it belongs to."""
    page: int
    """Where its rows are; 0 for what has none of its own, such as a virtual table."""
    sql: str
    """The statement that made it; empty for an index that SQLite made by itself."""


def restrict(connection: sqlite3.Connection) -> None:
    """Let nothing in the schema of a file call functions, and bound its sizes."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, LONGEST_STATEMENT)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")


@contextmanager
def limit_steps(connection: sqlite3.Connection) -> Iterator[None]:
    """Interrupt what is asked inside after `MOST_STEPS` steps."""
    left = MOST_STEPS // _EACH

    def count() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    connection.set_progress_handler(count, _EACH)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


def find_fault(connection: sqlite3.Connection, statements: tuple[str, ...]) -> str:
    """What is wrong with the schema of a file; empty if nothing is.

    The tables must be those that the statements make, without an index beside them. Other
    ordinary tables, such as those of a backup program, are never asked and may stay.

    Raises:
        sqlite3.Error: The schema cannot be read.
    """
    expected = _expected(statements)
    missing = set(expected)
    for row in connection.execute(_SCHEMA):
        found = _entry(row)
        if found.type not in ("table", "index") or (
            found.type == "table" and not found.page
        ):
            return f"it has the {_kind(found)} {found.name!r}"
        wanted = expected.get(found.name)
        if wanted is None and found.type == "index" and found.sql:
            return f"it has the index {found.name!r}"
        if wanted is not None and _compared(found) != _compared(wanted):
            return f"the {found.type} {found.name!r} has another shape"
        missing.discard(found.name)
    return f"the table {min(missing)!r} is missing" if missing else ""


@cache
def _expected(statements: tuple[str, ...]) -> dict[str, SchemaEntry]:
    with closing(sqlite3.connect(":memory:")) as made:
        for statement in statements:
            made.execute(statement)
        rows = made.execute(_SCHEMA).fetchall()
    return {each.name: each for each in map(_entry, rows)}


def _entry(row: tuple[Any, ...]) -> SchemaEntry:
    kind, name, table, page, sql = row
    return SchemaEntry(kind or "", name or "", table or "", page or 0, sql or "")


def _compared(entry: SchemaEntry) -> tuple[str, str, str]:
    return entry.type, entry.table, " ".join(entry.sql.split())


def _kind(entry: SchemaEntry) -> str:
    return "virtual table" if entry.type == "table" else entry.type
