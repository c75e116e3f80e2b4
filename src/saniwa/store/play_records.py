"""Records of plays: the interface, the checks all backends share, and memory storage.

Records are opaque bytes here; what they mean is up to the caller.
"""

from threading import Lock
from typing import Final, Protocol

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.findings import SourceLocation
from saniwa.core.text import quote_value
from saniwa.store import lookup

LONGEST_ID: Final = 200
"""Most characters an id may have."""
LARGEST_RECORD: Final = 16_000_000
"""Most bytes one record may have."""


def is_usable_id(play_id: str) -> bool:
    """Whether every backend could store a record under this id."""
    return 0 < len(play_id) <= LONGEST_ID and play_id.isprintable()


def check_id(play_id: str, place: str) -> None:
    """Refuse an id that people could not read or type again.

    Raises:
        StoreError: `NAME_UNUSABLE`.
    """
    if is_usable_id(play_id):
        return
    raise StoreError(
        "NAME_UNUSABLE",
        f"{quote_value(play_id)} cannot be the id of a run",
        where=SourceLocation(file=place),
        hint=f"use 1 to {LONGEST_ID} printable letters",
    )


def check_start_id(after: str, place: str) -> None:
    """Refuse an invalid start id; an empty one means the beginning.

    Raises:
        StoreError: `NAME_UNUSABLE`.
    """
    if after:
        check_id(after, place)


def check_size(play_id: str, content: bytes, place: str) -> None:
    """Refuse a record that is too large.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    if len(content) <= LARGEST_RECORD:
        return
    raise StoreError(
        "TRACE_UNWRITABLE",
        f"what is to be kept of run {quote_value(play_id)} has {len(content)} bytes, "
        f"and {LARGEST_RECORD} is the most",
        where=SourceLocation(file=place),
        hint="begin a new run; this one stands as it was kept last",
    )


def make_record_conflict_error(play_id: str, after: int, current: int, place: str) -> StoreError:
    """Build the error for a record that is not at the revision its writer expects."""
    return StoreError(
        "REVISION_CONFLICT",
        f"run {quote_value(play_id)} stands at revision {current}, and not at {after}",
        where=SourceLocation(file=place),
        hint="somebody else has played on: look at the run again, then repeat",
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
    """Records by id, in code-point order; each is replaced as a whole or not at all."""

    def create(self, play_id: str, content: bytes) -> None:
        """Store a new record, durably, at revision 1.

        Raises:
            StoreError: `RUN_EXISTS` if the id is taken; `NAME_UNUSABLE` if it is
                invalid; `TRACE_UNWRITABLE`, and then nothing was stored.
        """
        ...

    def get(self, play_id: str) -> StoredPlay | None:
        """Return the record; None if there is none.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_UNREACHABLE`, `STORE_BUSY`.
        """
        ...

    def get_revision(self, play_id: str) -> int | None:
        """Return the record's revision without its content; None if there is none.

        Raises:
            StoreError: As for `get`.
        """
        ...

    def put(self, play_id: str, content: bytes, *, after: int) -> None:
        """Replace a record, durably; its revision is then `after` + 1.

        Raises:
            StoreError: `REVISION_CONFLICT` if it is not at revision `after`;
                `RUN_NOT_FOUND`; `TRACE_UNWRITABLE`, and then the old record is
                unchanged.
        """
        ...

    def list_ids(self, after: str = "", limit: int = 100) -> tuple[str, ...]:
        """List the first ids after `after`, at most `limit` of them, in order.

        Raises:
            StoreError: `NAME_UNUSABLE` if `after` is not a valid id;
                `STORE_UNREADABLE`, `STORE_UNREACHABLE`, `STORE_BUSY`.
        """
        ...

    def drop(self, play_id: str) -> None:
        """Delete a record, durably; does nothing if there is none.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `STORE_UNREACHABLE`, `STORE_BUSY`.
        """
        ...

    def close(self) -> None:
        """Release files and connections; stored records stay."""
        ...


_PLACE: Final = "memory:"


class MemoryPlayRecords:
    """Records in a dictionary."""

    def __init__(self) -> None:
        self._plays: dict[str, StoredPlay] = {}
        self._lock = Lock()

    def create(self, play_id: str, content: bytes) -> None:
        """Store a new record at revision 1.

        Raises:
            StoreError: `RUN_EXISTS`, `NAME_UNUSABLE`, `TRACE_UNWRITABLE`.
        """
        check_id(play_id, _PLACE)
        check_size(play_id, content, _PLACE)
        with self._lock:
            if play_id in self._plays:
                raise lookup.make_run_exists_error(play_id, _PLACE)
            self._plays[play_id] = StoredPlay(revision=1, content=content)

    def get(self, play_id: str) -> StoredPlay | None:
        """Return the record; None if there is none."""
        return self._plays.get(play_id)

    def get_revision(self, play_id: str) -> int | None:
        """Return the record's revision; None if there is none."""
        stored = self._plays.get(play_id)
        return None if stored is None else stored.revision

    def put(self, play_id: str, content: bytes, *, after: int) -> None:
        """Replace a record; its revision is then `after` + 1.

        Raises:
            StoreError: `REVISION_CONFLICT`, `RUN_NOT_FOUND`, `TRACE_UNWRITABLE`.
        """
        check_size(play_id, content, _PLACE)
        with self._lock:
            stored = self._plays.get(play_id)
            if stored is None:
                raise lookup.make_unknown_run_error(play_id, self._plays, _PLACE)
            if stored.revision != after:
                raise make_record_conflict_error(play_id, after, stored.revision, _PLACE)
            self._plays[play_id] = StoredPlay(revision=after + 1, content=content)

    def list_ids(self, after: str = "", limit: int = 100) -> tuple[str, ...]:
        """List the first ids after `after`, at most `limit` of them, in order.

        Raises:
            StoreError: `NAME_UNUSABLE` if `after` is not a valid id.
        """
        check_start_id(after, _PLACE)
        with self._lock:
            return tuple(sorted(each for each in self._plays if each > after)[: max(limit, 0)])

    def drop(self, play_id: str) -> None:
        """Delete a record; does nothing if there is none."""
        with self._lock:
            self._plays.pop(play_id, None)

    def close(self) -> None:
        """Do nothing; the records live as long as this object."""
