"""The beginning of a run's files."""

import os
from contextlib import suppress
from pathlib import Path

from saniwa.core import lasting, lock
from saniwa.process.record import HEADER, start_of
from saniwa.store import lookup
from saniwa.store.gate.files import disk, roster, sealed, trouble
from saniwa.store.gate.files.folders import GateFolders

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL


def begin(folders: GateFolders, run_id: str, body: bytes, row: bytes) -> None:
    """Write a run's first record and its table, durably: both, or there is no run.

    The record comes first, under its name only when it is whole: who sees the name sees a
    run. Where a crash leaves no table, it is made on the first opening.

    Raises:
        StoreError: `RUN_EXISTS`, `TRACE_UNWRITABLE`, `STORE_UNREADABLE`.
    """
    journal, table = folders.journal(run_id), folders.table(run_id)
    if roster.is_there(table):
        raise lookup.taken(run_id, str(table.parent))
    _, line = sealed.line_of(start_of(run_id), body)
    try:
        lasting.make_folder(journal.parent)
        lasting.make_folder(table.parent)
        with lasting.begun(journal.parent) as new:
            new.write(line)
            new.sync()
            _settle(new, journal, table, HEADER.encode() + row)
    except FileExistsError as problem:
        raise lookup.taken(run_id, str(journal.parent)) from problem
    except OSError as problem:
        raise trouble.unwritable(journal, problem) from problem


def _settle(new: lasting.Begun, journal: Path, table: Path, rows: bytes) -> None:
    """Give a record its name, and make its table; neither, where one cannot be."""
    fd = new.file.fileno()
    # Whoever comes upon the name waits for the table, instead of making it as well.
    assert lock.taken(fd, lock.ALONE), "nobody knows the file yet"
    try:
        new.link(journal.name)
        try:
            lasting.sync_folder(journal.parent)
            _make_table(table, rows)
        except OSError as problem:
            _undo(journal, table)
            raise trouble.unwritable(journal, problem) from problem
    finally:
        lock.let_go(fd)


def _undo(journal: Path, table: Path) -> None:
    table.unlink(missing_ok=True)
    # Else a power cut could leave the table of a run that never was.
    with suppress(OSError):
        lasting.sync_folder(table.parent)
    journal.unlink(missing_ok=True)


def _make_table(path: Path, content: bytes) -> None:
    fd = os.open(path, _NEW, 0o666)
    try:
        disk.write_all(fd, content)
        os.fsync(fd)
    finally:
        os.close(fd)
    lasting.sync_folder(path.parent)
