"""Records of plays in one SQLite file, beside the file of runs: for one machine.

A record is replaced by one statement that checks its revision, is synced to disk before
`put` returns, and is sealed, so that altered content is never returned. Several
processes may share the file.
"""

from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from saniwa.core.errors import StoreError
from saniwa.core.findings import SourceLocation
from saniwa.core.text import quote_value
from saniwa.store import lookup
from saniwa.store.play_records import (
    StoredPlay,
    check_id,
    check_size,
    check_start_id,
    is_usable_id,
    make_record_conflict_error,
)
from saniwa.store.sqlite_file import BUSY_TIMEOUT, SqliteFile, SqliteFileSchema

_SEAL_PREFIX: Final = b"\0seal1 "
_SEAL_LENGTH: Final = 32
_UNSEALED_PREFIX: Final = b"{"
"""First byte of records without a seal; no flipped bit makes it a seal's.
"""


def seal_record(play_id: str, revision: int, content: bytes) -> bytes:
    """Encode a record with its seal."""
    return _SEAL_PREFIX + _compute_seal(play_id, revision, content) + content


def unseal_record(play_id: str, revision: int, kept: bytes, place: str) -> bytes:
    """Return a record without its seal; one from before seals existed is not checked.

    Raises:
        StoreError: `TRACE_CORRUPT`.
    """
    if kept.startswith(_UNSEALED_PREFIX):
        return kept
    start = len(_SEAL_PREFIX) + _SEAL_LENGTH
    content = kept[start:]
    if kept[:start] == _SEAL_PREFIX + _compute_seal(play_id, revision, content):
        return content
    raise StoreError(
        "TRACE_CORRUPT",
        f"what is kept of run {quote_value(play_id)} is not what was written",
        where=SourceLocation(file=place),
        hint="bring the file back from a copy",
        details={"run": play_id},
    )


def _compute_seal(play_id: str, revision: int, content: bytes) -> bytes:
    name = play_id.encode("utf-8", "surrogatepass")
    return sha256(b"%d %b\0%b" % (revision, name, content)).digest()


APPLICATION_ID: Final = 0x53616E50
"""SQLite's application id of our files: "SanP"."""
SCHEMA_VERSION: Final = 1
"""Version of the table below; a file of a later version is not opened."""

_CREATE_TABLE: Final = """
CREATE TABLE plays (
  id TEXT PRIMARY KEY, revision INTEGER NOT NULL, content BLOB NOT NULL
) STRICT
"""
_FILE_SCHEMA: Final = SqliteFileSchema(
    mark=APPLICATION_ID, version=SCHEMA_VERSION, tables=(_CREATE_TABLE,), holds="plays"
)
_INSERT: Final = "INSERT INTO plays VALUES (?, 1, ?) ON CONFLICT DO NOTHING"
_SELECT: Final = "SELECT revision, content FROM plays WHERE id = ?"
_SELECT_REVISION: Final = "SELECT revision FROM plays WHERE id = ?"
_UPDATE: Final = """
UPDATE plays SET revision = revision + 1, content = ? WHERE id = ? AND revision = ?
"""
_SELECT_IDS: Final = "SELECT id FROM plays WHERE id > ? ORDER BY id LIMIT ?"
_DELETE: Final = "DELETE FROM plays WHERE id = ?"


class SqlitePlayRecords:
    """One file of plays."""

    def __init__(
        self, path: Path | str, *, patience: float = BUSY_TIMEOUT, together: bool = False
    ) -> None:
        """Open the file, or create it.

        Args:
            path: The file.
            patience: Seconds to wait for another process that is writing.
            together: Whether writes become durable only by `written.sync`.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_TOO_NEW`, `STORE_BUSY`,
                `TRACE_CORRUPT`, `TRACE_UNWRITABLE`.
        """
        self._file = SqliteFile(path, _FILE_SCHEMA, patience=patience, together=together)
        self.place = self._file.place
        self.written = self._file.written
        """The commits so far, and whether they are durable."""

    def create(self, play_id: str, content: bytes) -> None:
        """Store a new record, durably, at revision 1.

        Raises:
            StoreError: `RUN_EXISTS`, `NAME_UNUSABLE`, `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        check_id(play_id, self.place)
        check_size(play_id, content, self.place)
        if not self._execute_write(_INSERT, play_id, seal_record(play_id, 1, content)):
            raise lookup.make_run_exists_error(play_id, self.place)

    def get(self, play_id: str) -> StoredPlay | None:
        """Return the record; None if there is none.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_BUSY`, `TRACE_CORRUPT`.
        """
        if not is_usable_id(play_id):
            return None
        for revision, content in self._file.query(_SELECT, (play_id,)):
            unsealed = unseal_record(play_id, revision, content, self.place)
            return StoredPlay(revision=revision, content=unsealed)
        return None

    def get_revision(self, play_id: str) -> int | None:
        """Return the record's revision without its content; None if there is none.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_BUSY`, `TRACE_CORRUPT`.
        """
        if not is_usable_id(play_id):
            return None
        found = self._file.query(_SELECT_REVISION, (play_id,))
        return found[0][0] if found else None

    def put(self, play_id: str, content: bytes, *, after: int) -> None:
        """Replace a record, durably; its revision is then `after` + 1.

        Raises:
            StoreError: `REVISION_CONFLICT`, `RUN_NOT_FOUND`, `STORE_BUSY`,
                `TRACE_UNWRITABLE`, and then the old record is unchanged.
        """
        check_size(play_id, content, self.place)
        sealed = seal_record(play_id, after + 1, content)
        if not is_usable_id(play_id) or not self._execute_write(_UPDATE, sealed, play_id, after):
            raise self._make_refusal(play_id, after)

    def list_ids(self, after: str = "", limit: int = 100) -> tuple[str, ...]:
        """List the first ids after `after`, at most `limit` of them, in order.

        Raises:
            StoreError: `NAME_UNUSABLE` if `after` is not a valid id;
                `STORE_UNREADABLE`, `STORE_BUSY`, `TRACE_CORRUPT`.
        """
        check_start_id(after, self.place)
        found = self._file.query(_SELECT_IDS, (after, max(limit, 0)))
        ids = tuple(each for (each,) in found)
        if not _is_ordered((after, *ids)):
            raise StoreError(
                "TRACE_CORRUPT",
                "the list of what is kept is not what was written",
                where=SourceLocation(file=self.place),
                hint="bring the file back from a copy",
            )
        return ids

    def drop(self, play_id: str) -> None:
        """Delete a record, durably; does nothing if there is none.

        Raises:
            StoreError: `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        if is_usable_id(play_id):
            self._execute_write(_DELETE, play_id)

    def close(self) -> None:
        """Close the file; everything acknowledged is in it."""
        self._file.close()

    def _execute_write(self, statement: str, *values: object) -> bool:
        with self._file.begin_transaction():
            return self._file.execute(statement, values).rowcount == 1

    def _make_refusal(self, play_id: str, after: int) -> StoreError:
        stored = self.get(play_id)
        if stored is None:
            return lookup.make_unknown_run_error(play_id, self.list_ids(), self.place)
        return make_record_conflict_error(play_id, after, stored.revision, self.place)


def _is_ordered(ids: tuple[Any, ...]) -> bool:
    """Whether these are valid ids in ascending order: nothing else was ever stored."""
    named = all(isinstance(each, str) and is_usable_id(each) for each in ids[1:])
    return named and all(first < second for first, second in pairwise(ids))
