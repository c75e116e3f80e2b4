"""Making a table what the record says, if only a crash can have left it otherwise."""

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from saniwa.core import lasting
from saniwa.store.gate.files import disk, trouble

_BATCH = 1 << 20
_TORN = 1 << 21
"""Bytes at the end that could be one torn row."""


def mend(path: Path, rows: Callable[[], Iterator[bytes]]) -> tuple[int, str]:
    """Make a table what the rows say; how large it is then, and what was done.

    What was done is empty where it was right.

    Raises:
        StoreError: `LOG_DIVERGED`, and nothing was changed.
        OSError: It cannot be written.
    """
    lasting.make_folder(path.parent)
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        size = os.fstat(fd).st_size
        right = _right(fd, rows(), path)
        if right < size:
            os.ftruncate(fd, right)
        now = _write_from(fd, rows(), right)
        os.fsync(fd)
        lasting.sync_folder(path.parent)
    finally:
        os.close(fd)
    return now, _told(size, right, now)


def _right(fd: int, rows: Iterable[bytes], path: Path) -> int:
    """How many bytes of a table are right.

    What follows the right ones is what a crash can have left: a piece of a row, or NULs
    where rows should be.

    Raises:
        StoreError: `LOG_DIVERGED`: it is anything else.
    """
    at = right = 0
    number = 0
    for number, row in enumerate(rows, 1):
        there = os.pread(fd, len(row), at)
        if there == row:
            right += len(row) if right == at else 0
        elif not _is_unfinished(there, row):
            _check_torn(fd, at, path, number)
            return right
        at += len(row)
    _check_torn(fd, at, path, number + 1)
    return right


def _is_unfinished(there: bytes, row: bytes) -> bool:
    """Whether bytes are the row as far as they go, or NUL where they are not."""
    if row.startswith(there):
        return True
    return b"\0" in there and all(a in (b, 0) for a, b in zip(there, row, strict=False))


def _check_torn(fd: int, at: int, path: Path, number: int) -> None:
    rest = os.pread(fd, _TORN, at)
    if len(rest) == _TORN or b"\n" in rest.strip(b"\0"):
        raise trouble.diverged(path, number, "there is a row that nobody kept")


def _write_from(fd: int, rows: Iterable[bytes], right: int) -> int:
    """Write all the rows that begin at a byte or after it; how large that makes it."""
    at = 0
    batch = bytearray()
    os.lseek(fd, right, os.SEEK_SET)
    for row in rows:
        if at >= right:
            batch += row
        at += len(row)
        if len(batch) >= _BATCH:
            disk.write_all(fd, bytes(batch))
            batch.clear()
    disk.write_all(fd, bytes(batch))
    return at


def _told(size: int, right: int, now: int) -> str:
    done = []
    if size > right:
        done.append(f"{size - right} bytes of a torn row were cut")
    if now > right:
        done.append(f"{now - right} bytes were added from the record")
    return ", ".join(done)
