"""What is kept beside a hosted run, read back: as it was written, or it is said."""

from typing import TypeVar

import msgspec

from saniwa.core.errors import StoreError
from saniwa.core.quoted import quoted

K = TypeVar("K")


def unpacked(id: str, content: bytes, kind: type[K]) -> K:
    """What the bytes kept under an id hold.

    Raises:
        StoreError: `STORE_UNREADABLE` for bytes that are none of ours.
    """
    try:
        return msgspec.json.decode(content, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise unreadable(id, str(problem)) from problem


def unreadable(id: str, why: str) -> StoreError:
    """The error for what is kept and cannot be used."""
    return StoreError(
        "STORE_UNREADABLE",
        f"what is kept for hosts of {quoted(id)} cannot be read: {why}",
        hint="bring it back from a copy, or begin anew",
    )
