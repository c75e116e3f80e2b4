"""The stores of runs and of plays, each in one SQLite file: the default, for one machine.

Appending a turn checks that it has the next number and that the run's last row confirms
its head; a record of a play is replaced by one statement that checks its revision. Both
are synced to disk before the call returns. Several processes may share a file. What is
read is confirmed by seals or refused, never guessed.
"""

from collections.abc import Callable
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeVar

from saniwa.core.errors import StoreError
from saniwa.core.text import quote_value
from saniwa.store import run_id_lookup, storage_errors
from saniwa.store.play_records import SqlPlayRecords, StoredPlay, is_usable_id
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


RUN_APPLICATION_ID = 0x53616E69
"""SQLite's application id of our files: "Sani"."""
RUN_SCHEMA_VERSION = 1
"""Version of the tables above; a file of a later version is not opened."""

_RUN_FILE_SCHEMA = SqliteFileSchema(
    mark=RUN_APPLICATION_ID, version=RUN_SCHEMA_VERSION, tables=RUN_TABLES, holds="runs"
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
        self._file = SqliteFile(
            path, _RUN_FILE_SCHEMA, mode=mode, patience=patience, together=together
        )
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
                raise run_id_lookup.make_run_exists_error(record.run_id, self.place)

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


_SEAL_PREFIX: Final = b"\0seal1 "
_SEAL_LENGTH: Final = 32
_UNSEALED_PREFIX: Final = b"{"
"""First byte of records without a seal; no flipped bit makes it a seal's.
"""


def seal_record(play_id: str, revision: int, content: bytes) -> bytes:
    """Encode a record with its seal."""
    return _SEAL_PREFIX + _compute_seal(play_id, revision, content) + content


def unseal_record(play_id: str, revision: int, kept: bytes, place: str) -> bytes:
    """Return a record without its seal; one from before seals existed is not checked.

    Raises:
        StoreError: `TRACE_CORRUPT`.
    """
    if kept.startswith(_UNSEALED_PREFIX):
        return kept
    start = len(_SEAL_PREFIX) + _SEAL_LENGTH
    content = kept[start:]
    if kept[:start] == _SEAL_PREFIX + _compute_seal(play_id, revision, content):
        return content
    raise StoreError(
        "TRACE_CORRUPT",
        f"the stored record of run {quote_value(play_id)} is corrupt",
        where=place,
        hint="restore the file from a backup",
        details={"run": play_id},
    )


def _compute_seal(play_id: str, revision: int, content: bytes) -> bytes:
    name = play_id.encode("utf-8", "surrogatepass")
    return sha256(b"%d %b\0%b" % (revision, name, content)).digest()


PLAY_APPLICATION_ID: Final = 0x53616E50
"""SQLite's application id of our files: "SanP"."""
PLAY_SCHEMA_VERSION: Final = 1
"""Version of the table below; a file of a later version is not opened."""

_CREATE_TABLE: Final = """
CREATE TABLE plays (
  id TEXT PRIMARY KEY, revision INTEGER NOT NULL, content BLOB NOT NULL
) STRICT
"""
_PLAY_FILE_SCHEMA: Final = SqliteFileSchema(
    mark=PLAY_APPLICATION_ID, version=PLAY_SCHEMA_VERSION, tables=(_CREATE_TABLE,), holds="plays"
)


class SqlitePlayRecords(SqlPlayRecords):
    """One file of plays."""

    table = "plays"

    def __init__(
        self, path: Path | str, *, patience: float = BUSY_TIMEOUT, together: bool = False
    ) -> None:
        """Open the file, or create it.

        Args:
            path: The file.
            patience: Seconds to wait for another process that is writing.
            together: As for `SqliteFile`.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_TOO_NEW`, `STORE_BUSY`,
                `TRACE_CORRUPT`, `TRACE_UNWRITABLE`.
        """
        self._file = SqliteFile(path, _PLAY_FILE_SCHEMA, patience=patience, together=together)
        self.place = self._file.place

    async def commit(self, write: Callable[[], T]) -> T:
        """Call `write`, and return its result once everything it stored is durable.

        Raises:
            StoreError: It could not be stored; nothing was written.
            Exception: Any error of `write`; nothing of it was written.
        """
        return await self._file.commit(write)

    def close(self) -> None:
        """Close the file; everything acknowledged is in it."""
        self._file.close()

    def _query(self, question: str, values: dict[str, Any]) -> list[Any]:
        return self._file.query(question, values)

    def _write(self, statement: str, play_id: str, new: StoredPlay) -> bool:
        sealed = seal_record(play_id, new.revision, new.content)
        values = {"id": play_id, "content": sealed, "after": new.revision - 1}
        with self._file.begin_transaction():
            return self._file.execute(statement, values).rowcount == 1

    def _select(self, play_id: str) -> StoredPlay | None:
        stored = super()._select(play_id)
        if stored is None:
            return None
        content = unseal_record(play_id, stored.revision, stored.content, self.place)
        return StoredPlay(revision=stored.revision, content=content)

    def _select_ids(self, after: str, limit: int) -> tuple[str, ...]:
        ids = super()._select_ids(after, limit)
        # Nothing but valid ids in ascending order was ever stored.
        named = all(isinstance(each, str) and is_usable_id(each) for each in ids)
        if not named or any(first >= second for first, second in pairwise((after, *ids))):
            raise StoreError(
                "TRACE_CORRUPT",
                "the index of stored records is corrupt",
                where=self.place,
                hint="restore the file from a backup",
            )
        return ids

    def _remove(self, play_id: str) -> None:
        with self._file.begin_transaction():
            self._file.execute(f"DELETE FROM {self.table} WHERE id = :id", {"id": play_id})
