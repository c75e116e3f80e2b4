"""Keys of cells as names, and outcomes as what their keys say they are."""

from typing import Final

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.quoted import quoted
from saniwa.core.ready import ready
from saniwa.core.where import Where

LONGEST: Final = 200
"""Bytes of a key: it becomes a file's name, with an ending."""


class _Label(msgspec.Struct, frozen=True):
    """What every outcome says of itself."""

    key: str
    """The cell it is of."""


def check_key(key: str, place: str) -> None:
    """Refuse a key that could lead elsewhere, hide, or be no file's name.

    Raises:
        StoreError: `NAME_UNUSABLE`.
    """
    plain = key.isprintable() and key[:1] not in ("", ".") and not {"/", "\\"} & {*key}
    if plain and len(key.encode()) <= LONGEST:
        return
    raise StoreError(
        "NAME_UNUSABLE",
        f"{quoted(key)} cannot be the key of a cell",
        where=Where(file=place),
        hint=f"use 1 to {LONGEST} bytes of printable letters, no slash, no dot in front; "
        "give the experiment a shorter id",
    )


def check_whole(key: str, kept: bytes, place: str) -> None:
    """Refuse bytes that are not a whole outcome of this cell.

    Raises:
        StoreError: `TRACE_CORRUPT`.
    """
    try:
        label = msgspec.json.decode(kept, type=_Label)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as problem:
        raise corrupt(key, "it is torn, or no outcome at all", place) from problem
    if label.key != key:
        raise corrupt(key, f"it is the outcome of {quoted(label.key)}", place)


def corrupt(key: str, why: str, place: str = "") -> StoreError:
    """What is said of a cell whose outcome cannot be used, wherever that is seen."""
    return StoreError(
        "TRACE_CORRUPT",
        f"what is kept for the cell {quoted(key)} cannot be used: {why}",
        where=Where(file=place) if place else None,
        hint="bring it back from a copy; or take it away and resume: the cell is then "
        "done again",
        details={"cell": key},
    )


ready(_Label)
