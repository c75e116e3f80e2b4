"""The beginning of a run's files."""

import os
import time
from contextlib import suppress
from pathlib import Path

from saniwa.core import lasting, lock
from saniwa.process.record import HEADER, start_of
from saniwa.store import lookup
from saniwa.store.gate import entry as gate_entry
from saniwa.store.gate.files import disk, roster, sealed, trouble
from saniwa.store.gate.files.folders import GateFolders

_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL


def begin(
    folders: GateFolders, run_id: str, body: bytes, row: bytes, patience: float
) -> None:
    """Write a run's first record and its table, durably: both, or there is no run.

    The record comes first. Where a crash leaves no table, it is made on the first
    opening; where it leaves no whole line, there is no run.

    Raises:
        StoreError: `RUN_EXISTS`, `TRACE_UNWRITABLE`, `STORE_UNREADABLE`; `LOCK_TIMEOUT`
            if somebody who came upon the new name holds it for so many seconds.
    """
    journal, table = folders.journal(run_id), folders.table(run_id)
    if roster.is_there(table):
        raise lookup.taken(run_id, str(table.parent))
    _, line = sealed.line_of(start_of(run_id), body)
    try:
        lasting.make_folder(journal.parent)
        lasting.make_folder(table.parent)
        fd = os.open(journal, _NEW, 0o666)
    except FileExistsError as problem:
        raise lookup.taken(run_id, str(journal.parent)) from problem
    except OSError as problem:
        raise trouble.unwritable(journal, problem) from problem
    try:
        # Whoever sees the new name waits until there is a run behind it; we wait for
        # whoever came upon the name before there was a lock.
        if not lock.take(fd, lock.ALONE, time.monotonic() + patience):
            journal.unlink(missing_ok=True)
            raise gate_entry.locked(run_id, patience, str(journal))
        _fill(fd, journal, line)
        _make_table(table, HEADER.encode() + row)
    except OSError as problem:
        _undo(journal, table)
        raise trouble.unwritable(journal, problem) from problem
    finally:
        os.close(fd)


def _undo(journal: Path, table: Path) -> None:
    table.unlink(missing_ok=True)
    # Else a power cut could leave the table of a run that never was.
    with suppress(OSError):
        lasting.sync_folder(table.parent)
    journal.unlink(missing_ok=True)


def _make_table(path: Path, content: bytes) -> None:
    fd = os.open(path, _NEW, 0o666)
    try:
        _fill(fd, path, content)
    finally:
        os.close(fd)


def _fill(fd: int, path: Path, content: bytes) -> None:
    disk.write_all(fd, content)
    os.fsync(fd)
    lasting.sync_folder(path.parent)
