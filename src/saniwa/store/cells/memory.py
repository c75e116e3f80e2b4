"""Keeping cells for as long as this process lives."""

from collections.abc import Iterator
from threading import Lock

from saniwa.store.cells.label import check_key

_PLACE = "memory:"


class MemoryCells:
    """Outcomes in a dictionary."""

    def __init__(self) -> None:
        self._outcomes: dict[str, bytes] = {}
        self._lock = Lock()

    def keep(self, key: str, outcome: bytes) -> bool:
        """Keep a cell's outcome; False where it has one already, which stays.

        Raises:
            StoreError: `NAME_UNUSABLE`.
        """
        check_key(key, _PLACE)
        with self._lock:
            if key in self._outcomes:
                return False
            self._outcomes[key] = outcome
            return True

    def discard(self, key: str, outcome: bytes) -> bool:
        """Remove a cell's outcome; False where another is kept, or none.

        Raises:
            StoreError: `NAME_UNUSABLE`.
        """
        check_key(key, _PLACE)
        with self._lock:
            if self._outcomes.get(key) != outcome:
                return False
            del self._outcomes[key]
            return True

    def outcome(self, key: str) -> bytes | None:
        """What is kept for a cell; None where it is not finished.

        Raises:
            StoreError: `NAME_UNUSABLE`.
        """
        check_key(key, _PLACE)
        return self._outcomes.get(key)

    def keys(self) -> Iterator[str]:
        """The cells that are finished, in order."""
        return iter(sorted(self._outcomes))

    def close(self) -> None:
        """Nothing to let go of; the outcomes stay until the shelf itself is gone."""
