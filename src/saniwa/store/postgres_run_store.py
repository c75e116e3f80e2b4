"""Runs in PostgreSQL: for many machines.

Appending a turn is one statement. It checks the next number and that the run's last row
confirms its head, writes, and is on disk before `append` returns. A lost connection is
reopened: a query is then repeated, a write is not. Needs the extra `postgres`, imported
when a store is opened.
"""

from typing import TypeVar

from saniwa.store import run_ids, storage_errors
from saniwa.store.postgres_connection import CONNECT_TIMEOUT, PostgresDatabase, PostgresSchema
from saniwa.store.run_records import RunRecord, RunSave, check_save_name
from saniwa.store.sealed_log import LogEnd
from saniwa.store.sql_run_store import SqlRunStore, build_run_queries, build_turn_tables
from saniwa.store.sql_sealed_log import PostgresSealedLog

T = TypeVar("T")
SCHEMA_VERSION = 1
"""Version of the tables below; a database of a later version is not opened."""
# One lock for all processes that create the tables: two at once would fail.
_SCHEMA = PostgresSchema(
    "saniwa_shape",
    """
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
""",
    SCHEMA_VERSION,
)
INSERT_RUN = """
WITH kept AS (
  INSERT INTO saniwa_runs
  SELECT %(run)s, %(name)s, %(created)s, %(line)s, %(seal)s, %(record)s
  WHERE NOT EXISTS (SELECT 1 FROM saniwa_heads WHERE run_id = %(run)s)
  ON CONFLICT DO NOTHING RETURNING run_id, seal
)
INSERT INTO saniwa_heads SELECT run_id, 0, seal, %(saves)s FROM kept RETURNING 1
"""
LOCK_HEAD = "SELECT 1 FROM saniwa_heads WHERE run_id = %(run)s FOR UPDATE"
INSERT_SAVE = """
WITH kept AS (
  INSERT INTO saniwa_saves VALUES (%(run)s, %(name)s, %(turn)s, %(created)s)
  ON CONFLICT (run_id, name) DO UPDATE
  SET turn = EXCLUDED.turn, created = EXCLUDED.created
)
UPDATE saniwa_heads SET saves = %(seal)s WHERE run_id = %(run)s RETURNING 1
"""
_QUERIES = build_run_queries(
    prefix="saniwa_",
    least="LEAST",
    # Transaction numbers follow the order of arrival, whatever a clock says; rows are
    # never changed. Runs restored from a copy all arrived in one transaction: there the
    # clock decides.
    order='age(r.xmin) DESC, created, run_id COLLATE "C"',
    record="SELECT record, seal FROM saniwa_runs WHERE run_id = :run",
)
_TABLES = build_turn_tables("saniwa_")


class PostgresRunStore(SqlRunStore):
    """The tables `saniwa_…` of one database."""

    _questions = _QUERIES

    def __init__(
        self, url: str, *, mode: storage_errors.OpenMode = "create", patience: int = CONNECT_TIMEOUT
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
        self._server = PostgresDatabase(url, _SCHEMA, mode=mode, patience=patience)
        super().__init__(self._server)
        query, write = self._query_log, self._server.query_once
        self._log = PostgresSealedLog(_TABLES, query, write, self.place, self._make_corrupt_error)

    def create(self, record: RunRecord) -> None:
        """Store a new run, durably.

        Raises:
            StoreError: `RUN_EXISTS` if the id is taken; `STORE_UNREACHABLE`,
                `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        row = self._make_run_row(record)
        if not self._server.query_once(INSERT_RUN, row):
            raise run_ids.make_run_exists_error(record.run_id, self.place)
        self._remember_end(record.run_id, LogEnd(0, row["seal"]))

    def save(self, save: RunSave) -> None:
        """Store a name for a point of a run, durably; an existing name moves to it.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `SAVE_UNNAMED` for a name that cannot be
                stored; `STORE_UNREACHABLE`, `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        check_save_name(save.name, self.place)
        run_id = save.run_id
        self._check_exists(run_id)
        with self._server.begin_transaction():
            self._server.query_once(LOCK_HEAD, {"run": run_id})
            named = {"run": run_id, "name": save.name, "turn": save.turn}
            values = named | {"created": save.created, "seal": self._seal_saves_with(save)}
            self._server.query_once(INSERT_SAVE, values)
