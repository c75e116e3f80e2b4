"""Encode a run's records and notes, and apply them; errors that all gate logs share.

Backends store the bytes; nothing here opens a file or a connection.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol
from weakref import WeakSet

import msgspec

from saniwa.core import system_calls
from saniwa.core.clock import format_timestamp
from saniwa.core.errors import StoreError
from saniwa.core.findings import Finding
from saniwa.process.definition import Process, decode_process
from saniwa.process.event_record import EventRecord, LogEntry, LogNote, render_row
from saniwa.process.run_state import ProcessRun
from saniwa.store.gate import describe
from saniwa.store.sealed_log import EVENTS, SealedEntry, encode_record, make_corrupt_entry_error

LOCK_TIMEOUT = 10.0
"""Seconds to wait for a run that another process or thread has locked."""
LARGEST_ENTRY = 1_000_000
"""Most bytes of a record; larger content belongs in a file that the record names."""

_ENTRY_DECODER: msgspec.json.Decoder[LogEntry] = msgspec.json.Decoder(LogEntry)


def encode_entry(entry: LogEntry) -> bytes:
    """Encode the entry as the bytes that are stored and sealed.

    Raises:
        StoreError: `TRACE_UNWRITABLE` for values that JSON cannot express;
            `RECORD_TOO_LARGE`.
    """
    body = encode_record(entry)
    if len(body) > LARGEST_ENTRY:
        raise describe("RECORD_TOO_LARGE", size=len(body), largest=LARGEST_ENTRY).to_error(
            StoreError
        )
    return body


def render_new_row(entry: LogEntry) -> bytes:
    """Render the entry's row of the published table; empty for a note.

    Called before anything is written: an entry without a valid row is not stored.

    Raises:
        StoreError: `TRACE_UNWRITABLE` for a time outside the calendar.
    """
    try:
        return render_stored_row(entry)
    except ValueError as problem:
        raise describe("TRACE_UNWRITABLE", at=entry.at, problem=problem).to_error(
            StoreError
        ) from problem


def render_stored_row(entry: LogEntry) -> bytes:
    """Render the row of a stored entry; empty for a note.

    Raises:
        ValueError: Its time is outside the calendar.
    """
    try:
        if type(entry) is EventRecord:
            return render_row(entry).encode()
        format_timestamp(entry.at)
    except (OverflowError, OSError) as problem:
        raise ValueError(str(problem)) from problem
    return b""


def decode_entry(body: bytes) -> LogEntry:
    """Decode a stored entry.

    Raises:
        msgspec.DecodeError: The bytes are not an entry.
    """
    try:
        return _ENTRY_DECODER.decode(body)
    except (UnicodeDecodeError, RecursionError) as problem:
        raise msgspec.DecodeError(str(problem)) from problem


def apply_entry(run: ProcessRun | None, run_id: str, entry: LogEntry) -> ProcessRun:
    """Return the run with one more entry applied.

    Raises:
        ValueError: The entry cannot follow; says why.
    """
    check_next_entry(run.revision if run else 0, entry)
    if run is None:
        assert isinstance(entry, EventRecord), "a run must start with an event"
        return ProcessRun.from_first_record(run_id, entry)
    if isinstance(entry, LogNote):
        run.apply_note(entry)
    else:
        run.apply_record(entry)
    return run


def check_next_entry(revision: int, entry: LogEntry) -> None:
    """Check that an entry may follow a revision; 0 before the first.

    Raises:
        ValueError: It may not; says why.
    """
    if revision == 0 and (isinstance(entry, LogNote) or entry.opening is None):
        raise ValueError("the first event of a run must name its definition")
    if isinstance(entry, EventRecord) and entry.revision != revision + 1:
        raise ValueError(f"revision {entry.revision} follows {revision}")


def copy_run(run: ProcessRun) -> ProcessRun:
    """Copy a run for a reader, while the log may change the original."""
    artifacts = {kind: dict(pieces) for kind, pieces in run.artifacts.items()}
    return msgspec.structs.replace(
        run,
        artifacts=artifacts,
        handed=dict(run.handed),
        # JSON values only: the same copy as `deepcopy`, and much faster for a long list.
        variables=msgspec.to_builtins(run.variables),
    )


def check_revision(run: ProcessRun, record: EventRecord, place: str) -> None:
    """Check that a record has the run's next revision.

    Raises:
        StoreError: `REVISION_CONFLICT`.
    """
    current = run.revision
    if record.revision != current + 1:
        raise describe(
            "REVISION_CONFLICT", run=run.run_id, revision=record.revision, current=current
        ).to_error(StoreError, where=place)


def make_key_used_error(run_id: str, key: str, revision: int, place: str) -> StoreError:
    """Build the error for a second event under one key; a replay returns the first."""
    return describe("IDEMPOTENCY_CONFLICT", run_id=run_id, revision=revision, key=key).to_error(
        StoreError, where=place, details={"run": run_id, "key": key, "revision": revision}
    )


def make_lock_timeout_error(run_id: str, patience: float, place: str) -> StoreError:
    """Build the error for a run that another process or thread locks for too long."""
    return describe("LOCK_TIMEOUT", run=run_id, patience=patience).to_error(StoreError, where=place)


def make_uncertain_error(run_id: str, why: str, place: str) -> StoreError:
    """Build the error for an event that may or may not have been stored."""
    return describe("LOG_UNCERTAIN", run=run_id, why=why).to_error(StoreError, where=place)


def decode_definition(hash: str, content: bytes, place: str, changed: str) -> Process:
    """Decode a stored definition; `changed` says that it has not its hash.

    Raises:
        StoreError: `DEFINITION_MISSING`.
    """
    if hashlib.sha256(content).hexdigest() != hash:
        raise make_definition_error(hash, changed, place)
    try:
        return decode_process(content)
    except msgspec.DecodeError as problem:
        raise make_definition_error(hash, f"cannot be read: {problem}", place) from problem


def make_definition_error(hash: str, why: str, place: str) -> StoreError:
    """Build the error for a definition that is missing or unreadable."""
    return describe("DEFINITION_MISSING", definition=hash, why=why).to_error(
        StoreError, where=place
    )


class ForkedLog(Protocol):
    """A log whose files or connections a forked child must not use."""

    def abandon(self) -> None:
        """Drop them without changing anything."""


_OPEN_LOGS: "WeakSet[ForkedLog]" = WeakSet()


def abandon_after_fork(log: ForkedLog) -> None:
    """Call `abandon` in every child that this process forks."""
    _OPEN_LOGS.add(log)


def _abandon_logs() -> None:
    for log in list(_OPEN_LOGS):
        log.abandon()


system_calls.run_after_fork(_abandon_logs)


def hash_key(key: str) -> bytes | None:
    """Hash a key for lookup; None for no key, and for text that cannot be stored."""
    try:
        return hashlib.sha256(key.encode()).digest() if key else None
    except UnicodeEncodeError:
        return None


def hash_entry_key(entry: LogEntry) -> bytes | None:
    """Hash the key of an entry, if it has one."""
    return hash_key(entry.key) if isinstance(entry, EventRecord) else None


def unseal_entry(run_id: str, sealed: SealedEntry, place: str) -> LogEntry:
    """Decode an entry that its seal has confirmed.

    Raises:
        StoreError: `TRACE_CORRUPT`: it is no entry, or is filed under another revision or
            key.
    """
    try:
        entry = decode_entry(sealed.body)
        if (sealed.revision, sealed.key) != (entry.revision, hash_entry_key(entry)):
            raise ValueError("it is stored under another revision or key")
    except ValueError as problem:
        why = str(problem)
        raise make_corrupt_entry_error(EVENTS, run_id, sealed.number, place, why) from problem
    return entry


def find_missing_definitions(
    entries: Iterable[LogEntry], definition: Callable[[str], Process]
) -> Iterator[Finding]:
    """Report the definitions a run uses or used that cannot be loaded any more.

    Raises:
        StoreError: The entries cannot be read.
    """
    seen: set[str] = set()
    for entry in entries:
        opening = entry.opening if isinstance(entry, EventRecord) else None
        if opening is None or opening.definition in seen:
            continue
        seen.add(opening.definition)
        try:
            definition(opening.definition)
        except StoreError as problem:
            yield problem.to_finding(details=problem.details)
