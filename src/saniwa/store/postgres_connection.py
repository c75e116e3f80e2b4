"""Databases in PostgreSQL: one connection per store or a pool, with errors translated.

The only module that calls the driver `psycopg` to connect. Messages never contain a
password.
"""

import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import WeakSet

from saniwa.core.errors import StoreError
from saniwa.core.extras import make_missing_extra_error
from saniwa.core.text import is_storable_text
from saniwa.store import storage_errors

T = TypeVar("T")

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


def _connect_server(url: str, patience: int) -> "psycopg.Connection[Any]":
    """Open a connection that commits every statement by itself."""
    psycopg = load_psycopg()
    # The driver's messages quote the URL and with it the password, so they are neither
    # repeated nor chained.
    if not is_storable_text(url):
        raise _make_address_error()
    try:
        given = psycopg.conninfo.conninfo_to_dict(url)
    except (psycopg.Error, UnicodeError, ValueError):
        raise _make_address_error() from None
    patient = {"connect_timeout": patience} | given
    try:
        return psycopg.connect(autocommit=True, **patient)  # type: ignore[no-any-return]  # psycopg is optional
    except (psycopg.Error, UnicodeError, ValueError, OSError) as problem:
        error = _make_unreachable_error(str(problem))
    raise error


def _make_address_error() -> StoreError:
    return StoreError(
        "STORE_UNKNOWN",
        "the address of the database is malformed",
        where="postgresql:",
        hint="write postgresql://user:password@host/database; "
        "in a password, @ : / % and spaces are written %40 %3A %2F %25 %20",
    )


def _make_unreachable_error(message: str) -> StoreError:
    why, hint = next((v for k, v in _KNOWN_CAUSES.items() if k in message.lower()), _UNKNOWN_CAUSE)
    return StoreError(
        "STORE_UNREACHABLE",
        f"the database cannot be reached: {why}",
        where="postgresql:",
        hint=hint,
        recoverable=True,
    )


_UNKNOWN_CAUSE = ("the connection failed", "check the address")
_KNOWN_CAUSES = {
    "authentication failed": (
        "user name or password was rejected",
        "check the user name and password",
    ),
    "no password supplied": ("it requires a password", "add it to the address"),
    "does not exist": (
        "there is no such database or user",
        "check that the database and the user exist",
    ),
    "refused": ("nothing is listening there", "check that the server is running, then try again"),
    "timeout": ("the connection timed out", "check that the server is running, then try again"),
    "no such file": (
        "nothing is listening there",
        "check that the server is running, then try again",
    ),
    "resolve": ("its host is unknown", "check the spelling of the host"),
    "translate host": ("its host is unknown", "check the spelling of the host"),
}
"""What the driver's messages mean, in our own words: its own may quote a password."""


def make_postgres_error(code: str, problem: Exception, place: str) -> StoreError:
    """Translate a driver error; `code` applies if the server does not say more."""
    state = getattr(problem, "sqlstate", None) or ""
    known = next((v for k, v in _KNOWN_STATES.items() if state.startswith(k)), None)
    lost = isinstance(problem, load_psycopg().OperationalError) or code != "TRACE_UNWRITABLE"
    if known is None and not state and lost:
        # The connection was lost; the statement may have been executed.
        known = _SERVER_AWAY
    code, hint = known or (code, "check the database")
    reason = str(problem).strip().split("\n")[0]
    return StoreError(
        code,
        f"the store failed: {reason or type(problem).__name__}",
        where=place,
        hint=hint,
        recoverable=code in ("STORE_BUSY", "STORE_UNREACHABLE"),
        details={"sqlstate": state},
    )


_KIND = "database of runs"
_SERVER_AWAY = ("STORE_UNREACHABLE", "check that the server is running, then read the run again")
_DISK_FULL = ("TRACE_UNWRITABLE", "free disk space or grant write access; nothing was saved")
_KNOWN_STATES = {
    "08": _SERVER_AWAY,
    "28": ("STORE_UNREACHABLE", "check the user name and password"),
    "3D": ("STORE_UNREACHABLE", "check that the database exists"),
    "57P": _SERVER_AWAY,
    "53100": _DISK_FULL,
    "25006": _DISK_FULL,
    "42501": _DISK_FULL,
    "55P03": ("STORE_BUSY", "another process is writing; try again"),
    "57014": ("STORE_BUSY", "the server gave up waiting; try again"),
    "40": ("STORE_BUSY", "another process is writing; try again"),
    "23505": ("TRACE_CORRUPT", "restore the database from a backup"),
    "XX001": ("TRACE_CORRUPT", "restore the database from a backup"),
    "XX002": ("TRACE_CORRUPT", "rebuild the database's indexes"),
}
"""What prefixes of SQLSTATE codes mean here."""


SqlValues = Mapping[str, Any]
"""The values of a statement's parameters, by name."""
_UNREADABLE = "STORE_UNREADABLE"


class PostgresSchema(NamedTuple):
    """Tables that belong together."""

    shape: str
    """The table that holds their version."""
    statements: str
    """The statements that create them; none fails if one exists."""
    version: int = 1
    """The version that this code writes; a later one is not used."""


_PARAMETER = re.compile(r"(?<!:):([a-z_]+)")


@cache
def _to_driver_sql(question: str) -> bytes:
    """Rewrite parameters such as `:run` as the driver expects them."""
    return _PARAMETER.sub(r"%(\1)s", question).encode()


class PostgresConnection:
    """One connection, used by one thread at a time."""

    def __init__(self, url: str, setup: str, patience: int = CONNECT_TIMEOUT) -> None:
        """Connect, and execute `setup`.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNKNOWN`, `STORE_UNREACHABLE`,
                `TRACE_UNWRITABLE`.
        """
        self._server = _connect_server(url, patience)
        self._errors = (load_psycopg().Error, UnicodeError)
        self._abandoned = False
        self.place = f"postgresql:{self._server.info.dbname}"
        """The database's name in messages, without a password."""
        try:
            # A server may be configured to answer before a commit is on disk.
            self.execute(f"SET synchronous_commit = on;{setup}")
        except BaseException:
            self.close()
            raise

    @property
    def is_broken(self) -> bool:
        """Whether the connection can no longer be used."""
        return self._abandoned or self._server.closed

    @property
    def is_reusable(self) -> bool:
        """Whether another thread may use it next."""
        return not self.is_broken and self._server.info.transaction_status == 0

    def query(self, question: str, values: SqlValues, code: str = _UNREADABLE) -> list[Any]:
        """Return every row of the result; writes are committed.

        Raises:
            StoreError: `code`, or the code that the server's error maps to.
        """
        try:
            return self._server.execute(_to_driver_sql(question), dict(values)).fetchall()
        except self._errors as problem:
            raise make_postgres_error(code, problem, self.place) from problem

    def execute(self, statements: str) -> None:
        """Execute statements without a result, all or none of them.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, or the code that the server's error maps to.
        """
        with self.begin_transaction():
            self._server.execute(statements.encode())

    @contextmanager
    def begin_transaction(self) -> Iterator[None]:
        """Commit everything written inside the block at its end, or nothing.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, or the code that the server's error maps to.
        """
        try:
            with self._server.transaction():
                yield
        except self._errors as problem:
            raise make_postgres_error("TRACE_UNWRITABLE", problem, self.place) from problem

    def prepare_tables(self, schema: PostgresSchema, *, makes: bool) -> None:
        """Create missing tables if `makes`, and check their version.

        Raises:
            StoreError: `STORE_UNREADABLE`, `STORE_TOO_NEW`, `TRACE_UNWRITABLE`.
        """
        found = self.query(f"SELECT to_regclass('{schema.shape}')::text", {})
        if found == [(None,)]:
            if not makes:
                why = "it contains no runs"
                raise storage_errors.make_foreign_error(_KIND, why, self.place)
            self.execute(schema.statements)
        ((version,),) = self.query(f"SELECT MAX(version) FROM {schema.shape}", {})
        storage_errors.check_schema_version(version, schema.version, _KIND, self.place)

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


READ_ONLY = "SET default_transaction_read_only = on;"
"""The setup of a connection that never writes."""
_MOST_IDLE = 8


class ConnectionPool:
    """Lends connections to one database, and keeps a few of the returned ones."""

    def __init__(self, url: str, setup: str) -> None:
        """Connect to nothing yet; each new connection starts by executing `setup`."""
        self._url = url
        self._setup = setup
        self._idle: list[PostgresConnection] = []
        self._made: WeakSet[PostgresConnection] = WeakSet()
        self._open = True
        self._lock = Lock()

    @contextmanager
    def borrow(self) -> Iterator[PostgresConnection]:
        """Lend a connection for the duration of the block.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNKNOWN`, `STORE_UNREACHABLE`.
        """
        with self._lock:
            line = self._idle.pop() if self._idle else None
        if line is None:
            line = PostgresConnection(self._url, self._setup)
            self._made.add(line)
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

    def _return_connection(self, line: PostgresConnection) -> None:
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


class PostgresDatabase:
    """A database behind one connection for all threads, which is reopened when lost.

    No other thread sees into a transaction.
    """

    def __init__(
        self,
        url: str,
        schema: PostgresSchema,
        *,
        mode: storage_errors.OpenMode = "create",
        patience: int = CONNECT_TIMEOUT,
        pauses: Sequence[float] = (0.0,),
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Connect, and create missing tables.

        Args:
            url: `postgresql://user:password@host/database`.
            schema: The tables.
            mode: `create` creates missing tables; `existing` and `read` refuse, and
                `read` never writes.
            patience: Seconds to wait for the server's first answer.
            pauses: Seconds before each further attempt, if the server went away.
            sleep: Waits that long.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNKNOWN`, `STORE_UNREACHABLE`,
                `STORE_UNREADABLE`, `STORE_TOO_NEW`, `TRACE_UNWRITABLE`.
        """
        self._url, self._schema, self._mode, self._patience = url, schema, mode, patience
        self._pauses, self._sleep = pauses, sleep
        self._lock = RLock()
        self._in_transaction = False
        self._connection: PostgresConnection | None = None
        self.place = self._connect().place
        """The database's name in messages, without a password."""

    def query(self, question: str, values: SqlValues, code: str = _UNREADABLE) -> list[Any]:
        """Return the rows of a query; repeat it if the server went away.

        Raises:
            StoreError: `code`, or the code that the server's error maps to.
        """
        with self._lock:
            for pause in () if self._in_transaction else self._pauses:
                try:
                    return self.query_once(question, values, code)
                except StoreError as problem:
                    if problem.code != "STORE_UNREACHABLE":
                        raise
                    self._sleep(pause)
            return self.query_once(question, values, code)

    def query_once(self, question: str, values: SqlValues, code: str = _UNREADABLE) -> list[Any]:
        """Return the rows of a query, on a new connection if the last was lost.

        Raises:
            StoreError: `code`, or the code that the server's error maps to.
        """
        with self._lock:
            try:
                return self._connect().query(question, values, code)
            except StoreError as problem:
                if problem.code == "STORE_UNREACHABLE" and not self._in_transaction:
                    self.close()
                raise

    async def commit(self, write: Callable[[], T]) -> T:
        """Call `write`, and return its result; each statement commits itself.

        Raises:
            Exception: Any error of `write`.
        """
        return write()

    @contextmanager
    def begin_transaction(self) -> Iterator[None]:
        """Commit everything written inside the block at its end, or nothing.

        Raises:
            StoreError: `TRACE_UNWRITABLE`, or the code that the server's error maps to.
        """
        with self._lock, self._connect().begin_transaction():
            self._in_transaction = True
            try:
                yield
            finally:
                self._in_transaction = False

    def close(self) -> None:
        """Close the connection; a later query opens another."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self) -> PostgresConnection:
        line = self._connection
        if line is None or (line.is_broken and not self._in_transaction):
            setup = READ_ONLY if self._mode == "read" else ""
            line = PostgresConnection(self._url, setup, self._patience)
            try:
                line.prepare_tables(self._schema, makes=self._mode == "create")
            except BaseException:
                line.close()
                raise
            self._connection = line
        return line
