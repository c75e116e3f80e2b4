"""What stands in a small file, read again only when somebody has changed it."""

from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

_Kind = TypeVar("_Kind")
_Mark = tuple[int, int, int, int]


class Watched(Generic[_Kind]):
    """A file that is replaced whole, and what was last read from it."""

    def __init__(self, path: Path, read: Callable[[Path], _Kind]) -> None:
        """Watch a file; it is read when somebody asks, not before."""
        self.path = path
        self._read = read
        self._last: tuple[_Mark, _Kind] | None = None

    def now(self) -> _Kind:
        """What stands there now; raises what reading raises."""
        mark = self._mark()
        if self._last is not None and self._last[0] == mark:
            return self._last[1]
        found = self._read(self.path)
        self._last = (mark, found) if mark is not None else None
        return found

    def _mark(self) -> _Mark | None:
        """What no other file in that place would have; None if there is none."""
        try:
            state = self.path.stat()
        except OSError:
            return None
        return state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns
