"""The write transaction of one SQLite file, for one writer at a time."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Lock, RLock, get_ident
from typing import Final, TypeVar

from saniwa.core.errors import StoreError

T = TypeVar("T")


class SqliteTransaction:
    """The write transaction of a connection; a `SharedTransaction`.

    One thread may begin it and another commit it; only `run` and `open` give the calling
    thread access to what it has written.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        lock: "Lock | RLock",
        *,
        place: str,
        translate: Callable[[], AbstractContextManager[None]],
        check: Callable[[], None],
    ) -> None:
        """Write through a connection.

        Args:
            connection: The connection, with the time it waits for other processes.
            lock: Held during a transaction. If one thread begins and another commits,
                it must not belong to a thread.
            place: The file's name in messages.
            translate: Translates SQLite's errors to store errors.
            check: Called after every commit, before anything is acknowledged.
        """
        self.connection: Final = connection
        """The connection."""
        self._lock, self._place = lock, place
        self._translate, self._check = translate, check
        self._owner = 0
        self._has_failed = False

    @property
    def is_open_here(self) -> bool:
        """Whether the calling thread is writing now."""
        return self._owner == get_ident()

    @contextmanager
    def open(self) -> Iterator[None]:
        """Make everything written inside the block durable at its end, or nothing.

        In a transaction of the same thread, it becomes durable with that one.

        Raises:
            StoreError: It could not be written.
        """
        if self.is_open_here:
            with self._translate(), self._open_savepoint():
                yield
            return
        self.begin()
        try:
            with self._translate(), self._own():
                yield
        except BaseException:
            self._roll_back()
            raise
        self.commit()

    def begin(self) -> None:
        """Begin, after waiting for other writers.

        Raises:
            StoreError: `STORE_BUSY`; the file cannot be written.
        """
        self._lock.acquire()
        try:
            # After one failed sync, the operating system may report success for the
            # next one although the data was lost.
            if self._has_failed:
                raise StoreError(
                    "TRACE_UNWRITABLE",
                    "the disk does not keep what is written: it has failed before",
                    where=self._place,
                    hint="mend the disk and start again; what was acknowledged before is kept",
                )
            with self._translate():
                self.connection.execute("BEGIN IMMEDIATE")
        except BaseException:
            self._lock.release()
            raise

    def run(self, write: Callable[[], T]) -> T:
        """Call `write` in the transaction; if it fails, only what it wrote is undone.

        Raises:
            StoreError: The transaction cannot go on.
            Exception: Any error of `write`.
        """
        with self._translate(), self._own(), self._open_savepoint():
            return write()

    def commit(self) -> None:
        """End the transaction: everything is durable, or nothing was written.

        Raises:
            StoreError: Nothing was written.
        """
        try:
            with self._translate():
                self.connection.execute("COMMIT")
            self._check()
        except StoreError as problem:
            self._has_failed = problem.details.get("sqlite") == "SQLITE_IOERR_FSYNC"
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

    @contextmanager
    def _own(self) -> Iterator[None]:
        self._owner = get_ident()
        try:
            yield
        finally:
            self._owner = 0

    @contextmanager
    def _open_savepoint(self) -> Iterator[None]:
        # SQLite may have rolled back all of it, after a full disk for example; a
        # savepoint would then begin a transaction of its own.
        if not self.connection.in_transaction:
            raise sqlite3.OperationalError("the transaction was rolled back")
        self.connection.execute("SAVEPOINT inner")
        try:
            yield
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK TO inner")
                self.connection.execute("RELEASE inner")
            raise
        self.connection.execute("RELEASE inner")
