"""Keeping runs in one SQLite file: the default, for one machine.

A turn is one INSERT, synced to disk before `append` returns; the same statement checks
that it carries the next number. Several processes may share the file.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from saniwa.core.errors import StoreError
from saniwa.core.where import Where
from saniwa.store import lookup, row
from saniwa.store.layout import RunRecord, RunSummary, Save
from saniwa.turn.trace import Turn

MARK = 0x53616E69
"""SQLite's application id of our files: "Sani"."""
VERSION = 1
"""The shape of the tables below; a file of a later shape is not opened."""
PATIENCE = 5.0
"""Seconds to wait for another process that is writing."""

_PAGE = 32
_TABLES = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS runs (
  run_id TEXT PRIMARY KEY, scenario_id TEXT NOT NULL, created INTEGER NOT NULL,
  record BLOB NOT NULL, seal BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS turns (
  run_id TEXT NOT NULL, number INTEGER NOT NULL,
  turn BLOB NOT NULL, seal BLOB NOT NULL,
  PRIMARY KEY (run_id, number)
) STRICT;
CREATE TABLE IF NOT EXISTS saves (
  run_id TEXT NOT NULL, name TEXT NOT NULL,
  turn INTEGER NOT NULL, created INTEGER NOT NULL,
  PRIMARY KEY (run_id, name)
) STRICT;
PRAGMA application_id = %d;
PRAGMA user_version = %d;
COMMIT;
"""
_APPEND = """
INSERT INTO turns (run_id, number, turn, seal) SELECT ?1, ?2, ?3, ?4
WHERE ?2 = (SELECT COALESCE(MAX(number) + 1, 0) FROM turns WHERE run_id = ?1)
  AND EXISTS (SELECT 1 FROM runs WHERE run_id = ?1)
"""
_RUNS = """
SELECT run_id, scenario_id, created,
  (SELECT COALESCE(MAX(number) + 1, 0) FROM turns WHERE turns.run_id = runs.run_id)
FROM runs ORDER BY created, run_id
"""
_NEXT = "SELECT COALESCE(MAX(number) + 1, 0) FROM turns WHERE run_id = ?"
_TURNS = """
SELECT number, turn, seal FROM turns
WHERE run_id = ? AND number >= ? ORDER BY number LIMIT ?
"""
_MODES = {"create": "rwc", "existing": "rw", "read": "ro"}


class SqliteStore:
    """One file of runs."""

    def __init__(
        self,
        path: Path | str,
        *,
        mode: Literal["create", "existing", "read"] = "create",
        patience: float = PATIENCE,
    ) -> None:
        """Open the file, or make it.

        Args:
            path: The file.
            mode: `create` makes the file where there is none; `existing` and `read`
                refuse, and `read` never writes.
            patience: Seconds to wait for another process that is writing.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_TOO_NEW`, `STORE_BUSY`,
                `TRACE_CORRUPT`, `TRACE_UNWRITABLE`.
        """
        self.place = str(path)
        with self._minding("STORE_UNREADABLE"):
            self._file = sqlite3.connect(
                f"file:{quote(str(Path(path).absolute()))}?mode={_MODES[mode]}",
                uri=True,
                isolation_level=None,
                timeout=patience,
                check_same_thread=False,
            )
        try:
            self._prepare(writable=mode != "read")
        except BaseException:
            self._file.close()
            raise

    def create(self, record: RunRecord) -> None:
        """Keep a new run, durably.

        Raises:
            StoreError: `RUN_EXISTS` if the id is taken; `STORE_BUSY`,
                `TRACE_UNWRITABLE` if it could not be written, and then nothing was.
        """
        payload = row.pack(record)
        sealed = row.seal(record.run_id, -1, payload)
        done = self._write(
            "INSERT INTO runs VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (record.run_id, record.scenario_id, record.created, payload, sealed),
        )
        if not done:
            raise lookup.taken(record.run_id, self.place)

    def append(self, run_id: str, turn: Turn) -> None:
        """Keep a run's next turn; when this returns, it is on the disk.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `REVISION_CONFLICT` if it is not the next;
                `STORE_BUSY`, `TRACE_UNWRITABLE` if it could not be written, and then
                nothing was.
        """
        if not lookup.legible(run_id):
            raise lookup.unknown(run_id, self._ids(), self.place)
        payload = row.pack(turn)
        sealed = row.seal(run_id, turn.number, payload)
        if not self._write(_APPEND, (run_id, turn.number, payload, sealed)):
            self._known(run_id)
            ((current,),) = self._read(_NEXT, (run_id,))
            raise row.conflict(run_id, turn.number, current, self.place)

    def record(self, run_id: str) -> RunRecord:
        """What the run began with.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `TRACE_CORRUPT`.
        """
        self._known(run_id)
        ask = "SELECT record, seal FROM runs WHERE run_id = ?"
        ((payload, sealed),) = self._read(ask, (run_id,))
        return row.unpack_record(run_id, payload, sealed, self.place)

    def turns(self, run_id: str, start: int = 0) -> Iterator[Turn]:
        """The run's turns from `start` on, a few at a time in memory.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once; `TRACE_CORRUPT` on reaching a turn
                that is missing or not what was written.
        """
        self._known(run_id)
        return self._each(run_id, max(start, 0))

    def _each(self, run_id: str, number: int) -> Iterator[Turn]:
        # Page by page: a reading left open would keep this file from being written
        # to once another process has written.
        while page := self._read(_TURNS, (run_id, number, _PAGE)):
            for found, payload, sealed in page:
                if found != number:
                    raise row.corrupt(run_id, number, self.place, "it is missing")
                yield row.unpack_turn(run_id, number, payload, sealed, self.place)
                number += 1

    def runs(self) -> Iterator[RunSummary]:
        """One line for each run, oldest first."""
        for run_id, scenario_id, created, turns in self._read(_RUNS):
            yield RunSummary(
                run_id=run_id, scenario_id=scenario_id, created=created, turns=turns
            )

    def find(self, text: str) -> str:
        """The one run whose id is, begins or ends with `text`.

        Raises:
            StoreError: `RUN_NOT_FOUND`, `RUN_AMBIGUOUS`.
        """
        return lookup.pick(text, self._ids(), self.place)

    def save(self, save: Save) -> None:
        """Keep a name for a point of a run, durably; the same name moves.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `SAVE_UNNAMED` for a name that cannot be kept;
                `STORE_BUSY`, `TRACE_UNWRITABLE`.
        """
        lookup.check_name(save.name, self.place)
        self._known(save.run_id)
        self._write(
            "INSERT OR REPLACE INTO saves VALUES (?, ?, ?, ?)",
            (save.run_id, save.name, save.turn, save.created),
        )

    def saves(self, run_id: str) -> Iterator[Save]:
        """The run's saves, in order of name.

        Raises:
            StoreError: `RUN_NOT_FOUND`, at once.
        """
        self._known(run_id)
        ask = "SELECT name, turn, created FROM saves WHERE run_id = ? ORDER BY name"
        return iter(
            [
                Save(run_id=run_id, name=name, turn=turn, created=created)
                for name, turn, created in self._read(ask, (run_id,))
            ]
        )

    def close(self) -> None:
        """Let go of the file; everything acknowledged is in it."""
        self._file.close()

    def _prepare(self, *, writable: bool) -> None:
        mark, version, tables = self._identity()
        if (mark, version, tables) == (0, 0, 0):
            if not writable:
                raise self._foreign("it is empty")
            with self._minding("TRACE_UNWRITABLE"):
                self._file.execute("PRAGMA journal_mode = WAL")
                self._file.executescript(_TABLES % (MARK, VERSION))
        elif mark != MARK:
            raise self._foreign("it is another program's database")
        elif version > VERSION:
            raise self._too_new(version)
        with self._minding("STORE_UNREADABLE"):
            self._file.execute("PRAGMA synchronous = FULL")

    def _identity(self) -> tuple[int, int, int]:
        with self._minding("STORE_UNREADABLE"):
            (mark,) = self._file.execute("PRAGMA application_id").fetchone()
            (version,) = self._file.execute("PRAGMA user_version").fetchone()
            (tables,) = self._file.execute(
                "SELECT COUNT(*) FROM sqlite_schema"
            ).fetchone()
        return mark, version, tables

    def _known(self, run_id: str) -> None:
        ask = "SELECT 1 FROM runs WHERE run_id = ?"
        if not lookup.legible(run_id) or not self._read(ask, (run_id,)):
            raise lookup.unknown(run_id, self._ids(), self.place)

    def _ids(self) -> list[str]:
        return [run_id for (run_id,) in self._read("SELECT run_id FROM runs")]

    def _read(self, ask: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._minding("STORE_UNREADABLE"):
            return self._file.execute(ask, values).fetchall()

    def _write(self, statement: str, values: Sequence[Any]) -> bool:
        with self._minding("TRACE_UNWRITABLE"):
            return self._file.execute(statement, values).rowcount == 1

    @contextmanager
    def _minding(self, code: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeEncodeError) as problem:
            raise self._error(code, problem) from problem

    def _error(self, code: str, problem: Exception) -> StoreError:
        kind = getattr(problem, "sqlite_errorcode", 0) & 0xFF
        known = _KNOWN.get(kind)
        code, hint = known or (code, "see whether the file and its folder can be used")
        return StoreError(
            code,
            f"the store cannot go on: {problem}",
            where=Where(file=self.place),
            hint=hint,
            recoverable=code == "STORE_BUSY",
            details={"sqlite": getattr(problem, "sqlite_errorname", "")},
        )

    def _foreign(self, why: str) -> StoreError:
        return StoreError(
            "STORE_UNREADABLE",
            f"this is no file of runs: {why}",
            where=Where(file=self.place),
            hint="name another file; this one was left as it is",
        )

    def _too_new(self, version: int) -> StoreError:
        return StoreError(
            "STORE_TOO_NEW",
            f"the file has shape {version}, and this Saniwa reads up to {VERSION}",
            where=Where(file=self.place),
            hint="update Saniwa; the file was left as it is",
            details={"version": version, "newest": VERSION},
        )


_FULL = "make room or make the file writable; nothing of this turn was kept"
_KNOWN = {
    sqlite3.SQLITE_BUSY: ("STORE_BUSY", "another process is writing; try again"),
    sqlite3.SQLITE_LOCKED: ("STORE_BUSY", "another process is writing; try again"),
    sqlite3.SQLITE_FULL: ("TRACE_UNWRITABLE", _FULL),
    sqlite3.SQLITE_READONLY: ("TRACE_UNWRITABLE", _FULL),
    sqlite3.SQLITE_CORRUPT: ("TRACE_CORRUPT", "bring the file back from a copy"),
    sqlite3.SQLITE_NOTADB: (
        "STORE_UNREADABLE",
        "this is no file of runs; name another",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "STORE_UNREADABLE",
        "see whether the file and its folder exist",
    ),
}
"""What SQLite's refusals mean to us; the rest is decided by what we were doing."""
