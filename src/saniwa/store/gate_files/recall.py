"""Remembering where every key of a run stands: the newest in memory, the rest in the index."""

from pathlib import Path
from typing import TYPE_CHECKING

from saniwa.process.record import START, Entry
from saniwa.process.standing import Standing
from saniwa.store.gate_files import sealed
from saniwa.store.gate_files.journal import Journal
from saniwa.store.gate_files.point import Fresh, Point

if TYPE_CHECKING:
    from saniwa.store.gate_files.index import Index

WORTH_AN_INDEX = 1000
"""Lines beyond the index that are worth the writing when a run is let go of."""
LONG = 4096
"""Lines beyond the index after which a writer that stays writes it."""


class Recall:
    """What is known of one run's keys; complete, or an error says that it is not."""

    def __init__(self, path: Path, run_id: str) -> None:
        """Nothing is known yet, and no index is opened."""
        self._path = path
        self._run_id = run_id
        self._index: Index | None = None
        self._fresh = Fresh()
        self._indexed = True
        self.count = 0
        """Lines that are not in the index."""

    def begin(self, journal: Journal) -> Point | None:
        """Open the index; the point to go on from, if the record bears it out."""
        if not self._path.exists():
            return None
        # Loaded late: most runs are too short for an index.
        from saniwa.store.gate_files.index import Index, IndexLost

        try:
            self._index = Index(self._path, self._run_id)
            point = self._index.point()
            if point is None or not _bears_out(journal, point):
                raise ValueError("the record says otherwise")
        except IndexLost:
            self.close()
            return None
        self._fresh = Fresh.after(point)
        return point

    def take(self, entry: Entry, start: int, end: int, before: bytes) -> None:
        """Take in the newest line."""
        self._fresh.take(entry, start, end, before)
        self.count += 1

    def find(self, key: str) -> tuple[int, int] | None:
        """Where the line of a key starts and ends.

        Raises:
            LookupError: The index turned out to be of no use; read the record again.
        """
        place = self._fresh.keys.get(key)
        if place is not None or self._index is None:
            return place
        from saniwa.store.gate_files.index import IndexLost

        try:
            return self._index.find(key)
        except IndexLost as problem:
            raise LookupError("the index is of no use") from problem

    def mark(self, revision: int) -> tuple[int, bytes]:
        """A byte not beyond where a revision starts, and the seal before it."""
        near = [mark for mark in self._fresh.marks if mark[0] <= revision]
        if near:
            return near[-1][1:]
        if self._index is None:
            return 0, START
        from saniwa.store.gate_files.index import IndexLost

        try:
            return self._index.mark(revision) or (0, START)
        except IndexLost:
            return 0, START

    def write(self, journal: Journal, standing: Standing, size: int) -> None:
        """Put what is fresh into the index.

        Raises:
            LookupError: The index turned out to be of no use; read the record again.
        """
        if not self._indexed:
            return
        from saniwa.store.gate_files.index import Index, IndexLost

        fresh = self._fresh
        point = Point(
            start=fresh.start,
            before=fresh.before,
            end=journal.end,
            seal=journal.seal,
            size=size,
            standing=standing,
        )
        try:
            if self._index is None:
                self._path.unlink(missing_ok=True)
                self._index = Index(self._path, self._run_id)
            self._index.extend(fresh.since, point, fresh)
        except IndexLost as problem:
            # Without an index it only takes longer; what cannot be written once is not
            # tried again at every event.
            self._indexed = False
            self.close()
            if fresh.since:
                raise LookupError("the index is of no use") from problem
            return
        self._fresh, self.count = Fresh.after(point), 0

    def start_over(self) -> None:
        """Know nothing: the record is read again from its first byte."""
        self.close()
        self._fresh, self.count = Fresh(), 0

    def close(self) -> None:
        """Let go of the index."""
        if self._index is not None:
            self._index.close()
            self._index = None


def _bears_out(journal: Journal, point: Point) -> bool:
    """Whether the record has the line that the point stands after."""
    line = journal.line(point.start, point.end)
    return sealed.fits(point.before, line) == point.seal
