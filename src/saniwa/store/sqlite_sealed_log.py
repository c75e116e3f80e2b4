"""Sealed logs in a SQLite file: an entry and its head are written in one transaction."""

from functools import cache

from saniwa.store.sealed_log import SealedEntry
from saniwa.store.sql_sealed_log import SqlLogTables, SqlSealedLog, build_log_queries


@cache
def build_append_statements(tables: SqlLogTables) -> tuple[str, str]:
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
        move, insert = build_append_statements(self._tables)
        number, seal, body, _, _ = entry
        if self._write(move, (run_id, number, seal, before)).rowcount != 1:
            return False
        self._write(insert, (run_id, number, seal, body))
        return True
