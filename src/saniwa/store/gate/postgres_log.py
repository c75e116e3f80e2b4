"""A gate's runs in PostgreSQL: for many machines.

A writer locks the run by an advisory lock of its connection, which outlasts a commit
and ends with the connection, however that ends. So every entry is one statement, on
disk before `append` returns, and the run stays locked for the notes that follow. The
lock only keeps others waiting: a statement advances a run only from the end that its
writer saw. A connection pooler must lend connections per session, not per transaction.

Needs the extra `postgres`, imported when a log is opened.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from saniwa.core.errors import StoreError
from saniwa.core.findings import Finding
from saniwa.process.event_record import LogEntry
from saniwa.store import storage_errors
from saniwa.store.gate import log_entries
from saniwa.store.gate.sealed_gate_log import RunSnapshot, SealedGateLog
from saniwa.store.postgres_connection import (
    READ_ONLY,
    ConnectionPool,
    PostgresConnection,
    PostgresSchema,
)
from saniwa.store.sealed_log import (
    EVENTS,
    LogEnd,
    SealedChain,
    SealedEntry,
    compute_first_seal,
    make_corrupt_entry_error,
)
from saniwa.store.sql_sealed_log import PostgresSealedLog, SqlLogTables, SqlQuery

SCHEMA = PostgresSchema(
    "saniwa_gate_shape", Path(__file__).with_name("postgres_schema.sql").read_text(encoding="utf-8")
)
"""The tables of a gate."""

TABLES = SqlLogTables(
    EVENTS, "saniwa_gate_runs", "number", "saniwa_gate_entries", "body", ("revision", "mark")
)
"""The tables of the log."""

INSERT_DEFINITION = """
INSERT INTO saniwa_gate_definitions AS d VALUES (:hash, :content)
ON CONFLICT (hash) DO UPDATE SET content = EXCLUDED.content
  WHERE d.content <> EXCLUDED.content
RETURNING 1
"""
SELECT_DEFINITION = "SELECT content FROM saniwa_gate_definitions WHERE hash = :hash"
INSERT_RUN = f"""
WITH defined AS ({INSERT_DEFINITION}), begun AS (
  INSERT INTO saniwa_gate_runs VALUES (:run, 1, :seal)
  ON CONFLICT DO NOTHING RETURNING run_id
)
INSERT INTO saniwa_gate_entries (run_id, number, revision, mark, seal, body)
SELECT run_id, 1, :revision, :key, :seal, :body FROM begun RETURNING 1
"""
LOCK_RUN = "SELECT pg_advisory_lock(:lock)"
UNLOCK_RUN = "SELECT pg_advisory_unlock(:lock)"
# The entry after which a reading starts. A revision's event comes before its notes, but
# a note may come late: so the query looks for what follows, not for what went before.
SELECT_START = """
SELECT e.number - 1, (SELECT b.seal FROM saniwa_gate_entries AS b
                      WHERE b.run_id = e.run_id AND b.number = e.number - 1)
FROM saniwa_gate_entries AS e
WHERE e.run_id = :run AND e.revision > :after ORDER BY e.revision, e.number LIMIT 1
"""
SELECT_KNOWN = "SELECT 1 FROM saniwa_gate_runs WHERE run_id = :run"
SELECT_RUNS = "SELECT run_id FROM saniwa_gate_runs"
SELECT_SNAPSHOT = """
SELECT s.number, e.seal, s.seal, s.standing
FROM saniwa_gate_snapshots AS s JOIN saniwa_gate_entries AS e
  ON e.run_id = s.run_id AND e.number = s.number
WHERE s.run_id = :run
"""
UPSERT_SNAPSHOT = """
INSERT INTO saniwa_gate_snapshots AS s VALUES (:run, :number, :seal, :standing)
ON CONFLICT (run_id) DO UPDATE SET number = EXCLUDED.number, seal = EXCLUDED.seal,
  standing = EXCLUDED.standing
RETURNING 1
"""
_MOST_FAULTS = 20


class PostgresGateLog(SealedGateLog):
    """The tables `saniwa_gate_…` of one database."""

    _log: PostgresSealedLog

    def __init__(
        self,
        url: str,
        *,
        mode: storage_errors.OpenMode = "create",
        patience: float = log_entries.LOCK_TIMEOUT,
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
        super().__init__()
        self._patience = patience
        setup = f"SET lock_timeout = {max(1, int(patience * 1000))};"
        self._lines = ConnectionPool(url, setup + (READ_ONLY if mode == "read" else ""))
        log_entries.abandon_after_fork(self)
        try:
            with self._lines.borrow() as line:
                self.place = line.place
                line.prepare_tables(SCHEMA, makes=mode == "create")
        except BaseException:
            self._lines.close()
            raise
        self._log = self._make_log(self._query, self._query)

    def close(self) -> None:
        """Close the connections; everything acknowledged is committed."""
        self._lines.close()

    def abandon(self) -> None:
        """Drop the connections silently: a forked child shares its parent's."""
        super().__init__()
        self._lines.abandon()

    def _make_log(self, query: SqlQuery, write: SqlQuery) -> PostgresSealedLog:
        return PostgresSealedLog(TABLES, query, write, self.place, self._make_unknown_error)

    def _insert_run(self, run_id: str, first: SealedEntry, hash: str, content: bytes) -> bool:
        values = {"run": run_id, **first._asdict(), "hash": hash, "content": content}
        return bool(self._query(INSERT_RUN, values, "TRACE_UNWRITABLE"))

    @contextmanager
    def _lock_log(self, run_id: str) -> Iterator[PostgresSealedLog]:
        with self._lines.borrow() as line, self._hold_lock(run_id, line):

            def write(statement: str, values: dict[str, Any]) -> list[Any]:
                try:
                    return line.query(statement, values, "TRACE_UNWRITABLE")
                except StoreError as problem:
                    if not line.is_broken:
                        raise
                    why = problem.message
                    raise log_entries.make_uncertain_error(run_id, why, self.place) from problem

            yield self._make_log(line.query, write)

    @contextmanager
    def _hold_lock(self, run_id: str, line: PostgresConnection) -> Iterator[None]:
        try:
            line.query(LOCK_RUN, {"lock": _compute_lock_id(run_id)})
        except StoreError as problem:
            if problem.code != "STORE_BUSY":
                raise
            raise log_entries.make_lock_timeout_error(
                run_id, self._patience, self.place
            ) from problem
        except BaseException:
            # After an interruption it is unknown whether the lock was granted.
            line.close()
            raise
        try:
            yield
        finally:
            _release_lock(run_id, line)

    def _insert_definition(self, hash: str, content: bytes) -> None:
        self._query(INSERT_DEFINITION, {"hash": hash, "content": content}, "TRACE_UNWRITABLE")

    def _select_definition(self, hash: str) -> bytes | None:
        found = self._query(SELECT_DEFINITION, {"hash": hash})
        return found[0][0] if found else None

    def _list_ids(self) -> list[str]:
        return [run_id for (run_id,) in self._query(SELECT_RUNS, {})]

    def _check_exists(self, run_id: str) -> None:
        self._check_id(run_id)
        if not self._query(SELECT_KNOWN, {"run": run_id}):
            raise self._make_unknown_error(run_id)

    def _find_start(self, run_id: str, after: int) -> LogEnd | None:
        # The first entry's predecessor is known, so no query is needed to find the start.
        if after <= 0:
            return super()._find_start(run_id, after)
        for number, before in self._query(SELECT_START, {"run": run_id, "after": after}):
            if before is None and number > 0:
                why = "it is missing"
                raise make_corrupt_entry_error(EVENTS, run_id, number - 1, self.place, why)
            return LogEnd(number, before or compute_first_seal(run_id))
        return None

    def _read_valid_entries(self, run_id: str, found: list[Finding]) -> Iterator[LogEntry]:
        chain = SealedChain(EVENTS, run_id, self.place, LogEnd(0, compute_first_seal(run_id)))
        revision = 0
        for count, seal, sealed in self._log.read_rows(run_id, 0):
            try:
                if sealed is None:
                    chain.check_end(LogEnd(count, seal))
                    return
                chain.follow(sealed)
                entry = log_entries.unseal_entry(run_id, sealed, self.place)
                try:
                    log_entries.check_next_entry(revision, entry)
                except ValueError as problem:
                    raise chain.make_error(sealed.number, str(problem)) from problem
            except StoreError as problem:
                found.append(problem.to_finding(details=problem.details))
            else:
                yield entry
            if sealed is None or len(found) >= _MOST_FAULTS:
                return
            chain.end, revision = LogEnd(sealed.number + 1, sealed.seal), sealed.revision

    def _load_snapshot(self, run_id: str) -> RunSnapshot | None:
        for number, before, seal, content in self._query(SELECT_SNAPSHOT, {"run": run_id}):
            return RunSnapshot(LogEnd(number, before), seal, content)
        return None

    def _store_snapshot(self, run_id: str, snapshot: RunSnapshot) -> None:
        (number, _), seal, content = snapshot.end, snapshot.seal, snapshot.content
        values = {"run": run_id, "number": number, "seal": seal, "standing": content}
        self._query(UPSERT_SNAPSHOT, values, "TRACE_UNWRITABLE")

    def _query(
        self, question: str, values: dict[str, Any], code: str = "STORE_UNREADABLE"
    ) -> list[Any]:
        with self._lines.borrow() as line:
            return line.query(question, values, code)


def _release_lock(run_id: str, line: PostgresConnection) -> None:
    if line.is_broken:
        return
    try:
        line.query(UNLOCK_RUN, {"lock": _compute_lock_id(run_id)})
    except StoreError:
        # The lock ends with the connection. Raising would make an acknowledged event
        # look like one that was not stored.
        line.close()


def _compute_lock_id(run_id: str) -> int:
    # Advisory locks are 64-bit numbers; two runs with the same number only wait for
    # each other needlessly.
    digest = hashlib.sha256(b"saniwa gate\n" + run_id.encode()).digest()
    return int.from_bytes(digest[:8], "big", signed=True)
