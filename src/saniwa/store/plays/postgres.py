"""Keeping plays in PostgreSQL: for several servers on many machines.

A record is replaced by one statement that checks its revision, committed to disk before
`put` returns. A server that went away and came back is connected to again. Needs the
extra `postgres`, imported when a keeper is opened.
"""

from threading import RLock
from typing import Any, Final

from saniwa.core.errors import StoreError
from saniwa.store import lookup
from saniwa.store.plays.label import check_after, check_id, check_size, moved_on, usable
from saniwa.store.plays.port import Kept
from saniwa.store.postgres_address import PATIENCE
from saniwa.store.postgres_tables import PostgresTables, Tables

VERSION: Final = 1
"""The shape of the tables below; tables of a later shape are not used."""

# One lock for everybody who makes the tables: two at once would trip over each other.
_TABLES: Final = """
SELECT pg_advisory_xact_lock(53619);
CREATE TABLE IF NOT EXISTS saniwa_plays_shape (version integer PRIMARY KEY);
CREATE TABLE IF NOT EXISTS saniwa_plays (
  id text COLLATE "C" PRIMARY KEY, revision bigint NOT NULL, content bytea NOT NULL
);
INSERT INTO saniwa_plays_shape
  SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM saniwa_plays_shape);
"""
_MADE: Final = "SELECT to_regclass('saniwa_plays_shape')::text"
_SHAPE: Final = "SELECT MAX(version) FROM saniwa_plays_shape"
_OURS: Final = Tables(_MADE, _TABLES, _SHAPE, VERSION)
_CREATE: Final = """
INSERT INTO saniwa_plays VALUES (%(id)s, 1, %(content)s)
ON CONFLICT DO NOTHING RETURNING 1
"""
_GET: Final = "SELECT revision, content FROM saniwa_plays WHERE id = %(id)s"
_REVISION: Final = "SELECT revision FROM saniwa_plays WHERE id = %(id)s"
_PUT: Final = """
UPDATE saniwa_plays SET revision = revision + 1, content = %(content)s
WHERE id = %(id)s AND revision = %(after)s RETURNING 1
"""
_IDS: Final = """
SELECT id FROM saniwa_plays WHERE id > %(after)s ORDER BY id LIMIT %(limit)s
"""
_DROP: Final = "DELETE FROM saniwa_plays WHERE id = %(id)s RETURNING 1"


class PostgresPlays(PostgresTables):
    """The table `saniwa_plays` of a database."""

    def __init__(self, url: str, *, patience: int = PATIENCE) -> None:
        """Connect, and make the tables where they are missing.

        Args:
            url: `postgresql://user:password@host/database`.
            patience: Seconds to wait for the server's first answer.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNKNOWN`, `STORE_UNREACHABLE`,
                `STORE_TOO_NEW`, `TRACE_UNWRITABLE`.
        """
        super().__init__(url, patience, _OURS)
        self._alone = RLock()

    def create(self, play_id: str, content: bytes) -> None:
        """Keep a new record, durably, at revision 1.

        Raises:
            StoreError: `RUN_EXISTS`, `NAME_UNUSABLE`, `STORE_UNREACHABLE`,
                `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        check_id(play_id, self.place)
        check_size(play_id, content, self.place)
        new = Kept(revision=1, content=content)
        if not self._kept(_CREATE, play_id, new):
            raise lookup.taken(play_id, self.place)

    def get(self, play_id: str) -> Kept | None:
        """The record as it stands; None where there is none.

        Raises:
            StoreError: `STORE_UNREACHABLE`, `STORE_BUSY`, `STORE_UNREADABLE`.
        """
        if not usable(play_id):
            return None
        for revision, content in self._ask(_GET, "STORE_UNREADABLE", id=play_id):
            return Kept(revision=revision, content=bytes(content))
        return None

    def revision(self, play_id: str) -> int | None:
        """Where the record stands, without its content; None where there is none.

        Raises:
            StoreError: `STORE_UNREACHABLE`, `STORE_BUSY`, `STORE_UNREADABLE`.
        """
        if not usable(play_id):
            return None
        found = self._ask(_REVISION, "STORE_UNREADABLE", id=play_id)
        return found[0][0] if found else None

    def put(self, play_id: str, content: bytes, *, after: int) -> None:
        """Replace a record, durably; its revision is then `after` + 1.

        Raises:
            StoreError: `REVISION_CONFLICT`, `RUN_NOT_FOUND`, `STORE_BUSY`,
                `TRACE_UNWRITABLE`, and then the old one stands; `STORE_UNREACHABLE`, and
                then only looking again tells whether it was replaced.
        """
        check_size(play_id, content, self.place)
        new = Kept(revision=after + 1, content=content)
        if not usable(play_id) or not self._kept(_PUT, play_id, new):
            raise self._refusal(play_id, after)

    def ids(self, after: str = "", limit: int = 100) -> tuple[str, ...]:
        """The first ids behind `after`, at most `limit` of them, in order.

        Raises:
            StoreError: `NAME_UNUSABLE` if `after` can be no id; `STORE_UNREACHABLE`,
                `STORE_BUSY`, `STORE_UNREADABLE`.
        """
        check_after(after, self.place)
        found = self._ask(_IDS, "STORE_UNREADABLE", after=after, limit=max(limit, 0))
        return tuple(each for (each,) in found)

    def drop(self, play_id: str) -> None:
        """Forget a record, durably; where there is none, nothing happens.

        Raises:
            StoreError: `STORE_UNREACHABLE`, `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        if usable(play_id):
            self._ask(_DROP, "TRACE_UNWRITABLE", id=play_id)

    def _kept(self, statement: str, play_id: str, new: Kept) -> bool:
        """Whether it was written, also where the server's word for it was lost."""
        with self._alone:
            values = {"id": play_id, "content": new.content, "after": new.revision - 1}
            try:
                return bool(self._asked(statement, "TRACE_UNWRITABLE", values))
            except StoreError as problem:
                if problem.code != "STORE_UNREACHABLE":
                    raise
            self.close()
            # The first attempt may have arrived: then the second finds it done.
            again = self._asked(statement, "TRACE_UNWRITABLE", values)
            return bool(again) or self.get(play_id) == new

    def _ask(self, question: str, code: str, **values: Any) -> list[Any]:
        """The answer; asked once more on a new connection if the server went away."""
        with self._alone:
            try:
                return self._asked(question, code, values)
            except StoreError as problem:
                if problem.code != "STORE_UNREACHABLE":
                    raise
            self.close()
            return self._asked(question, code, values)

    def _refusal(self, play_id: str, after: int) -> StoreError:
        kept = self.get(play_id)
        if kept is None:
            return lookup.unknown(play_id, self.ids(), self.place)
        return moved_on(play_id, after, kept.revision, self.place)
