"""Sealed logs in a SQLite file: an entry and its head are written in one transaction."""

from collections.abc import Callable

from saniwa.core.errors import StoreError
from saniwa.store.sealed_log import SealedEntry
from saniwa.store.sql_sealed_log import SqlLogTables, SqlQuery, SqlSealedLog, build_log_queries
from saniwa.store.sqlite_file import SqliteFile


class SqliteSealedLog(SqlSealedLog):
    """Logs without keys in two tables of a file."""

    def __init__(
        self,
        tables: SqlLogTables,
        file: SqliteFile,
        query: SqlQuery,
        make_missing_error: Callable[[str], StoreError],
    ) -> None:
        """Read through `query`, and write to the file."""
        super().__init__(tables, query, file.place, make_missing_error)
        self._file = file
        last = build_log_queries(tables).last_seal
        # Only from the number and the seal that the last entry confirms.
        self._update_head = f"""
UPDATE {tables.heads} AS h SET {tables.counter} = ?2 + 1, seal = ?3
WHERE h.run_id = ?1 AND h.{tables.counter} = ?2 AND h.seal = ?4 AND ?4 = ({last})
"""
        self._insert_entry = f"INSERT INTO {tables.entries} VALUES (?, ?, ?, ?)"

    def append(self, run_id: str, before: bytes, entry: SealedEntry) -> bool:
        """Append an entry in the file's transaction, with which it becomes durable.

        False if the log does not end with the seal `before`: nothing was written.
        """
        execute, (number, seal, body, _, _) = self._file.execute, entry
        if execute(self._update_head, (run_id, number, seal, before)).rowcount != 1:
            return False
        execute(self._insert_entry, (run_id, number, seal, body))
        return True
