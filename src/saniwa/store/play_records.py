"""Records of plays: what all backends share, and memory storage.

Records are opaque bytes here; what they mean is up to the caller.
"""

from collections.abc import Callable
from threading import Lock
from typing import Any, Final, Protocol, TypeVar

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.text import quote_value
from saniwa.store import run_id_lookup

T = TypeVar("T")
LONGEST_ID: Final = 200
"""Most characters an id may have."""
LARGEST_RECORD: Final = 16_000_000
"""Most bytes one record may have."""


def is_usable_id(play_id: str) -> bool:
    """Whether every backend could store a record under this id."""
    return 0 < len(play_id) <= LONGEST_ID and play_id.isprintable()


def make_record_conflict_error(play_id: str, after: int, current: int, place: str) -> StoreError:
    """Build the error for a record that is not at the revision its writer expects."""
    return StoreError(
        "REVISION_CONFLICT",
        f"run {quote_value(play_id)} is at revision {current}, not at {after}",
        where=place,
        hint="another process has continued the run; read it again, then retry",
        recoverable=True,
        details={"run": play_id, "expected": after, "current": current},
    )


class StoredPlay(msgspec.Struct, frozen=True, kw_only=True):
    """A record and its revision."""

    revision: int
    """1 when it is new; one more each time it is replaced."""
    content: bytes
    """The bytes as they were given."""


class PlayRecords(Protocol):
    """Records by id, in code-point order; each is replaced as a whole or not at all.

    A backend implements the private operations; ids and sizes are checked before them.
    """

    place: str
    """The store's name in messages; never contains a password."""

    async def commit(self, write: Callable[[], T]) -> T:
        """Call `write`, and return its result once everything it stored is durable.

        On a server it does not keep others waiting, as a single `create` or `put` does.

        Raises:
            StoreError: It could not be stored; nothing was written.
            Exception: Any error of `write`; nothing of it was written.
        """
        return write()

    def create(self, play_id: str, content: bytes) -> None:
        """Store a new record, durably, at revision 1.

        Raises:
            StoreError: `RUN_EXISTS` if the id is taken; `NAME_UNUSABLE` if it is
                invalid; `TRACE_UNWRITABLE`, and then nothing was stored;
                `STORE_UNREACHABLE`, `STORE_BUSY`.
        """
        self._check_id(play_id)
        self._check_size(play_id, content)
        if not self._insert(play_id, content):
            raise run_id_lookup.make_run_exists_error(play_id, self.place)

    def get(self, play_id: str) -> StoredPlay | None:
        """Return the record; None if there is none.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_UNREACHABLE`, `STORE_BUSY`,
                `TRACE_CORRUPT`.
        """
        return self._select(play_id) if is_usable_id(play_id) else None

    def get_revision(self, play_id: str) -> int | None:
        """Return the record's revision without its content; None if there is none.

        Raises:
            StoreError: As for `get`.
        """
        return self._select_revision(play_id) if is_usable_id(play_id) else None

    def put(self, play_id: str, content: bytes, *, after: int) -> None:
        """Replace a record, durably; its revision is then `after` + 1.

        Raises:
            StoreError: `REVISION_CONFLICT` if its revision is not `after`;
                `RUN_NOT_FOUND`; `STORE_BUSY`, `TRACE_UNWRITABLE`, and then the old
                record is unchanged; `STORE_UNREACHABLE`, and then only reading it again
                shows whether it was replaced.
        """
        self._check_size(play_id, content)
        if is_usable_id(play_id) and self._update(play_id, content, after):
            return
        stored = self.get(play_id)
        if stored is None:
            raise run_id_lookup.make_unknown_run_error(play_id, self.list_ids(), self.place)
        raise make_record_conflict_error(play_id, after, stored.revision, self.place)

    def list_ids(self, after: str = "", limit: int = 100) -> tuple[str, ...]:
        """List the first ids after `after`, at most `limit` of them, in order.

        Raises:
            StoreError: `NAME_UNUSABLE` if `after` is not a valid id;
                `STORE_UNREADABLE`, `STORE_UNREACHABLE`, `STORE_BUSY`, `TRACE_CORRUPT`.
        """
        if after:
            self._check_id(after)
        return self._select_ids(after, max(limit, 0))

    def drop(self, play_id: str) -> None:
        """Delete a record, durably; does nothing if there is none.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `STORE_UNREACHABLE`, `STORE_BUSY`.
        """
        if is_usable_id(play_id):
            self._remove(play_id)

    def close(self) -> None:
        """Release files and connections; stored records stay."""

    def _insert(self, play_id: str, content: bytes) -> bool: ...

    def _update(self, play_id: str, content: bytes, after: int) -> bool: ...

    def _select(self, play_id: str) -> StoredPlay | None: ...

    def _select_revision(self, play_id: str) -> int | None: ...

    def _select_ids(self, after: str, limit: int) -> tuple[str, ...]: ...

    def _remove(self, play_id: str) -> None: ...

    def _check_id(self, play_id: str) -> None:
        if not is_usable_id(play_id):
            raise StoreError(
                "NAME_UNUSABLE",
                f"{quote_value(play_id)} cannot be the id of a run",
                where=self.place,
                hint=f"use 1 to {LONGEST_ID} printable characters",
            )

    def _check_size(self, play_id: str, content: bytes) -> None:
        if len(content) > LARGEST_RECORD:
            raise StoreError(
                "TRACE_UNWRITABLE",
                f"what is to be kept of run {quote_value(play_id)} has {len(content)} bytes, "
                f"and {LARGEST_RECORD} is the most",
                where=self.place,
                hint="start a new run; this one is unchanged since it was last saved",
            )


class MemoryPlayRecords(PlayRecords):
    """Records in a dictionary, which live as long as this object."""

    place = "memory:"

    def __init__(self) -> None:
        self._plays: dict[str, StoredPlay] = {}
        self._lock = Lock()

    def close(self) -> None:
        """Do nothing; the records live as long as this object."""

    def _insert(self, play_id: str, content: bytes) -> bool:
        with self._lock:
            new = StoredPlay(revision=1, content=content)
            return self._plays.setdefault(play_id, new) is new

    def _update(self, play_id: str, content: bytes, after: int) -> bool:
        with self._lock:
            if self._select_revision(play_id) != after:
                return False
            self._plays[play_id] = StoredPlay(revision=after + 1, content=content)
            return True

    def _select(self, play_id: str) -> StoredPlay | None:
        return self._plays.get(play_id)

    def _select_revision(self, play_id: str) -> int | None:
        stored = self._plays.get(play_id)
        return None if stored is None else stored.revision

    def _select_ids(self, after: str, limit: int) -> tuple[str, ...]:
        with self._lock:
            return tuple(sorted(each for each in self._plays if each > after)[:limit])

    def _remove(self, play_id: str) -> None:
        with self._lock:
            self._plays.pop(play_id, None)


class SqlPlayRecords(PlayRecords, Protocol):
    """Records in an SQL table, in the part of the language that all servers share."""

    table: str
    """The table: id, revision, content."""

    def _query(self, question: str, values: dict[str, Any]) -> list[Any]: ...

    def _write(self, statement: str, play_id: str, new: StoredPlay) -> bool: ...

    def _insert(self, play_id: str, content: bytes) -> bool:
        statement = f"INSERT INTO {self.table} VALUES (:id, 1, :content)"
        new = StoredPlay(revision=1, content=content)
        return self._write(f"{statement} ON CONFLICT DO NOTHING", play_id, new)

    def _update(self, play_id: str, content: bytes, after: int) -> bool:
        statement = f"UPDATE {self.table} SET revision = revision + 1, content = :content"
        where = "WHERE id = :id AND revision = :after"
        new = StoredPlay(revision=after + 1, content=content)
        return self._write(f"{statement} {where}", play_id, new)

    def _select(self, play_id: str) -> StoredPlay | None:
        question = f"SELECT revision, content FROM {self.table} WHERE id = :id"
        for revision, content in self._query(question, {"id": play_id}):
            return StoredPlay(revision=revision, content=bytes(content))
        return None

    def _select_revision(self, play_id: str) -> int | None:
        question = f"SELECT revision FROM {self.table} WHERE id = :id"
        found = self._query(question, {"id": play_id})
        return found[0][0] if found else None

    def _select_ids(self, after: str, limit: int) -> tuple[str, ...]:
        question = f"SELECT id FROM {self.table} WHERE id > :after ORDER BY id LIMIT :limit"
        return tuple(each for (each,) in self._query(question, {"after": after, "limit": limit}))
