"""Looking over a run's files from the first byte to the last; mends nothing."""

import os
import time
from collections.abc import Callable, Iterator

import msgspec

from saniwa.core import lock
from saniwa.core.errors import StoreError
from saniwa.core.finding import Finding
from saniwa.process.definition import Process
from saniwa.process.record import HEADER, Entry, start_of
from saniwa.process.standing import Standing
from saniwa.store.gate import entry as gate_entry
from saniwa.store.gate import faults as gate_faults
from saniwa.store.gate.files import disk, roster, sealed, trouble
from saniwa.store.gate.files.folders import GateFolders
from saniwa.store.gate.files.sealed import Reading


def faults(
    run_id: str,
    folders: GateFolders,
    definition: Callable[[str], Process],
    patience: float,
) -> Iterator[Finding]:
    """What is wrong with a run's record, its table and the definitions it stands on.

    Others may go on writing; they wait only while the newest lines are read.

    Raises:
        StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`.
    """
    try:
        fd = disk.to_read(folders.journal(run_id))
    except FileNotFoundError as problem:
        missing = roster.absent(run_id, folders)
        if missing.code == "RUN_NOT_FOUND":
            raise missing from problem
        yield gate_faults.finding(missing)
        return
    except OSError as problem:
        raise trouble.unreadable(folders.journal(run_id), problem) from problem
    try:
        audit = _Audit(run_id, folders, fd, patience)
        yield from gate_faults.missing(audit.entries(), definition)
        yield from audit.found
    finally:
        os.close(fd)


class _Audit:
    """One way through a run's record with its table beside it."""

    def __init__(
        self, run_id: str, folders: GateFolders, fd: int, patience: float
    ) -> None:
        self.found: list[Finding] = []
        self._run_id = run_id
        self._path = folders.journal(run_id)
        self._table = folders.table(run_id)
        self._fd = fd
        self._patience = patience
        self._place = (0, start_of(run_id))
        self._standing: Standing | None = None
        self._rows = _Rows(folders, run_id)

    def entries(self) -> Iterator[Entry]:
        """Every entry that is what was written; what is not is noted on the way."""
        try:
            # What has its row is settled; what has none may be under way just now.
            yield from self._through(self._rows.settled(self._fd, self._lock))
            self._lock()
            yield from self._through(None)
            self._end()
        except (msgspec.DecodeError, ValueError) as problem:
            self._wrong(str(problem))
        except StoreError as problem:
            if problem.recoverable:
                raise
            self.found.append(gate_faults.finding(problem))
        finally:
            lock.let_go(self._fd)
            self._rows.close()

    def _through(self, limit: int | None) -> Iterator[Entry]:
        reading = Reading(self._fd, *self._place)
        for _, _, body in reading:
            entry = gate_entry.unpack(body)
            row = gate_entry.row_in(entry)
            if limit is not None and self._rows.at + len(row) > limit:
                return
            self._standing = gate_entry.fold(self._standing, self._run_id, entry)
            self._rows.compare(row)
            self._place = (reading.end, reading.seal)
            yield entry

    def _end(self) -> None:
        """What stands after the last line, in the record and in the table."""
        reading = Reading(self._fd, *self._place)
        if torn := reading.left():
            self._wrong(f"{torn} bytes are no whole line")
        elif self._standing is None:
            self._wrong("there is no first line, and so no run")
        self.found += self._rows.end()

    def _wrong(self, why: str) -> None:
        line = sealed.line_number(self._fd, self._place[0])
        problem = trouble.broken(self._path, line, why)
        self.found.append(gate_faults.finding(problem))

    def _lock(self) -> None:
        until = time.monotonic() + self._patience
        if not lock.take(self._fd, lock.SHARED, until):
            raise gate_entry.locked(self._run_id, self._patience, str(self._path))


class _Rows:
    """The table, row by row beside the record."""

    def __init__(self, folders: GateFolders, run_id: str) -> None:
        self._path = folders.table(run_id)
        self.at = 0
        """Bytes that the rows so far should have."""
        self._number = 0
        self._found: Finding | None = None
        try:
            self._fd = disk.to_read(self._path)
        except FileNotFoundError:
            self._fd = -1
        except OSError as problem:
            raise trouble.unreadable(self._path, problem) from problem
        self.compare(HEADER.encode())

    def settled(self, journal: int, wait: Callable[[], None]) -> int:
        """Bytes of the table at a moment when nobody is writing."""
        wait()
        size = os.fstat(self._fd).st_size if self._fd >= 0 else 0
        lock.let_go(journal)
        return size

    def compare(self, row: bytes) -> None:
        """See whether the next row is there; a note has none."""
        if not row:
            return
        self._number += 1
        there = os.pread(self._fd, len(row), self.at) if self._fd >= 0 else b""
        self.at += len(row)
        if there == row or self._found is not None:
            return
        if row.startswith(there):
            self._found = trouble.lacking(self._path, self._number)
        else:
            self._found = self._diverged("the row is another")

    def end(self) -> list[Finding]:
        """What was found, and whether there is more than there should be."""
        if self._found is None and self._fd >= 0:
            size = os.fstat(self._fd).st_size
            if size > self.at:
                self._number += 1
                more = f"{size - self.at} bytes belong to no record"
                self._found = self._diverged(more)
        return [self._found] if self._found is not None else []

    def close(self) -> None:
        """Let go."""
        if self._fd >= 0:
            os.close(self._fd)

    def _diverged(self, why: str) -> Finding:
        return gate_faults.finding(trouble.diverged(self._path, self._number, why))
