"""Runs in one SQLite file: the default, for one machine.

Appending a turn checks that it has the next number and that the run's last row confirms
its head; it is synced to disk before `append` returns and before anyone can read it.
Several processes may share the file. What is read is confirmed by seals or refused,
never guessed.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from saniwa.store import lookup, run_records
from saniwa.store.run_records import RunRecord, RunSave
from saniwa.store.sql_run_store import SqlRunStore, build_run_queries
from saniwa.store.sqlite_file import BUSY_TIMEOUT, SqliteFile, SqliteFileSchema, SqlParameters
from saniwa.turn.record import Turn

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
INSERT_TURN = "INSERT INTO turns VALUES (?, ?, ?, ?)"
# Only from the number and the seal that the rows confirm.
UPDATE_HEAD = """
UPDATE heads SET count = ?2 + 1, seal = ?3 WHERE run_id = ?1 AND count = ?2 AND seal = ?4
AND ?4 = COALESCE(
  (SELECT seal FROM turns WHERE run_id = ?1 ORDER BY number DESC LIMIT 1),
  (SELECT seal FROM runs WHERE run_id = ?1))
AND EXISTS (SELECT 1 FROM runs WHERE run_id = ?1)
"""
INSERT_SAVE = "INSERT OR REPLACE INTO saves VALUES (?, ?, ?, ?)"
UPDATE_SAVES_SEAL = "UPDATE heads SET saves = ?2 WHERE run_id = ?1"
_SELECT_HEAD = "SELECT count, seal FROM heads WHERE run_id = :run"
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
_MOST_REMEMBERED = 1_000


class _RunEnd(NamedTuple):
    """The end of a run as this store last wrote it."""

    number: int
    """The number of its next turn."""
    seal: bytes
    """The seal of the last turn."""


T = TypeVar("T")


class SqliteRunStore(SqlRunStore):
    """One file of runs."""

    # Record numbers follow the order of arrival, whatever a clock says.
    _questions = build_run_queries(prefix="", least="MIN", order="record", record=_SELECT_RECORD)

    def __init__(
        self,
        path: Path | str,
        *,
        mode: lookup.OpenMode = "create",
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
        # Most recently written last.
        self._run_ends = dict[str, _RunEnd]()
        self._file = SqliteFile(path, _FILE_SCHEMA, mode=mode, patience=patience, together=together)
        self.place = self._file.place

    async def commit(self, write: Callable[[], T]) -> T:
        """Call `write`, and return its result once everything it stored is durable.

        Raises:
            StoreError: It could not be stored; nothing was written.
            Exception: Any error of `write`; nothing of it was written.
        """
        return await self._file.commit(write)

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
                raise lookup.make_run_exists_error(record.run_id, self.place)

    async def append(self, run_id: str, turn: Turn) -> None:
        """Store a run's next turn; when this returns, it is on the disk.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `REVISION_CONFLICT` if it is not the next;
                `TRACE_CORRUPT` if the run's end was changed from outside; `STORE_BUSY`,
                `TRACE_UNWRITABLE` if it could not be written. Nothing was written then.
        """
        payload = lookup.encode_record(turn)
        end = await self._file.commit(lambda: self._insert_turn(run_id, turn.number, payload))
        self._remember_end(run_id, end)

    def _insert_turn(self, run_id: str, number: int, payload: bytes) -> _RunEnd:
        before = self._find_previous_seal(run_id, number)
        sealed = run_records.compute_row_seal(before, run_id, number, payload)
        # Until this has succeeded, only the file knows the run's end.
        self._run_ends.pop(run_id, None)
        if not self._execute(UPDATE_HEAD, (run_id, number, sealed, before)):
            count, _ = self._read_head(run_id)
            raise run_records.make_turn_conflict_error(run_id, number, count, self.place)
        self._execute(INSERT_TURN, (run_id, number, sealed, payload))
        return _RunEnd(number + 1, sealed)

    def read_turns(self, run_id: str, start: int = 0) -> Iterator[Turn]:
        """Yield the run's turns from `start` on; see `SqlRunStore`.

        Raises:
            StoreError: As there.
        """
        left = self._run_ends.get(run_id)
        # If the run ends as this store wrote it, there is nothing more to read.
        if left and left.number == start and self._query(_SELECT_HEAD, {"run": run_id}) == [left]:
            return iter(())
        return super().read_turns(run_id, start)

    def _remember_end(self, run_id: str, left: _RunEnd) -> None:
        self._run_ends[run_id] = left
        if len(self._run_ends) > _MOST_REMEMBERED:
            self._run_ends.pop(next(iter(self._run_ends)), None)

    def _find_previous_seal(self, run_id: str, number: int) -> bytes:
        """Return the seal that turn `number` follows, if that is the run's next."""
        # If this store wrote the run's end, no query is needed; the write checks it
        # anyway.
        left = self._run_ends.get(run_id)
        if left is not None and left.number == number:
            return left.seal
        count, head = self._read_head(run_id)
        if number != count:
            raise run_records.make_turn_conflict_error(run_id, number, count, self.place)
        return head

    def save(self, save: RunSave) -> None:
        """Store a name for a point of a run, durably; an existing name moves to it.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `SAVE_UNNAMED` for a name that cannot be
                stored; `STORE_BUSY`, `TRACE_CORRUPT`, `TRACE_UNWRITABLE`.
        """
        lookup.check_save_name(save.name, self.place)
        run_id = save.run_id
        with self._file.begin_transaction():
            sealed = self._seal_saves_with(save)
            self._execute(INSERT_SAVE, (run_id, save.name, save.turn, save.created))
            self._execute(UPDATE_SAVES_SEAL, (run_id, sealed))

    def close(self) -> None:
        """Close the file; everything acknowledged is in it."""
        self._file.close()

    def _query(self, question: str, values: Mapping[str, Any]) -> list[Any]:
        return self._file.query(question, dict(values))

    def _execute(self, statement: str, values: SqlParameters) -> bool:
        return self._file.execute(statement, values).rowcount == 1
