"""Logs in memory, for the life of the process.

Stores bytes, as the durable logs do, so that callers get an entry of their own. Checks no
seals: there is no disk that could change a byte.
"""

from collections.abc import Callable, Iterator
from threading import Lock

from saniwa.core.errors import StoreError
from saniwa.store.sealed_log import LogEnd, SealedEntry


class MemorySealedLog:
    """Logs in plain lists; safe to share between threads."""

    place = "memory:"

    def __init__(self, make_missing_error: Callable[[str], StoreError]) -> None:
        """Create no logs yet; `make_missing_error` is for a run without a log."""
        self._make_missing_error = make_missing_error
        self._logs: dict[str, list[SealedEntry]] = {}
        self._keys: dict[tuple[str, bytes | None], SealedEntry] = {}
        self._lock = Lock()

    def create(self, run_id: str, *entries: SealedEntry) -> bool:
        """Begin a log with these entries; False if there is one already."""
        with self._lock:
            if run_id in self._logs:
                return False
            self._logs[run_id] = [*entries]
            self._keys.update(((run_id, e.key), e) for e in entries if e.key is not None)
            return True

    def list_ids(self) -> list[str]:
        """List the runs, in the order in which their logs began."""
        return list(self._logs)

    def count_entries(self, run_id: str) -> int:
        """Count the entries of a log.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        return len(self._find_log(run_id))

    def read(self, run_id: str, after: LogEnd) -> Iterator[SealedEntry]:
        """Stream the entries after a point, also those that are added meanwhile.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once.
        """
        return _stream_entries(self._find_log(run_id), after.number)

    def append(self, run_id: str, before: bytes, entry: SealedEntry) -> bool:
        """Append an entry that follows the seal `before`.

        False if the log ends elsewhere, or has an entry with the same key.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        log = self._find_log(run_id)
        with self._lock:
            is_next = entry.number == len(log) and (not log or log[-1].seal == before)
            if not is_next or (run_id, entry.key) in self._keys:
                return False
            log.append(entry)
            if entry.key is not None:
                self._keys[run_id, entry.key] = entry
            return True

    def find_by_key(self, run_id: str, key: bytes) -> SealedEntry | None:
        """Find the entry that has the hash of a key."""
        return self._keys.get((run_id, key))

    def _find_log(self, run_id: str) -> list[SealedEntry]:
        log = self._logs.get(run_id)
        if log is None:
            raise self._make_missing_error(run_id)
        return log


def _stream_entries(log: list[SealedEntry], number: int) -> Iterator[SealedEntry]:
    while number < len(log):
        yield log[number]
        number += 1
