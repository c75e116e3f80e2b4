"""Locks around the files of one run, and the writer that uses them.

A run is locked twice: between threads by a lock in memory, between processes by a file
lock on its journal.
"""

import time
from collections.abc import Callable
from threading import Lock
from typing import Self

from saniwa.core import file_locks
from saniwa.core.clock import Clock
from saniwa.core.errors import StoreError
from saniwa.core.findings import Finding
from saniwa.process.event_record import EventRecord, LogNote
from saniwa.process.run_state import ProcessRun
from saniwa.store import storage_errors
from saniwa.store.gate import log_entries, run_files
from saniwa.store.gate.file_access import GateFolders
from saniwa.store.gate.run_files import RunFiles


class FileGateRunWriter:
    """Locks a run and writes to it, for one thread at a time; opened on first use."""

    _unused_key = ""
    """The key that was last found to be unused."""

    def __init__(
        self,
        run_id: str,
        folders: GateFolders,
        *,
        patience: float,
        clock: Clock,
        report: Callable[[Finding], None],
    ) -> None:
        """Create an unlocked run; nothing is opened."""
        self.used = 0
        """When it was last requested; counted by the log."""
        self._run_id = run_id
        self._folders = folders
        self._place = str(folders.locate_journal(run_id))
        self._patience = patience
        self._clock = clock
        self._report = report
        self._thread_lock = Lock()
        self._files: RunFiles | None = None
        self._closing = False

    def close(self) -> None:
        """Close the files; if the run is locked, they are closed on release."""
        self._closing = True
        if self._thread_lock.acquire(blocking=False):
            try:
                self._leave_files()
            finally:
                self._thread_lock.release()

    def abandon(self) -> None:
        """Close the files without changing them, as a forked child must."""
        if self._files is not None:
            self._files.abandon()
        self._files = None

    def _try_acquire(self) -> bool:
        """Lock a run that is open, free and unchanged: the usual, fast case."""
        files = self._files
        if files is None or not self._thread_lock.acquire(blocking=False):
            return False
        fd = files.journal.fd
        try:
            free = files is self._files and files.journal.writable
            if free and file_locks.try_lock(fd, file_locks.EXCLUSIVE):
                if files.is_unchanged():
                    return True
                file_locks.release_lock(fd)
        except OSError:
            # The slow path, from the beginning, reports what is wrong.
            self._drop_files()
        except BaseException:
            self._drop_files()
            self._thread_lock.release()
            raise
        self._thread_lock.release()
        return False

    def _acquire(self, kind: file_locks.LockKind) -> None:
        until = time.monotonic() + self._patience
        if not self._thread_lock.acquire(timeout=self._patience):
            raise self._make_timeout_error()
        try:
            self._prepare(kind, until)
        except BaseException as problem:
            # Whatever was in progress: the files are read again before they are used.
            self._drop_files()
            self._thread_lock.release()
            if isinstance(problem, OSError):
                path = self._folders.locate_journal(self._run_id)
                raise storage_errors.make_unreadable_error(path, problem) from problem
            raise

    def _prepare(self, kind: file_locks.LockKind, until: float) -> None:
        files = self._lock_files(kind, until)
        complete = files.catch_up()
        if files.run is None:
            raise self._make_absent_error()
        # If nothing can be written, a reader uses the complete part.
        if not complete and files.journal.writable:
            files = self._lock_files(file_locks.EXCLUSIVE, until)
            if not files.catch_up():
                files.repair()

    def _lock_files(self, kind: file_locks.LockKind, until: float) -> RunFiles:
        while True:
            files = self._open_files()
            journal = files.journal
            if kind == file_locks.EXCLUSIVE and journal.refusal is not None:
                raise storage_errors.make_append_error(journal.path, journal.refusal)
            if not file_locks.acquire_lock(journal.fd, kind, until):
                raise self._make_timeout_error()
            if journal.is_in_place():
                return files
            self._drop_files()

    def _release(self) -> None:
        try:
            if self._files is not None:
                file_locks.release_lock(self._files.journal.fd)
            if self._closing:
                self._leave_files()
        finally:
            self._thread_lock.release()

    def _leave_files(self) -> None:
        """Write the index if no other process has the lock, and close the files."""
        files = self._files
        if files is None:
            return
        journal = files.journal
        if journal.writable and file_locks.try_lock(journal.fd, file_locks.EXCLUSIVE):
            if journal.is_in_place() and not journal.has_more():
                files.write_index(leaving=True)
            file_locks.release_lock(journal.fd)
        self._drop_files()

    def _open_files(self) -> RunFiles:
        if self._files is None:
            try:
                self._files = RunFiles(self._run_id, self._folders, self._clock, self._report)
            except FileNotFoundError as problem:
                raise self._make_absent_error() from problem
        return self._files

    def _drop_files(self) -> None:
        """Close the files: they are read again before they are used again."""
        files, self._files = self._files, None
        if files is not None:
            files.close()

    def _make_timeout_error(self) -> StoreError:
        return log_entries.make_lock_timeout_error(self._run_id, self._patience, self._place)

    def _make_absent_error(self) -> StoreError:
        return run_files.make_absent_error(self._run_id, self._folders)

    def __enter__(self) -> Self:
        if not self._try_acquire():
            self._acquire(file_locks.EXCLUSIVE)
        return self

    def __exit__(self, *_: object) -> None:
        self._unused_key = ""
        try:
            if self._files is not None:
                self._files.write_index()
        finally:
            self._release()

    @property
    def run(self) -> ProcessRun:
        """The run with everything written so far; read-only."""
        assert self._files is not None, "a run that is locked is open"
        assert self._files.run is not None, "a run that is locked has been read"
        return self._files.run

    def find_by_key(self, key: str) -> EventRecord | None:
        """Return the event that was accepted under an idempotency key; it is durable.

        Raises:
            StoreError: `LOG_UNCERTAIN`; the log cannot be trusted.
        """
        assert self._files is not None, "a run that is locked is open"
        found = self._files.find_by_key(key)
        if found is None:
            self._unused_key = key
        return found

    def append(self, record: EventRecord) -> None:
        """Store the run's next event; it is durable when this returns.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `RECORD_TOO_LARGE`, `REVISION_CONFLICT` or
                `IDEMPOTENCY_CONFLICT`, and nothing was stored; `LOG_UNCERTAIN`.
        """
        log_entries.check_revision(self.run, record, self._place)
        key = record.key
        if key and key != self._unused_key and (earlier := self.find_by_key(key)) is not None:
            raise log_entries.make_key_used_error(self._run_id, key, earlier.revision, self._place)
        self._unused_key = ""
        self._append_entry(record)

    def append_note(self, note: LogNote) -> None:
        """Store a note besides the events, durably.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `RECORD_TOO_LARGE`; `LOG_UNCERTAIN`.
        """
        self._append_entry(note)

    def read_run(self) -> ProcessRun:
        """Return a copy of the run, for a reader that does not hold the lock.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`; the log cannot be trusted.
        """
        self._acquire(file_locks.SHARED)
        try:
            return log_entries.copy_run(self.run)
        finally:
            self._release()

    def find_span(self, after: int) -> tuple[int, bytes, int]:
        """Return a byte to read from, the seal before it, and the journal's valid end.

        The byte is at or before the revision that follows `after`.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`; the log cannot be trusted.
        """
        self._acquire(file_locks.SHARED)
        try:
            files = self._open_files()
            return *files.index.find_position(after + 1), files.journal.end
        finally:
            self._release()

    def _append_entry(self, entry: EventRecord | LogNote) -> None:
        assert self._files is not None, "a run that is locked is open"
        try:
            self._files.append(entry)
        except StoreError as problem:
            if problem.code == "LOG_UNCERTAIN":
                self._drop_files()
            raise
        except BaseException:
            # Interrupted: only the file knows how far the write got.
            self._drop_files()
            raise
