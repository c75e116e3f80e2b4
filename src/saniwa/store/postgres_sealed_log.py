"""Sealed logs in PostgreSQL: an entry and its head are written by one statement."""

from collections.abc import Callable
from functools import cache

from saniwa.core.errors import StoreError
from saniwa.store.sealed_log import SealedEntry
from saniwa.store.sql_sealed_log import SqlLogTables, SqlQuery, SqlSealedLog, build_log_queries


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

    def __init__(
        self,
        tables: SqlLogTables,
        query: SqlQuery,
        write: SqlQuery,
        place: str,
        make_missing_error: Callable[[str], StoreError],
    ) -> None:
        """Read through `query`, and write through `write`."""
        super().__init__(tables, query, place, make_missing_error)
        self._write, self._append = write, build_append(tables)

    def append(self, run_id: str, before: bytes, entry: SealedEntry) -> bool:
        """Append an entry that follows the seal `before`; when this returns, it is on disk.

        False if the log does not end there: nothing was written.

        Raises:
            StoreError: It could not be written.
        """
        values = {
            "run": run_id,
            "before": before,
            "count": entry.number,
            "number": entry.number + self._kind.first,
            "seal": entry.seal,
            "body": entry.body,
            "revision": entry.revision,
            "key": entry.key,
        }
        return bool(self._write(self._append, values))
