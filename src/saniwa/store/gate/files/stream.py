"""Reading a record as a stream, the chain checked on the way."""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from saniwa.process.record import Entry, start_of
from saniwa.store.gate import entry as gate_entry
from saniwa.store.gate.files import disk, sealed, trouble
from saniwa.store.gate.files.sealed import Reading


def entries_of(
    path: Path, run_id: str, span: tuple[int, bytes, int], after: int = 0
) -> Iterator[Entry]:
    """The entries of a run between two bytes of its record, of revisions beyond `after`.

    The span is the first byte, the seal before it and the last byte. Where the seal does
    not fit (an index told it), the record is read from its beginning.

    Raises:
        StoreError: `TRACE_CORRUPT`, `STORE_UNREADABLE`, on reaching what is wrong.
    """
    try:
        fd = disk.to_read(path)
    except OSError as problem:
        raise trouble.unreadable(path, problem) from problem
    try:
        yield from _entries(fd, path, run_id, span, after)
    except OSError as problem:
        raise trouble.unreadable(path, problem) from problem
    finally:
        os.close(fd)


def _entries(
    fd: int, path: Path, run_id: str, span: tuple[int, bytes, int], after: int
) -> Iterator[Entry]:
    start, before, end = span
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
        whole = (0, start_of(run_id), end)
        yield from _entries(fd, path, run_id, whole, after)
        return
    raise trouble.broken(path, sealed.line_number(fd, good), why)
