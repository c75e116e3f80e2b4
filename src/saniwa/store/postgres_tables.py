"""Opening a PostgreSQL database for tables of ours, and making them where they are missing."""

from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from saniwa.store.postgres_address import connected
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


def opened(library: ModuleType, url: str, patience: int, tables: Tables) -> Opened:
    """A connection to a database that has these tables.

    Raises:
        StoreError: `STORE_UNREACHABLE`, `TRACE_UNWRITABLE`, `STORE_TOO_NEW`.
    """
    server = connected(library, url, patience)
    place = f"postgresql:{server.info.dbname}"
    try:
        version = _prepared(library, server, tables, place)
        check_shape(version, tables.version, place)
    except BaseException:
        server.close()
        raise
    return Opened(server, place)


def _prepared(
    library: ModuleType, server: "psycopg.Connection[Any]", tables: Tables, place: str
) -> Any:
    try:
        # A server may be set up to answer before a commit is on disk.
        server.execute("SET synchronous_commit = on")
        if server.execute(tables.made.encode()).fetchone() == (None,):
            with server.transaction():
                server.execute(tables.make.encode())
        (version,) = server.execute(tables.shape.encode()).fetchone() or (None,)
    except library.Error as problem:
        raise error("TRACE_UNWRITABLE", problem, place) from problem
    return version
