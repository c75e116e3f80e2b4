"""Runs in PostgreSQL: for many machines.

Appending a turn is one statement. It checks the next number and that the run's last row
confirms its head, writes, and is on disk before `append` returns. A lost connection is
reopened: a query is then repeated, a write is not. Needs the extra `postgres`, imported
when a store is opened.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal

from saniwa.core.errors import StoreError
from saniwa.store import lookup, run_records
from saniwa.store.postgres_connection import (
    CONNECT_TIMEOUT,
    check_schema_version,
    connect_server,
    load_psycopg,
    make_foreign_database_error,
    make_postgres_error,
)
from saniwa.store.run_records import RunRecord, RunSave
from saniwa.store.sql_run_store import SqlRunQueries, SqlRunStore
from saniwa.turn.record import Turn

if TYPE_CHECKING:
    import psycopg


# One lock for all processes that create the tables: two at once would fail.
CREATE_TABLES = """
SELECT pg_advisory_xact_lock(53616);
CREATE TABLE IF NOT EXISTS saniwa_shape (version integer PRIMARY KEY);
CREATE TABLE IF NOT EXISTS saniwa_runs (
  run_id text PRIMARY KEY, scenario_id text NOT NULL, created bigint NOT NULL,
  line bytea NOT NULL, seal bytea NOT NULL, record bytea NOT NULL
);
CREATE TABLE IF NOT EXISTS saniwa_heads (
  run_id text PRIMARY KEY, count bigint NOT NULL, seal bytea NOT NULL,
  saves bytea NOT NULL
);
CREATE TABLE IF NOT EXISTS saniwa_turns (
  run_id text NOT NULL, number bigint NOT NULL,
  seal bytea NOT NULL, turn bytea NOT NULL,
  PRIMARY KEY (run_id, number)
);
CREATE TABLE IF NOT EXISTS saniwa_saves (
  run_id text NOT NULL, name text NOT NULL,
  turn bigint NOT NULL, created bigint NOT NULL,
  PRIMARY KEY (run_id, name)
);
INSERT INTO saniwa_shape SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM saniwa_shape);
"""
INSERT_RUN = """
WITH kept AS (
  INSERT INTO saniwa_runs
  SELECT %(run)s, %(name)s, %(created)s, %(line)s, %(seal)s, %(record)s
  WHERE NOT EXISTS (SELECT 1 FROM saniwa_heads WHERE run_id = %(run)s)
  ON CONFLICT DO NOTHING RETURNING run_id, seal
)
INSERT INTO saniwa_heads SELECT run_id, 0, seal, %(saves)s FROM kept RETURNING 1
"""
_LAST_SEAL = """COALESCE(
    (SELECT t.seal FROM saniwa_turns AS t WHERE t.run_id = h.run_id
     ORDER BY t.number DESC LIMIT 1),
    (SELECT r.seal FROM saniwa_runs AS r WHERE r.run_id = h.run_id))"""
# The head is moved only from the number and the seal that the rows confirm. Two writers
# of one number meet at the head: one waits, and then finds another number there.
INSERT_TURN = f"""
WITH moved AS (
  UPDATE saniwa_heads AS h
  SET count = h.count + 1, seal = sha256(h.seal || %(mark)s::bytea || %(turn)s::bytea)
  WHERE h.run_id = %(run)s AND h.count = %(number)s AND h.seal = {_LAST_SEAL}
    AND EXISTS (SELECT 1 FROM saniwa_runs AS r WHERE r.run_id = h.run_id)
  RETURNING h.run_id, h.seal
)
INSERT INTO saniwa_turns (run_id, number, seal, turn)
SELECT run_id, %(number)s, seal, %(turn)s::bytea FROM moved RETURNING 1
"""
_SELECT_HEAD = f"""
SELECT h.count, h.seal,
  (SELECT COALESCE(MAX(number) + 1, 0) FROM saniwa_turns AS t
   WHERE t.run_id = h.run_id),
  {_LAST_SEAL}
FROM saniwa_heads AS h WHERE h.run_id = %(run)s
"""
_SELECT_START = """
SELECT LEAST(%(start)s, h.count), CASE WHEN LEAST(%(start)s, h.count) = 0
  THEN (SELECT r.seal FROM saniwa_runs AS r WHERE r.run_id = h.run_id)
  ELSE (SELECT t.seal FROM saniwa_turns AS t WHERE t.run_id = h.run_id
        AND t.number = LEAST(%(start)s, h.count) - 1) END
FROM saniwa_heads AS h WHERE h.run_id = %(run)s
"""
# One statement, so that head and turns are from the same moment.
_SELECT_TURNS = """
SELECT h.count, h.seal, t.number, t.seal, t.turn
FROM saniwa_heads AS h LEFT JOIN saniwa_turns AS t
  ON t.run_id = h.run_id AND t.number >= %(number)s
WHERE h.run_id = %(run)s ORDER BY t.number LIMIT %(most)s
"""
# Transaction numbers follow the order of arrival, whatever a clock says; rows are never
# changed. Runs restored from a copy all arrived in one transaction: there the clock
# decides.
_SELECT_RUNS = """
SELECT run_id, scenario_id, created, line,
  (SELECT h.count FROM saniwa_heads AS h WHERE h.run_id = r.run_id),
  (SELECT COALESCE(MAX(number) + 1, 0) FROM saniwa_turns AS t WHERE t.run_id = r.run_id)
FROM saniwa_runs AS r ORDER BY age(r.xmin) DESC, created, run_id COLLATE "C"
"""
_SELECT_LOST_RUNS = """
SELECT run_id FROM saniwa_heads AS h
WHERE NOT EXISTS (SELECT 1 FROM saniwa_runs AS r WHERE r.run_id = h.run_id)
"""
_SELECT_IDS = "SELECT run_id FROM saniwa_runs UNION SELECT run_id FROM saniwa_heads"
_SELECT_KNOWN = """
SELECT EXISTS (SELECT 1 FROM saniwa_runs WHERE run_id = %(run)s),
  EXISTS (SELECT 1 FROM saniwa_heads WHERE run_id = %(run)s)
    OR EXISTS (SELECT 1 FROM saniwa_turns WHERE run_id = %(run)s)
"""
_SELECT_RECORD = "SELECT record, seal FROM saniwa_runs WHERE run_id = %(run)s"
LOCK_HEAD = "SELECT 1 FROM saniwa_heads WHERE run_id = %(run)s FOR UPDATE"
INSERT_SAVE = """
WITH kept AS (
  INSERT INTO saniwa_saves VALUES (%(run)s, %(name)s, %(turn)s, %(created)s)
  ON CONFLICT (run_id, name) DO UPDATE
  SET turn = EXCLUDED.turn, created = EXCLUDED.created
)
UPDATE saniwa_heads SET saves = %(seal)s WHERE run_id = %(run)s RETURNING 1
"""
_SELECT_SAVES = """
SELECT h.saves, s.name, s.turn, s.created
FROM saniwa_heads AS h LEFT JOIN saniwa_saves AS s ON s.run_id = h.run_id
WHERE h.run_id = %(run)s ORDER BY s.name COLLATE "C"
"""
POSTGRES_RUN_QUERIES = SqlRunQueries(
    head=_SELECT_HEAD,
    start=_SELECT_START,
    turns=_SELECT_TURNS,
    runs=_SELECT_RUNS,
    lost=_SELECT_LOST_RUNS,
    ids=_SELECT_IDS,
    known=_SELECT_KNOWN,
    record=_SELECT_RECORD,
    saves=_SELECT_SAVES,
)
"""The queries of `SqlRunStore`, in this dialect."""


SCHEMA_VERSION = 1
"""Version of the tables above; a database of a later version is not opened."""


class PostgresRunStore(SqlRunStore):
    """The tables `saniwa_…` of one database."""

    _questions = POSTGRES_RUN_QUERIES

    def __init__(
        self,
        url: str,
        *,
        mode: Literal["create", "existing", "read"] = "create",
        patience: int = CONNECT_TIMEOUT,
    ) -> None:
        """Connect, and create missing tables.

        Args:
            url: `postgresql://user:password@host/database`.
            mode: `create` creates missing tables; `existing` and `read` refuse, and
                `read` never writes.
            patience: Seconds to wait for the server's first answer.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNKNOWN`, `STORE_UNREACHABLE`,
                `STORE_UNREADABLE`, `STORE_TOO_NEW`, `TRACE_UNWRITABLE`.
        """
        self._psycopg = load_psycopg()
        self._url, self._mode, self._patience = url, mode, patience
        # One connection for all threads: no other thread may see into a transaction.
        self._lock = RLock()
        self._bound = False
        # Never the whole URL: it may contain a password.
        self.place = "postgresql:"
        self._server = self._connect()

    def create(self, record: RunRecord) -> None:
        """Store a new run, durably.

        Raises:
            StoreError: `RUN_EXISTS` if the id is taken; `STORE_UNREACHABLE`,
                `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        run_id, payload = record.run_id, run_records.encode_record(record)
        values = {
            "run": run_id,
            "name": record.scenario_id,
            "created": record.created,
            "line": run_records.seal_summary(run_id, record.scenario_id, record.created),
            "seal": run_records.seal_record(run_id, payload),
            "record": payload,
            "saves": run_records.seal_saves(()),
        }
        if not self._execute(INSERT_RUN, values):
            raise lookup.make_run_exists_error(run_id, self.place)

    def append(self, run_id: str, turn: Turn) -> None:
        """Store a run's next turn; when this returns, it is committed.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `REVISION_CONFLICT` if it is not the next;
                `TRACE_CORRUPT` if the run's end was changed from outside; `STORE_BUSY`,
                `TRACE_UNWRITABLE` if it could not be written; `STORE_UNREACHABLE` if
                the server went away, and then only reading the run again shows whether
                the turn was stored.
        """
        if not lookup.is_storable_text(run_id):
            raise lookup.make_unknown_run_error(run_id, self._list_ids(), self.place)
        values = {
            "run": run_id,
            "number": turn.number,
            "mark": run_records.encode_position(run_id, turn.number),
            "turn": run_records.encode_record(turn),
        }
        if not self._execute(INSERT_TURN, values):
            count, _ = self._read_head(run_id)
            raise run_records.make_turn_conflict_error(run_id, turn.number, count, self.place)

    def save(self, save: RunSave) -> None:
        """Store a name for a point of a run, durably; an existing name moves to it.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `SAVE_UNNAMED` for a name that cannot be
                stored; `STORE_UNREACHABLE`, `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        lookup.check_save_name(save.name, self.place)
        run_id = save.run_id
        self._check_exists(run_id)
        with self._begin_transaction():
            self._execute(LOCK_HEAD, {"run": run_id})
            others = [s for s in self.list_saves(run_id) if s.name != save.name]
            values = {
                "run": run_id,
                "name": save.name,
                "turn": save.turn,
                "created": save.created,
                "seal": run_records.seal_saves([*others, save]),
            }
            self._execute(INSERT_SAVE, values)

    def close(self) -> None:
        """Close the connection; a later query opens another."""
        self._server.close()

    def _connect(self) -> "psycopg.Connection[Any]":
        server = connect_server(self._psycopg, self._url, self._patience)
        self.place = f"postgresql:{server.info.dbname}"
        try:
            self._prepare(server)
        except BaseException:
            server.close()
            raise
        return server

    def _prepare(self, server: "psycopg.Connection[Any]") -> None:
        with self._translate_errors("TRACE_UNWRITABLE"):
            # A server may be configured to answer before a commit is on disk.
            server.execute("SET synchronous_commit = on")
            if self._mode == "read":
                server.execute("SET default_transaction_read_only = on")
            made = server.execute("SELECT to_regclass('saniwa_shape')::text").fetchone()
        if made == (None,):
            if self._mode != "create":
                raise make_foreign_database_error("no run was ever kept in it", self.place)
            with self._translate_errors("TRACE_UNWRITABLE"), server.transaction():
                server.execute(CREATE_TABLES)
        with self._translate_errors("STORE_UNREADABLE"):
            shape = server.execute("SELECT MAX(version) FROM saniwa_shape").fetchone()
        check_schema_version(shape[0] if shape else None, SCHEMA_VERSION, self.place)

    def _query(self, question: str, values: Mapping[str, Any]) -> list[Any]:
        """Return the rows of a query; repeat it once if the server went away."""
        with self._lock:
            try:
                return self._execute(question, values)
            except StoreError:
                if self._bound or not self._server.closed:
                    raise
            return self._execute(question, values)

    def _execute(self, statement: str, values: Mapping[str, Any]) -> list[Any]:
        """Return the rows of a statement, on a new connection if the last was cut."""
        with self._lock:
            if self._server.closed and not self._bound:
                self._server = self._connect()
            with self._translate_errors("STORE_UNREADABLE"):
                answer = self._server.execute(statement.encode(), dict(values))
                return answer.fetchall()

    @contextmanager
    def _begin_transaction(self) -> Iterator[None]:
        """Commit everything written inside the block at its end, or nothing."""
        with self._lock:
            if self._server.closed:
                self._server = self._connect()
            with self._translate_errors("TRACE_UNWRITABLE"), self._server.transaction():
                self._bound = True
                try:
                    yield
                finally:
                    self._bound = False

    @contextmanager
    def _translate_errors(self, code: str) -> Iterator[None]:
        try:
            yield
        except (self._psycopg.Error, UnicodeError) as problem:
            raise make_postgres_error(code, problem, self.place) from problem
