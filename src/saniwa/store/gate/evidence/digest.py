"""The hash of a file's bytes, as they were while it was open.

Always read: no time tells whether a file is what it was. A program that has it mapped
into its memory changes it without moving any.
"""

import hashlib
import os

import msgspec

from saniwa.store.gate.evidence.walk import UnfitError

LARGEST = 64 * 1024 * 1024
"""Bytes a file may have."""

_CHUNK = 256 * 1024


class Digest(msgspec.Struct, frozen=True):
    """What was read."""

    hash: str
    """SHA-256 in hex."""
    size: int
    """How many bytes."""
    head: bytes = b""
    """The first of them, as many as were asked for."""


def digest(handle: int, head: int = 0) -> Digest:
    """What an open file holds, with its first `head` bytes.

    Raises:
        UnfitError: It is empty or too large, or changed while it was read.
    """
    state = os.fstat(handle)
    if state.st_size == 0:
        raise UnfitError("is empty")
    if state.st_size > LARGEST:
        raise UnfitError(f"is larger than {LARGEST} bytes")
    found = _read(handle, state.st_size, head)
    if _stamp(os.fstat(handle)) != _stamp(state):
        raise UnfitError("changed while it was read")
    return found


def _stamp(state: os.stat_result) -> tuple[int, int, int]:
    return state.st_size, state.st_mtime_ns, state.st_ctime_ns


def _read(handle: int, size: int, head: int) -> Digest:
    sha, kept, total = hashlib.sha256(), bytearray(), 0
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
    return Digest(sha.hexdigest(), size, bytes(kept))
