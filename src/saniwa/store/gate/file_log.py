"""A gate's runs in files: for any number of threads and processes on one machine.

Also creates a run's files and audits them; single runs are read and written through
`run_writer`.
"""

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock

from saniwa.core import atomic_files, file_locks, system_calls
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import StoreError
from saniwa.core.findings import Finding
from saniwa.process.definition import Process, encode_process
from saniwa.process.event_record import HEADER, EventRecord, LogEntry
from saniwa.process.run_state import ProcessRun
from saniwa.store import run_id_lookup, storage_errors
from saniwa.store.gate import describe, file_access, log_entries, run_files
from saniwa.store.gate import run_journal as gate_journal
from saniwa.store.gate.file_access import GateFolders, is_run_id
from saniwa.store.gate.run_journal import SealedLineReader, stream_entries
from saniwa.store.gate.run_writer import FileGateRunWriter
from saniwa.store.sealed_log import compute_first_seal


def audit_files(
    run_id: str, folders: GateFolders, definition: Callable[[str], Process], patience: float
) -> Iterator[Finding]:
    """Yield what is wrong with a run's journal, its table and its definitions.

    Others may go on writing; they wait only while the newest lines are read.

    Raises:
        StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`.
    """
    path = folders.locate_journal(run_id)
    try:
        fd = file_access.open_for_reading(path)
    except FileNotFoundError as problem:
        missing = run_files.make_absent_error(run_id, folders)
        if missing.code == "RUN_NOT_FOUND":
            raise missing from problem
        yield missing.to_finding(details=missing.details)
        return
    except OSError as problem:
        raise storage_errors.make_unreadable_error(path, problem) from problem
    with os.fdopen(fd, "rb", 0):
        audit = _FileAudit(run_id, folders, fd, patience)
        yield from log_entries.find_missing_definitions(audit.read_entries(), definition)
        yield from audit.found


class _FileAudit:
    """One pass through a run's journal, comparing its table row by row."""

    def __init__(self, run_id: str, folders: GateFolders, fd: int, patience: float) -> None:
        self.found: list[Finding] = []
        self._run_id = run_id
        self._path = folders.locate_journal(run_id)
        self._fd = fd
        self._patience = patience
        self._place = (0, compute_first_seal(run_id))
        self._run: ProcessRun | None = None
        self._table_path = folders.locate_table(run_id)
        self._table = -1
        with (
            storage_errors.translate_os_errors(
                storage_errors.make_unreadable_error, self._table_path
            ),
            suppress(FileNotFoundError),
        ):
            self._table = file_access.open_for_reading(self._table_path)
        self._rows = self._row_bytes = 0
        self._difference: Finding | None = None
        self._compare_row(HEADER.encode())

    def read_entries(self) -> Iterator[LogEntry]:
        """Yield every valid entry; faults are collected on the way."""
        try:
            self._lock_journal()
            size = self._measure_table()
            file_locks.release_lock(self._fd)
            # An entry that has its row is settled; one without a row may be in
            # progress.
            yield from self._read_through(size)
            self._lock_journal()
            yield from self._read_through(None)
            self._check_end()
        except ValueError as problem:
            self._report_corrupt(str(problem))
        except StoreError as problem:
            if problem.recoverable:
                raise
            self.found.append(problem.to_finding(details=problem.details))
        finally:
            file_locks.release_lock(self._fd)
            if self._table >= 0:
                os.close(self._table)

    def _read_through(self, limit: int | None) -> Iterator[LogEntry]:
        reading = SealedLineReader(self._fd, *self._place)
        for _, _, body in reading:
            entry = log_entries.decode_entry(body)
            row = log_entries.render_stored_row(entry)
            if limit is not None and self._row_bytes + len(row) > limit:
                return
            self._run = log_entries.apply_entry(self._run, self._run_id, entry)
            # A note has no row.
            if row:
                self._compare_row(row)
            self._place = (reading.end, reading.seal)
            yield entry

    def _compare_row(self, row: bytes) -> None:
        self._rows += 1
        found = (
            system_calls.read_at(self._table, len(row), self._row_bytes)
            if self._table >= 0
            else b""
        )
        self._row_bytes += len(row)
        if found == row or self._difference is not None:
            return
        if row.startswith(found):
            what = f"has no complete line {self._rows}, but the record has more"
            hint = "it will be completed from the record when the run is next opened"
            self._difference = file_access.make_behind_finding(
                self._table_path, what, hint, self._rows
            )
        else:
            self._report_diverged("the row is another")

    def _check_end(self) -> None:
        """Check what follows the last line, in the journal and in the table."""
        reading = SealedLineReader(self._fd, *self._place)
        if torn := reading.count_torn_bytes():
            self._report_corrupt(f"{torn} bytes are an incomplete line")
        elif self._run is None:
            self._report_corrupt("the first line is missing")
        more = self._measure_table() - self._row_bytes
        if self._difference is None and more > 0:
            self._rows += 1
            self._report_diverged(f"{more} bytes do not belong to a record")
        if self._difference is not None:
            self.found.append(self._difference)

    def _measure_table(self) -> int:
        return os.fstat(self._table).st_size if self._table >= 0 else 0

    def _report_diverged(self, why: str) -> None:
        problem = file_access.make_diverged_error(self._table_path, self._rows, why)
        self._difference = problem.to_finding(details=problem.details)

    def _report_corrupt(self, why: str) -> None:
        line = gate_journal.find_line_number(self._fd, self._place[0])
        problem = storage_errors.make_corrupt_line_error(self._path, line, why)
        self.found.append(problem.to_finding(details=problem.details))

    def _lock_journal(self) -> None:
        until = time.monotonic() + self._patience
        if not file_locks.acquire_lock(self._fd, file_locks.SHARED, until):
            raise log_entries.make_lock_timeout_error(self._run_id, self._patience, str(self._path))


_is_hash = re.compile(r"[0-9a-f]{64}").fullmatch
_NEW_FILE_FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL


def create_run_files(folders: GateFolders, run_id: str, body: bytes, row: bytes) -> None:
    """Write a run's first record and its table, durably: both or neither.

    The journal comes first, and gets its name only when it is complete: a process that
    sees the name sees a run. If a crash leaves no table, the next opening creates it.

    Raises:
        StoreError: `RUN_EXISTS`, `TRACE_UNWRITABLE`, `STORE_UNREADABLE`.
    """
    journal, table = folders.locate_journal(run_id), folders.locate_table(run_id)
    if run_files.is_present(table):
        raise run_id_lookup.make_run_exists_error(run_id, str(table.parent))
    _, line = gate_journal.seal_line(compute_first_seal(run_id), body)
    try:
        atomic_files.make_folder(journal.parent)
        atomic_files.make_folder(table.parent)
        with atomic_files.open_pending_file(journal.parent) as new:
            new.write(line)
            new.sync()
            _name_files(new, journal, table, HEADER.encode() + row)
    except FileExistsError as problem:
        raise run_id_lookup.make_run_exists_error(run_id, str(journal.parent)) from problem
    except OSError as problem:
        raise storage_errors.make_append_error(journal, problem) from problem


def _name_files(new: atomic_files.PendingFile, journal: Path, table: Path, rows: bytes) -> None:
    """Give a journal its name, and create its table; neither, if one fails."""
    fd = new.file.fileno()
    # A process that finds the name waits for the table, instead of creating it as well.
    locked = file_locks.try_lock(fd, file_locks.EXCLUSIVE)
    assert locked, "no other process uses the file yet"
    try:
        new.link(journal.name)
        try:
            atomic_files.sync_folder(journal.parent)
            _make_table(table, rows)
        except OSError as problem:
            _remove_files(journal, table)
            raise storage_errors.make_append_error(journal, problem) from problem
    finally:
        file_locks.release_lock(fd)


def _remove_files(journal: Path, table: Path) -> None:
    table.unlink(missing_ok=True)
    # Otherwise a power cut could leave the table of a run that never existed.
    with suppress(OSError):
        atomic_files.sync_folder(table.parent)
    journal.unlink(missing_ok=True)


def _make_table(path: Path, content: bytes) -> None:
    with os.fdopen(system_calls.open_file(path, _NEW_FILE_FLAGS), "rb", 0) as file:
        file_access.write_all(file.fileno(), content)
        os.fsync(file.fileno())
    atomic_files.sync_folder(path.parent)


MOST_OPEN_RUNS = 64
"""Most runs whose files stay open."""


class FileGateLog:
    """Runs in the folders of one gate."""

    def __init__(
        self,
        folders: GateFolders,
        *,
        patience: float = log_entries.LOCK_TIMEOUT,
        clock: Clock | None = None,
    ) -> None:
        """Create a log in these folders, which are made when the first run starts."""
        self._folders = folders
        self._patience = patience
        self._clock = clock or SystemClock()
        self._holds: dict[str, FileGateRunWriter] = {}
        self._opening = Lock()
        self._uses = count(1)
        self.repairs: list[Finding] = []
        """Repairs of files that a crash left unfinished; user interfaces show them."""
        log_entries.abandon_after_fork(self)

    def create(self, run_id: str, record: EventRecord, process: Process) -> None:
        """Start a run with its first record and its definition; durable.

        Raises:
            StoreError: `RUN_EXISTS`, `RUN_ID_UNUSABLE`; it could not be written.
        """
        if not is_run_id(run_id):
            raise describe("RUN_ID_UNUSABLE", run_id=run_id[:60]).to_error(StoreError)
        body, row = (log_entries.encode_entry(record), log_entries.render_new_row(record))
        self.store_definition(process)
        create_run_files(self._folders, run_id, body, row)

    def lock_run(self, run_id: str) -> FileGateRunWriter:
        """Lock a run; other callers wait, and fail when they have waited too long.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`; the log cannot be trusted.
        """
        hold = self._holds.get(run_id) or self._open_writer(run_id)
        hold.used = next(self._uses)
        return hold

    def load_run(self, run_id: str) -> ProcessRun:
        """Return a run as it is now; read-only.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`; the log cannot be trusted.
        """
        return self.lock_run(run_id).read_run()

    def read_entries(self, run_id: str, after: int = 0) -> Iterator[LogEntry]:
        """Stream records and notes in the order they were written.

        Only those of revisions greater than `after`.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once; the log cannot be trusted.
        """
        span = self.lock_run(run_id).find_span(after)
        return stream_entries(self._folders.locate_journal(run_id), run_id, span, after)

    def list_runs(self) -> Iterator[str]:
        """List the ids of all runs, oldest first."""
        return iter(run_files.list_run_ids(self._folders))

    def find_faults(self, run_id: str) -> tuple[Finding, ...]:
        """Check how a run is stored, from its first byte to its last.

        Reads everything and repairs nothing.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`.
        """
        if not is_run_id(run_id):
            raise run_files.make_absent_error(run_id, self._folders)
        return tuple(audit_files(run_id, self._folders, self.load_definition, self._patience))

    def store_definition(self, process: Process) -> None:
        """Store a definition under its hash; durable.

        Raises:
            StoreError: `TRACE_UNWRITABLE`.
        """
        content = encode_process(process)
        path = self._folders.locate_definition(hashlib.sha256(content).hexdigest())
        with storage_errors.translate_os_errors(storage_errors.make_append_error, path):
            if not path.exists() or path.read_bytes() != content:
                atomic_files.make_folder(path.parent)
                atomic_files.write_atomically(path.parent, path.name, content)

    def load_definition(self, hash: str) -> Process:
        """Return the definition with that hash.

        Raises:
            StoreError: `DEFINITION_MISSING`: it is not stored here, or has changed.
        """
        place = str(self._folders.definitions)
        if not _is_hash(hash):
            raise log_entries.make_definition_error(hash[:64], "is not stored here", place)
        try:
            content = self._folders.locate_definition(hash).read_bytes()
        except OSError as problem:
            why = f"cannot be read: {problem.strerror}"
            raise log_entries.make_definition_error(hash, why, place) from problem
        return log_entries.decode_definition(hash, content, place, "has changed")

    def close(self) -> None:
        """Close all files; the log can still be used afterwards."""
        with self._opening:
            holds, self._holds = list(self._holds.values()), {}
        for hold in holds:
            hold.close()

    def abandon(self) -> None:
        """Close all files unchanged: a forked child shares its parent's locks."""
        self._opening = Lock()
        for hold in self._holds.values():
            hold.abandon()
        self._holds = {}

    def _open_writer(self, run_id: str) -> FileGateRunWriter:
        if not is_run_id(run_id):
            raise run_files.make_absent_error(run_id, self._folders)
        with self._opening:
            while len(self._holds) >= MOST_OPEN_RUNS:
                oldest = min(self._holds, key=lambda each: self._holds[each].used)
                self._holds.pop(oldest).close()
            hold = FileGateRunWriter(
                run_id,
                self._folders,
                patience=self._patience,
                clock=self._clock,
                report=self.repairs.append,
            )
            return self._holds.setdefault(run_id, hold)
