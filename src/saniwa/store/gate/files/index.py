"""What saves reading a long record again: a point to go on from, and where each key stands.

One file, written whole, with its own hash in front: it is what was written, and could
have been written by us, or it is thrown away and made again from the record. Keys stand
in it as hashes, in order; whether a line really has the key is seen in the record.
"""

import hashlib
import os
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from saniwa.core.ready import ready
from saniwa.core.small_file import small_file
from saniwa.process.standing import Standing

LARGEST = 1 << 30
"""Bytes an index may have."""
_VERSION = 1
_DIGEST = 32
_WIDTH = 8
_FARTHEST = 1 << 48
"""Bytes that no record has."""

Mark = tuple[int, int, bytes]
"""A revision, the byte where its line starts, and the seal before it."""


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """A place in a record, and where the run stood there."""

    start: int
    """Where the line before it starts."""
    before: bytes
    """The seal before that line."""
    end: int
    """Where that line ends: the place."""
    seal: bytes
    """That line's seal."""
    size: int
    """Bytes the table ought to have there."""
    count: int
    """Lines up to there."""


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """What was known of a run's record when its index was written."""

    version: int = _VERSION
    """How it is written."""
    run_id: str
    """The run."""
    point: Point
    """The place it goes up to."""
    standing: bytes
    """Where the run stood, as JSON."""
    marks: list[Mark]
    """Places to begin reading at, in order."""
    hashes: bytes
    """The hashes of all keys, in order; eight bytes each."""
    starts: bytes
    """Where the line of each starts; eight bytes each."""

    def decoded(self) -> Standing:
        """Where the run stood; a new one each time.

        Raises:
            msgspec.DecodeError: It was written by another version.
        """
        return msgspec.json.decode(self.standing, type=Standing)


class Keys:
    """The keys of an index, ready for looking up."""

    def __init__(self, hashes: bytes, starts: bytes) -> None:
        """The two columns of an index; nothing is copied."""
        self._hashes = memoryview(hashes).cast("Q")
        self._starts = memoryview(starts).cast("Q")

    def starts(self, key: str) -> Sequence[int]:
        """Where lines start that may have the key: mostly none or one."""
        wanted = _hash(key)
        first = last = bisect_left(self._hashes, wanted)
        while last < len(self._hashes) and self._hashes[last] == wanted:
            last += 1
        return self._starts[first:last].tolist()

    def with_more(self, fresh: Iterable[tuple[str, int]]) -> tuple[bytes, bytes]:
        """The hashes and the starts with some keys more."""
        pairs = sorted([(_hash(key), start) for key, start in fresh])
        if self._hashes:
            known = zip(self._hashes, self._starts, strict=True)
            # Two rows in order, end to end: sorting them is no more than merging.
            pairs = sorted([*known, *pairs])
        hashes = array("Q", [hash for hash, _ in pairs])
        starts = array("Q", [start for _, start in pairs])
        return hashes.tobytes(), starts.tobytes()


def read(path: Path, run_id: str) -> Index | None:
    """The index in a file; None if there is none, or it is not what was written."""
    try:
        content = small_file(path, LARGEST)
    except OSError:
        return None
    body = memoryview(content)[_DIGEST:]
    if hashlib.sha256(body).digest() != content[:_DIGEST]:
        return None
    try:
        index = msgspec.msgpack.decode(body, type=Index)
    except (ValueError, RecursionError):
        return None
    ours = (index.version, index.run_id) == (_VERSION, run_id)
    return index if ours and _is_whole(index) else None


def _is_whole(index: Index) -> bool:
    """Whether everything in it leads to some place before its point."""
    point, size = index.point, len(index.hashes)
    if not 0 <= point.start < point.end < _FARTHEST or min(point.size, point.count) < 0:
        return False
    if any(not 0 <= start <= point.start for _, start, _ in index.marks):
        return False
    if size % _WIDTH or size != len(index.starts):
        return False
    hashes = memoryview(index.hashes).cast("Q").tolist()
    last = max(memoryview(index.starts).cast("Q"), default=0)
    return last <= point.start and hashes == sorted(hashes)


def write(path: Path, index: Index) -> None:
    """Put an index in place of the one before; nothing is lost if it does not last.

    Raises:
        OSError: It cannot be written.
    """
    body = msgspec.msgpack.encode(index)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        beside.write_bytes(hashlib.sha256(body).digest() + body)
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def alike(one: str, other: str) -> bool:
    """Whether an index cannot tell two keys apart."""
    return _hash(one) == _hash(other)


def _hash(key: str) -> int:
    digest = hashlib.blake2b(key.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little")


ready(Index)
