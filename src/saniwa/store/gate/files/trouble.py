"""The errors that only files can have, and what is told of a mended one."""

from pathlib import Path

from saniwa.core.errors import StoreError
from saniwa.core.finding import Finding
from saniwa.core.where import Where


def unwritable(path: Path, problem: OSError) -> StoreError:
    """The error for a file that could not be written."""
    return StoreError(
        "TRACE_UNWRITABLE",
        f"{path.name!r} cannot be written: {problem.strerror}",
        where=Where(file=str(path)),
        hint="make room, or allow writing there; everything acknowledged is still there",
        recoverable=True,
    )


def unreadable(path: Path, problem: OSError) -> StoreError:
    """The error for a file that could not be read."""
    return StoreError(
        "STORE_UNREADABLE",
        f"{path.name!r} cannot be read: {problem.strerror}",
        where=Where(file=str(path)),
        hint="allow reading it, or bring it back from a copy",
    )


def broken(path: Path, line: int, why: str) -> StoreError:
    """The error for a line of a record that is not what was written."""
    return StoreError(
        "TRACE_CORRUPT",
        f"line {line} of {path.name!r} is not what was written: {why}",
        where=Where(file=str(path), line=line),
        hint="bring the file back from a copy; the lines before it can still be read",
        details={"line": line},
    )


def diverged(path: Path, line: int, why: str) -> StoreError:
    """The error for a table that says what no record says."""
    return StoreError(
        "LOG_DIVERGED",
        f"line {line} of {path.name!r} is not what the record says: {why}",
        where=Where(file=str(path), line=line),
        hint="keep both files; bring the table back from a copy of the same moment",
        details={"line": line},
    )


def recordless(run_id: str, table: Path, journal: Path) -> StoreError:
    """The error for a run of which only the table is left."""
    return StoreError(
        "RECORDS_MISSING",
        f"run {run_id!r} has its table, but its record {journal.name!r} is missing",
        where=Where(file=str(table)),
        hint="bring the record back from a copy; the table alone proves nothing",
        details={"run": run_id},
    )


def unusable(run_id: str) -> StoreError:
    """The error for an id that cannot name a run's files."""
    return StoreError(
        "RUN_ID_UNUSABLE",
        f"{run_id[:60]!r} cannot be a run's id",
        hint="an id is 'run-' and a UUIDv7, in small letters",
    )


def mended(path: Path, what: str) -> Finding:
    """What is told of a file that a crash had left unfinished."""
    return Finding(
        code="LOG_MENDED",
        severity="warning",
        message=f"{path.name!r} was left unfinished: {what}",
        where=Where(file=str(path)),
        hint="nothing that was acknowledged is missing",
    )


def behind(path: Path, problem: OSError) -> Finding:
    """What is told of a table that could not take the row of a kept event."""
    return Finding(
        code="LOG_BEHIND",
        severity="warning",
        message=f"{path.name!r} could not take its row: {problem.strerror}",
        where=Where(file=str(path)),
        hint="make room; the event is kept, and its row is added on the next opening",
    )


def lacking(path: Path, line: int) -> Finding:
    """What is told of a table that ends before its record does."""
    return Finding(
        code="LOG_BEHIND",
        severity="warning",
        message=f"{path.name!r} has no whole line {line}, and the record has more",
        where=Where(file=str(path), line=line),
        hint="it is completed from the record when the run is next opened",
    )
