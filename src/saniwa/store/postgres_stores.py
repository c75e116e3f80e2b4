"""The stores of runs, plays and outcomes of cells in PostgreSQL: for many machines.

A write is one statement that checks what it builds on: the next number and the head of a
run, the revision of a play, that a cell has no outcome yet. It is on disk before it
returns. A lost connection is reopened: queries are then repeated, and writes except those
of turns. Needs the extra `postgres`, imported when a store is opened.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar

from saniwa.core.errors import StoreError
from saniwa.store import run_id_lookup, storage_errors
from saniwa.store.outcome_store import check_key, check_outcome
from saniwa.store.play_records import SqlPlayRecords, StoredPlay
from saniwa.store.postgres_connection import CONNECT_TIMEOUT, PostgresDatabase, PostgresSchema
from saniwa.store.run_records import RunRecord, RunSave, check_save_name
from saniwa.store.sealed_log import LogEnd
from saniwa.store.sql_run_store import SqlRunStore, build_run_queries, build_turn_tables
from saniwa.store.sql_sealed_log import PostgresSealedLog

T = TypeVar("T")
SCHEMA_VERSION = 1
"""Version of the tables below; a database of a later version is not opened."""
# One lock for all processes that create the tables: two at once would fail.
_RUN_SCHEMA = PostgresSchema(
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
        self._server = PostgresDatabase(url, _RUN_SCHEMA, mode=mode, patience=patience)
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
            raise run_id_lookup.make_run_exists_error(record.run_id, self.place)
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


# One lock for all processes that create the tables: two at once would fail.
_PLAY_SCHEMA: Final = PostgresSchema(
    "saniwa_plays_shape",
    """
SELECT pg_advisory_xact_lock(53619);
CREATE TABLE IF NOT EXISTS saniwa_plays_shape (version integer PRIMARY KEY);
CREATE TABLE IF NOT EXISTS saniwa_plays (
  id text COLLATE "C" PRIMARY KEY, revision bigint NOT NULL, content bytea NOT NULL
);
INSERT INTO saniwa_plays_shape
  SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM saniwa_plays_shape);
""",
)


class PostgresPlayRecords(SqlPlayRecords):
    """The table `saniwa_plays` of a database."""

    table = "saniwa_plays"

    def __init__(self, url: str) -> None:
        """Connect to `postgresql://user:password@host/database`; create missing tables.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNKNOWN`, `STORE_UNREACHABLE`,
                `STORE_TOO_NEW`, `TRACE_UNWRITABLE`.
        """
        self._database = PostgresDatabase(url, _PLAY_SCHEMA)
        self.place = self._database.place

    def close(self) -> None:
        """Close the connection; a later query opens another."""
        self._database.close()

    def _query(self, question: str, values: dict[str, Any]) -> list[Any]:
        return self._database.query(question, values)

    def _write(self, statement: str, play_id: str, new: StoredPlay) -> bool:
        """Whether it was written, even if the server's first answer was lost."""
        statement += " RETURNING 1"
        values = {"id": play_id, "content": new.content, "after": new.revision - 1}
        try:
            return bool(self._database.query_once(statement, values, "TRACE_UNWRITABLE"))
        except StoreError as problem:
            if problem.code != "STORE_UNREACHABLE":
                raise
        # The first attempt may have succeeded: then the second finds it done.
        again = self._database.query_once(statement, values, "TRACE_UNWRITABLE")
        return bool(again) or self.get(play_id) == new

    def _remove(self, play_id: str) -> None:
        statement = f"DELETE FROM {self.table} WHERE id = :id RETURNING 1"
        self._database.query(statement, {"id": play_id}, "TRACE_UNWRITABLE")


RETRY_PAUSES: Final = (0.0, 1.0, 3.0)
"""Seconds before each further attempt, if the server went away."""

# One lock for all processes that create the tables: two at once would fail.
_CELL_SCHEMA: Final = PostgresSchema(
    "saniwa_cells_shape",
    """
SELECT pg_advisory_xact_lock(53618);
CREATE TABLE IF NOT EXISTS saniwa_cells_shape (version integer PRIMARY KEY);
CREATE TABLE IF NOT EXISTS saniwa_cells (
  experiment text NOT NULL, key text NOT NULL, outcome bytea NOT NULL,
  PRIMARY KEY (experiment, key)
);
INSERT INTO saniwa_cells_shape
  SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM saniwa_cells_shape);
""",
)
_INSERT_OUTCOME: Final = """
INSERT INTO saniwa_cells VALUES (%(experiment)s, %(key)s, %(outcome)s)
ON CONFLICT DO NOTHING RETURNING 1
"""
_DELETE_OUTCOME: Final = """
DELETE FROM saniwa_cells
WHERE experiment = %(experiment)s AND key = %(key)s AND outcome = %(outcome)s
RETURNING 1
"""
_SELECT_OUTCOME: Final = """
SELECT outcome FROM saniwa_cells WHERE experiment = %(experiment)s AND key = %(key)s
"""
_SELECT_KEYS: Final = """
SELECT key FROM saniwa_cells WHERE experiment = %(experiment)s ORDER BY key COLLATE "C"
"""


class PostgresOutcomeStore:
    """The cells of one experiment in the table `saniwa_cells` of a database."""

    def __init__(
        self,
        url: str,
        experiment: str,
        *,
        pauses: Sequence[float] = RETRY_PAUSES,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Connect, and create missing tables.

        Args:
            url: `postgresql://user:password@host/database`.
            experiment: The fingerprint of the prepared plan.
            pauses: Seconds before each further attempt, if the server went away.
            sleep: Waits that long.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNKNOWN`, `STORE_UNREACHABLE`,
                `STORE_TOO_NEW`, `TRACE_UNWRITABLE`.
        """
        self._database = PostgresDatabase(url, _CELL_SCHEMA, pauses=pauses, sleep=sleep)
        self.place = self._database.place
        """The database's name in messages."""
        self._experiment = experiment

    def keep(self, key: str, outcome: bytes) -> bool:
        """Store a cell's outcome durably; False if it has one already, which stays.

        If the server goes away in the middle, this tries again and may find its own
        first attempt: it then returns False although the outcome was stored.

        Raises:
            StoreError: `NAME_UNUSABLE`; `STORE_UNREACHABLE`, `STORE_BUSY`,
                `TRACE_UNWRITABLE`.
        """
        check_key(key, self.place)
        return bool(self._query(_INSERT_OUTCOME, "TRACE_UNWRITABLE", key=key, outcome=outcome))

    def discard(self, key: str, outcome: bytes) -> bool:
        """Remove a cell's outcome durably; False if another or none is stored.

        If the server goes away in the middle, this tries again and may find that its
        own first attempt succeeded: it then returns False although the outcome was
        removed.

        Raises:
            StoreError: `NAME_UNUSABLE`; `STORE_UNREACHABLE`, `STORE_BUSY`,
                `TRACE_UNWRITABLE`.
        """
        check_key(key, self.place)
        return bool(self._query(_DELETE_OUTCOME, "TRACE_UNWRITABLE", key=key, outcome=outcome))

    def get_outcome(self, key: str) -> bytes | None:
        """Return a cell's outcome; None if the cell is not finished.

        Raises:
            StoreError: `NAME_UNUSABLE`; `STORE_UNREACHABLE`, `STORE_BUSY`,
                `STORE_UNREADABLE`; `TRACE_CORRUPT` if it is not an outcome of the cell.
        """
        check_key(key, self.place)
        for (outcome,) in self._query(_SELECT_OUTCOME, "STORE_UNREADABLE", key=key):
            check_outcome(key, outcome, self.place)
            return bytes(outcome)
        return None

    def list_keys(self) -> Iterator[str]:
        """List the finished cells, sorted.

        Raises:
            StoreError: `STORE_UNREACHABLE`, `STORE_BUSY`, `STORE_UNREADABLE`.
        """
        return iter([key for (key,) in self._query(_SELECT_KEYS, "STORE_UNREADABLE")])

    def close(self) -> None:
        """Close the connection; a later query opens another."""
        self._database.close()

    def _query(self, question: str, code: str, **values: Any) -> list[Any]:
        return self._database.query(question, {"experiment": self._experiment, **values}, code)
