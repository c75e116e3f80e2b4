"""Keeping a gate's runs in files: any number of threads and processes, one machine."""

import hashlib
import os
from collections.abc import Iterator
from itertools import count
from threading import Lock
from weakref import WeakSet

import msgspec

from saniwa.core import lasting
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.finding import Finding
from saniwa.process.definition import Process, decode, encode
from saniwa.process.record import Entry, Record
from saniwa.process.standing import Standing
from saniwa.store.gate import entry as gate_entry
from saniwa.store.gate.files import audit, birth, roster, trouble
from saniwa.store.gate.files.folders import GateFolders, is_hash, is_run_id
from saniwa.store.gate.files.hold import Hold
from saniwa.store.gate.files.stream import entries_of

PATIENCE = 10.0
"""Seconds to wait for a run that somebody else holds."""
MOST_OPEN = 64
"""Runs whose files are kept open."""


class FileLog:
    """Runs in the folders of one gate."""

    def __init__(
        self,
        folders: GateFolders,
        *,
        patience: float = PATIENCE,
        clock: Clock | None = None,
    ) -> None:
        """A log in these folders, which are made when the first run begins."""
        self._folders = folders
        self._patience = patience
        self._clock = clock or SystemClock()
        self._holds: dict[str, Hold] = {}
        self._opening = Lock()
        self._uses = count(1)
        self.mended: list[Finding] = []
        """What crashes had left unfinished and was put right; the doors show it."""
        _OPEN.add(self)

    def create(self, run_id: str, record: Record, process: Process) -> None:
        """Begin a run: its first record, and the definition it stands on; durable.

        Raises:
            StoreError: `RUN_EXISTS`, `RUN_ID_UNUSABLE`; it could not be written.
        """
        if not is_run_id(run_id):
            raise trouble.unusable(run_id)
        body, row = gate_entry.pack(record), gate_entry.row(record)
        self.keep_definition(process)
        birth.begin(self._folders, run_id, body, row)

    def passage(self, run_id: str) -> Hold:
        """Hold a run alone; others wait, and those who wait too long are told.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`; the log cannot be trusted.
        """
        hold = self._holds.get(run_id) or self._new_hold(run_id)
        hold.used = next(self._uses)
        return hold

    def standing(self, run_id: str) -> Standing:
        """Where a run stands now; only to be read.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`; the log cannot be trusted.
        """
        return self.passage(run_id).look()

    def entries(self, run_id: str, after: int = 0) -> Iterator[Entry]:
        """Records and notes in the order they were written, as a stream.

        Only those of revisions beyond `after`.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once; the log cannot be trusted.
        """
        span = self.passage(run_id).span(after)
        return entries_of(self._folders.journal(run_id), run_id, span, after)

    def runs(self) -> Iterator[str]:
        """The ids of all runs, oldest first."""
        return iter(roster.run_ids(self._folders))

    def faults(self, run_id: str) -> tuple[Finding, ...]:
        """What is wrong with how a run is kept, from its first byte to its last.

        Reads everything and mends nothing.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`.
        """
        if not is_run_id(run_id):
            raise roster.absent(run_id, self._folders)
        return tuple(
            audit.faults(run_id, self._folders, self.definition, self._patience)
        )

    def keep_definition(self, process: Process) -> None:
        """Keep a definition under its hash; durable.

        Raises:
            StoreError: `TRACE_UNWRITABLE`.
        """
        content = encode(process)
        path = self._folders.definition(hashlib.sha256(content).hexdigest())
        try:
            if path.exists() and path.read_bytes() == content:
                return
            lasting.make_folder(path.parent)
            lasting.put(path.parent, path.name, content)
        except OSError as problem:
            raise trouble.unwritable(path, problem) from problem

    def definition(self, hash: str) -> Process:
        """The definition with that hash.

        Raises:
            StoreError: `DEFINITION_MISSING`: it is not kept here, or not as it was.
        """
        place = str(self._folders.definitions)
        if not is_hash(hash):
            raise gate_entry.no_definition(hash[:64], "is not kept here", place)
        try:
            content = self._folders.definition(hash).read_bytes()
        except OSError as problem:
            why = f"cannot be read: {problem.strerror}"
            raise gate_entry.no_definition(hash, why, place) from problem
        if hashlib.sha256(content).hexdigest() != hash:
            raise gate_entry.no_definition(hash, "is not what it was", place)
        try:
            return decode(content)
        except msgspec.DecodeError as problem:
            raise gate_entry.no_definition(hash, str(problem), place) from problem

    def close(self) -> None:
        """Let go of whatever is held open; the log can still be used afterwards."""
        with self._opening:
            holds, self._holds = list(self._holds.values()), {}
        for hold in holds:
            hold.close()

    def abandon(self) -> None:
        """Let go without a trace: a forked child shares its parent's locks."""
        self._opening = Lock()
        for hold in self._holds.values():
            hold.abandon()
        self._holds = {}

    def _new_hold(self, run_id: str) -> Hold:
        if not is_run_id(run_id):
            raise roster.absent(run_id, self._folders)
        with self._opening:
            while len(self._holds) >= MOST_OPEN:
                oldest = min(self._holds, key=lambda each: self._holds[each].used)
                self._holds.pop(oldest).close()
            hold = Hold(
                run_id,
                self._folders,
                patience=self._patience,
                clock=self._clock,
                report=self.mended.append,
            )
            return self._holds.setdefault(run_id, hold)


_OPEN: "WeakSet[FileLog]" = WeakSet()


def _after_fork() -> None:
    for log in list(_OPEN):
        log.abandon()


os.register_at_fork(after_in_child=_after_fork)
