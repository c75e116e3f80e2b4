"""What callers do in SQLite, as steps.

Between statements the database does the locking, and the tests rely on it: a caller's
transaction is invisible to the others until it is committed, and a caller that would have
to wait for another writer cannot be chosen until that writer is done.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch

from saniwa.store.sqlite_runs_and_plays import SqliteRunStore
from tests.checked.schedule_run import CallerGoneError, ScheduleCaller, ScheduleRun, get_caller
from tests.checked.step import Step, make_step

_CONNECT = sqlite3.connect
_TABLES: Final = ("database",)
_LOCK: Final = ("writing",)
_LASTING: Final = ("lasting runs.sqlite-wal",)


class ScheduleDatabase:
    """The database of one schedule."""

    def __init__(self, *, killed: tuple[int, int] | None = None) -> None:
        self.commits = 0
        """How many transactions were committed."""
        self.synced = 0
        """How many of those commits are durable."""
        self.points: set[tuple[int, int]] = set()
        """Callers and the numbers of their steps, at which one could be killed."""
        self.struck = False
        """Whether a caller was killed."""
        self._killed = killed
        self._freed = 0
        self._open: list[WatchedConnection] = []

    def add(self, connection: "WatchedConnection") -> None:
        """Add a connection."""
        self._open.append(connection)

    def do(self, playing: ScheduleRun, caller: ScheduleCaller, todo: Step) -> None:
        """Wait for the turn of a statement; a caller to be killed is killed here."""
        self.points.add((caller.number, caller.steps))
        if self._killed == (caller.number, caller.steps):
            playing.reach_step(make_step(f"is killed: {todo.what}", writes=_LOCK))
            caller.gone = self.struck = True
            self._end(caller)
            raise CallerGoneError
        playing.reach_step(todo)

    def sync(self, caller: ScheduleCaller) -> None:
        """Called before a commit; may raise the error of a failing disk."""

    def note_commit(self) -> None:
        """Called after a commit."""

    def note_release(self) -> None:
        """Let waiting callers try again."""
        self._freed += 1

    def wait(self, playing: ScheduleRun) -> None:
        """Wait until another writer is done."""
        seen = self._freed
        ready = lambda: self._freed != seen  # noqa: E731 - called repeatedly
        playing.reach_step(make_step("waits for the writer", reads=_LOCK, ready=ready))

    def close(self) -> None:
        """Close every connection."""
        for connection in self._open:
            connection.let_go()

    def _end(self, caller: ScheduleCaller) -> None:
        """Do what the database does when a process has ended."""
        self.note_release()
        for connection in self._open:
            if connection.user == caller.number:
                connection.undo()


class WatchedConnection(sqlite3.Connection):
    """A connection whose statements are steps."""

    bank: ScheduleDatabase | None = None
    """Set while a schedule is played."""
    user = -1
    """The last caller that used it."""
    syncs = True
    """Whether each commit is durable by itself."""

    def execute(self, statement: str, values: Any = (), /) -> sqlite3.Cursor:
        """Execute a statement when its step is chosen."""
        found, bank = get_caller(), self.bank
        if found is None or bank is None:
            return super().execute(statement, values)
        playing, caller = found
        if caller.gone:
            raise CallerGoneError
        self.user = caller.number
        word = statement.split()[0].upper()
        if statement.startswith("PRAGMA synchronous"):
            self.syncs = statement.endswith("FULL")
            return super().execute("PRAGMA synchronous = OFF")
        bank.do(playing, caller, self._step(word, statement))
        if word == "COMMIT":
            bank.sync(caller)
        return self._retry_statement(bank, playing, word, statement, values)

    def _retry_statement(
        self, bank: ScheduleDatabase, playing: ScheduleRun, word: str, statement: str, values: Any
    ) -> sqlite3.Cursor:
        while True:
            try:
                cursor = super().execute(statement, values)
            except sqlite3.OperationalError as problem:
                if problem.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
                bank.wait(playing)
                continue
            if word == "COMMIT":
                bank.commits += 1
                bank.synced = bank.commits if self.syncs else bank.synced
                bank.note_commit()
            if word in ("COMMIT", "ROLLBACK"):
                bank.note_release()
            return cursor

    def _step(self, word: str, statement: str) -> Step:
        told = " ".join(statement.split()[:3]).lower()
        if word == "BEGIN" and "IMMEDIATE" in statement:
            return make_step(f"does '{told}'", reads=_TABLES, writes=_LOCK)
        if word == "COMMIT":
            return make_step("commits", writes=(*_TABLES, *_LOCK, *_LASTING))
        if word == "ROLLBACK":
            return make_step("rolls back", writes=_LOCK)
        reads = () if self.in_transaction else _TABLES
        return make_step(f"does '{told}'", reads=reads)

    def undo(self) -> None:
        """Roll back what was not committed."""
        if self.in_transaction:
            super().execute("ROLLBACK")

    def let_go(self) -> None:
        """Close it, even if a caller still uses it."""
        self.bank = None
        super().close()

    def close(self) -> None:
        """Close it only after the schedule has ended, as a killed process never closes it."""
        if self.bank is None:
            super().close()


class DatabaseRouter:
    """Routes connections to the database of the schedule that is played."""

    def __init__(self) -> None:
        self.bank: ScheduleDatabase | None = None
        """The database of this schedule; None between two schedules."""

    @contextmanager
    def replace_connect(self) -> Iterator[None]:
        """Replace `sqlite3.connect` while schedules are played."""
        with patch.object(sqlite3, "connect", self._connect):
            yield

    def _connect(self, name: str, **more: Any) -> sqlite3.Connection:
        if self.bank is None:
            plain: sqlite3.Connection = _CONNECT(name, **more)
            return plain
        made: WatchedConnection = _CONNECT(
            name, factory=WatchedConnection, **(more | {"timeout": 0})
        )
        made.bank = self.bank
        self.bank.add(made)
        return made


def disable_sync(store: SqliteRunStore) -> SqliteRunStore:
    """The store without disk syncs, which a check does not need."""
    for connection in (store._file._open, store._file._transaction.connection):
        connection.execute("PRAGMA synchronous = OFF")
    return store
