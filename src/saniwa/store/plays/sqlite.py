"""Keeping plays in one SQLite file, beside the file of runs: for one machine.

A record is replaced by one statement that checks its revision, synced to disk before
`put` returns, and sealed, so that nobody is told what was not written. Several processes
may share the file.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from saniwa.core.errors import StoreError
from saniwa.core.where import Where
from saniwa.store import lookup
from saniwa.store.plays.label import check_after, check_id, check_size, moved_on, usable
from saniwa.store.plays.port import Kept
from saniwa.store.plays.seal import sealed, unsealed
from saniwa.store.sqlite_file import PATIENCE, Shape, SqliteFile

MARK: Final = 0x53616E50
"""SQLite's application id of our files: "SanP"."""
VERSION: Final = 1
"""The shape of the table below; a file of a later shape is not opened."""

_TABLE: Final = """
CREATE TABLE plays (
  id TEXT PRIMARY KEY, revision INTEGER NOT NULL, content BLOB NOT NULL
) STRICT
"""
_SHAPE: Final = Shape(mark=MARK, version=VERSION, tables=(_TABLE,), holds="plays")
_CREATE: Final = "INSERT INTO plays VALUES (?, 1, ?) ON CONFLICT DO NOTHING"
_GET: Final = "SELECT revision, content FROM plays WHERE id = ?"
_REVISION: Final = "SELECT revision FROM plays WHERE id = ?"
_PUT: Final = """
UPDATE plays SET revision = revision + 1, content = ? WHERE id = ? AND revision = ?
"""
_IDS: Final = "SELECT id FROM plays WHERE id > ? ORDER BY id LIMIT ?"
_DROP: Final = "DELETE FROM plays WHERE id = ?"


class SqlitePlays:
    """One file of plays."""

    def __init__(
        self, path: Path | str, *, patience: float = PATIENCE, together: bool = False
    ) -> None:
        """Open the file, or make it.

        Args:
            path: The file.
            patience: Seconds to wait for another process that is writing.
            together: Whether what is kept becomes durable by `written.sync` alone.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_TOO_NEW`, `STORE_BUSY`,
                `TRACE_CORRUPT`, `TRACE_UNWRITABLE`.
        """
        self._file = SqliteFile(path, _SHAPE, patience=patience, together=together)
        self.place = self._file.place
        self.written = self._file.written
        """What was written, and whether it is durable."""

    def create(self, play_id: str, content: bytes) -> None:
        """Keep a new record, durably, at revision 1.

        Raises:
            StoreError: `RUN_EXISTS`, `NAME_UNUSABLE`, `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        check_id(play_id, self.place)
        check_size(play_id, content, self.place)
        if not self._written(_CREATE, play_id, sealed(play_id, 1, content)):
            raise lookup.taken(play_id, self.place)

    def get(self, play_id: str) -> Kept | None:
        """The record as it stands; None where there is none.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_BUSY`, `TRACE_CORRUPT`.
        """
        if not usable(play_id):
            return None
        for revision, content in self._file.ask(_GET, (play_id,)):
            whole = unsealed(play_id, revision, content, self.place)
            return Kept(revision=revision, content=whole)
        return None

    def revision(self, play_id: str) -> int | None:
        """Where the record stands, without its content; None where there is none.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_BUSY`, `TRACE_CORRUPT`.
        """
        if not usable(play_id):
            return None
        found = self._file.ask(_REVISION, (play_id,))
        return found[0][0] if found else None

    def put(self, play_id: str, content: bytes, *, after: int) -> None:
        """Replace a record, durably; its revision is then `after` + 1.

        Raises:
            StoreError: `REVISION_CONFLICT`, `RUN_NOT_FOUND`, `STORE_BUSY`,
                `TRACE_UNWRITABLE`, and then the old one stands.
        """
        check_size(play_id, content, self.place)
        whole = sealed(play_id, after + 1, content)
        if not usable(play_id) or not self._written(_PUT, whole, play_id, after):
            raise self._refusal(play_id, after)

    def ids(self, after: str = "", limit: int = 100) -> tuple[str, ...]:
        """The first ids behind `after`, at most `limit` of them, in order.

        Raises:
            StoreError: `NAME_UNUSABLE` if `after` can be no id; `STORE_UNREADABLE`,
                `STORE_BUSY`, `TRACE_CORRUPT`.
        """
        check_after(after, self.place)
        found = self._file.ask(_IDS, (after, max(limit, 0)))
        ids = tuple(each for (each,) in found)
        if not _in_order((after, *ids)):
            raise StoreError(
                "TRACE_CORRUPT",
                "the list of what is kept is not what was written",
                where=Where(file=self.place),
                hint="bring the file back from a copy",
            )
        return ids

    def drop(self, play_id: str) -> None:
        """Forget a record, durably; where there is none, nothing happens.

        Raises:
            StoreError: `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        if usable(play_id):
            self._written(_DROP, play_id)

    def close(self) -> None:
        """Let go of the file; everything acknowledged is in it."""
        self._file.close()

    def _written(self, statement: str, *values: object) -> bool:
        with self._file.writing():
            return self._file.execute(statement, values).rowcount == 1

    def _refusal(self, play_id: str, after: int) -> StoreError:
        kept = self.get(play_id)
        if kept is None:
            return lookup.unknown(play_id, self.ids(), self.place)
        return moved_on(play_id, after, kept.revision, self.place)


def _in_order(ids: tuple[Any, ...]) -> bool:
    """Whether they are ids, each behind the one before: nothing else was ever kept."""
    named = all(isinstance(each, str) and usable(each) for each in ids[1:])
    return named and all(first < second for first, second in pairwise(ids))
