"""A disk on which SQLite's commits end or fail when a test says so."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any
from unittest.mock import patch

_CONNECT = sqlite3.connect


class SlowDisk:
    """Replaces every commit of the process, and holds commits back after `hold`."""

    def __init__(self) -> None:
        self.waiting, self.go = Event(), Event()
        self.commits = 0
        """How many commits were started."""
        self.fails = False
        """Whether the next commits fail."""
        self.go.set()

    def hold(self) -> None:
        """Hold back every commit from now on."""
        self.waiting.clear()
        self.go.clear()

    @contextmanager
    def replace_disk(self) -> Iterator[None]:
        """Replace commits, whichever file is opened."""

        class HeldConnection(sqlite3.Connection):
            def execute(held, statement: str, values: Any = (), /) -> sqlite3.Cursor:  # noqa: N805 - `self` is the disk
                if statement == "COMMIT":
                    self._wait()
                return super().execute(statement, values)

        def connect(name: Any, **more: Any) -> sqlite3.Connection:
            return _CONNECT(name, factory=HeldConnection, **more)

        with patch.object(sqlite3, "connect", connect):
            try:
                yield
            finally:
                self.go.set()

    def _wait(self) -> None:
        self.commits += 1
        self.waiting.set()
        if not self.go.wait(60):
            # The test itself is blocked; the commits after this one need not wait too.
            self.go.set()
            raise AssertionError("the test has not let a commit end for a minute")
        if self.fails:
            problem = sqlite3.OperationalError("disk I/O error")
            problem.sqlite_errorcode = sqlite3.SQLITE_IOERR_FSYNC
            problem.sqlite_errorname = "SQLITE_IOERR_FSYNC"
            raise problem
