"""Keeping a gate's runs for as long as this program lives: for tests and for trying out.

Keeps bytes, as the lasting logs do, so that what comes back is an entry of its own.
Seals nothing: there is no disk that could change a byte.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from saniwa.core.findings import Finding
from saniwa.process.definition import (
    Process,
    decode_process,
    encode_process,
    hash_process,
)
from saniwa.process.record import EventRecord, LogEntry, LogNote
from saniwa.process.run import ProcessRun
from saniwa.store import lookup
from saniwa.store.gate import entries

_PLACE = "memory:"
LOCK_TIMEOUT = 10.0
"""Seconds to wait for a run that somebody else holds."""


class MemoryGateLog:
    """Runs and definitions in plain dictionaries; any number of threads may share it."""

    def __init__(self, *, patience: float = LOCK_TIMEOUT) -> None:
        """An empty log that waits `patience` seconds for a run that is held."""
        self._patience = patience
        self._runs: dict[str, _MemoryRunWriter] = {}
        self._definitions: dict[str, bytes] = {}
        self._lock = Lock()

    def create(self, run_id: str, record: EventRecord, process: Process) -> None:
        """Begin a run: its first record, and the definition it stands on.

        Raises:
            StoreError: `RUN_EXISTS`; `TRACE_UNWRITABLE`, `RECORD_TOO_LARGE`.
        """
        body = entries.encode_entry(record)
        entries.render_new_row(record)
        run = _MemoryRunWriter(run_id, body)
        self.store_definition(process)
        with self._lock:
            if run_id in self._runs:
                raise lookup.make_run_exists_error(run_id, _PLACE)
            self._runs[run_id] = run

    @contextmanager
    def lock_run(self, run_id: str) -> Iterator["_MemoryRunWriter"]:
        """Hold a run alone; others wait, and those who wait too long are told.

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
        """Where a run stands now; only to be read.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        return self._find_run(run_id).snapshot_run()

    def read_entries(self, run_id: str, after: int = 0) -> Iterator[LogEntry]:
        """Records and notes in the order they were written, of revisions beyond `after`.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once.
        """
        return self._find_run(run_id).read_entries(after)

    def list_runs(self) -> Iterator[str]:
        """The ids of all runs, oldest first."""
        return iter(sorted(self._runs))

    def find_faults(self, run_id: str) -> tuple[Finding, ...]:
        """What is wrong with how a run is kept: definitions that are not here.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        return tuple(
            entries.find_missing_definitions(
                self.read_entries(run_id), self.load_definition
            )
        )

    def store_definition(self, process: Process) -> None:
        """Keep a definition under its hash."""
        self._definitions[hash_process(process)] = encode_process(process)

    def load_definition(self, hash: str) -> Process:
        """The definition with that hash.

        Raises:
            StoreError: `DEFINITION_MISSING`.
        """
        content = self._definitions.get(hash)
        if content is None:
            raise entries.make_definition_error(hash, "is not kept here", _PLACE)
        return decode_process(content)

    def close(self) -> None:
        """Nothing to let go of; the runs stay until the log itself is gone."""

    def _find_run(self, run_id: str) -> "_MemoryRunWriter":
        run = self._runs.get(run_id)
        if run is None:
            raise lookup.make_unknown_run_error(run_id, list(self._runs), _PLACE)
        return run


class _MemoryRunWriter:
    """One run, and the passage through it."""

    def __init__(self, run_id: str, body: bytes) -> None:
        self.held = Lock()
        self._run_id = run_id
        self._bodies = [body]
        self._starts = [0]
        """Where each revision's record stands among the bodies."""
        first = entries.decode_entry(body)
        self._standing = entries.apply_entry(None, run_id, first)
        assert isinstance(first, EventRecord), "a run begins with an event"
        self._places = {first.key: 0} if first.key else {}
        # Apart from `held`: a reader never waits for a passage to end.
        self._changing = Lock()

    @property
    def run(self) -> ProcessRun:
        """Where the run stands."""
        return self._standing

    def snapshot_run(self) -> ProcessRun:
        """Where the run stands, for somebody who does not hold it."""
        with self._changing:
            return entries.copy_run(self._standing)

    def find_by_key(self, key: str) -> EventRecord | None:
        """The event that was accepted under an idempotency key."""
        place = self._places.get(key)
        if place is None:
            return None
        found = entries.decode_entry(self._bodies[place])
        assert isinstance(found, EventRecord), "only events have keys"
        return found

    def append(self, record: EventRecord) -> None:
        """Keep the run's next event."""
        current = self._standing.revision
        if record.revision != current + 1:
            raise entries.make_revision_conflict_error(
                self._run_id, record, current, _PLACE
            )
        if (earlier := self.find_by_key(record.key)) is not None:
            raise entries.make_key_used_error(
                self._run_id, record.key, earlier.revision, _PLACE
            )
        self._append_entry(record)

    def append_note(self, note: LogNote) -> None:
        """Keep a note beside the log."""
        self._append_entry(note)

    def read_entries(self, after: int) -> Iterator[LogEntry]:
        """The run's entries of revisions beyond `after`."""
        place = self._starts[min(max(after, 0), len(self._starts) - 1)]
        while place < len(self._bodies):
            entry = entries.decode_entry(self._bodies[place])
            place += 1
            if entry.revision > after:
                yield entry

    def _append_entry(self, entry: LogEntry) -> None:
        body = entries.encode_entry(entry)
        entries.render_new_row(entry)
        kept = entries.decode_entry(body)
        with self._changing:
            if isinstance(entry, EventRecord):
                self._starts.append(len(self._bodies))
                if entry.key:
                    self._places[entry.key] = len(self._bodies)
            self._bodies.append(body)
            self._standing = entries.apply_entry(self._standing, self._run_id, kept)
