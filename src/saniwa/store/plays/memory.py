"""Keeping plays for as long as this process lives."""

from threading import Lock
from typing import Final

from saniwa.store import lookup
from saniwa.store.plays.label import check_after, check_id, check_size, moved_on
from saniwa.store.plays.port import Kept

_PLACE: Final = "memory:"


class MemoryPlays:
    """Records in a dictionary."""

    def __init__(self) -> None:
        self._kept: dict[str, Kept] = {}
        self._lock = Lock()

    def create(self, play_id: str, content: bytes) -> None:
        """Keep a new record at revision 1.

        Raises:
            StoreError: `RUN_EXISTS`, `NAME_UNUSABLE`, `TRACE_UNWRITABLE`.
        """
        check_id(play_id, _PLACE)
        check_size(play_id, content, _PLACE)
        with self._lock:
            if play_id in self._kept:
                raise lookup.taken(play_id, _PLACE)
            self._kept[play_id] = Kept(revision=1, content=content)

    def get(self, play_id: str) -> Kept | None:
        """The record as it stands; None where there is none."""
        return self._kept.get(play_id)

    def revision(self, play_id: str) -> int | None:
        """Where the record stands; None where there is none."""
        kept = self._kept.get(play_id)
        return None if kept is None else kept.revision

    def put(self, play_id: str, content: bytes, *, after: int) -> None:
        """Replace a record; its revision is then `after` + 1.

        Raises:
            StoreError: `REVISION_CONFLICT`, `RUN_NOT_FOUND`, `TRACE_UNWRITABLE`.
        """
        check_size(play_id, content, _PLACE)
        with self._lock:
            kept = self._kept.get(play_id)
            if kept is None:
                raise lookup.unknown(play_id, self._kept, _PLACE)
            if kept.revision != after:
                raise moved_on(play_id, after, kept.revision, _PLACE)
            self._kept[play_id] = Kept(revision=after + 1, content=content)

    def ids(self, after: str = "", limit: int = 100) -> tuple[str, ...]:
        """The first ids behind `after`, at most `limit` of them, in order.

        Raises:
            StoreError: `NAME_UNUSABLE` if `after` can be no id.
        """
        check_after(after, _PLACE)
        with self._lock:
            return tuple(
                sorted(each for each in self._kept if each > after)[: max(limit, 0)]
            )

    def drop(self, play_id: str) -> None:
        """Forget a record; where there is none, nothing happens."""
        with self._lock:
            self._kept.pop(play_id, None)

    def close(self) -> None:
        """Nothing to let go of; the records stay until the keeper itself is gone."""
