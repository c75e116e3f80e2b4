"""How a run's records and notes become bytes, and the errors every run log shares."""

from copy import deepcopy

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.process.record import Entry, Note, Record, row_of, timestamp
from saniwa.process.standing import Standing

LARGEST = 1_000_000
"""Bytes a record may have; what is larger belongs into a file that it names."""

_ENCODE = msgspec.json.Encoder().encode
_ENTRY: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


def pack(entry: Entry) -> bytes:
    """The entry as the bytes that are kept and sealed.

    Raises:
        StoreError: `TRACE_UNWRITABLE` for values that JSON has no text for;
            `RECORD_TOO_LARGE`.
    """
    try:
        body = _ENCODE(entry)
    except (TypeError, ValueError, OverflowError, RecursionError) as problem:
        raise StoreError(
            "TRACE_UNWRITABLE",
            f"a record holds what cannot be written down: {problem}",
            hint="keep to text, numbers, true, false, null, lists and maps",
        ) from problem
    if len(body) > LARGEST:
        raise too_large(len(body))
    return body


def row(entry: Entry) -> bytes:
    """The entry's row of the published table; a note has none.

    Made before anything is written: what has no row is not kept.

    Raises:
        StoreError: `TRACE_UNWRITABLE` for a moment that no calendar has.
    """
    try:
        return row_in(entry)
    except ValueError as problem:
        raise StoreError(
            "TRACE_UNWRITABLE",
            f"an entry's moment {entry.at} cannot be written down: {problem}",
            hint="set the clock right: moments are milliseconds since 1970",
        ) from problem


def row_in(entry: Entry) -> bytes:
    """The row of an entry that was kept; a note has none.

    Raises:
        ValueError: Its moment is in no calendar.
    """
    try:
        if type(entry) is Record:
            return row_of(entry).encode()
        timestamp(entry.at)
    except (OverflowError, OSError) as problem:
        raise ValueError(str(problem)) from problem
    return b""


def unpack(body: bytes) -> Entry:
    """The entry in the bytes that were kept.

    Raises:
        msgspec.DecodeError: They are no entry.
    """
    try:
        return _ENTRY.decode(body)
    except (UnicodeDecodeError, RecursionError) as problem:
        raise msgspec.DecodeError(str(problem)) from problem


def fold(standing: Standing | None, run_id: str, entry: Entry) -> Standing:
    """Where the run stands with one entry more.

    Raises:
        ValueError: The entry cannot follow; says why.
    """
    check_next(standing.revision if standing else 0, entry)
    if standing is None:
        assert isinstance(entry, Record), "a run begins with an event"
        return Standing.first(run_id, entry)
    if isinstance(entry, Note):
        standing.notice(entry)
    else:
        standing.advance(entry)
    return standing


def check_next(revision: int, entry: Entry) -> None:
    """See whether an entry may follow a revision; 0 before the first.

    Raises:
        ValueError: It may not; says why.
    """
    if revision == 0 and (isinstance(entry, Note) or entry.opening is None):
        raise ValueError("a run begins with an event that says what it stands on")
    if isinstance(entry, Record) and entry.revision != revision + 1:
        raise ValueError(f"revision {entry.revision} follows {revision}")


def copied(standing: Standing) -> Standing:
    """The same for somebody who only reads, while the log may move on."""
    artifacts = {kind: dict(pieces) for kind, pieces in standing.artifacts.items()}
    return msgspec.structs.replace(
        standing,
        artifacts=artifacts,
        handed=dict(standing.handed),
        variables=deepcopy(standing.variables),
    )


def too_large(size: int) -> StoreError:
    """The error for a record that is too large to keep."""
    return StoreError(
        "RECORD_TOO_LARGE",
        f"the record would have {size} bytes, and at most {LARGEST} are kept",
        hint="hand in large things as files, and name their paths",
        details={"size": size, "largest": LARGEST},
    )


def conflict(run_id: str, record: Record, current: int, place: str) -> StoreError:
    """The error for a record that does not carry the next revision."""
    return StoreError(
        "REVISION_CONFLICT",
        f"run {run_id!r} stands at revision {current}, "
        f"so revision {record.revision} cannot be added",
        where=Where(file=place),
        hint="read the run's state again, then repeat",
        recoverable=True,
        details={"run": run_id, "revision": record.revision, "current": current},
    )


def used(run_id: str, key: str, revision: int, place: str) -> StoreError:
    """The error for a second event under one key; who replays asks for the first."""
    return StoreError(
        "IDEMPOTENCY_CONFLICT",
        f"run {run_id!r} keeps revision {revision} under the key {quoted(key)} already",
        where=Where(file=place),
        hint="give another event another key",
        details={"run": run_id, "key": key, "revision": revision},
    )


def locked(run_id: str, patience: float, place: str) -> StoreError:
    """The error for a run that somebody else holds for too long."""
    return StoreError(
        "LOCK_TIMEOUT",
        f"run {run_id!r} was held by somebody else for {patience:g} seconds",
        where=Where(file=place),
        hint="try again; nothing was written",
        recoverable=True,
        details={"run": run_id, "patience": patience},
    )


def uncertain(run_id: str, why: str, place: str) -> StoreError:
    """The error for an event of which nobody knows whether it was kept."""
    return StoreError(
        "LOG_UNCERTAIN",
        f"nobody knows whether the event of run {run_id!r} was kept: {why}",
        where=Where(file=place),
        hint="read the run's state, then send the event again with the same key",
        recoverable=True,
        details={"run": run_id},
    )


def corrupt(run_id: str, number: int, why: str, place: str) -> StoreError:
    """The error for an entry, counted from 1, that is not what was written."""
    return StoreError(
        "TRACE_CORRUPT",
        f"entry {number} of run {run_id!r} is not what was written: {why}",
        where=Where(file=place),
        hint="bring the log back from a copy; entries before it can still be read",
        details={"run": run_id, "entry": number},
    )


def no_definition(hash: str, why: str, place: str) -> StoreError:
    """The error for a definition that cannot be had."""
    return StoreError(
        "DEFINITION_MISSING",
        f"the definition {hash!r} {why}",
        where=Where(file=place),
        hint="bring it back from a copy; runs that stand on it cannot go on without it",
        details={"definition": hash},
    )
