"""Remembering where every key of a run stands: the newest by name, the rest in the index."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from saniwa.process.record import Entry, Record, start_of
from saniwa.process.standing import Standing
from saniwa.store.gate.files import index, sealed
from saniwa.store.gate.files.index import Index, Keys, Mark, Point
from saniwa.store.gate.files.journal import Journal

_LEAVING = (1000, 16)
"""Lines worth the writing when a run is let go of; or that part of what is known."""
_STAYING = (4096, 4)
"""The same for a writer that stays: the larger the index, the rarer it is written."""
_MARKED = 1000


class Recall:
    """What is known of one run's keys, and where reading can begin."""

    def __init__(self, path: Path, run_id: str) -> None:
        """Nothing is known yet."""
        self._path = path
        self._run_id = run_id
        self._keys: Keys | None = None
        self._known = 0
        self._marks: list[Mark] = []
        self._fresh: dict[str, int] = {}
        self._count = 0
        self._first = (0, start_of(run_id))
        self._last = self._first

    def begin(self, journal: Journal) -> tuple[Point, Standing] | None:
        """Read the index; the point to go on from, if the record bears it out."""
        found = index.read(self._path, self._run_id)
        if found is None or not _bears_out(journal, found.point):
            return None
        try:
            standing = found.decoded()
        except (ValueError, RecursionError):
            return None
        if standing.run_id != self._run_id:
            return None
        self._stand_on(found)
        self._marks = found.marks
        return found.point, standing

    def empty(self) -> "Recall":
        """One of the same run that knows nothing yet."""
        return Recall(self._path, self._run_id)

    def take(self, entry: Entry, start: int, before: bytes) -> None:
        """Take in the newest line."""
        self._count += 1
        self._last = (start, before)
        if type(entry) is Record:
            if entry.key:
                self._fresh[entry.key] = start
            if entry.revision % _MARKED == 0:
                self._marks.append((entry.revision, start, before))

    def starts(self, key: str) -> Sequence[int]:
        """Where lines start that may have the key: mostly none or one."""
        start = self._fresh.get(key)
        if start is not None:
            return (start,)
        return () if self._keys is None else self._keys.starts(key)

    def mark(self, revision: int) -> tuple[int, bytes]:
        """A byte not beyond where a revision starts, and the seal before it."""
        near = (mark[1:] for mark in reversed(self._marks) if mark[0] <= revision)
        return next(near, self._first)

    def is_long(self, *, leaving: bool) -> bool:
        """Whether so much is not in the index that it should be written."""
        least, part = _LEAVING if leaving else _STAYING
        return self._count >= max(least, self._known // part)

    def write(self, journal: Journal, standing: Standing, size: int) -> None:
        """Write the index, up to where the run stands.

        Raises:
            OSError: It cannot be written.
        """
        start, before = self._last
        empty = Keys(b"", b"")
        hashes, starts = (self._keys or empty).with_more(self._fresh.items())
        point = Point(
            start=start,
            before=before,
            end=journal.end,
            seal=journal.seal,
            size=size,
            count=self._known + self._count,
        )
        made = Index(
            run_id=self._run_id,
            point=point,
            standing=msgspec.json.encode(standing),
            marks=self._marks,
            hashes=hashes,
            starts=starts,
        )
        index.write(self._path, made)
        self._stand_on(made)

    def _stand_on(self, found: Index) -> None:
        self._keys = Keys(found.hashes, found.starts)
        self._known = found.point.count
        self._last = (found.point.start, found.point.before)
        self._fresh, self._count = {}, 0


def _bears_out(journal: Journal, point: Point) -> bool:
    """Whether the record has the line that the point stands after."""
    line = journal.line_at(point.start)
    ends = point.start + len(line) + 1 == point.end
    return ends and sealed.fits(point.before, line) == point.seal
