"""Whether an open file still has its name, without looking at the file itself.

Asking the kernel when a file was last changed makes the next write to it tell the time
anew, and that costs as much as half a sync (Linux 6.13 and later). So we ask the folder:
as long as nothing was moved in it, the name leads where it led. What counts is when the
folder itself was changed: that time nobody can put back, as a restore does with others.
"""

import os
import time
from pathlib import Path

from saniwa.core.clock import SystemClock

_NEVER = (0, 0, 0)
_FRESH = 50_000_000
"""Nanoseconds within which two changes of a folder may bear the same time."""


TRUSTED = 2_000_000
"""Nanoseconds for which a writer that stays need not look again. Who puts a backup in
place of a file loses what was written since, and by this much longer."""


class Place:
    """The name of an open file."""

    def __init__(self, path: Path, fd: int) -> None:
        """The name under which the file was opened."""
        self._folder = str(path.parent)
        self._path = path
        seen = os.fstat(fd)
        self._identity = (seen.st_dev, seen.st_ino)
        self._moment = _NEVER
        self._trusted = 0

    @property
    def settled(self) -> bool:
        """Whether the folder's own time is enough to tell, for as long as it stays."""
        return self._moment != _NEVER

    def holds(self) -> bool:
        """Whether the name still leads to the open file."""
        try:
            seen = os.stat(self._folder)  # noqa: PTH116 - at every event
        except FileNotFoundError:
            return False
        moment = (seen.st_ctime_ns, seen.st_ino, seen.st_dev)
        return moment == self._moment or self._looks_right(moment)

    def held_just_now(self) -> bool:
        """The same; but what held a moment ago is not looked at again."""
        now = time.monotonic_ns()
        if now < self._trusted:
            return True
        if not self.holds():
            return False
        self._trusted = now + TRUSTED
        return True

    def _looks_right(self, moment: tuple[int, int, int]) -> bool:
        # The folder was asked first: what changes meanwhile is seen the next time.
        settled = SystemClock().now() * 1_000_000 - moment[0] > _FRESH
        self._moment = moment if settled else _NEVER
        try:
            seen = self._path.stat()
        except FileNotFoundError:
            return False
        return (seen.st_dev, seen.st_ino) == self._identity
