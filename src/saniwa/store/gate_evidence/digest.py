"""The hash of a file's bytes, as they were while it was open."""

import hashlib
import os

import msgspec

from saniwa.core.clock import Clock
from saniwa.store.gate_evidence.walk import UnfitError

LARGEST = 64 * 1024 * 1024
"""Bytes a file may have."""
MOST_KNOWN = 4_096
"""Files that are remembered."""

_CHUNK = 256 * 1024
_SETTLED = 1_000_000_000

_Stamp = tuple[int, int, int, int, int]


class Digest(msgspec.Struct, frozen=True):
    """What was read."""

    hash: str
    """SHA-256 in hex."""
    size: int
    """How many bytes."""
    head: bytes = b""
    """The first of them, as many as were asked for."""


class Digester:
    """Hashes open files, and remembers those that have not been touched since.

    A file written to within the last second is not remembered: another write could
    leave the same time behind, and it would look untouched.
    """

    def __init__(self, clock: Clock, most: int = MOST_KNOWN) -> None:
        self._clock = clock
        self._most = most
        self._known: dict[_Stamp, str] = {}

    def digest(self, handle: int, head: int = 0) -> Digest:
        """What an open file holds, with its first `head` bytes.

        Raises:
            UnfitError: It is empty or too large, or changed while it was read.
        """
        state = os.fstat(handle)
        if state.st_size == 0:
            raise UnfitError("is empty")
        if state.st_size > LARGEST:
            raise UnfitError(f"is larger than {LARGEST} bytes")
        stamp = _stamp(state)
        known = self._known.get(stamp)
        if known is not None and head == 0:
            return Digest(known, state.st_size)
        now = self._clock.now() * 1_000_000
        found = _read(handle, state.st_size, head)
        if _stamp(os.fstat(handle)) != stamp:
            raise UnfitError("changed while it was read")
        if now - max(state.st_mtime_ns, state.st_ctime_ns) > _SETTLED:
            self._remember(stamp, found.hash)
        return found

    def _remember(self, stamp: _Stamp, hash: str) -> None:
        if len(self._known) >= self._most:
            self._known.clear()
        self._known[stamp] = hash


def _stamp(state: os.stat_result) -> _Stamp:
    return (
        state.st_dev,
        state.st_ino,
        state.st_size,
        state.st_mtime_ns,
        state.st_ctime_ns,
    )


def _read(handle: int, size: int, head: int) -> Digest:
    sha, kept, total = hashlib.sha256(), b"", 0
    try:
        # One more than there should be, so that a file that grows is noticed and one
        # that never ends is left.
        while total <= size and (
            chunk := os.read(handle, min(_CHUNK, size + 1 - total))
        ):
            sha.update(chunk)
            kept += chunk[: max(0, head - len(kept))]
            total += len(chunk)
    except OSError as problem:
        raise UnfitError(f"cannot be read: {problem.strerror}") from problem
    if total != size:
        raise UnfitError("changed while it was read")
    return Digest(sha.hexdigest(), size, kept)
