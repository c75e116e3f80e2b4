"""Which ids and contents can be kept, and what is said of a record that moved on."""

from typing import Final

from saniwa.core.errors import StoreError
from saniwa.core.quoted import quoted
from saniwa.core.where import Where

LONGEST: Final = 200
"""Letters an id may have."""
LARGEST: Final = 16_000_000
"""Bytes one record may have."""


def usable(play_id: str) -> bool:
    """Whether every keeper could hold a record under this id."""
    return 0 < len(play_id) <= LONGEST and play_id.isprintable()


def check_id(play_id: str, place: str) -> None:
    """Refuse an id that people could not read or type again.

    Raises:
        StoreError: `NAME_UNUSABLE`.
    """
    if usable(play_id):
        return
    raise StoreError(
        "NAME_UNUSABLE",
        f"{quoted(play_id)} cannot be the id of a run",
        where=Where(file=place),
        hint=f"use 1 to {LONGEST} printable letters",
    )


def check_after(after: str, place: str) -> None:
    """Refuse a place in the order of ids that is none; empty is the very beginning.

    Raises:
        StoreError: `NAME_UNUSABLE`.
    """
    if after:
        check_id(after, place)


def check_size(play_id: str, content: bytes, place: str) -> None:
    """Refuse a record that is too large.

    Raises:
        StoreError: `TRACE_UNWRITABLE`.
    """
    if len(content) <= LARGEST:
        return
    raise StoreError(
        "TRACE_UNWRITABLE",
        f"what is to be kept of run {quoted(play_id)} has {len(content)} bytes, "
        f"and {LARGEST} is the most",
        where=Where(file=place),
        hint="begin a new run; this one stands as it was kept last",
    )


def moved_on(play_id: str, after: int, current: int, place: str) -> StoreError:
    """The error for a record that does not stand where its writer believes."""
    return StoreError(
        "REVISION_CONFLICT",
        f"run {quoted(play_id)} stands at revision {current}, and not at {after}",
        where=Where(file=place),
        hint="somebody else has played on: look at the run again, then repeat",
        recoverable=True,
        details={"run": play_id, "expected": after, "current": current},
    )
