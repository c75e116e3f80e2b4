"""Keeping a gate's runs for as long as this program lives: for tests and for trying out.

Keeps bytes, as the lasting logs do, so that what comes back is an entry of its own.
Seals nothing: there is no disk that could change a byte.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from saniwa.core.finding import Finding
from saniwa.process.definition import Process, decode, encode, hash_of
from saniwa.process.record import Entry, Note, Record
from saniwa.process.standing import Standing
from saniwa.store import lookup
from saniwa.store.gate import entry as gate_entry
from saniwa.store.gate import faults as gate_faults

_PLACE = "memory:"
PATIENCE = 10.0
"""Seconds to wait for a run that somebody else holds."""


class MemoryLog:
    """Runs and definitions in plain dictionaries; any number of threads may share it."""

    def __init__(self, *, patience: float = PATIENCE) -> None:
        """An empty log that waits `patience` seconds for a run that is held."""
        self._patience = patience
        self._runs: dict[str, _Run] = {}
        self._definitions: dict[str, bytes] = {}
        self._lock = Lock()

    def create(self, run_id: str, record: Record, process: Process) -> None:
        """Begin a run: its first record, and the definition it stands on.

        Raises:
            StoreError: `RUN_EXISTS`; `TRACE_UNWRITABLE`, `RECORD_TOO_LARGE`.
        """
        body = gate_entry.pack(record)
        gate_entry.row(record)
        run = _Run(run_id, body)
        self.keep_definition(process)
        with self._lock:
            if run_id in self._runs:
                raise lookup.taken(run_id, _PLACE)
            self._runs[run_id] = run

    @contextmanager
    def passage(self, run_id: str) -> Iterator["_Run"]:
        """Hold a run alone; others wait, and those who wait too long are told.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`.
        """
        run = self._of(run_id)
        if not run.held.acquire(timeout=self._patience):
            raise gate_entry.locked(run_id, self._patience, _PLACE)
        try:
            yield run
        finally:
            run.held.release()

    def standing(self, run_id: str) -> Standing:
        """Where a run stands now; only to be read.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        return self._of(run_id).seen()

    def entries(self, run_id: str, after: int = 0) -> Iterator[Entry]:
        """Records and notes in the order they were written, of revisions beyond `after`.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once.
        """
        return self._of(run_id).entries(after)

    def runs(self) -> Iterator[str]:
        """The ids of all runs, oldest first."""
        return iter(sorted(self._runs))

    def faults(self, run_id: str) -> tuple[Finding, ...]:
        """What is wrong with how a run is kept: definitions that are not here.

        Raises:
            StoreError: `RUN_NOT_FOUND`.
        """
        return tuple(gate_faults.missing(self.entries(run_id), self.definition))

    def keep_definition(self, process: Process) -> None:
        """Keep a definition under its hash."""
        self._definitions[hash_of(process)] = encode(process)

    def definition(self, hash: str) -> Process:
        """The definition with that hash.

        Raises:
            StoreError: `DEFINITION_MISSING`.
        """
        content = self._definitions.get(hash)
        if content is None:
            raise gate_entry.no_definition(hash, "is not kept here", _PLACE)
        return decode(content)

    def close(self) -> None:
        """Nothing to let go of; the runs stay until the log itself is gone."""

    def _of(self, run_id: str) -> "_Run":
        run = self._runs.get(run_id)
        if run is None:
            raise lookup.unknown(run_id, list(self._runs), _PLACE)
        return run


class _Run:
    """One run, and the passage through it."""

    def __init__(self, run_id: str, body: bytes) -> None:
        self.held = Lock()
        self._run_id = run_id
        self._bodies = [body]
        self._starts = [0]
        """Where each revision's record stands among the bodies."""
        first = gate_entry.unpack(body)
        self._standing = gate_entry.fold(None, run_id, first)
        assert isinstance(first, Record), "a run begins with an event"
        self._places = {first.key: 0} if first.key else {}
        # Apart from `held`: a reader never waits for a passage to end.
        self._changing = Lock()

    @property
    def standing(self) -> Standing:
        """Where the run stands."""
        return self._standing

    def seen(self) -> Standing:
        """Where the run stands, for somebody who does not hold it."""
        with self._changing:
            return gate_entry.copied(self._standing)

    def kept(self, key: str) -> Record | None:
        """The event that was accepted under an idempotency key."""
        place = self._places.get(key)
        if place is None:
            return None
        found = gate_entry.unpack(self._bodies[place])
        assert isinstance(found, Record), "only events have keys"
        return found

    def append(self, record: Record) -> None:
        """Keep the run's next event."""
        current = self._standing.revision
        if record.revision != current + 1:
            raise gate_entry.conflict(self._run_id, record, current, _PLACE)
        if (earlier := self.kept(record.key)) is not None:
            raise gate_entry.used(self._run_id, record.key, earlier.revision, _PLACE)
        self._keep(record)

    def note(self, note: Note) -> None:
        """Keep a note beside the log."""
        self._keep(note)

    def entries(self, after: int) -> Iterator[Entry]:
        """The run's entries of revisions beyond `after`."""
        place = self._starts[min(max(after, 0), len(self._starts) - 1)]
        while place < len(self._bodies):
            entry = gate_entry.unpack(self._bodies[place])
            place += 1
            if entry.revision > after:
                yield entry

    def _keep(self, entry: Entry) -> None:
        body = gate_entry.pack(entry)
        gate_entry.row(entry)
        kept = gate_entry.unpack(body)
        with self._changing:
            if isinstance(entry, Record):
                self._starts.append(len(self._bodies))
                if entry.key:
                    self._places[entry.key] = len(self._bodies)
            self._bodies.append(body)
            self._standing = gate_entry.fold(self._standing, self._run_id, kept)
