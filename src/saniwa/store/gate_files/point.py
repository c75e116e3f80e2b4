"""A place in a record to go on from, and what has come since."""

import msgspec

from saniwa.process.artifact import Artifact
from saniwa.process.record import START, Entry, Record
from saniwa.process.standing import Standing

_MARKED = 1000


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
    standing: Standing
    """Where the run stood, without its artifacts."""


class Fresh(msgspec.Struct):
    """What has come to a run since its point."""

    since: int = 0
    """The point: a byte of the record."""
    keys: dict[str, tuple[int, int]] = {}
    """Where the line of each key starts and ends."""
    artifacts: dict[str, Artifact] = {}
    """By place, the newest last."""
    marks: list[tuple[int, int, bytes]] = []
    """Some revisions, where they start, and the seal before."""

    start: int = 0
    """Where the newest line starts."""
    before: bytes = START
    """The seal before it."""

    @classmethod
    def after(cls, point: Point) -> "Fresh":
        """Nothing has come since this point."""
        return cls(since=point.end, start=point.start, before=point.before)

    def take(self, entry: Entry, start: int, end: int, before: bytes) -> None:
        """Take in the newest line."""
        self.start = start
        self.before = before
        if type(entry) is Record:
            if entry.key:
                self.keys[entry.key] = (start, end)
            if entry.revision % _MARKED == 0:
                self.marks.append((entry.revision, start, before))
        if entry.artifacts:
            for artifact in entry.artifacts:
                # What is handed in again is the newest.
                self.artifacts.pop(artifact.place, None)
                self.artifacts[artifact.place] = artifact
