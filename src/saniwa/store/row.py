"""How records become bytes, and how a changed byte is noticed.

Every row carries a seal: the SHA-256 of where it stands and what it says. A seal notices
accidents and careless hands, not a forger, who can compute one as well as we can.
"""

import hashlib

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.where import Where
from saniwa.store.layout import RunRecord
from saniwa.turn.trace import Turn

_ENCODE = msgspec.json.Encoder().encode
_TURN = msgspec.json.Decoder(Turn)
_RECORD = msgspec.json.Decoder(RunRecord)


def seal(run_id: str, number: int, payload: bytes) -> bytes:
    """32 bytes that fit this payload at this place only; -1 numbers the record."""
    return hashlib.sha256(f"{run_id}\n{number}\n".encode() + payload).digest()


def pack(record: Turn | RunRecord) -> bytes:
    """The record as the bytes that are kept.

    Raises:
        StoreError: `TRACE_UNWRITABLE` for values that JSON has no text for.
    """
    try:
        return _ENCODE(record)
    except (TypeError, ValueError, OverflowError, RecursionError) as problem:
        raise StoreError(
            "TRACE_UNWRITABLE",
            f"a record holds what cannot be written down: {problem}",
            hint="keep to text, numbers, true, false, null, lists and maps",
        ) from problem


def unpack_turn(
    run_id: str, number: int, payload: bytes, sealed: bytes, place: str
) -> Turn:
    """The turn that was kept at this place.

    Raises:
        StoreError: `TRACE_CORRUPT` if any byte of it has changed.
    """
    if seal(run_id, number, payload) != sealed:
        raise corrupt(run_id, number, place, "its bytes have changed since")
    try:
        turn = _TURN.decode(payload)
    except msgspec.DecodeError as problem:
        raise corrupt(run_id, number, place, str(problem)) from problem
    if turn.number != number:
        raise corrupt(run_id, number, place, f"it calls itself {turn.number}")
    return turn


def unpack_record(run_id: str, payload: bytes, sealed: bytes, place: str) -> RunRecord:
    """The record that was kept for the run.

    Raises:
        StoreError: `TRACE_CORRUPT` if any byte of it has changed.
    """
    if seal(run_id, -1, payload) != sealed:
        raise corrupt(run_id, -1, place, "its bytes have changed since")
    try:
        return _RECORD.decode(payload)
    except msgspec.DecodeError as problem:
        raise corrupt(run_id, -1, place, str(problem)) from problem


def corrupt(run_id: str, number: int, place: str, why: str) -> StoreError:
    """The error for a row that is not what was written."""
    which = f"turn {number}" if number >= 0 else "the record"
    return StoreError(
        "TRACE_CORRUPT",
        f"{which} of run {run_id!r} is not what was written: {why}",
        where=Where(file=place),
        hint="bring the file back from a copy; turns before it can still be read",
        details={"run": run_id, "turn": number},
    )


def conflict(run_id: str, number: int, current: int, place: str) -> StoreError:
    """The error for a turn that does not carry the next number."""
    return StoreError(
        "REVISION_CONFLICT",
        f"run {run_id!r} stands at turn {current}, so turn {number} cannot be added",
        where=Where(file=place),
        hint="somebody else has played on: read the run again, then repeat",
        recoverable=True,
        details={"run": run_id, "number": number, "current": current},
    )
