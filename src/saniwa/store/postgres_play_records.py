"""Records of plays in PostgreSQL: for several servers on many machines.

A record is replaced by one statement that checks its revision, and is on disk before
`put` returns. A lost connection is reopened. Needs the extra `postgres`, imported when
the records are opened.
"""

from typing import Any, Final

from saniwa.core.errors import StoreError
from saniwa.store.play_records import SqlPlayRecords, StoredPlay
from saniwa.store.postgres_connection import PostgresDatabase, PostgresSchema

# One lock for all processes that create the tables: two at once would fail.
_SCHEMA: Final = PostgresSchema(
    "saniwa_plays_shape",
    """
SELECT pg_advisory_xact_lock(53619);
CREATE TABLE IF NOT EXISTS saniwa_plays_shape (version integer PRIMARY KEY);
CREATE TABLE IF NOT EXISTS saniwa_plays (
  id text COLLATE "C" PRIMARY KEY, revision bigint NOT NULL, content bytea NOT NULL
);
INSERT INTO saniwa_plays_shape
  SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM saniwa_plays_shape);
""",
)


class PostgresPlayRecords(SqlPlayRecords):
    """The table `saniwa_plays` of a database."""

    table = "saniwa_plays"

    def __init__(self, url: str) -> None:
        """Connect to `postgresql://user:password@host/database`; create missing tables.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNKNOWN`, `STORE_UNREACHABLE`,
                `STORE_TOO_NEW`, `TRACE_UNWRITABLE`.
        """
        self._database = PostgresDatabase(url, _SCHEMA)
        self.place = self._database.place

    def close(self) -> None:
        """Close the connection; a later query opens another."""
        self._database.close()

    def _query(self, question: str, values: dict[str, Any]) -> list[Any]:
        return self._database.query(question, values)

    def _write(self, statement: str, play_id: str, new: StoredPlay) -> bool:
        """Whether it was written, even if the server's first answer was lost."""
        statement += " RETURNING 1"
        values = {"id": play_id, "content": new.content, "after": new.revision - 1}
        try:
            return bool(self._database.query_once(statement, values, "TRACE_UNWRITABLE"))
        except StoreError as problem:
            if problem.code != "STORE_UNREACHABLE":
                raise
        # The first attempt may have succeeded: then the second finds it done.
        again = self._database.query_once(statement, values, "TRACE_UNWRITABLE")
        return bool(again) or self.get(play_id) == new

    def _remove(self, play_id: str) -> None:
        statement = f"DELETE FROM {self.table} WHERE id = :id RETURNING 1"
        self._database.query(statement, {"id": play_id}, "TRACE_UNWRITABLE")
