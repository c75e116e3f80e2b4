"""What a PostgreSQL server's complaints mean to us."""

from saniwa.core.errors import StoreError
from saniwa.core.where import Where
from saniwa.store.postgres_address import library


def error(code: str, problem: Exception, place: str) -> StoreError:
    """What went wrong, in our words; `code` where the server does not say it better."""
    state = getattr(problem, "sqlstate", None) or ""
    known = next((v for k, v in _KNOWN.items() if state.startswith(k)), None)
    if known is None and not state and _is_cut(problem, code):
        known = _AWAY
    code, hint = known or (code, "see whether the database can be used")
    told = str(problem).strip().split("\n")[0]
    return StoreError(
        code,
        f"the store cannot go on: {told or type(problem).__name__}",
        where=Where(file=place),
        hint=hint,
        recoverable=code in ("STORE_BUSY", "STORE_UNREACHABLE"),
        details={"sqlstate": state},
    )


def _is_cut(problem: Exception, code: str) -> bool:
    """Whether nobody answered; what was asked may have been done all the same."""
    return isinstance(problem, library().OperationalError) or code != "TRACE_UNWRITABLE"


def check_shape(version: int | None, newest: int, place: str) -> None:
    """Refuse tables that this Saniwa cannot read.

    Raises:
        StoreError: `STORE_UNREADABLE`; `STORE_TOO_NEW` if a later one made them.
    """
    if version is None or version < newest:
        raise foreign(f"its shape is {version}, and there is none such", place)
    if version > newest:
        raise StoreError(
            "STORE_TOO_NEW",
            f"the database has shape {version}, and this Saniwa reads up to {newest}",
            where=Where(file=place),
            hint="update Saniwa; the database was left as it is",
            details={"version": version, "newest": newest},
        )


def foreign(why: str, place: str) -> StoreError:
    """The error for a database that holds no runs."""
    return StoreError(
        "STORE_UNREADABLE",
        f"this is no database of runs: {why}",
        where=Where(file=place),
        hint="name another database; this one was left as it is",
    )


_AWAY = ("STORE_UNREACHABLE", "see whether the server runs, then read the run again")
_FULL = ("TRACE_UNWRITABLE", "make room or give the right to write; nothing was kept")
_KNOWN = {
    "08": _AWAY,
    "28": ("STORE_UNREACHABLE", "see whether the user and password are right"),
    "3D": ("STORE_UNREACHABLE", "see whether the database exists"),
    "57P": _AWAY,
    "53100": _FULL,
    "25006": _FULL,
    "42501": _FULL,
    "55P03": ("STORE_BUSY", "another process is writing; try again"),
    "57014": ("STORE_BUSY", "the server gave up waiting; try again"),
    "40": ("STORE_BUSY", "another process is writing; try again"),
    "23505": ("TRACE_CORRUPT", "bring the database back from a copy"),
    "XX001": ("TRACE_CORRUPT", "bring the database back from a copy"),
    "XX002": ("TRACE_CORRUPT", "rebuild the database's indexes"),
}
"""What the beginnings of SQLSTATE codes mean to us."""
