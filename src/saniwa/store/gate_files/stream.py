"""Reading a record as a stream, the chain checked on the way."""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from saniwa.process.record import START, Entry
from saniwa.store import gate_entry
from saniwa.store.gate_files import sealed, trouble
from saniwa.store.gate_files.sealed import Reading


def entries_of(
    path: Path, start: int, before: bytes, end: int, after: int = 0
) -> Iterator[Entry]:
    """The entries between two bytes of a record, of revisions beyond `after`.

    `before` is the seal before the first; where it does not fit (an index told it), the
    record is read from its beginning.

    Raises:
        StoreError: `TRACE_CORRUPT`, `STORE_UNREADABLE`, on reaching what is wrong.
    """
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError as problem:
        raise trouble.unreadable(path, problem) from problem
    try:
        yield from _entries(fd, path, start, before, end, after)
    finally:
        os.close(fd)


def _entries(
    fd: int, path: Path, start: int, before: bytes, end: int, after: int
) -> Iterator[Entry]:
    reading = Reading(fd, start, before)
    good = start
    try:
        for _, _, body in reading:
            entry = gate_entry.unpack(body)
            good = reading.end
            if entry.revision > after:
                yield entry
            if good >= end:
                return
        why = "it does not fit the one before it"
    except msgspec.DecodeError as problem:
        why = str(problem)
    if 0 < start == good:
        yield from _entries(fd, path, 0, START, end, after)
        return
    raise trouble.broken(path, sealed.line_number(fd, good), why)
