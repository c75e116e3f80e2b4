"""A gate's runs in memory, for the life of the process: for tests and experiments.

Stores bytes, as the durable logs do, so that callers get an entry of their own. Has no
seals: there is no disk that could change a byte.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from saniwa.core.findings import Finding
from saniwa.process.definition import Process, decode_process, encode_process, hash_process
from saniwa.process.record import EventRecord, LogEntry, LogNote
from saniwa.process.run import ProcessRun
from saniwa.store import lookup
from saniwa.store.gate import entries

_PLACE = "memory:"
LOCK_TIMEOUT = 10.0
"""Seconds to wait for a run that another thread has locked."""


class MemoryGateLog:
    """Runs and definitions in plain dictionaries; safe to share between threads."""

    def __init__(self, *, patience: float = LOCK_TIMEOUT) -> None:
        """Create an empty log that waits `patience` seconds for a locked run."""
        self._patience = patience
        self._runs: dict[str, _MemoryRunWriter] = {}
        self._definitions: dict[str, bytes] = {}
        self._lock = Lock()

    def create(self, run_id: str, record: EventRecord, process: Process) -> None:
        """Start a run with its first record and its definition.

        Raises:
            StoreError: `RUN_EXISTS`; `TRACE_UNWRITABLE`, `RECORD_TOO_LARGE`.
        """
        run = _MemoryRunWriter(run_id, record)
        self.store_definition(process)
        with self._lock:
            if run_id in self._runs:
                raise lookup.make_run_exists_error(run_id, _PLACE)
            self._runs[run_id] = run

    @contextmanager
    def lock_run(self, run_id: str) -> Iterator["_MemoryRunWriter"]:
        """Lock a run; other threads wait, and fail when they have waited too long.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`.
        """
        run = self._find_run(run_id)
        if not run.held.acquire(timeout=self._patience):
            raise entries.make_lock_timeout_error(run_id, self._patience, _PLACE)
        try:
            yield run
        finally:
            run.held.release()

    def load_run(self, run_id: str) -> ProcessRun:
        """Return a run as it is now; read-only.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        return self._find_run(run_id).snapshot_run()

    def read_entries(self, run_id: str, after: int = 0) -> Iterator[LogEntry]:
        """Stream records and notes of revisions after `after`, in the order written.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once.
        """
        return self._find_run(run_id).read_entries(after)

    def list_runs(self) -> Iterator[str]:
        """List the ids of all runs, oldest first."""
        return iter(sorted(self._runs))

    def find_faults(self, run_id: str) -> tuple[Finding, ...]:
        """Report definitions of a run that are missing.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        return tuple(
            entries.find_missing_definitions(self.read_entries(run_id), self.load_definition)
        )

    def store_definition(self, process: Process) -> None:
        """Store a definition under its hash."""
        self._definitions[hash_process(process)] = encode_process(process)

    def load_definition(self, hash: str) -> Process:
        """Return the definition with that hash.

        Raises:
            StoreError: `DEFINITION_MISSING`.
        """
        content = self._definitions.get(hash)
        if content is None:
            raise entries.make_definition_error(hash, "is not kept here", _PLACE)
        return decode_process(content)

    def close(self) -> None:
        """Do nothing; the runs live as long as the log object."""

    def _find_run(self, run_id: str) -> "_MemoryRunWriter":
        run = self._runs.get(run_id)
        if run is None:
            raise lookup.make_unknown_run_error(run_id, list(self._runs), _PLACE)
        return run


class _MemoryRunWriter:
    """One run, and the writer for it."""

    def __init__(self, run_id: str, record: EventRecord) -> None:
        self.held = Lock()
        self._run_id = run_id
        self._bodies: list[bytes] = []
        self._places: dict[str, int] = {}
        """The index of each key's record among the bodies."""
        self._standing: ProcessRun | None = None
        # Separate from `held`: a reader never waits for a writer to finish.
        self._changing = Lock()
        self._append_entry(record)

    @property
    def run(self) -> ProcessRun:
        """The current run."""
        assert self._standing is not None, "a run begins with a record"
        return self._standing

    def snapshot_run(self) -> ProcessRun:
        """Return a copy of the run, for a reader without the lock."""
        with self._changing:
            return entries.copy_run(self.run)

    def find_by_key(self, key: str) -> EventRecord | None:
        """Return the event that was accepted under an idempotency key."""
        place = self._places.get(key)
        if place is None:
            return None
        found = entries.decode_entry(self._bodies[place])
        assert isinstance(found, EventRecord), "only events have keys"
        return found

    def append(self, record: EventRecord) -> None:
        """Store the run's next event."""
        entries.check_revision(self.run, record, _PLACE)
        if (earlier := self.find_by_key(record.key)) is not None:
            raise entries.make_key_used_error(self._run_id, record.key, earlier.revision, _PLACE)
        self._append_entry(record)

    def append_note(self, note: LogNote) -> None:
        """Store a note beside the log."""
        self._append_entry(note)

    def read_entries(self, after: int) -> Iterator[LogEntry]:
        """Yield the run's entries of revisions after `after`."""
        for body in self._bodies:  # may grow while it is read
            entry = entries.decode_entry(body)
            if entry.revision > after:
                yield entry

    def _append_entry(self, entry: LogEntry) -> None:
        body = entries.encode_entry(entry)
        entries.render_new_row(entry)
        stored = entries.decode_entry(body)
        with self._changing:
            if isinstance(entry, EventRecord) and entry.key:
                self._places[entry.key] = len(self._bodies)
            self._bodies.append(body)
            self._standing = entries.apply_entry(self._standing, self._run_id, stored)
