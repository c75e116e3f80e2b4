"""Tables of ours in a PostgreSQL database: opened, made where they are missing, asked."""

from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from saniwa.store.postgres_address import connected, library
from saniwa.store.postgres_errors import check_shape, error

if TYPE_CHECKING:
    import psycopg


class Tables(NamedTuple):
    """Tables that belong together, and how they are known."""

    made: str
    """Asks whether they are there."""
    make: str
    """Makes them."""
    shape: str
    """Asks for their version."""
    version: int
    """The version that is written here."""


class Opened(NamedTuple):
    """A connection that is ready."""

    server: "psycopg.Connection[Any]"
    """The connection."""
    place: str
    """How the database is told, without a password."""


class PostgresTables:
    """Keeps something in tables behind one connection, which is opened again when lost."""

    def __init__(self, url: str, patience: int, tables: Tables) -> None:
        """Connect, and make the tables where they are missing.

        Raises:
            StoreError: `EXTRA_MISSING`, `STORE_UNKNOWN`, `STORE_UNREACHABLE`,
                `STORE_TOO_NEW`, `TRACE_UNWRITABLE`.
        """
        self._psycopg = library()
        self._url = url
        self._patience = patience
        self._tables = tables
        # Never the whole address: it may hold a password.
        self.place = "postgresql:"
        """How the database is told."""
        self._open: psycopg.Connection[Any] | None = None
        self._server()

    def close(self) -> None:
        """Let go of the connection; what is asked later opens another."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def _asked(self, question: str, code: str, values: dict[str, Any]) -> list[Any]:
        server = self._server()
        try:
            return server.execute(question.encode(), values).fetchall()
        except (self._psycopg.Error, UnicodeError) as problem:
            if server.broken:
                # Nobody said why: the connection itself was cut.
                code = "STORE_UNREADABLE"
                self.close()
            raise error(code, problem, self.place) from problem

    def _server(self) -> "psycopg.Connection[Any]":
        if self._open is None:
            self._open, self.place = opened(
                self._psycopg, self._url, self._patience, self._tables
            )
        return self._open


def opened(psycopg: ModuleType, url: str, patience: int, tables: Tables) -> Opened:
    """A connection to a database that has these tables.

    Raises:
        StoreError: `STORE_UNREACHABLE`, `TRACE_UNWRITABLE`, `STORE_TOO_NEW`.
    """
    server = connected(psycopg, url, patience)
    place = f"postgresql:{server.info.dbname}"
    try:
        version = _prepared(psycopg, server, tables, place)
        check_shape(version, tables.version, place)
    except BaseException:
        server.close()
        raise
    return Opened(server, place)


def _prepared(
    psycopg: ModuleType, server: "psycopg.Connection[Any]", tables: Tables, place: str
) -> Any:
    try:
        # A server may be set up to answer before a commit is on disk.
        server.execute("SET synchronous_commit = on")
        if server.execute(tables.made.encode()).fetchone() == (None,):
            with server.transaction():
                server.execute(tables.make.encode())
        (version,) = server.execute(tables.shape.encode()).fetchone() or (None,)
    except psycopg.Error as problem:
        raise error("TRACE_UNWRITABLE", problem, place) from problem
    return version
