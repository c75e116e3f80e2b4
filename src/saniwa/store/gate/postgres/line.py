"""Connections to one database: as many as are needed at once, used again, renewed."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from saniwa.store.postgres_address import PATIENCE, connected, library
from saniwa.store.postgres_errors import error

if TYPE_CHECKING:
    import psycopg

_MOST_IDLE = 8


class Line:
    """One connection, lent to one thread at a time."""

    def __init__(self, server: "psycopg.Connection[Any]", troubles: Any) -> None:
        self._server = server
        self._troubles = troubles
        self._abandoned = False
        self.place = f"postgresql:{server.info.dbname}"

    @property
    def broken(self) -> bool:
        """Whether nothing more can be asked."""
        return self._abandoned or self._server.closed

    @property
    def fresh(self) -> bool:
        """Whether somebody else may use it."""
        return not self.broken and self._server.info.transaction_status == 0

    def ask(
        self, question: str, values: Mapping[str, Any], code: str = "STORE_UNREADABLE"
    ) -> list[Any]:
        """Every row of the answer; what was written is committed.

        Raises:
            StoreError: `code`, or what the server's complaint means to us.
        """
        try:
            return self._server.execute(question.encode(), dict(values)).fetchall()
        except (*self._troubles, UnicodeError) as problem:
            raise error(code, problem, self.place) from problem

    def do(self, statements: str) -> None:
        """Some statements without an answer, all or none of them.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, or what the server's complaint means to us.
        """
        try:
            with self._server.transaction():
                self._server.execute(statements.encode())
        except self._troubles as problem:
            raise error("TRACE_UNWRITABLE", problem, self.place) from problem

    def close(self) -> None:
        """Hang up; the server lets go of all that was held."""
        self._server.close()

    def abandon(self) -> None:
        """Let go without a word to the server: after a fork the line is the parent's."""
        self._abandoned = True
        if self._server.closed:
            return
        # Whoever still speaks here, if only to say goodbye, speaks to nobody.
        nobody = os.open(os.devnull, os.O_RDWR)
        os.dup2(nobody, self._server.fileno(), inheritable=False)
        os.close(nobody)


class Lines:
    """Lends connections, and keeps a few of those that come back."""

    def __init__(self, url: str, setup: str) -> None:
        """Nothing is connected yet; each new connection begins with `setup`."""
        self._psycopg = library()
        self._url = url
        self._setup = setup
        self._idle: list[Line] = []
        self._made: WeakSet[Line] = WeakSet()
        self._open = True
        self._lock = Lock()

    @contextmanager
    def lent(self) -> Iterator[Line]:
        """A connection for as long as it is needed.

        Raises:
            StoreError: `STORE_UNKNOWN`, `STORE_UNREACHABLE`.
        """
        with self._lock:
            line = self._idle.pop() if self._idle else None
        line = line or self._new()
        try:
            yield line
        finally:
            self._back(line)

    def close(self) -> None:
        """Hang up on all that nobody uses; those in use follow when they come back."""
        with self._lock:
            idle, self._idle, self._open = self._idle, [], False
        for line in idle:
            line.close()

    def abandon(self) -> None:
        """Let go of all, also those in use: a forked child connects for itself."""
        self._lock = Lock()
        made, self._made, self._idle = list(self._made), WeakSet(), []
        for line in made:
            line.abandon()

    def _new(self) -> Line:
        server = connected(self._psycopg, self._url, PATIENCE)
        line = Line(server, (self._psycopg.Error,))
        self._made.add(line)
        try:
            line.do(self._setup)
        except BaseException:
            line.close()
            raise
        return line

    def _back(self, line: Line) -> None:
        with self._lock:
            # One broken connection mostly means that the server went away: the others
            # would each cost a caller an error.
            gone = self._idle if line.broken else []
            self._idle = [] if line.broken else self._idle
            keep = self._open and line.fresh and len(self._idle) < _MOST_IDLE
            if keep:
                self._idle.append(line)
        for each in gone if keep else [*gone, line]:
            each.close()
