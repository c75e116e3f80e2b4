"""Write transactions of one SQLite file, and group commit: one sync for many writes.

A sync costs the same disk time for one write or a hundred, so the writes that wait at the
same time share a transaction. Each runs in the event loop, as a savepoint, so that one
that fails undoes only itself. The commit runs in a thread. Readers see nothing of a
transaction before its commit has been synced, in this process or in another.
"""

import asyncio
import sqlite3
from asyncio import AbstractEventLoop, Future
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock, RLock, get_ident
from typing import Any, Final, TypeVar

T = TypeVar("T")

COMMIT_THREADS: Final = 4
"""Files that are committed at the same time."""
_threads: Final = ThreadPoolExecutor(COMMIT_THREADS, "commit")


class SqliteTransaction:
    """The write transaction of a connection, for one writer at a time.

    Everything written inside a `with` block becomes durable at its end, or nothing; in a
    block inside another of the same thread, with that one. One thread may also `begin` a
    transaction and another `commit` it; only `run` then gives the calling thread access
    to what was written.
    """

    def __init__(self, connection: sqlite3.Connection, lock: "Lock | RLock") -> None:
        """Write through a connection.

        The lock is held during a transaction. If one thread begins and another commits,
        it must not belong to a thread.
        """
        self.connection: Final = connection
        """The connection."""
        self._lock = lock
        self._owner = 0
        self._savepoints = 0
        self._failure: sqlite3.Error | None = None

    @property
    def is_open_here(self) -> bool:
        """Whether the calling thread is writing now."""
        return self._owner == get_ident()

    def __enter__(self) -> None:
        if not self.is_open_here:
            self.begin()
            self._owner = get_ident()
            return
        # SQLite may have rolled back all of it, after a full disk for example; a
        # savepoint would then begin a transaction of its own.
        if not self.connection.in_transaction:
            raise sqlite3.OperationalError("the transaction was rolled back")
        self.connection.execute("SAVEPOINT inner")
        self._savepoints += 1

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if self._savepoints:
            self._savepoints -= 1
            if failure is None:
                self.connection.execute("RELEASE inner")
            elif self.connection.in_transaction:
                self.connection.execute("ROLLBACK TO inner")
                self.connection.execute("RELEASE inner")
            return
        self._owner = 0
        if failure is None:
            self.commit()
        else:
            self._roll_back()

    def begin(self) -> None:
        """Begin, after waiting for other writers.

        Raises:
            sqlite3.Error: Others wrote for too long, or the file cannot be written.
        """
        self._lock.acquire()
        try:
            # After one failed sync, the operating system may report success for the
            # next one although the data was lost.
            if self._failure is not None:
                raise self._failure
            self.connection.execute("BEGIN IMMEDIATE")
        except BaseException:
            self._lock.release()
            raise

    def run(self, write: Callable[[], T]) -> T:
        """Call `write` in the transaction; if it fails, only what it wrote is undone.

        Raises:
            sqlite3.Error: The transaction cannot go on.
            Exception: Any error of `write`.
        """
        self._owner = get_ident()
        try:
            with self:
                return write()
        finally:
            self._owner = 0

    def commit(self) -> None:
        """End the transaction: everything is durable, or nothing was written.

        Raises:
            sqlite3.Error: Nothing was written.
        """
        try:
            self.connection.execute("COMMIT")
        except sqlite3.Error as problem:
            if problem.sqlite_errorcode == sqlite3.SQLITE_IOERR_FSYNC:
                self._failure = problem
            raise
        finally:
            self._roll_back()

    def close(self) -> None:
        """Close the connection, after a transaction that is under way."""
        with self._lock:
            self.connection.close()

    def _roll_back(self) -> None:
        """Undo what was not committed, and let the next writer begin."""
        try:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
        finally:
            self._lock.release()


class _Outcome(Future[T]):
    """What became of a write. A cancelled caller waits for it as well, and ends then."""

    def cancel(self, msg: Any = None) -> bool:
        """Refuse: the task that waits is cancelled when it goes on."""
        del msg
        return False


class GroupCommit:
    """The writes of one event loop to one file."""

    def __init__(self, transaction: SqliteTransaction, loop: AbstractEventLoop) -> None:
        """Write in these transactions; only the loop's own thread uses this object."""
        self.loop = loop
        """The event loop."""
        self._transaction = transaction
        self._waiting = list[tuple[Callable[[], Any], Future[Any]]]()
        self._is_busy = False

    async def commit(self, write: Callable[[], T]) -> T:
        """Call `write` in a shared transaction; return its result once it is durable.

        A caller that is cancelled meanwhile gets the cancellation after the outcome is
        known: what the file holds does not change afterwards.

        Raises:
            sqlite3.Error: It could not be stored; nothing was written.
            Exception: Any error of `write`; nothing of it was written.
        """
        outcome = _Outcome[T](loop=self.loop)
        self._waiting.append((write, outcome))
        if not self._is_busy:
            self._write_waiting()
        try:
            return await outcome
        except asyncio.CancelledError:
            # Marks a failure as seen: the caller reads the store instead.
            outcome.exception()
            raise

    def _write_waiting(self) -> None:
        """Do all writes that wait in one transaction, and commit it in a thread."""
        self._is_busy = True
        waiting, self._waiting = self._waiting, []
        done = list[tuple[Future[Any], Any, Exception | None]]()
        try:
            self._transaction.begin()
        except Exception as problem:  # noqa: BLE001 - raised where it is awaited
            self._end([(outcome, None, problem) for _, outcome in waiting], None)
            return
        for write, outcome in waiting:
            try:
                done.append((outcome, self._transaction.run(write), None))
            except Exception as problem:  # noqa: BLE001 - raised where it is awaited
                done.append((outcome, None, problem))
        # No task waits for the thread: a loop that ends cancels its tasks first. Not one of
        # the loop's own threads: long requests may occupy all of those.
        committed = self.loop.run_in_executor(_threads, self._transaction.commit)
        committed.add_done_callback(lambda ended: self._end(done, ended.exception()))

    def _end(
        self, done: list[tuple[Future[Any], Any, Exception | None]], problem: BaseException | None
    ) -> None:
        """Report the outcome of a transaction, and begin the next if writes wait."""
        for outcome, result, own in done:
            # A conflict may name a revision that this commit was to write.
            failed = problem or own
            if failed is None:
                outcome.set_result(result)
            else:
                outcome.set_exception(failed)
        self._is_busy = False
        if self._waiting:
            self._write_waiting()
