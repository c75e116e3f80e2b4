"""Keeping runs in one SQLite file: the default, for one machine.

A turn is one transaction, synced to disk before `append` returns: it checks that the
turn carries the next number and that the run still ends as it was left. Several
processes may share the file. What is read is borne out or refused, never guessed.
"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, Literal
from urllib.parse import quote

from saniwa.core.errors import StoreError
from saniwa.core.where import Where
from saniwa.store import lookup, row
from saniwa.store import sqlite_shape as sql
from saniwa.store.layout import RunRecord, Save
from saniwa.store.ledger import Ledger
from saniwa.turn.trace import Turn

MARK = 0x53616E69
"""SQLite's application id of our files: "Sani"."""
VERSION = 1
"""The shape of the tables below; a file of a later shape is not opened."""
PATIENCE = 5.0
"""Seconds to wait for another process that is writing."""

_EMPTY = (0, 0, 0)
_TRIES = 1000
_MODES = {"create": "rwc", "existing": "rw", "read": "ro"}


class SqliteStore(Ledger):
    """One file of runs."""

    _questions = sql.QUESTIONS

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
        self.place = lookup.shown(path)
        # One connection for all threads: a transaction is nobody else's to look into.
        self._alone = RLock()
        self._left: tuple[str, int, bytes] | None = None
        with self._minding("STORE_UNREADABLE"):
            self._file = sqlite3.connect(
                f"file:{quote(str(Path(path).absolute()))}?mode={_MODES[mode]}",
                uri=True,
                isolation_level=None,
                timeout=patience,
                check_same_thread=False,
            )
        try:
            self._prepare(makes=mode == "create")
        except BaseException:
            self._file.close()
            raise

    def create(self, record: RunRecord) -> None:
        """Keep a new run, durably.

        Raises:
            StoreError: `RUN_EXISTS` if the id is taken; `STORE_BUSY`,
                `TRACE_UNWRITABLE` if it could not be written, and then nothing was.
        """
        run_id, payload = record.run_id, row.pack(record)
        line = row.seal_line(run_id, record.scenario_id, record.created)
        sealed = row.seal_record(run_id, payload)
        kept = (run_id, record.scenario_id, record.created, line, sealed)
        with self._writing():
            self._write(sql.RECORDED, (payload,))
            done = self._write(sql.CREATE, kept)
            if not done or not self._write(
                sql.BEGIN, (run_id, sealed, row.seal_saves(()))
            ):
                raise lookup.taken(run_id, self.place)

    def append(self, run_id: str, turn: Turn) -> None:
        """Keep a run's next turn; when this returns, it is on the disk.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `REVISION_CONFLICT` if it is not the next;
                `TRACE_CORRUPT` if the run no longer ends as it was left; `STORE_BUSY`,
                `TRACE_UNWRITABLE` if it could not be written. Nothing was written then.
        """
        number, payload = turn.number, row.pack(turn)
        before = self._before(run_id, number)
        sealed = row.seal(before, run_id, number, payload)
        with self._writing():
            if not self._write(sql.ADVANCE, (run_id, number, sealed, before)):
                self._left = None
                count, _ = self._head(run_id)
                raise row.conflict(run_id, number, count, self.place)
            self._write(sql.APPEND, (run_id, number, sealed, payload))
        self._left = (run_id, number + 1, sealed)

    def _before(self, run_id: str, number: int) -> bytes:
        """The seal that turn `number` follows, if that is the run's next."""
        # Where we left the run ourselves we need not look; writing checks it anyway.
        left = self._left
        if left is not None and left[:2] == (run_id, number):
            return left[2]
        count, head = self._head(run_id)
        if number != count:
            raise row.conflict(run_id, number, count, self.place)
        return head

    def save(self, save: Save) -> None:
        """Keep a name for a point of a run, durably; the same name moves.

        Raises:
            StoreError: `RUN_NOT_FOUND`; `SAVE_UNNAMED` for a name that cannot be kept;
                `STORE_BUSY`, `TRACE_CORRUPT`, `TRACE_UNWRITABLE`.
        """
        lookup.check_name(save.name, self.place)
        run_id = save.run_id
        with self._writing():
            others = [s for s in self.saves(run_id) if s.name != save.name]
            self._write(sql.SAVE, (run_id, save.name, save.turn, save.created))
            self._write(sql.SEAL_SAVES, (run_id, row.seal_saves([*others, save])))

    def close(self) -> None:
        """Let go of the file; everything acknowledged is in it."""
        self._file.close()

    def _prepare(self, *, makes: bool) -> None:
        found = self._identity()
        if found == _EMPTY and makes:
            found = self._make()
        mark, version, _ = found
        if found == _EMPTY:
            raise self._foreign("it is empty")
        if mark != MARK:
            raise self._foreign("it is another program's database")
        if version > VERSION:
            raise self._too_new(version)
        if version < VERSION:
            raise self._foreign(f"its shape is {version}, and there is none such")
        with self._minding("STORE_UNREADABLE"):
            self._file.execute("PRAGMA synchronous = FULL")

    def _make(self) -> tuple[int, int, int]:
        tries = _TRIES
        while not self._logs_ahead(last=tries == 0):
            # For that, SQLite waits for nobody; for a lock to write it does.
            with self._writing():
                tries -= 1
        with self._writing():
            # Somebody else may have made it between our looking and our lock.
            if self._look() == _EMPTY:
                for table in sql.TABLES:
                    self._file.execute(table)
                self._file.execute(f"PRAGMA application_id = {MARK}")
                self._file.execute(f"PRAGMA user_version = {VERSION}")
            return self._look()

    def _logs_ahead(self, *, last: bool) -> bool:
        """Switch to a write-ahead log; False while somebody else is in the way."""
        try:
            self._file.execute("PRAGMA journal_mode = WAL")
        except sqlite3.Error as problem:
            told = self._error("TRACE_UNWRITABLE", problem)
            if last or told.code != "STORE_BUSY":
                raise told from problem
            return False
        return True

    def _identity(self) -> tuple[int, int, int]:
        """Mark, version and number of tables, all of one moment."""
        with self._alone, self._minding("STORE_UNREADABLE"):
            self._file.execute("BEGIN")
            try:
                return self._look()
            finally:
                if self._file.in_transaction:
                    self._file.execute("ROLLBACK")

    def _look(self) -> tuple[int, int, int]:
        (mark,) = self._file.execute("PRAGMA application_id").fetchone()
        (version,) = self._file.execute("PRAGMA user_version").fetchone()
        (tables,) = self._file.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
        return mark, version, tables

    def _ask(self, question: str, values: Mapping[str, Any]) -> list[Any]:
        with self._alone, self._minding("STORE_UNREADABLE"):
            return self._file.execute(question, dict(values)).fetchall()

    def _write(self, statement: str, values: Sequence[Any]) -> bool:
        return self._file.execute(statement, values).rowcount == 1

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """All that is written inside becomes durable at its end, or nothing of it."""
        with self._alone:
            try:
                self._file.execute("BEGIN IMMEDIATE")
                yield
                self._file.execute("COMMIT")
            except (sqlite3.Error, UnicodeError) as problem:
                raise self._error("TRACE_UNWRITABLE", problem) from problem
            finally:
                if self._file.in_transaction:
                    self._file.execute("ROLLBACK")

    @contextmanager
    def _minding(self, code: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeError) as problem:
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
