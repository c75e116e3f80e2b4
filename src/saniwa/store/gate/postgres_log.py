"""A gate's runs in PostgreSQL: for many machines.

A writer locks the run by an advisory lock of its connection, which outlasts a commit
and ends with the connection, however that ends. So every entry is one statement, on
disk before `append` returns, and the run stays locked for the notes that follow. The
lock only keeps others waiting: a statement advances a run only from the end that its
writer saw. A connection pooler must lend connections per session, not per transaction.

Needs the extra `postgres`, imported when a log is opened.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from saniwa.core.errors import StoreError
from saniwa.core.findings import Finding
from saniwa.process.definition import Process, encode_process
from saniwa.process.record import EventRecord, LogEntry
from saniwa.process.run import ProcessRun
from saniwa.store import lookup
from saniwa.store.gate import entries, postgres_run
from saniwa.store.gate.entries import EntryChain
from saniwa.store.gate.postgres_run import PostgresGateRunWriter, PostgresRunState
from saniwa.store.postgres_connection import READ_ONLY, ConnectionPool, PostgresConnection

LOCK_TIMEOUT = 10.0
"""Seconds to wait for a run that another process or thread has locked."""
_MOST_CACHED = 256


class PostgresGateLog:
    """The tables `saniwa_gate_…` of one database; safe to share between threads."""

    def __init__(
        self, url: str, *, mode: lookup.OpenMode = "create", patience: float = LOCK_TIMEOUT
    ) -> None:
        """Connect, and create missing tables.

        Args:
            url: `postgresql://user:password@host/database`.
            mode: `create` creates missing tables; `existing` and `read` refuse, and
                `read` never writes.
            patience: Seconds to wait for a run that another process or thread has
                locked.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNKNOWN`, `STORE_UNREACHABLE`,
                `STORE_UNREADABLE`, `STORE_TOO_NEW`, `TRACE_UNWRITABLE`.
        """
        self._patience = patience
        setup = f"SET lock_timeout = {max(1, int(patience * 1000))};"
        self._lines = ConnectionPool(url, setup + (READ_ONLY if mode == "read" else ""))
        self._folds: OrderedDict[str, PostgresRunState] = OrderedDict()
        self._lock = Lock()
        entries.abandon_after_fork(self)
        try:
            with self._lines.borrow() as line:
                self.place = line.place
                line.prepare_tables(postgres_run.SCHEMA, makes=mode == "create")
        except BaseException:
            self._lines.close()
            raise

    def create(self, run_id: str, record: EventRecord, process: Process) -> None:
        """Start a run with its first record and its definition; durable.

        Raises:
            StoreError: `RUN_EXISTS`; `TRACE_UNWRITABLE`, `RECORD_TOO_LARGE`;
                `STORE_UNREACHABLE`, and then only reading shows whether it was stored.
        """
        link = EntryChain(run_id, self.place).build_link(record)
        values = {"run": run_id, **link._asdict(), **_encode_definition(process)}
        with self._lines.borrow() as line:
            if not line.query(postgres_run.INSERT_RUN, values, "TRACE_UNWRITABLE"):
                raise lookup.make_run_exists_error(run_id, self.place)

    @contextmanager
    def lock_run(self, run_id: str) -> Iterator[PostgresGateRunWriter]:
        """Lock a run; other callers wait, and fail when they have waited too long.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `LOCK_TIMEOUT`, `TRACE_CORRUPT`,
                `STORE_UNREACHABLE`.
        """
        if not lookup.is_storable_text(run_id):
            raise self._make_unknown_error(run_id)
        with self._lines.borrow() as line, self._hold_lock(run_id, line):
            fold = self._catch_up(run_id, line)
            fold.store_snapshot(line)
            yield PostgresGateRunWriter(run_id, fold, line)

    def load_run(self, run_id: str) -> ProcessRun:
        """Return a run as it is now; read-only.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `TRACE_CORRUPT`, `STORE_UNREACHABLE`.
        """
        if not lookup.is_storable_text(run_id):
            raise self._make_unknown_error(run_id)
        with self._lines.borrow() as line:
            fold = self._catch_up(run_id, line)
            with fold.lock:
                return entries.copy_run(fold.run)

    def read_entries(self, run_id: str, after: int = 0) -> Iterator[LogEntry]:
        """Stream records and notes of revisions after `after`, in the order written.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once; `TRACE_CORRUPT` on reaching an entry
                that is not what was written; `STORE_UNREACHABLE`.
        """
        self._check_exists(run_id)
        return postgres_run.read_entries(self._query, run_id, self.place, max(after, 0))

    def list_runs(self) -> Iterator[str]:
        """List the ids of all runs, oldest first."""
        return iter(self._list_ids())

    def find_faults(self, run_id: str) -> tuple[Finding, ...]:
        """Check how a run is stored, from its first entry to its last.

        Names the first 20 entries that are not what was written, and missing
        definitions.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `STORE_UNREACHABLE`.
        """
        self._check_exists(run_id)
        found: list[Finding] = []
        valid = postgres_run.read_valid_entries(self._query, run_id, self.place, found)
        found.extend(entries.find_missing_definitions(valid, self.load_definition))
        return tuple(found)

    def store_definition(self, process: Process) -> None:
        """Store a definition under its hash; durable.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, `STORE_UNREACHABLE`.
        """
        with self._lines.borrow() as line:
            line.query(
                postgres_run.INSERT_DEFINITION, _encode_definition(process), "TRACE_UNWRITABLE"
            )

    def load_definition(self, hash: str) -> Process:
        """Return the definition with that hash.

        Raises:
            StoreError: `DEFINITION_MISSING`: it is not stored here, or has changed.
        """
        question, values = postgres_run.SELECT_DEFINITION, {"hash": hash}
        for (content,) in self._query(question, values) if lookup.is_storable_text(hash) else ():
            return entries.decode_definition(hash, content, self.place, "is not what was kept")
        raise entries.make_definition_error(hash, "is not kept here", self.place)

    def close(self) -> None:
        """Close the connections; everything acknowledged is committed."""
        self._lines.close()

    def abandon(self) -> None:
        """Drop the connections silently: a forked child shares its parent's."""
        self._lock = Lock()
        self._folds = OrderedDict()
        self._lines.abandon()

    @contextmanager
    def _hold_lock(self, run_id: str, line: PostgresConnection) -> Iterator[None]:
        try:
            line.query(postgres_run.LOCK_RUN, {"lock": _compute_lock_id(run_id)})
        except StoreError as problem:
            if problem.code != "STORE_BUSY":
                raise
            raise entries.make_lock_timeout_error(run_id, self._patience, self.place) from problem
        except BaseException:
            # After an interruption it is unknown whether the lock was granted.
            line.close()
            raise
        try:
            yield
        finally:
            _release_lock(run_id, line)

    def _catch_up(self, run_id: str, line: PostgresConnection) -> PostgresRunState:
        fold = self._get_run_state(run_id)
        try:
            with fold.lock:
                if fold.catch_up(line):
                    return fold
            raise self._make_unknown_error(run_id)
        except BaseException:
            with self._lock:
                self._folds.pop(run_id, None)
            raise

    def _get_run_state(self, run_id: str) -> PostgresRunState:
        with self._lock:
            fold = self._folds.pop(run_id, None) or PostgresRunState(run_id, self.place)
            self._folds[run_id] = fold
            if len(self._folds) > _MOST_CACHED:
                self._folds.popitem(last=False)
            return fold

    def _check_exists(self, run_id: str) -> None:
        if not lookup.is_storable_text(run_id) or not self._query(
            postgres_run.SELECT_KNOWN, {"run": run_id}
        ):
            raise self._make_unknown_error(run_id)

    def _make_unknown_error(self, run_id: str) -> StoreError:
        return lookup.make_unknown_run_error(run_id, self._list_ids(), self.place)

    def _list_ids(self) -> list[str]:
        return [run_id for (run_id,) in self._query(postgres_run.SELECT_RUNS, {})]

    def _query(self, question: str, values: dict[str, Any]) -> list[Any]:
        with self._lines.borrow() as line:
            return line.query(question, values)


def _release_lock(run_id: str, line: PostgresConnection) -> None:
    if line.is_broken:
        return
    try:
        line.query(postgres_run.UNLOCK_RUN, {"lock": _compute_lock_id(run_id)})
    except StoreError:
        # The lock ends with the connection. Raising would make an acknowledged event
        # look like one that was not stored.
        line.close()


def _compute_lock_id(run_id: str) -> int:
    # Advisory locks are 64-bit numbers; two runs with the same number only wait for
    # each other needlessly.
    digest = hashlib.sha256(b"saniwa gate\n" + run_id.encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)


def _encode_definition(process: Process) -> dict[str, Any]:
    content = encode_process(process)
    return {"hash": hashlib.sha256(content).hexdigest(), "content": content}
