"""The seal before a record: what is read is what was written, or it is refused."""

from hashlib import sha256
from typing import Final

from saniwa.core.errors import StoreError
from saniwa.core.quoted import quoted
from saniwa.core.where import Where

_MARK: Final = b"\0seal1 "
_LENGTH: Final = 32
_UNSEALED: Final = b"{"
"""How every record began before there were seals; no flipped bit makes a mark of it."""


def sealed(play_id: str, revision: int, content: bytes) -> bytes:
    """A record as it is kept."""
    return _MARK + _digest(play_id, revision, content) + content


def unsealed(play_id: str, revision: int, kept: bytes, place: str) -> bytes:
    """A record as it was handed in; one from before there were seals is taken as it is.

    Raises:
        StoreError: `TRACE_CORRUPT`.
    """
    if kept.startswith(_UNSEALED):
        return kept
    start = len(_MARK) + _LENGTH
    content = kept[start:]
    if kept[:start] == _MARK + _digest(play_id, revision, content):
        return content
    raise StoreError(
        "TRACE_CORRUPT",
        f"what is kept of run {quoted(play_id)} is not what was written",
        where=Where(file=place),
        hint="bring the file back from a copy",
        details={"run": play_id},
    )


def _digest(play_id: str, revision: int, content: bytes) -> bytes:
    name = play_id.encode("utf-8", "surrogatepass")
    return sha256(b"%d %b\0%b" % (revision, name, content)).digest()
