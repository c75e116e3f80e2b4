"""Records of plays in one SQLite file, next to the file of runs: for one machine.

A record is replaced by one statement that checks its revision, is synced to disk before
`put` returns, and is sealed, so that altered content is never returned. Several
processes may share the file.
"""

from collections.abc import Callable
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeVar

from saniwa.core.errors import StoreError
from saniwa.core.text import quote_value
from saniwa.store.play_records import SqlPlayRecords, StoredPlay, is_usable_id
from saniwa.store.sqlite_file import BUSY_TIMEOUT, SqliteFile, SqliteFileSchema

T = TypeVar("T")
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
        f"the stored record of run {quote_value(play_id)} is corrupt",
        where=place,
        hint="restore the file from a backup",
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


class SqlitePlayRecords(SqlPlayRecords):
    """One file of plays."""

    table = "plays"

    def __init__(
        self, path: Path | str, *, patience: float = BUSY_TIMEOUT, together: bool = False
    ) -> None:
        """Open the file, or create it.

        Args:
            path: The file.
            patience: Seconds to wait for another process that is writing.
            together: As for `SqliteFile`.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_TOO_NEW`, `STORE_BUSY`,
                `TRACE_CORRUPT`, `TRACE_UNWRITABLE`.
        """
        self._file = SqliteFile(path, _FILE_SCHEMA, patience=patience, together=together)
        self.place = self._file.place

    async def commit(self, write: Callable[[], T]) -> T:
        """Call `write`, and return its result once everything it stored is durable.

        Raises:
            StoreError: It could not be stored; nothing was written.
            Exception: Any error of `write`; nothing of it was written.
        """
        return await self._file.commit(write)

    def close(self) -> None:
        """Close the file; everything acknowledged is in it."""
        self._file.close()

    def _query(self, question: str, values: dict[str, Any]) -> list[Any]:
        return self._file.query(question, values)

    def _write(self, statement: str, play_id: str, new: StoredPlay) -> bool:
        sealed = seal_record(play_id, new.revision, new.content)
        values = {"id": play_id, "content": sealed, "after": new.revision - 1}
        with self._file.begin_transaction():
            return self._file.execute(statement, values).rowcount == 1

    def _select(self, play_id: str) -> StoredPlay | None:
        stored = super()._select(play_id)
        if stored is None:
            return None
        content = unseal_record(play_id, stored.revision, stored.content, self.place)
        return StoredPlay(revision=stored.revision, content=content)

    def _select_ids(self, after: str, limit: int) -> tuple[str, ...]:
        ids = super()._select_ids(after, limit)
        # Nothing but valid ids in ascending order was ever stored.
        named = all(isinstance(each, str) and is_usable_id(each) for each in ids)
        if not named or any(first >= second for first, second in pairwise((after, *ids))):
            raise StoreError(
                "TRACE_CORRUPT",
                "the index of stored records is corrupt",
                where=self.place,
                hint="restore the file from a backup",
            )
        return ids

    def _remove(self, play_id: str) -> None:
        with self._file.begin_transaction():
            self._file.execute(f"DELETE FROM {self.table} WHERE id = :id", {"id": play_id})
