"""Errors and findings of the files and databases that a store reads or writes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from saniwa.core.errors import StoreError
from saniwa.core.findings import Finding, SourceLocation

FileErrorBuilder = Callable[[Path, OSError], StoreError]
"""Builds the error for a file that the operating system refuses."""


@contextmanager
def translate_os_errors(build: FileErrorBuilder, path: Path) -> Iterator[None]:
    """Raise the error that `build` returns in place of any `OSError` of the block.

    Raises:
        StoreError: The operating system refused something.
    """
    try:
        yield
    except OSError as problem:
        raise build(path, problem) from problem


def make_unwritable_error(path: Path, problem: OSError) -> StoreError:
    """Build the error for a file that could not be replaced."""
    return _make_unwritable_error(path, problem, "earlier data is unchanged")


def make_append_error(path: Path, problem: OSError) -> StoreError:
    """Build the error for a log that could not be written."""
    return _make_unwritable_error(path, problem, "everything acknowledged is saved")


def _make_unwritable_error(path: Path, problem: OSError, rest: str) -> StoreError:
    return StoreError(
        "TRACE_UNWRITABLE",
        f"{path.name!r} cannot be written: {problem.strerror}",
        where=str(path),
        hint=f"free disk space or make it writable; {rest}",
        recoverable=True,
    )


def make_unreadable_error(path: Path, problem: OSError) -> StoreError:
    """Build the error for a file that could not be read."""
    return StoreError(
        "STORE_UNREADABLE",
        f"{path.name!r} cannot be read: {problem.strerror}",
        where=str(path),
        hint="make it readable, or restore it from a backup",
    )


def make_corrupt_line_error(path: Path, line: int, why: str, more: str = "") -> StoreError:
    """Build the error for a line that is not what was written; `more` ends the hint."""
    return StoreError(
        "TRACE_CORRUPT",
        f"line {line} of {path.name!r} is corrupt: {why}",
        where=SourceLocation(file=str(path), line=line),
        hint=f"restore the file from a backup; the lines before it can still be read{more}",
        details={"line": line},
    )


def make_repair_finding(path: Path, what: str) -> Finding:
    """Build the finding for a repaired file that a crash left unfinished."""
    return Finding(
        code="LOG_MENDED",
        severity="warning",
        message=f"{path.name!r} was incomplete: {what}",
        where=SourceLocation(file=str(path)),
        hint="nothing that was acknowledged is missing",
    )


OpenMode = Literal["create", "existing", "read"]
"""Whether missing tables are created; `read` never writes."""


def make_foreign_error(kind: str, why: str, place: str, cure: str = "") -> StoreError:
    """Build the error for a file or database that is not ours; `kind`: `file of runs`."""
    cure = cure or f"name another {kind.split()[0]}"
    return StoreError(
        "STORE_UNREADABLE",
        f"this is not a {kind}: {why}",
        where=place,
        hint=f"{cure}; this one was not changed",
    )


def check_schema_version(version: int | None, newest: int, kind: str, place: str) -> None:
    """Refuse tables that this version of Saniwa cannot read; `kind`: `file of runs`.

    Raises:
        StoreError: `STORE_UNREADABLE`; `STORE_TOO_NEW` if a later version made them.
    """
    if version is None or version < newest:
        why = f"its schema version {version} does not exist"
        raise make_foreign_error(kind, why, place)
    if version > newest:
        place_kind = kind.split()[0]
        raise StoreError(
            "STORE_TOO_NEW",
            f"the {place_kind} has schema version {version}, but this version of Saniwa reads only up to {newest}",
            where=place,
            hint=f"update Saniwa; the {place_kind} was not changed",
            details={"version": version, "newest": newest},
        )
