"""The index of a run's journal: a checkpoint to continue from, and positions of keys.

One file, written as a whole, with its own hash in front. An index that is damaged or
does not match the journal is discarded and made again. Keys are stored as hashes,
sorted; whether a line really has the key is checked in the journal.
"""

import hashlib
import os
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path

import msgspec

from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.safe_open import read_small_file
from saniwa.process.event_record import EventRecord, LogEntry
from saniwa.process.run_state import ProcessRun
from saniwa.store.gate import run_journal as gate_journal
from saniwa.store.gate.run_journal import RunJournal
from saniwa.store.sealed_log import compute_first_seal

LARGEST_INDEX = 1 << 30
"""Most bytes an index may have."""
_VERSION = 1
_DIGEST = 32
_WIDTH = 8
_FARTHEST = 1 << 48
"""More bytes than any journal has."""

RevisionMark = tuple[int, int, bytes]
"""A revision, the byte where its line starts, and the seal before it."""


class IndexCheckpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A position in a journal, and the run's state there."""

    start: int
    """Where the line before the position starts."""
    before: bytes
    """The seal before that line."""
    end: int
    """Where that line ends: the position."""
    seal: bytes
    """That line's seal."""
    size: int
    """The bytes the table should have there."""
    count: int
    """The number of lines up to there."""


class IndexSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """What was known of a run's journal when its index was written."""

    version: int = _VERSION
    """The version of the format."""
    run_id: str
    """The run."""
    point: IndexCheckpoint
    """The position it goes up to."""
    standing: bytes
    """The run at that position, as JSON."""
    marks: list[RevisionMark]
    """Positions to start reading at, in order."""
    hashes: bytes
    """The hashes of all keys, sorted; eight bytes each."""
    starts: bytes
    """Where the line of each starts; eight bytes each."""


def read_index(path: Path, run_id: str) -> IndexSnapshot | None:
    """Read the index in a file; None if it is missing or damaged."""
    try:
        content = read_small_file(path, LARGEST_INDEX)
    except OSError:
        return None
    body = memoryview(content)[_DIGEST:]
    if hashlib.sha256(body).digest() != content[:_DIGEST]:
        return None
    try:
        index = msgspec.msgpack.decode(body, type=IndexSnapshot)
    except (ValueError, RecursionError):
        return None
    ours = (index.version, index.run_id) == (_VERSION, run_id)
    return index if ours and _is_consistent(index) else None


def _is_consistent(index: IndexSnapshot) -> bool:
    """Whether every position in it is before its checkpoint."""
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


def write_index(path: Path, index: IndexSnapshot) -> None:
    """Replace the index file; not synced, because it can be made again.

    Raises:
        OSError: It cannot be written.
    """
    body = msgspec.msgpack.encode(index)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        temporary.write_bytes(hashlib.sha256(body).digest() + body)
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def is_same_hash(one: str, other: str) -> bool:
    """Whether an index cannot tell two keys apart."""
    return _hash_key(one) == _hash_key(other)


def _hash_key(key: str) -> int:
    content = key.encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(content, digest_size=8).digest()
    return int.from_bytes(digest, "little")


warm_decoders(IndexSnapshot)


_WRITE_ON_CLOSE = (250, 400)
"""New lines after which the index is written on closing; or a fraction of all. A process
that only asks for a state reads as many; writing costs a third of a millisecond for each.
"""
_WRITE_WHILE_OPEN = (4096, 4)
"""The same for a writer that stays: a larger index is written more rarely.
"""
_MARK_INTERVAL = 1000


class KeyIndex:
    """The known keys of one run, and positions where reading can start."""

    def __init__(self, path: Path, run_id: str) -> None:
        """Create an index that knows nothing yet."""
        self._path = path
        self._run_id = run_id
        # Two columns: the hashes of all keys in the file, sorted, and their lines' starts.
        self._hashes = self._starts = memoryview(b"").cast("Q")
        self._known = 0
        self._marks: list[RevisionMark] = []
        self._fresh: dict[str, int] = {}
        self._count = 0
        self._first = (0, compute_first_seal(run_id))
        self._last = self._first

    def load(self, journal: RunJournal) -> tuple[IndexCheckpoint, ProcessRun] | None:
        """Load the index; return checkpoint and run, if the journal confirms them."""
        found = read_index(self._path, self._run_id)
        if found is None or not _is_confirmed(journal, found.point):
            return None
        try:
            run = msgspec.json.decode(found.standing, type=ProcessRun)
        except (ValueError, RecursionError):
            return None
        if run.run_id != self._run_id:
            return None
        self._use_snapshot(found)
        self._marks = found.marks
        return found.point, run

    def make_empty(self) -> "KeyIndex":
        """Return an empty index of the same run."""
        return KeyIndex(self._path, self._run_id)

    def add_entry(self, entry: LogEntry, start: int, before: bytes) -> None:
        """Add the newest line."""
        self._count += 1
        self._last = (start, before)
        if type(entry) is EventRecord:
            if entry.key:
                self._fresh[entry.key] = start
            if entry.revision % _MARK_INTERVAL == 0:
                self._marks.append((entry.revision, start, before))

    def find_starts(self, key: str) -> Sequence[int]:
        """Return the starts of lines that may have the key: mostly none or one."""
        start = self._fresh.get(key)
        if start is not None:
            return (start,)
        if not self._hashes:
            return ()
        wanted = _hash_key(key)
        first = last = bisect_left(self._hashes, wanted)
        while last < len(self._hashes) and self._hashes[last] == wanted:
            last += 1
        return self._starts[first:last].tolist()

    def find_position(self, revision: int) -> tuple[int, bytes]:
        """Return a position at or before a revision's start, and the seal before it."""
        near = (mark[1:] for mark in reversed(self._marks) if mark[0] <= revision)
        return next(near, self._first)

    def is_outdated(self, *, leaving: bool) -> bool:
        """Whether enough lines are missing from the file that it should be written."""
        least, part = _WRITE_ON_CLOSE if leaving else _WRITE_WHILE_OPEN
        return self._count >= max(least, self._known // part)

    def write(self, journal: RunJournal, run: ProcessRun, size: int) -> None:
        """Write the index, up to the run's current end.

        Raises:
            OSError: It cannot be written.
        """
        start, before = self._last
        # Two sorted lists, end to end: sorting them costs no more than merging.
        known = zip(self._hashes, self._starts, strict=True)
        fresh = sorted([(_hash_key(key), at) for key, at in self._fresh.items()])
        pairs = sorted([*known, *fresh])
        point = IndexCheckpoint(
            start=start,
            before=before,
            end=journal.end,
            seal=journal.seal,
            size=size,
            count=self._known + self._count,
        )
        made = IndexSnapshot(
            run_id=self._run_id,
            point=point,
            standing=msgspec.json.encode(run),
            marks=self._marks,
            hashes=array("Q", [hashed for hashed, _ in pairs]).tobytes(),
            starts=array("Q", [at for _, at in pairs]).tobytes(),
        )
        write_index(self._path, made)
        self._use_snapshot(made)

    def _use_snapshot(self, found: IndexSnapshot) -> None:
        self._hashes = memoryview(found.hashes).cast("Q")
        self._starts = memoryview(found.starts).cast("Q")
        self._known = found.point.count
        self._last = (found.point.start, found.point.before)
        self._fresh, self._count = {}, 0


def _is_confirmed(journal: RunJournal, point: IndexCheckpoint) -> bool:
    """Whether the journal has the line that the checkpoint follows."""
    line = journal.read_line(point.start)
    ends = point.start + len(line) + 1 == point.end
    return ends and gate_journal.check_line(point.before, line) == point.seal
