"""Runs in one SQLite file: the default, for one machine.

Appending a turn checks that it has the next number and that the run's last row confirms
its head; it is synced to disk before `append` returns and before anyone can read it.
Several processes may share the file. What is read is confirmed by seals or refused,
never guessed.
"""

from pathlib import Path
from typing import TypeVar

from saniwa.store import run_ids, storage_errors
from saniwa.store.run_records import RunRecord, RunSave, check_save_name
from saniwa.store.sql_run_store import SqlRunStore, build_run_queries, build_turn_tables
from saniwa.store.sql_sealed_log import SqliteSealedLog
from saniwa.store.sqlite_file import BUSY_TIMEOUT, SqliteFile, SqliteFileSchema, SqlParameters

RUN_TABLES = (
    """CREATE TABLE runs (
  run_id TEXT PRIMARY KEY, scenario_id TEXT NOT NULL, created INTEGER NOT NULL,
  line BLOB NOT NULL, seal BLOB NOT NULL, record INTEGER NOT NULL
) STRICT, WITHOUT ROWID""",
    # A separate table: a search by run would otherwise read every complete record on
    # its way.
    """CREATE TABLE records (
  id INTEGER PRIMARY KEY, record BLOB NOT NULL
) STRICT""",
    """CREATE TABLE heads (
  run_id TEXT PRIMARY KEY, count INTEGER NOT NULL, seal BLOB NOT NULL,
  saves BLOB NOT NULL
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE turns (
  run_id TEXT NOT NULL, number INTEGER NOT NULL,
  seal BLOB NOT NULL, turn BLOB NOT NULL,
  PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID""",
    """CREATE TABLE saves (
  run_id TEXT NOT NULL, name TEXT NOT NULL,
  turn INTEGER NOT NULL, created INTEGER NOT NULL,
  PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID""",
)
INSERT_RECORD = "INSERT INTO records (record) VALUES (:record)"
INSERT_RUN = """
INSERT INTO runs VALUES (:run, :name, :created, :line, :seal, last_insert_rowid())
ON CONFLICT DO NOTHING
"""
INSERT_HEAD = "INSERT INTO heads VALUES (:run, 0, :seal, :saves) ON CONFLICT DO NOTHING"
INSERT_SAVE = "INSERT OR REPLACE INTO saves VALUES (?, ?, ?, ?)"
UPDATE_SAVES_SEAL = "UPDATE heads SET saves = ?2 WHERE run_id = ?1"
_SELECT_RECORD = """
SELECT records.record, runs.seal FROM runs LEFT JOIN records ON records.id = runs.record
WHERE runs.run_id = :run
"""


APPLICATION_ID = 0x53616E69
"""SQLite's application id of our files: "Sani"."""
SCHEMA_VERSION = 1
"""Version of the tables above; a file of a later version is not opened."""

_FILE_SCHEMA = SqliteFileSchema(
    mark=APPLICATION_ID, version=SCHEMA_VERSION, tables=RUN_TABLES, holds="runs"
)
TABLES = build_turn_tables("")
T = TypeVar("T")


class SqliteRunStore(SqlRunStore):
    """One file of runs."""

    # Record numbers follow the order of arrival, whatever a clock says.
    _questions = build_run_queries(prefix="", least="MIN", order="record", record=_SELECT_RECORD)

    def __init__(
        self,
        path: Path | str,
        *,
        mode: storage_errors.OpenMode = "create",
        patience: float = BUSY_TIMEOUT,
        together: bool = False,
    ) -> None:
        """Open the file, or create it.

        Args:
            path: The file.
            mode: `create` creates a missing file; `existing` and `read` refuse, and
                `read` never writes.
            patience: Seconds to wait for another process that is writing.
            together: As for `SqliteFile`.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_TOO_NEW`, `STORE_BUSY`,
                `TRACE_CORRUPT`, `TRACE_UNWRITABLE`.
        """
        self._file = SqliteFile(path, _FILE_SCHEMA, mode=mode, patience=patience, together=together)
        super().__init__(self._file)
        query, write = self._query_log, self._file.execute
        self._log = SqliteSealedLog(TABLES, query, write, self.place, self._make_corrupt_error)

    def create(self, record: RunRecord) -> None:
        """Store a new run, durably.

        Raises:
            StoreError: `RUN_EXISTS` if the id is taken; `STORE_BUSY`,
                `TRACE_UNWRITABLE` if it could not be written, and then nothing was.
        """
        row = self._make_run_row(record)
        with self._file.begin_transaction():
            self._execute(INSERT_RECORD, row)
            if not self._execute(INSERT_RUN, row) or not self._execute(INSERT_HEAD, row):
                raise run_ids.make_run_exists_error(record.run_id, self.place)

    def save(self, save: RunSave) -> None:
        """Store a name for a point of a run, durably; an existing name moves to it.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `SAVE_UNNAMED` for a name that cannot be
                stored; `STORE_BUSY`, `TRACE_CORRUPT`, `TRACE_UNWRITABLE`.
        """
        check_save_name(save.name, self.place)
        run_id = save.run_id
        with self._file.begin_transaction():
            sealed = self._seal_saves_with(save)
            self._execute(INSERT_SAVE, (run_id, save.name, save.turn, save.created))
            self._execute(UPDATE_SAVES_SEAL, (run_id, sealed))

    def _execute(self, statement: str, values: SqlParameters) -> bool:
        return self._file.execute(statement, values).rowcount == 1
