"""Connections to PostgreSQL: one per store or a pool, with errors translated.

The only module that calls the driver `psycopg` to connect. Messages never contain a
password.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

from saniwa.core.errors import StoreError
from saniwa.core.extras import make_missing_extra_error
from saniwa.core.findings import SourceLocation
from saniwa.store import lookup

if TYPE_CHECKING:
    import psycopg


CONNECT_TIMEOUT = 10
"""Seconds to wait for a server's first answer, unless the URL says otherwise."""


def load_psycopg() -> Any:
    """Import the PostgreSQL driver, only when it is needed.

    Raises:
        StoreError: `EXTRA_MISSING`.
    """
    try:
        import psycopg
    except ImportError as problem:
        what = "a PostgreSQL store needs"
        raise make_missing_extra_error(
            "psycopg", extra="postgres", what=what, kind=StoreError
        ) from problem
    return psycopg


def connect_server(psycopg: Any, url: str, patience: int) -> "psycopg.Connection[Any]":
    """Open a connection that commits every statement by itself, durably.

    Args:
        psycopg: The driver.
        url: `postgresql://user:password@host/database`.
        patience: Seconds to wait for the server's first answer.

    Raises:
        StoreError: `STORE_UNKNOWN`, `STORE_UNREACHABLE`.
    """
    # The driver's messages quote the URL and with it the password, so they are neither
    # repeated nor chained.
    if not lookup.is_storable_text(url):
        raise _make_address_error()
    try:
        given = psycopg.conninfo.conninfo_to_dict(url)
    except (psycopg.Error, UnicodeError, ValueError):
        raise _make_address_error() from None
    patient = {"connect_timeout": patience} | given
    try:
        return psycopg.connect(autocommit=True, **patient)  # type: ignore[no-any-return]
    except (psycopg.Error, UnicodeError, ValueError, OSError) as problem:
        error = _make_unreachable_error(str(problem))
    raise error


def _make_address_error() -> StoreError:
    return StoreError(
        "STORE_UNKNOWN",
        "the database's address cannot be read",
        where=SourceLocation(file="postgresql:"),
        hint="write postgresql://user:password@host/database; "
        "in a password, @ : / % and blanks are written %40 %3A %2F %25 %20",
    )


def _make_unreachable_error(message: str) -> StoreError:
    why, hint = next((v for k, v in _KNOWN_CAUSES.items() if k in message.lower()), _UNKNOWN_CAUSE)
    return StoreError(
        "STORE_UNREACHABLE",
        f"the database cannot be reached: {why}",
        where=SourceLocation(file="postgresql:"),
        hint=hint,
        recoverable=True,
    )


_UNKNOWN_CAUSE = ("the connection failed", "see whether the address is right")
_KNOWN_CAUSES = {
    "authentication failed": (
        "user or password is refused",
        "see whether the user and password are right",
    ),
    "no password supplied": ("it asks for a password", "give one in the address"),
    "does not exist": (
        "there is no such database or user",
        "see whether the database and the user exist",
    ),
    "refused": ("nobody answers there", "see whether the server runs, then try again"),
    "timeout": ("no answer came in time", "see whether the server runs, then try again"),
    "no such file": ("nobody answers there", "see whether the server runs, then try again"),
    "resolve": ("its host is not known", "see whether the host is spelt right"),
    "translate host": ("its host is not known", "see whether the host is spelt right"),
}
"""What the driver's messages mean, in our own words: its own may quote a password."""


def make_postgres_error(code: str, problem: Exception, place: str) -> StoreError:
    """Translate a driver error; `code` applies if the server does not say more."""
    state = getattr(problem, "sqlstate", None) or ""
    known = next((v for k, v in _KNOWN_STATES.items() if state.startswith(k)), None)
    if known is None and not state and _is_connection_lost(problem, code):
        known = _SERVER_AWAY
    code, hint = known or (code, "see whether the database can be used")
    reason = str(problem).strip().split("\n")[0]
    return StoreError(
        code,
        f"the store cannot go on: {reason or type(problem).__name__}",
        where=SourceLocation(file=place),
        hint=hint,
        recoverable=code in ("STORE_BUSY", "STORE_UNREACHABLE"),
        details={"sqlstate": state},
    )


def _is_connection_lost(problem: Exception, code: str) -> bool:
    """Whether the connection was lost; the statement may have been executed."""
    return isinstance(problem, load_psycopg().OperationalError) or code != "TRACE_UNWRITABLE"


def check_schema_version(version: int | None, newest: int, place: str) -> None:
    """Refuse tables that this version of Saniwa cannot read.

    Raises:
        StoreError: `STORE_UNREADABLE`; `STORE_TOO_NEW` if a later version made them.
    """
    if version is None or version < newest:
        raise make_foreign_database_error(f"its shape is {version}, and there is none such", place)
    if version > newest:
        raise StoreError(
            "STORE_TOO_NEW",
            f"the database has shape {version}, and this Saniwa reads up to {newest}",
            where=SourceLocation(file=place),
            hint="update Saniwa; the database was left as it is",
            details={"version": version, "newest": newest},
        )


def make_foreign_database_error(why: str, place: str) -> StoreError:
    """Build the error for a database that holds no runs."""
    return StoreError(
        "STORE_UNREADABLE",
        f"this is no database of runs: {why}",
        where=SourceLocation(file=place),
        hint="name another database; this one was left as it is",
    )


_SERVER_AWAY = ("STORE_UNREACHABLE", "see whether the server runs, then read the run again")
_DISK_FULL = ("TRACE_UNWRITABLE", "make room or give the right to write; nothing was kept")
_KNOWN_STATES = {
    "08": _SERVER_AWAY,
    "28": ("STORE_UNREACHABLE", "see whether the user and password are right"),
    "3D": ("STORE_UNREACHABLE", "see whether the database exists"),
    "57P": _SERVER_AWAY,
    "53100": _DISK_FULL,
    "25006": _DISK_FULL,
    "42501": _DISK_FULL,
    "55P03": ("STORE_BUSY", "another process is writing; try again"),
    "57014": ("STORE_BUSY", "the server gave up waiting; try again"),
    "40": ("STORE_BUSY", "another process is writing; try again"),
    "23505": ("TRACE_CORRUPT", "bring the database back from a copy"),
    "XX001": ("TRACE_CORRUPT", "bring the database back from a copy"),
    "XX002": ("TRACE_CORRUPT", "rebuild the database's indexes"),
}
"""What prefixes of SQLSTATE codes mean here."""


_MOST_IDLE = 8


class PooledConnection:
    """One connection, used by one thread at a time."""

    def __init__(self, server: "psycopg.Connection[Any]", troubles: Any) -> None:
        self._server = server
        self._troubles = troubles
        self._abandoned = False
        self.place = f"postgresql:{server.info.dbname}"

    @property
    def is_broken(self) -> bool:
        """Whether the connection can no longer be used."""
        return self._abandoned or self._server.closed

    @property
    def is_reusable(self) -> bool:
        """Whether another thread may use it next."""
        return not self.is_broken and self._server.info.transaction_status == 0

    def query(
        self, question: str, values: Mapping[str, Any], code: str = "STORE_UNREADABLE"
    ) -> list[Any]:
        """Return every row of the result; writes are committed.

        Raises:
            StoreError: `code`, or the code that the server's error maps to.
        """
        try:
            return self._server.execute(question.encode(), dict(values)).fetchall()
        except (*self._troubles, UnicodeError) as problem:
            raise make_postgres_error(code, problem, self.place) from problem

    def execute(self, statements: str) -> None:
        """Execute statements without a result, all or none of them.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, or the code that the server's error maps to.
        """
        try:
            with self._server.transaction():
                self._server.execute(statements.encode())
        except self._troubles as problem:
            raise make_postgres_error("TRACE_UNWRITABLE", problem, self.place) from problem

    def close(self) -> None:
        """Close the connection; the server releases its locks."""
        self._server.close()

    def abandon(self) -> None:
        """Drop the connection silently: after a fork it is the parent's."""
        self._abandoned = True
        if self._server.closed:
            return
        # Point the socket at /dev/null, so that even the driver's closing message does
        # not reach the parent's server session.
        devnull = os.open(os.devnull, os.O_RDWR)
        os.dup2(devnull, self._server.fileno(), inheritable=False)
        os.close(devnull)


class ConnectionPool:
    """Lends connections, and keeps a few of the returned ones."""

    def __init__(self, url: str, setup: str) -> None:
        """Connect to nothing yet; each new connection starts by executing `setup`."""
        self._psycopg = load_psycopg()
        self._url = url
        self._setup = setup
        self._idle: list[PooledConnection] = []
        self._made: WeakSet[PooledConnection] = WeakSet()
        self._open = True
        self._lock = Lock()

    @contextmanager
    def borrow(self) -> Iterator[PooledConnection]:
        """Lend a connection for the duration of the block.

        Raises:
            StoreError: `STORE_UNKNOWN`, `STORE_UNREACHABLE`.
        """
        with self._lock:
            line = self._idle.pop() if self._idle else None
        line = line or self._open_connection()
        try:
            yield line
        finally:
            self._return_connection(line)

    def close(self) -> None:
        """Close all idle connections; those in use are closed on return."""
        with self._lock:
            idle, self._idle, self._open = self._idle, [], False
        for line in idle:
            line.close()

    def abandon(self) -> None:
        """Drop all connections, also those in use: a forked child opens its own."""
        self._lock = Lock()
        made, self._made, self._idle = list(self._made), WeakSet(), []
        for line in made:
            line.abandon()

    def _open_connection(self) -> PooledConnection:
        server = connect_server(self._psycopg, self._url, CONNECT_TIMEOUT)
        line = PooledConnection(server, (self._psycopg.Error,))
        self._made.add(line)
        try:
            line.execute(self._setup)
        except BaseException:
            line.close()
            raise
        return line

    def _return_connection(self, line: PooledConnection) -> None:
        with self._lock:
            # One broken connection mostly means that the server went away: each of the
            # others would cost a caller an error.
            gone = self._idle if line.is_broken else []
            self._idle = [] if line.is_broken else self._idle
            keep = self._open and line.is_reusable and len(self._idle) < _MOST_IDLE
            if keep:
                self._idle.append(line)
        for each in gone if keep else [*gone, line]:
            each.close()


class PostgresSchema(NamedTuple):
    """Tables that belong together, and the statements that handle them."""

    made: str
    """Query: do the tables exist?"""
    make: str
    """Statements that create them."""
    shape: str
    """Query: what version are they?"""
    version: int
    """The version that this code writes."""


class OpenConnection(NamedTuple):
    """A connection to a database whose tables are ready."""

    server: "psycopg.Connection[Any]"
    """The connection."""
    place: str
    """The database's name in messages, without a password."""


class PostgresTableStore:
    """Base of stores with one connection, which is reopened when lost."""

    def __init__(self, url: str, patience: int, tables: PostgresSchema) -> None:
        """Connect, and create missing tables.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNKNOWN`, `STORE_UNREACHABLE`,
                `STORE_TOO_NEW`, `TRACE_UNWRITABLE`.
        """
        self._psycopg = load_psycopg()
        self._url = url
        self._patience = patience
        self._tables = tables
        # Never the whole URL: it may contain a password.
        self.place = "postgresql:"
        """The database's name in messages."""
        self._open: psycopg.Connection[Any] | None = None
        self._connect()

    def close(self) -> None:
        """Close the connection; a later query opens another."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _query_once(self, question: str, code: str, values: dict[str, Any]) -> list[Any]:
        server = self._connect()
        try:
            return server.execute(question.encode(), values).fetchall()
        except (self._psycopg.Error, UnicodeError) as problem:
            if server.broken:
                # The server gave no reason: the connection itself was cut.
                code = "STORE_UNREADABLE"
                self.close()
            raise make_postgres_error(code, problem, self.place) from problem

    def _connect(self) -> "psycopg.Connection[Any]":
        if self._open is None:
            self._open, self.place = open_connection(
                self._psycopg, self._url, self._patience, self._tables
            )
        return self._open


def open_connection(
    psycopg: ModuleType, url: str, patience: int, tables: PostgresSchema
) -> OpenConnection:
    """Connect to a database and make sure that it has these tables.

    Raises:
        StoreError: `STORE_UNREACHABLE`, `TRACE_UNWRITABLE`, `STORE_TOO_NEW`.
    """
    server = connect_server(psycopg, url, patience)
    place = f"postgresql:{server.info.dbname}"
    try:
        version = _prepare_tables(psycopg, server, tables, place)
        check_schema_version(version, tables.version, place)
    except BaseException:
        server.close()
        raise
    return OpenConnection(server, place)


def _prepare_tables(
    psycopg: ModuleType, server: "psycopg.Connection[Any]", tables: PostgresSchema, place: str
) -> Any:
    try:
        # A server may be configured to answer before a commit is on disk.
        server.execute("SET synchronous_commit = on")
        if server.execute(tables.made.encode()).fetchone() == (None,):
            with server.transaction():
                server.execute(tables.make.encode())
        (version,) = server.execute(tables.shape.encode()).fetchone() or (None,)
    except psycopg.Error as problem:
        raise make_postgres_error("TRACE_UNWRITABLE", problem, place) from problem
    return version
