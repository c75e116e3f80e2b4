"""Sealed logs in two SQL tables: the head of each log, and the entries.

A head has the number of a log's entries and the last seal; it is written together with
each entry, and each confirms the other.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from saniwa.core.errors import StoreError
from saniwa.store.sealed_log import (
    LogEnd,
    LogKind,
    SealedChain,
    SealedEntry,
    compute_first_seal,
    make_corrupt_entry_error,
)

SqlQuery = Callable[[str, dict[str, Any]], list[Any]]
"""Executes a statement with named parameters, and returns its rows."""
PAGE_SIZE = 200
"""Entries read at once: few enough that the largest ones fit into memory."""


class SqlLogTables(NamedTuple):
    """The tables of one kind of log."""

    kind: LogKind
    """How its entries are sealed."""
    heads: str
    """The table of heads: `run_id`, the number of entries, `seal`."""
    counter: str
    """Its column for the number of entries."""
    entries: str
    """The table of entries: `run_id`, `number`, `seal`, the bytes."""
    body: str
    """Its column for the bytes."""
    columns: tuple[str, ...] = ()
    """Its columns for an entry's revision and the hash of its key; none for no keys."""
    base: str = ""
    """An expression for the seal that the first entry of a head `h` follows, if the
    tables hold it."""


class SqlLogQueries(NamedTuple):
    """The queries for one kind of log; parameters are named."""

    last_seal: str
    """An expression for the seal of the last entry of a head `h`."""
    head: str
    """By `run`: the head, then what the entries say of it."""
    page: str
    """By `run`, `number` and `until`: the head, and the entries between the numbers."""
    key: str
    """By `run` and `key`: the seal before an entry, and the entry."""


@cache
def build_log_queries(tables: SqlLogTables) -> SqlLogQueries:
    """Write the queries for some tables, in the SQL that all databases share."""
    heads, entries, columns = tables.heads, tables.entries, ("number", "seal", tables.body)
    entry = ", ".join(f"e.{each}" for each in (*columns, *tables.columns))
    last = f"SELECT e.seal FROM {entries} AS e WHERE e.run_id = h.run_id"
    last = f"({last} ORDER BY e.number DESC LIMIT 1)"
    if tables.base:
        last = f"CASE WHEN {tables.base} IS NOT NULL THEN COALESCE({last}, {tables.base}) END"
    return SqlLogQueries(
        last_seal=last,
        head=f"""
SELECT h.{tables.counter}, h.seal, (SELECT COALESCE(MAX(e.number) + {1 - tables.kind.first}, 0)
  FROM {entries} AS e WHERE e.run_id = h.run_id), {last}
FROM {heads} AS h WHERE h.run_id = :run
""",
        # One statement, so that the head and its entries are from the same moment. A
        # page ends at a number and not after so many rows: otherwise a server that
        # plans badly sorts the rest of the run for every page.
        page=f"""
SELECT h.{tables.counter}, h.seal, {entry} FROM {heads} AS h LEFT JOIN {entries} AS e
  ON e.run_id = h.run_id AND e.number >= :number AND e.number < :until
WHERE h.run_id = :run ORDER BY e.number
""",
        key=f"""
SELECT (SELECT b.seal FROM {entries} AS b
        WHERE b.run_id = e.run_id AND b.number = e.number - 1), {entry}
FROM {entries} AS e WHERE e.run_id = :run AND e.{tables.columns[-1]} = :key
"""
        if tables.columns
        else "",
    )


class SqlSealedLog:
    """Reads logs in SQL tables; each database has its own way of writing."""

    def __init__(
        self,
        tables: SqlLogTables,
        query: SqlQuery,
        write: Callable[[str, Any], Any],
        place: str,
        make_missing_error: Callable[[str], StoreError],
    ) -> None:
        """Read through `query`, and write through `write`.

        `make_missing_error` is for a run without a head.
        """
        self.place = place
        self._tables, self._kind = tables, tables.kind
        self._query, self._write = query, write
        self._queries = build_log_queries(tables)
        self._make_missing_error = make_missing_error

    def load_end(self, run_id: str) -> LogEnd:
        """Return the end of a log, if its head and its last entry agree.

        Raises:
            StoreError: The run has no head; `TRACE_CORRUPT`.
        """
        for count, seal, rows, last in self._query(self._queries.head, {"run": run_id}):
            if (count, seal) == (rows, last):
                return LogEnd(count, seal)
            raise self.make_count_error(run_id, count, rows)
        raise self._make_missing_error(run_id)

    def read(self, run_id: str, after: LogEnd) -> Iterator[SealedEntry]:
        """Yield the entries after a point, each confirmed by its seal.

        Raises:
            StoreError: The run has no head; `TRACE_CORRUPT` on reaching an entry that is
                missing or not what was written, at the end as well.
        """
        chain = SealedChain(self._kind, run_id, self.place, after)
        for count, seal, entry in self.read_rows(run_id, after.number):
            if entry is None:
                chain.check_end(LogEnd(count, seal))
                return
            if chain.end.number == entry.number >= count:
                raise chain.make_error(entry.number, f"the run has {count} {self._kind.plural}")
            chain.follow(entry)
            yield entry

    def read_rows(
        self, run_id: str, number: int
    ) -> Iterator[tuple[int, bytes, SealedEntry | None]]:
        """Yield count and seal of the head with each entry from `number` on; then None.

        Nothing is checked.

        Raises:
            StoreError: The run has no head; the tables cannot be read.
        """
        first = self._kind.first
        while True:
            # Page by page: an open read transaction would keep this connection from
            # writing to a SQLite file once another process has written.
            given = {"run": run_id, "number": number + first, "until": number + first + PAGE_SIZE}
            rows = self._query(self._queries.page, given)
            if not rows:
                raise self._make_missing_error(run_id)
            for count, seal, found, *rest in rows:
                # The count in the head is trusted only as far as there are entries.
                if found is None:
                    yield count, seal, None
                    return
                number = found - first + 1
                yield count, seal, SealedEntry(found - first, *rest)

    def find_by_key(self, run_id: str, key: bytes) -> SealedEntry | None:
        """Find the entry that has the hash of a key, confirmed by its seal.

        Raises:
            StoreError: `TRACE_CORRUPT`; the tables cannot be read.
        """
        given = {"run": run_id, "key": key}
        for before, number, *rest in self._query(self._queries.key, given):
            entry = SealedEntry(number - self._kind.first, *rest)
            end = LogEnd(entry.number, before or compute_first_seal(run_id))
            SealedChain(self._kind, run_id, self.place, end).follow(entry)
            return entry
        return None

    def make_count_error(self, run_id: str, count: int, rows: int) -> StoreError:
        """Build the error for a head that does not agree with the entries."""
        missing = min(count, rows) if count != rows else count - 1
        why = f"the run has {count} {self._kind.plural}, but {rows} were found"
        return make_corrupt_entry_error(self._kind, run_id, missing, self.place, why)

    def append(self, run_id: str, before: bytes, entry: SealedEntry) -> bool:
        """Append an entry that follows the seal `before`; False if the log ends elsewhere.

        Raises:
            StoreError: It could not be written.
        """
        raise NotImplementedError


@cache
def build_sqlite_append(tables: SqlLogTables) -> tuple[str, str]:
    """Write the statements that move a head, and that append an entry without a key."""
    # Only from the number and the seal that the last entry confirms.
    move = f"""
UPDATE {tables.heads} AS h SET {tables.counter} = ?2 + 1, seal = ?3
WHERE h.run_id = ?1 AND h.{tables.counter} = ?2 AND h.seal = ?4
  AND ?4 = ({build_log_queries(tables).last_seal})
"""
    return move, f"INSERT INTO {tables.entries} VALUES (?, ?, ?, ?)"


class SqliteSealedLog(SqlSealedLog):
    """Logs without keys in two tables of a file."""

    def append(self, run_id: str, before: bytes, entry: SealedEntry) -> bool:
        """Append an entry in the file's transaction, with which it becomes durable.

        False if the log does not end with the seal `before`: nothing was written.
        """
        move, insert = build_sqlite_append(self._tables)
        number, seal, body, _, _ = entry
        if self._write(move, (run_id, number, seal, before)).rowcount != 1:
            return False
        self._write(insert, (run_id, number, seal, body))
        return True


_UNIQUE_VIOLATION = "23505"
"""The SQLSTATE of a duplicate key."""


@cache
def build_postgres_append(tables: SqlLogTables) -> str:
    """Write the statement that appends an entry; it returns a row if it did."""
    # The head is moved only from the number and the seal that the last entry confirms.
    # Two writers of one number meet at the head: one waits, and then finds another
    # number there.
    columns = ", ".join((tables.body, *tables.columns))
    values = ", ".join(
        f":{each}" for each in ("body", "revision", "key")[: 1 + len(tables.columns)]
    )
    return f"""
WITH moved AS (
  UPDATE {tables.heads} AS h SET {tables.counter} = h.{tables.counter} + 1, seal = :seal
  WHERE h.run_id = :run AND h.{tables.counter} = :count AND h.seal = :before
    AND h.seal = ({build_log_queries(tables).last_seal})
  RETURNING h.run_id
)
INSERT INTO {tables.entries} (run_id, number, seal, {columns})
SELECT run_id, :number, :seal, {values} FROM moved RETURNING 1
"""


class PostgresSealedLog(SqlSealedLog):
    """Logs in two tables of a database."""

    def append(self, run_id: str, before: bytes, entry: SealedEntry) -> bool:
        """Append an entry that follows the seal `before`; when this returns, it is on disk.

        False if the log does not end there, or has an entry with the same key: nothing
        was written.

        Raises:
            StoreError: It could not be written.
        """
        values = {"run": run_id, "before": before, "count": entry.number, **entry._asdict()}
        values["number"] += self._kind.first
        try:
            return bool(self._write(build_postgres_append(self._tables), values))
        except StoreError as problem:
            if problem.details.get("sqlstate") != _UNIQUE_VIOLATION:
                raise
            return False
