"""A run's published table: the six columns, made from the record and nothing else."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from saniwa.core.finding import Finding
from saniwa.process.record import HEADER, Entry, Record
from saniwa.store.gate.entry import row_in
from saniwa.store.gate.files import disk, trouble
from saniwa.store.gate.files.mending import mend
from saniwa.store.gate.files.place import Place

_SYNC_EVERY = 256
_SYNC_BYTES = 1 << 16
_UNSURE = 1 << 20
"""Bytes at the end that several writers together may not have synced yet."""
_HEAD = HEADER.encode()
_SPECIAL = re.compile(r'[",\r\n]').search
_AROUND = len("2026-01-01T00:00:00Z,,,,,\r\n")
_FAR = 32_503_680_000_000
"""The year 3000, in milliseconds; until then a moment has as many letters as now."""


def rows_of(entries: Iterable[Entry]) -> Iterator[bytes]:
    """The lines of the table that belongs to the entries, the header first."""
    yield _HEAD
    for entry in entries:
        if isinstance(entry, Record):
            yield row_in(entry)


def size_of(entry: Entry) -> int:
    """Bytes the entry's row has, mostly told without making it; a note has none."""
    if type(entry) is not Record:
        return 0
    key, width = entry.key, _width(entry.state, entry.event)
    plain = width and key.isascii() and not _SPECIAL(key)
    if plain and not entry.artifacts and 0 <= entry.at < _FAR:
        return width + len(key) + len(str(entry.revision)) + _AROUND
    return len(row_in(entry))


@lru_cache(maxsize=256)
def _width(state: str, event: str) -> int:
    """Bytes of both in a row that needs no quotes for them; else 0."""
    both = state + event
    return 0 if _SPECIAL(both) else len(both.encode())


class Table:
    """An open table; it knows how large it ought to be."""

    def __init__(self, path: Path, report: Callable[[Finding], None]) -> None:
        """A run's table, which is opened when it is looked at."""
        self.path = path
        self._report = report
        self._fd = -1
        self._place: Place | None = None
        self._holed = False
        self._unsynced = 0
        self._unsynced_bytes = 0
        self.size = len(_HEAD)
        """Bytes it ought to have."""

    def is_right(self) -> bool:
        """Whether it is as large as it ought to be, and a power cut left no holes in it.

        Raises:
            OSError: It cannot be opened.
        """
        known = self._place is not None and self._place.held_just_now()
        if not known and not self._open():
            return False
        # `fstat` would tell as well, and cost half a sync (see `place`).
        return os.lseek(self._fd, 0, os.SEEK_END) == self.size and not self._holed

    def has_more(self) -> bool:
        """Whether it is larger than it ought to be.

        Raises:
            OSError: It cannot be opened.
        """
        return self._open() and os.lseek(self._fd, 0, os.SEEK_END) > self.size

    def add(self, row: bytes) -> None:
        """Add the row of a record that is kept.

        A row that cannot be added now is added on the next opening, and that is said.
        """
        self.size += len(row)
        self._unsynced += 1
        self._unsynced_bytes += len(row)
        try:
            if os.write(self._fd, row) != len(row):
                raise OSError(0, "it took only a part")
            if self._unsynced >= _SYNC_EVERY or self._unsynced_bytes >= _SYNC_BYTES:
                self._sync()
        except OSError as problem:
            self._report(trouble.behind(self.path, problem))

    def mend(self, rows: Callable[[], Iterator[bytes]]) -> str:
        """Make it what the rows say, if a crash can have left it as it is.

        Returns what was done; empty if it was right.

        Raises:
            StoreError: `LOG_DIVERGED`, and nothing was changed.
            OSError: It cannot be written.
        """
        self.close()
        self.size, done = mend(self.path, rows)
        self._open()
        return done

    def close(self) -> None:
        """Make its rows last, and let go."""
        if self._fd >= 0:
            # The rows are made from a record that lasts: they can be made again.
            with suppress(OSError):
                self._sync()
            self.abandon()

    def abandon(self) -> None:
        """Let go, and change nothing."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd, self._place = -1, None

    def _sync(self) -> None:
        if self._unsynced and self._fd >= 0:
            os.fdatasync(self._fd)
        self._unsynced = self._unsynced_bytes = 0

    def _open(self) -> bool:
        self.abandon()
        try:
            self._fd = disk.opened(self.path, os.O_APPEND)[0]
        except FileNotFoundError:
            return False
        self._place = Place(self.path, self._fd)
        self._holed = has_holes(self._fd)
        return True


def has_holes(fd: int) -> bool:
    """Whether a power cut has left NULs among the last rows of an open table."""
    size = os.fstat(fd).st_size
    return b"\0" in os.pread(fd, _UNSURE, max(size - _UNSURE, 0))
