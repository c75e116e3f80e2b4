"""Records of plays in PostgreSQL: for several servers on many machines.

A record is replaced by one statement that checks its revision, and is on disk before
`put` returns. A lost connection is reopened. Needs the extra `postgres`, imported when
the records are opened.
"""

from threading import RLock
from typing import Any, Final

from saniwa.core.errors import StoreError
from saniwa.store import lookup
from saniwa.store.play_records import (
    StoredPlay,
    check_id,
    check_size,
    check_start_id,
    is_usable_id,
    make_record_conflict_error,
)
from saniwa.store.postgres_connection import CONNECT_TIMEOUT, PostgresSchema, PostgresTableStore

SCHEMA_VERSION: Final = 1
"""Version of the tables below; tables of a later version are not used."""

# One lock for all processes that create the tables: two at once would fail.
_CREATE_TABLES: Final = """
SELECT pg_advisory_xact_lock(53619);
CREATE TABLE IF NOT EXISTS saniwa_plays_shape (version integer PRIMARY KEY);
CREATE TABLE IF NOT EXISTS saniwa_plays (
  id text COLLATE "C" PRIMARY KEY, revision bigint NOT NULL, content bytea NOT NULL
);
INSERT INTO saniwa_plays_shape
  SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM saniwa_plays_shape);
"""
_SELECT_TABLES: Final = "SELECT to_regclass('saniwa_plays_shape')::text"
_SELECT_VERSION: Final = "SELECT MAX(version) FROM saniwa_plays_shape"
_SCHEMA: Final = PostgresSchema(_SELECT_TABLES, _CREATE_TABLES, _SELECT_VERSION, SCHEMA_VERSION)
_INSERT: Final = """
INSERT INTO saniwa_plays VALUES (%(id)s, 1, %(content)s)
ON CONFLICT DO NOTHING RETURNING 1
"""
_SELECT: Final = "SELECT revision, content FROM saniwa_plays WHERE id = %(id)s"
_SELECT_REVISION: Final = "SELECT revision FROM saniwa_plays WHERE id = %(id)s"
_UPDATE: Final = """
UPDATE saniwa_plays SET revision = revision + 1, content = %(content)s
WHERE id = %(id)s AND revision = %(after)s RETURNING 1
"""
_SELECT_IDS: Final = """
SELECT id FROM saniwa_plays WHERE id > %(after)s ORDER BY id LIMIT %(limit)s
"""
_DELETE: Final = "DELETE FROM saniwa_plays WHERE id = %(id)s RETURNING 1"


class PostgresPlayRecords(PostgresTableStore):
    """The table `saniwa_plays` of a database."""

    def __init__(self, url: str, *, patience: int = CONNECT_TIMEOUT) -> None:
        """Connect, and create missing tables.

        Args:
            url: `postgresql://user:password@host/database`.
            patience: Seconds to wait for the server's first answer.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNKNOWN`, `STORE_UNREACHABLE`,
                `STORE_TOO_NEW`, `TRACE_UNWRITABLE`.
        """
        super().__init__(url, patience, _SCHEMA)
        self._lock = RLock()

    def create(self, play_id: str, content: bytes) -> None:
        """Store a new record, durably, at revision 1.

        Raises:
            StoreError: `RUN_EXISTS`, `NAME_UNUSABLE`, `STORE_UNREACHABLE`,
                `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        check_id(play_id, self.place)
        check_size(play_id, content, self.place)
        new = StoredPlay(revision=1, content=content)
        if not self._is_written(_INSERT, play_id, new):
            raise lookup.make_run_exists_error(play_id, self.place)

    def get(self, play_id: str) -> StoredPlay | None:
        """Return the record; None if there is none.

        Raises:
            StoreError: `STORE_UNREACHABLE`, `STORE_BUSY`, `STORE_UNREADABLE`.
        """
        if not is_usable_id(play_id):
            return None
        for revision, content in self._query(_SELECT, "STORE_UNREADABLE", id=play_id):
            return StoredPlay(revision=revision, content=bytes(content))
        return None

    def get_revision(self, play_id: str) -> int | None:
        """Return the record's revision without its content; None if there is none.

        Raises:
            StoreError: `STORE_UNREACHABLE`, `STORE_BUSY`, `STORE_UNREADABLE`.
        """
        if not is_usable_id(play_id):
            return None
        found = self._query(_SELECT_REVISION, "STORE_UNREADABLE", id=play_id)
        return found[0][0] if found else None

    def put(self, play_id: str, content: bytes, *, after: int) -> None:
        """Replace a record, durably; its revision is then `after` + 1.

        Raises:
            StoreError: `REVISION_CONFLICT`, `RUN_NOT_FOUND`, `STORE_BUSY`,
                `TRACE_UNWRITABLE`, and then the old record is unchanged;
                `STORE_UNREACHABLE`, and then only reading it again shows whether it was
                replaced.
        """
        check_size(play_id, content, self.place)
        new = StoredPlay(revision=after + 1, content=content)
        if not is_usable_id(play_id) or not self._is_written(_UPDATE, play_id, new):
            raise self._make_refusal(play_id, after)

    def list_ids(self, after: str = "", limit: int = 100) -> tuple[str, ...]:
        """List the first ids after `after`, at most `limit` of them, in order.

        Raises:
            StoreError: `NAME_UNUSABLE` if `after` is not a valid id;
                `STORE_UNREACHABLE`, `STORE_BUSY`, `STORE_UNREADABLE`.
        """
        check_start_id(after, self.place)
        found = self._query(_SELECT_IDS, "STORE_UNREADABLE", after=after, limit=max(limit, 0))
        return tuple(each for (each,) in found)

    def drop(self, play_id: str) -> None:
        """Delete a record, durably; does nothing if there is none.

        Raises:
            StoreError: `STORE_UNREACHABLE`, `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        if is_usable_id(play_id):
            self._query(_DELETE, "TRACE_UNWRITABLE", id=play_id)

    def _is_written(self, statement: str, play_id: str, new: StoredPlay) -> bool:
        """Whether it was written, even if the server's first answer was lost."""
        with self._lock:
            values = {"id": play_id, "content": new.content, "after": new.revision - 1}
            try:
                return bool(self._query_once(statement, "TRACE_UNWRITABLE", values))
            except StoreError as problem:
                if problem.code != "STORE_UNREACHABLE":
                    raise
            self.close()
            # The first attempt may have succeeded: then the second finds it done.
            again = self._query_once(statement, "TRACE_UNWRITABLE", values)
            return bool(again) or self.get(play_id) == new

    def _query(self, question: str, code: str, **values: Any) -> list[Any]:
        """Execute a query; retry once on a new connection if the server went away."""
        with self._lock:
            try:
                return self._query_once(question, code, values)
            except StoreError as problem:
                if problem.code != "STORE_UNREACHABLE":
                    raise
            self.close()
            return self._query_once(question, code, values)

    def _make_refusal(self, play_id: str, after: int) -> StoreError:
        stored = self.get(play_id)
        if stored is None:
            return lookup.make_unknown_run_error(play_id, self.list_ids(), self.place)
        return make_record_conflict_error(play_id, after, stored.revision, self.place)
