"""A run's published CSV table: six columns, derived from the journal alone.

The journal is the truth: a table can be completed from it, and never corrects it.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from saniwa.core import atomic_files, system_calls
from saniwa.core.findings import Finding
from saniwa.process import event_record
from saniwa.process.event_record import HEADER, EventRecord, LogEntry
from saniwa.store.gate import file_access
from saniwa.store.gate.file_access import FileIdentity
from saniwa.store.gate.log_entries import render_stored_row

_BATCH = 1 << 20
_LONGEST_TORN_ROW = 1 << 21
"""Most bytes at the end that could be one torn row."""


def _count_valid_bytes(fd: int, rows: Iterable[bytes], path: Path) -> int:
    """Count the bytes of a table that are right.

    Only what a crash can leave may follow them: a piece of a row, or NULs in place of
    rows.

    Raises:
        StoreError: `LOG_DIVERGED`: it is anything else.
    """
    at = right = 0
    number = 0
    for number, row in enumerate(rows, 1):
        found = system_calls.read_at(fd, len(row), at)
        if found == row:
            right += len(row) if right == at else 0
        elif not _is_unfinished(found, row):
            _check_torn_row(fd, at, path, number)
            return right
        at += len(row)
    _check_torn_row(fd, at, path, number + 1)
    return right


def _is_unfinished(found: bytes, row: bytes) -> bool:
    """Whether the bytes are a beginning of the row, or the row with NULs in it."""
    if row.startswith(found):
        return True
    return b"\0" in found and all(a in (b, 0) for a, b in zip(found, row, strict=False))


def _check_torn_row(fd: int, at: int, path: Path, number: int) -> None:
    rest = system_calls.read_at(fd, _LONGEST_TORN_ROW, at)
    if len(rest) == _LONGEST_TORN_ROW or b"\n" in rest.strip(b"\0"):
        raise file_access.make_diverged_error(path, number, "there is a row without a record")


def _write_rows(fd: int, rows: Iterable[bytes], right: int) -> int:
    """Write the rows that start at or after byte `right`; return the table's size."""
    at = 0
    batch = bytearray()
    os.lseek(fd, right, os.SEEK_SET)
    for row in rows:
        if at >= right:
            batch += row
        at += len(row)
        if len(batch) >= _BATCH:
            file_access.write_all(fd, bytes(batch))
            batch.clear()
    file_access.write_all(fd, bytes(batch))
    return at


def _describe_repair(size: int, right: int, now: int) -> str:
    done = []
    if size > right:
        done.append(f"{size - right} bytes of an incomplete row were removed")
    if now > right:
        done.append(f"{now - right} bytes were added from the record")
    return ", ".join(done)


_SYNC_EVERY = 256
_SYNC_BYTES = 1 << 16
_CHECKED_BYTES = 1 << 20
"""Bytes at the end that several writers together may not have synced yet."""
_HEADER_BYTES = HEADER.encode()
_find_special = re.compile(r'[",\r\n]').search
_FIXED_WIDTH = len("2026-01-01T00:00:00Z,,,,,\r\n")
_LATEST_TIME = 32_503_680_000_000
"""The year 3000, in milliseconds; until then every timestamp has the same length."""


def render_rows(entries: Iterable[LogEntry]) -> Iterator[bytes]:
    """Yield the lines of the table for the entries, the header first."""
    return (line.encode() for line in event_record.render_rows(entries))


def compute_row_size(entry: LogEntry) -> int:
    """Compute the bytes of the entry's row, mostly without rendering; 0 for a note."""
    if type(entry) is not EventRecord:
        return 0
    key, width = entry.key, _compute_width(entry.state, entry.event)
    plain = width and key.isascii() and not _find_special(key)
    if plain and not entry.artifacts and 0 <= entry.at < _LATEST_TIME:
        return width + len(key) + len(str(entry.revision)) + _FIXED_WIDTH
    return len(render_stored_row(entry))


@lru_cache(maxsize=256)
def _compute_width(state: str, event: str) -> int:
    """Return the bytes of both if a row needs no quotes for them; else 0."""
    both = state + event
    return 0 if _find_special(both) else len(both.encode())


class RunCsvTable:
    """An open table that knows the size it should have."""

    def __init__(self, path: Path, report: Callable[[Finding], None]) -> None:
        """Create the table of a run; the file is opened on first use."""
        self.path = path
        self._report = report
        self._fd = -1
        self._place: FileIdentity | None = None
        self._holed = False
        self._unsynced = 0
        self._unsynced_bytes = 0
        self.size = len(_HEADER_BYTES)
        """The bytes it should have."""

    def is_complete(self) -> bool:
        """Whether it has the size it should have, and no holes from a power cut.

        Raises:
            OSError: It cannot be opened.
        """
        known = self._place is not None and self._place.is_recently_in_place()
        if not known and not self._open():
            return False
        # `fstat` would do as well, but costs half as much as a sync (see
        # `FileIdentity`).
        return os.lseek(self._fd, 0, os.SEEK_END) == self.size and not self._holed

    def has_more(self) -> bool:
        """Whether it is larger than it should be.

        Raises:
            OSError: It cannot be opened.
        """
        return self._open() and os.lseek(self._fd, 0, os.SEEK_END) > self.size

    def append(self, row: bytes) -> None:
        """Append the row of a stored record.

        A row that cannot be written now is reported, and added the next time the run is
        opened.
        """
        self.size += len(row)
        self._unsynced += 1
        self._unsynced_bytes += len(row)
        try:
            if os.write(self._fd, row) != len(row):
                raise OSError(0, "only a part was written")
            if self._unsynced >= _SYNC_EVERY or self._unsynced_bytes >= _SYNC_BYTES:
                self._sync()
        except OSError as problem:
            what = f"could not be extended: {problem.strerror}"
            hint = "free disk space; the event is saved, and its row is added when the run is next opened"
            self._report(file_access.make_behind_finding(self.path, what, hint))

    def repair(self, rows: Callable[[], Iterator[bytes]]) -> str:
        """Make it match the rows, if a crash can have left it as it is.

        Returns what was repaired; empty if nothing was.

        Raises:
            StoreError: `LOG_DIVERGED`, and nothing was changed.
            OSError: It cannot be written.
        """
        self.close()
        atomic_files.make_folder(self.path.parent)
        with os.fdopen(system_calls.open_file(self.path, os.O_RDWR | os.O_CREAT), "rb") as file:
            fd = file.fileno()
            size = os.fstat(fd).st_size
            right = _count_valid_bytes(fd, rows(), self.path)
            if right < size:
                os.ftruncate(fd, right)
            self.size = _write_rows(fd, rows(), right)
            os.fsync(fd)
            atomic_files.sync_folder(self.path.parent)
        self._open()
        return _describe_repair(size, right, self.size)

    def close(self) -> None:
        """Sync its rows, and close it."""
        if self._fd >= 0:
            # The rows are derived from a durable journal: they can be made again.
            with suppress(OSError):
                self._sync()
            self.abandon()

    def abandon(self) -> None:
        """Close it without changing anything."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd, self._place = -1, None

    def _sync(self) -> None:
        if self._unsynced and self._fd >= 0:
            system_calls.sync_content(self._fd)
        self._unsynced = self._unsynced_bytes = 0

    def _open(self) -> bool:
        self.abandon()
        try:
            self._fd = file_access.open_file(self.path, os.O_APPEND)[0]
        except FileNotFoundError:
            return False
        self._place = FileIdentity(self.path, self._fd)
        # A power cut may have left NULs among the last rows.
        start = max(os.fstat(self._fd).st_size - _CHECKED_BYTES, 0)
        self._holed = b"\0" in system_calls.read_at(self._fd, _CHECKED_BYTES, start)
        return True
