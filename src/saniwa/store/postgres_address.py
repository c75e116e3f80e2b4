"""Reaching a PostgreSQL server by its address, and never telling the password in it."""

from typing import TYPE_CHECKING, Any

from saniwa.core.errors import StoreError
from saniwa.core.extra import missing
from saniwa.core.where import Where
from saniwa.store import lookup

if TYPE_CHECKING:
    import psycopg

PATIENCE = 10
"""Seconds to wait for a server's first answer, where the address says nothing else."""


def library() -> Any:
    """The library that speaks to PostgreSQL, loaded only when somebody needs it.

    Raises:
        StoreError: `EXTRA_MISSING`.
    """
    try:
        import psycopg
    except ImportError as problem:
        what = "a PostgreSQL store needs"
        raise missing(
            "psycopg", extra="postgres", what=what, kind=StoreError
        ) from problem
    return psycopg


def connected(psycopg: Any, url: str, patience: int) -> "psycopg.Connection[Any]":
    """A connection that commits every statement by itself, durably.

    Args:
        psycopg: The library.
        url: `postgresql://user:password@host/database`.
        patience: Seconds to wait for the server's first answer.

    Raises:
        StoreError: `STORE_UNKNOWN`, `STORE_UNREACHABLE`.
    """
    # The library quotes the address in what it says, and with it the password: it is
    # heard, but neither repeated nor chained.
    if not lookup.legible(url):
        raise _no_address()
    try:
        given = psycopg.conninfo.conninfo_to_dict(url)
    except (psycopg.Error, UnicodeError, ValueError):
        raise _no_address() from None
    patient = {"connect_timeout": patience} | given
    try:
        return psycopg.connect(autocommit=True, **patient)  # type: ignore[no-any-return]
    except (psycopg.Error, UnicodeError, ValueError, OSError) as problem:
        told = _unreachable(str(problem))
    raise told


def _no_address() -> StoreError:
    return StoreError(
        "STORE_UNKNOWN",
        "the database's address cannot be read",
        where=Where(file="postgresql:"),
        hint="write postgresql://user:password@host/database; "
        "in a password, @ : / % and blanks are written %40 %3A %2F %25 %20",
    )


def _unreachable(said: str) -> StoreError:
    why, hint = next((v for k, v in _HEARD.items() if k in said.lower()), _SILENT)
    return StoreError(
        "STORE_UNREACHABLE",
        f"the database cannot be reached: {why}",
        where=Where(file="postgresql:"),
        hint=hint,
        recoverable=True,
    )


_SILENT = ("the connection failed", "see whether the address is right")
_HEARD = {
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
    "timeout": (
        "no answer came in time",
        "see whether the server runs, then try again",
    ),
    "no such file": (
        "nobody answers there",
        "see whether the server runs, then try again",
    ),
    "resolve": ("its host is not known", "see whether the host is spelt right"),
    "translate host": ("its host is not known", "see whether the host is spelt right"),
}
"""What the library's words mean, in our own: its own may quote a password."""
