"""Records of runs: what is stored, how it is decoded, and the seals in addition to the turns' own."""

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.text import is_storable_text
from saniwa.store.sealed_log import TURNS, compute_turn_seal, make_corrupt_entry_error
from saniwa.turn.record import Turn


class _StoredRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Base of stored records, which are written in camelCase."""


class RunRecord(_StoredRecord, frozen=True):
    """Everything needed to replay a run from nothing: a run owns its conditions.

    The scenario and the rulebooks are stored completely, so that editing a file later
    changes no run that has started.
    """

    run_id: str
    """`run-` and a UUIDv7."""
    scenario_id: str
    """The scenario's name."""
    scenario: dict[str, Any]
    """The scenario document, as it was."""
    scenario_hash: str
    """Its published hash."""
    world_hash: str
    """The published hash of the world it started with."""
    books: tuple[dict[str, Any], ...]
    """The rulebook's layers as documents, lowest first."""
    actor_id: str
    """The actor the player plays."""
    language: str = "en"
    """The language of the narration."""
    seed: int = 0
    """The seed for everything random."""
    created: int = 0
    """Milliseconds since 1970."""
    version: str = ""
    """The Saniwa version that created it."""


class RunSummary(_StoredRecord, frozen=True):
    """One line about a run, for lists."""

    run_id: str
    """The run."""
    scenario_id: str
    """The scenario it plays."""
    created: int
    """Milliseconds since 1970."""
    turns: int
    """How many turns it has."""


class RunSave(_StoredRecord, frozen=True):
    """A name for a point in a run, to return to."""

    run_id: str
    """The run."""
    name: str
    """The player's name for it."""
    turn: int
    """The turn after which it was saved; -1 for the very beginning."""
    created: int = 0
    """Milliseconds since 1970."""


RECORD_NUMBER = -1
"""The number of a run's record in error reports and seals, before its first turn."""

_ENCODE = msgspec.json.Encoder().encode
_TURN_DECODER = msgspec.json.Decoder(Turn)
_RECORD_DECODER = msgspec.json.Decoder(RunRecord)


def seal_record(run_id: str, payload: bytes) -> bytes:
    """Compute the seal of a run's record, which its first turn follows."""
    return compute_turn_seal(b"", run_id, RECORD_NUMBER, payload)


def seal_summary(run_id: str, scenario_id: str, created: int) -> bytes:
    """Compute the seal of a run's summary."""
    return hashlib.sha256(_ENCODE([run_id, scenario_id, created])).digest()


def seal_saves(saves: Iterable[RunSave]) -> bytes:
    """Compute one seal over all saves of a run, so that a missing one is noticed."""
    return hashlib.sha256(_ENCODE(sorted(saves, key=lambda s: s.name))).digest()


def decode_turn(run_id: str, number: int, payload: bytes, place: str) -> Turn:
    """Decode a stored turn.

    Raises:
        StoreError: `TRACE_CORRUPT` if the bytes are not a turn, or another one.
    """
    try:
        turn = _TURN_DECODER.decode(payload)
        if turn.number != number:
            raise ValueError(f"it is numbered turn {turn.number + 1}")
        actions, verdicts = len(turn.normalized_actions), len(turn.validation_results)
        if actions != verdicts:
            raise ValueError(f"it has {verdicts} verdicts for {actions} actions")
    except (ValueError, RecursionError) as problem:
        raise make_corrupt_entry_error(TURNS, run_id, number, place, str(problem)) from problem
    return turn


def decode_record(run_id: str, payload: bytes, place: str) -> RunRecord:
    """Decode a stored record.

    Raises:
        StoreError: `TRACE_CORRUPT` if the bytes are not a record, or another run's.
    """
    try:
        record = _RECORD_DECODER.decode(payload)
        if record.run_id != run_id:
            raise ValueError(f"its run id is {record.run_id!r}")
    except (ValueError, RecursionError) as problem:
        raise make_corrupt_entry_error(
            TURNS, run_id, RECORD_NUMBER, place, str(problem)
        ) from problem
    return record


def make_turn_conflict_error(run_id: str, number: int, current: int, place: str = "") -> StoreError:
    """Build the error for a turn that does not have the next number."""
    return StoreError(
        "REVISION_CONFLICT",
        f"run {run_id!r} has {current} turns, so turn {number + 1} cannot be added",
        where=place or None,
        hint="another process has continued the run; read it again, then retry",
        recoverable=True,
        details={"run": run_id, "number": number, "current": current},
    )


LONGEST_NAME = 100
"""Most characters the name of a save may have."""


def check_save_name(name: str, place: str) -> None:
    """Refuse a save's name that people could not read or type again.

    Raises:
        StoreError: `SAVE_UNNAMED`.
    """
    if 0 < len(name) <= LONGEST_NAME and name.isprintable() and is_storable_text(name):
        return
    raise StoreError(
        "SAVE_UNNAMED",
        f"{name[:LONGEST_NAME]!r} cannot be the name of a save",
        where=place,
        hint=f"use 1 to {LONGEST_NAME} printable characters",
    )
