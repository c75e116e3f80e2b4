"""Sealed logs in PostgreSQL: an entry and its head are written by one statement."""

from functools import cache

from saniwa.core.errors import StoreError
from saniwa.store.sealed_log import SealedEntry
from saniwa.store.sql_sealed_log import SqlLogTables, SqlSealedLog, build_log_queries

_UNIQUE_VIOLATION = "23505"
"""The SQLSTATE of a duplicate key."""


@cache
def build_append(tables: SqlLogTables) -> str:
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
            return bool(self._write(build_append(self._tables), values))
        except StoreError as problem:
            if problem.details.get("sqlstate") != _UNIQUE_VIOLATION:
                raise
            return False
