"""Notices that an author has saved a file."""

from collections.abc import Iterable
from pathlib import Path

_Stamp = tuple[int, int, int] | None
"""When, how long, which; None for a file that is not there."""


class Watch:
    """Knows some files as they were, and tells when they are different."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._known = {path: _stamp(path) for path in paths}
        self._last = self._known

    def follow(self, paths: Iterable[Path]) -> None:
        """Watch these from now on; those known already as they were known."""
        known = self._known
        self._known = {p: known[p] if p in known else _stamp(p) for p in paths}
        self._last = self._known

    def changed(self, *, settled: bool = True) -> bool:
        """Whether something was saved since the last yes.

        Settled means that it is the same at two looks in a row: an editor may still be
        writing.
        """
        now = {path: _stamp(path) for path in self._known}
        still, self._last = now == self._last, now
        if now == self._known or (settled and not still):
            return False
        self._known = now
        return True


def _stamp(path: Path) -> _Stamp:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
