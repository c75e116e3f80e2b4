"""A gate's runs in sealed logs, in memory or in a database.

A backend implements the private operations: locks, definitions, snapshots, and the log
itself; `MemoryGateLog` is the one for tests and experiments. What an event may follow,
and what a run's entries add up to, is decided here.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from typing import NoReturn, Protocol

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.findings import Finding
from saniwa.core.text import is_storable_text
from saniwa.process.definition import Process, encode_process
from saniwa.process.event_record import EventRecord, LogEntry, LogNote
from saniwa.process.run_state import ProcessRun
from saniwa.store import run_id_lookup
from saniwa.store.gate import log_entries
from saniwa.store.sealed_log import (
    EVENTS,
    LogEnd,
    MemorySealedLog,
    SealedEntry,
    SealedLog,
    compute_first_seal,
    compute_seal,
    make_corrupt_entry_error,
)

SNAPSHOT_INTERVAL = 1000
"""After this many entries a new snapshot of the run is stored."""
_MOST_CACHED = 256
_ENCODE = msgspec.json.Encoder().encode
_RUN_DECODER = msgspec.json.Decoder(ProcessRun)


class RunSnapshot(msgspec.Struct, frozen=True):
    """A run at a point of its log, so that reading need not begin at the first entry."""

    end: LogEnd
    """The point."""
    seal: bytes
    """Covers the content and the seal of the point."""
    content: bytes
    """The run, as JSON."""


class GateRunState:
    """The state of a run, advanced by newly added entries; shared by threads."""

    def __init__(self, run_id: str, place: str) -> None:
        """Start before the first entry."""
        self.lock = Lock()
        self.end = LogEnd(0, compute_first_seal(run_id))
        """The point of the log up to which entries were applied."""
        self._run_id, self._place = run_id, place
        self._run: ProcessRun | None = None
        self._snapshot_number = 0

    @property
    def run(self) -> ProcessRun:
        """The current run."""
        assert self._run is not None, "caught up before it is asked"
        return self._run

    def catch_up(self, log: SealedLog) -> None:
        """Apply what was added since.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `TRACE_CORRUPT`; the log cannot be read.
        """
        for entry in log.read(self._run_id, self.end):
            self.apply_entry(entry)

    def apply_entry(self, sealed: SealedEntry) -> None:
        """Apply the next entry.

        Raises:
            StoreError: `TRACE_CORRUPT`.
        """
        entry = log_entries.unseal_entry(self._run_id, sealed, self._place)
        try:
            self._run = log_entries.apply_entry(self._run, self._run_id, entry)
        except ValueError as problem:
            raise make_corrupt_entry_error(
                EVENTS, self._run_id, sealed.number, self._place, str(problem)
            ) from problem
        self.end = LogEnd(sealed.number + 1, sealed.seal)

    def seal_next(self, entry: LogEntry) -> SealedEntry:
        """Build what is stored of the next entry.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `RECORD_TOO_LARGE`.
        """
        body = log_entries.encode_entry(entry)
        log_entries.render_new_row(entry)
        (number, before), key = self.end, log_entries.hash_entry_key(entry)
        return SealedEntry(number, compute_seal(before, body), body, entry.revision, key)

    def use_snapshot(self, snapshot: RunSnapshot) -> None:
        """Start from a snapshot; one that does not fit its point is ignored."""
        if compute_seal(snapshot.end.seal, snapshot.content) != snapshot.seal:
            return
        try:
            self._run = _RUN_DECODER.decode(snapshot.content)
        except (ValueError, RecursionError):
            return
        self.end = snapshot.end
        self._snapshot_number = snapshot.end.number

    def take_snapshot(self) -> RunSnapshot | None:
        """Return a new snapshot, if reading from the last one would take long."""
        if self.end.number - self._snapshot_number < SNAPSHOT_INTERVAL:
            return None
        self._snapshot_number = self.end.number
        content = _ENCODE(self.run)
        return RunSnapshot(self.end, compute_seal(self.end.seal, content), content)


class SealedGateRunWriter:
    """A run that its caller has locked."""

    def __init__(self, run_id: str, state: GateRunState, log: SealedLog) -> None:
        """Write to the log of a run, which the caller has locked."""
        self._run_id, self._state, self._log = run_id, state, log

    @property
    def run(self) -> ProcessRun:
        """The run with everything written so far."""
        return self._state.run

    def find_by_key(self, key: str) -> EventRecord | None:
        """Return the event that was accepted under an idempotency key.

        Raises:
            StoreError: `TRACE_CORRUPT`; the log cannot be read.
        """
        hashed = log_entries.hash_key(key)
        sealed = None if hashed is None else self._log.find_by_key(self._run_id, hashed)
        if sealed is None:
            return None
        found = log_entries.unseal_entry(self._run_id, sealed, self._log.place)
        assert isinstance(found, EventRecord), "only events have keys"
        return found

    def append(self, record: EventRecord) -> None:
        """Store the run's next event; it is durable when this returns.

        Raises:
            StoreError: `REVISION_CONFLICT`, `IDEMPOTENCY_CONFLICT`; `TRACE_CORRUPT` if
                the run's end was changed from outside; `TRACE_UNWRITABLE`,
                `RECORD_TOO_LARGE`; `LOG_UNCERTAIN` if a connection was lost.
        """
        log_entries.check_revision(self.run, record, self._log.place)
        self._append_entry(record)

    def append_note(self, note: LogNote) -> None:
        """Store a note besides the events; it is durable when this returns.

        Raises:
            StoreError: As `append` does.
        """
        self._append_entry(note)

    def _append_entry(self, entry: LogEntry) -> None:
        state = self._state
        with state.lock:
            sealed = state.seal_next(entry)
            if not self._log.append(self._run_id, state.end.seal, sealed):
                self._raise_conflict(entry)
            state.apply_entry(sealed)

    def _raise_conflict(self, entry: LogEntry) -> NoReturn:
        """Raise why nothing was written: lock or last entry were lost, or the key is used."""
        before, place = self._state.end.number, self._log.place
        self._state.catch_up(self._log)
        if isinstance(entry, EventRecord):
            log_entries.check_revision(self.run, entry, place)
            if (earlier := self.find_by_key(entry.key)) is not None:
                raise log_entries.make_key_used_error(
                    self._run_id, entry.key, earlier.revision, place
                )
        why = "the end of the run has changed"
        raise make_corrupt_entry_error(EVENTS, self._run_id, before - 1, place, why)


class SealedGateLog(Protocol):
    """Runs and definitions; safe to share between threads."""

    place: str
    """The name of the place in messages; never contains a password."""
    _log: SealedLog
    """The log for readers, who hold no lock."""
    _states: OrderedDict[str, GateRunState]
    _states_lock: Lock

    def __init__(self) -> None:
        self._states = OrderedDict()
        self._states_lock = Lock()

    def create(self, run_id: str, record: EventRecord, process: Process) -> None:
        """Start a run with its first record and its definition; durable.

        Raises:
            StoreError: `RUN_EXISTS`; `TRACE_UNWRITABLE`, `RECORD_TOO_LARGE`;
                `STORE_UNREACHABLE`, and then only reading shows whether it was stored.
        """
        first = GateRunState(run_id, self.place).seal_next(record)
        if not self._insert_run(run_id, first, *_encode_definition(process)):
            raise run_id_lookup.make_run_exists_error(run_id, self.place)

    @contextmanager
    def lock_run(self, run_id: str) -> Iterator[SealedGateRunWriter]:
        """Lock a run; other callers wait, and fail when they have waited too long.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`, `TRACE_CORRUPT`,
                `STORE_UNREACHABLE`.
        """
        self._check_id(run_id)
        with self._lock_log(run_id) as log:
            state = self._catch_up(run_id, log)
            if (snapshot := state.take_snapshot()) is not None:
                self._store_snapshot(run_id, snapshot)
            yield SealedGateRunWriter(run_id, state, log)

    def load_run(self, run_id: str) -> ProcessRun:
        """Return a run as it is now; read-only.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `TRACE_CORRUPT`, `STORE_UNREACHABLE`.
        """
        self._check_id(run_id)
        state = self._catch_up(run_id, self._log)
        with state.lock:
            return log_entries.copy_run(state.run)

    def read_entries(self, run_id: str, after: int = 0) -> Iterator[LogEntry]:
        """Stream records and notes of revisions after `after`, in the order written.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once; `TRACE_CORRUPT` on reaching an entry
                that is not what was written; `STORE_UNREACHABLE`.
        """
        self._check_exists(run_id)
        return self._stream_entries(run_id, max(after, 0))

    def _stream_entries(self, run_id: str, after: int) -> Iterator[LogEntry]:
        start = self._find_start(run_id, after)
        for sealed in () if start is None else self._log.read(run_id, start):
            entry = log_entries.unseal_entry(run_id, sealed, self.place)
            if entry.revision > after:
                yield entry

    def list_runs(self) -> Iterator[str]:
        """List the ids of all runs, oldest first."""
        return iter(sorted(self._list_ids()))

    def find_faults(self, run_id: str) -> tuple[Finding, ...]:
        """Check how a run is stored, from its first entry to its last.

        Names the first 20 entries that are not what was written, and missing
        definitions.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `STORE_UNREACHABLE`.
        """
        self._check_exists(run_id)
        found: list[Finding] = []
        valid = self._read_valid_entries(run_id, found)
        found.extend(log_entries.find_missing_definitions(valid, self.load_definition))
        return tuple(found)

    def store_definition(self, process: Process) -> None:
        """Store a definition under its hash; durable.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `STORE_UNREACHABLE`.
        """
        self._insert_definition(*_encode_definition(process))

    def load_definition(self, hash: str) -> Process:
        """Return the definition with that hash.

        Raises:
            StoreError: `DEFINITION_MISSING`: it is not stored here, or has changed.
        """
        content = self._select_definition(hash) if is_storable_text(hash) else None
        if content is None:
            raise log_entries.make_definition_error(hash, "is not stored here", self.place)
        return log_entries.decode_definition(hash, content, self.place, "has changed")

    def _insert_run(self, run_id: str, first: SealedEntry, hash: str, content: bytes) -> bool: ...

    def _lock_log(self, run_id: str) -> AbstractContextManager[SealedLog]: ...

    def _insert_definition(self, hash: str, content: bytes) -> None: ...

    def _select_definition(self, hash: str) -> bytes | None: ...

    def _list_ids(self) -> list[str]: ...

    def _check_exists(self, run_id: str) -> None: ...

    def _find_start(self, run_id: str, _after: int) -> LogEnd | None:
        """Return a point before the first entry of a later revision; None for none."""
        return LogEnd(0, compute_first_seal(run_id))

    def _read_valid_entries(self, run_id: str, _found: list[Finding]) -> Iterator[LogEntry]:
        """Yield the entries that can be read; add findings for the others to the list."""
        return self._stream_entries(run_id, 0)

    def _load_snapshot(self, _run_id: str) -> RunSnapshot | None:
        return None

    def _store_snapshot(self, _run_id: str, _snapshot: RunSnapshot) -> None:
        """Store a snapshot, where starting without one takes long."""
        return

    def _catch_up(self, run_id: str, log: SealedLog) -> GateRunState:
        state = self._get_state(run_id)
        try:
            with state.lock:
                snapshot = None if state.end.number else self._load_snapshot(run_id)
                if snapshot is not None:
                    state.use_snapshot(snapshot)
                state.catch_up(log)
            return state
        except BaseException:
            with self._states_lock:
                self._states.pop(run_id, None)
            raise

    def _get_state(self, run_id: str) -> GateRunState:
        with self._states_lock:
            state = self._states.pop(run_id, None) or GateRunState(run_id, self.place)
            self._states[run_id] = state
            if len(self._states) > _MOST_CACHED:
                self._states.popitem(last=False)
            return state

    def _check_id(self, run_id: str) -> None:
        if not is_storable_text(run_id):
            raise self._make_unknown_error(run_id)

    def _make_unknown_error(self, run_id: str) -> StoreError:
        return run_id_lookup.make_unknown_run_error(run_id, self._list_ids(), self.place)


def _encode_definition(process: Process) -> tuple[str, bytes]:
    content = encode_process(process)
    return hashlib.sha256(content).hexdigest(), content


class MemoryGateLog(SealedGateLog):
    """Runs and definitions in plain dictionaries."""

    place = "memory:"

    def __init__(self, *, patience: float = log_entries.LOCK_TIMEOUT) -> None:
        """Create an empty log that waits `patience` seconds for a locked run."""
        super().__init__()
        self._patience = patience
        self._log: MemorySealedLog = MemorySealedLog(self._make_unknown_error)
        self._run_locks: dict[str, Lock] = {}
        self._definitions: dict[str, bytes] = {}

    def close(self) -> None:
        """Do nothing; the runs live as long as the log object."""

    def _insert_run(self, run_id: str, first: SealedEntry, hash: str, content: bytes) -> bool:
        self._insert_definition(hash, content)
        return self._log.create(run_id, first)

    @contextmanager
    def _lock_log(self, run_id: str) -> Iterator[MemorySealedLog]:
        self._check_exists(run_id)
        lock = self._run_locks.setdefault(run_id, Lock())
        if not lock.acquire(timeout=self._patience):
            raise log_entries.make_lock_timeout_error(run_id, self._patience, self.place)
        try:
            yield self._log
        finally:
            lock.release()

    def _insert_definition(self, hash: str, content: bytes) -> None:
        self._definitions[hash] = content

    def _select_definition(self, hash: str) -> bytes | None:
        return self._definitions.get(hash)

    def _list_ids(self) -> list[str]:
        return self._log.list_ids()

    def _check_exists(self, run_id: str) -> None:
        self._log.count_entries(run_id)
