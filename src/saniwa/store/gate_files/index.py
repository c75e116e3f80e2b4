"""What saves reading a long record again: where each key stands, and a point to go on from.

Everything here is made from the record and may be lost at any moment. It is believed only
where the record bears it out.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec

from saniwa.process.artifact import Artifact
from saniwa.process.standing import Standing
from saniwa.store.gate_files.point import Fresh, Point

_SHAPE = """
CREATE TABLE IF NOT EXISTS point(
    id INTEGER PRIMARY KEY CHECK (id = 1), run TEXT, start INTEGER, before BLOB,
    "end" INTEGER, seal BLOB, size INTEGER, keys INTEGER, standing BLOB);
CREATE TABLE IF NOT EXISTS keys(key TEXT PRIMARY KEY, start INTEGER, "end" INTEGER)
    WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS artifacts(place TEXT UNIQUE, artifact BLOB);
CREATE TABLE IF NOT EXISTS marks(revision INTEGER PRIMARY KEY, start INTEGER, before BLOB);
"""
_VERSION = 1
_FIND = 'SELECT start, "end" FROM keys WHERE key = ?'
_ARTIFACT = msgspec.json.Decoder(Artifact)
_STANDING = msgspec.json.Decoder(Standing)

IndexLost = (sqlite3.Error, msgspec.DecodeError, ValueError, TypeError, OSError)
"""All that says: this index is of no use."""


class Index:
    """One run's index."""

    def __init__(self, path: Path, run_id: str) -> None:
        """Open an index, or make an empty one.

        Raises:
            sqlite3.Error: It is none.
        """
        self._run_id = run_id
        path.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=1
        )
        self._find = self._db.execute
        try:
            self._prepare()
        except sqlite3.Error:
            self._db.close()
            raise

    def point(self) -> Point | None:
        """The place to go on from; None in an empty index.

        Raises:
            IndexLost: One of its kinds.
        """
        one = self._db.execute("SELECT * FROM point").fetchone()
        if one is None:
            return None
        _, run, start, before, end, seal, size, keys, standing = one
        count = self._db.execute("SELECT count(*) FROM keys").fetchone()[0]
        if run != self._run_id or count != keys:
            raise ValueError("it is another run's, or a part of it is missing")
        decoded = _STANDING.decode(standing)
        for artifact in self._artifacts():
            decoded.artifacts.setdefault(artifact.type, {})[artifact.place] = artifact
        return Point(
            start=start,
            before=before,
            end=end,
            seal=seal,
            size=size,
            standing=decoded,
        )

    def find(self, key: str) -> tuple[int, int] | None:
        """Where the line of a key starts and ends.

        Raises:
            sqlite3.Error: The index is of no use.
        """
        found: tuple[int, int] | None = self._find(_FIND, (key,)).fetchone()
        return found

    def mark(self, revision: int) -> tuple[int, bytes] | None:
        """The nearest known start of a revision not beyond this one, and its seal before.

        Raises:
            sqlite3.Error: The index is of no use.
        """
        found: tuple[int, bytes] | None = self._db.execute(
            "SELECT start, before FROM marks WHERE revision <= ? "
            "ORDER BY revision DESC LIMIT 1",
            (revision,),
        ).fetchone()
        return found

    def extend(self, since: int, point: Point, fresh: Fresh) -> None:
        """Take in what has come since a place, and stand at another.

        Raises:
            IndexLost: One of its kinds; then nothing was taken in.
        """
        keys = [(key, *place) for key, place in sorted(fresh.keys.items())]
        artifacts = [(p, msgspec.json.encode(a)) for p, a in fresh.artifacts.items()]
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            if self._known() < since:
                raise ValueError("a part of the index is missing")
            many = self._db.executemany
            many("INSERT OR REPLACE INTO keys VALUES (?, ?, ?)", keys)
            many("INSERT OR REPLACE INTO artifacts VALUES (?, ?)", artifacts)
            many("INSERT OR REPLACE INTO marks VALUES (?, ?, ?)", fresh.marks)
            self._move_to(point)

    def close(self) -> None:
        """Let go."""
        self._db.close()

    def _prepare(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            self._db.executescript(f"{_SHAPE}PRAGMA user_version = {_VERSION};")
        elif version != _VERSION:
            raise sqlite3.DatabaseError("made by another version")

    def _known(self) -> int:
        one = self._db.execute('SELECT "end" FROM point').fetchone()
        return 0 if one is None else int(one[0])

    def _artifacts(self) -> Iterator[Artifact]:
        rows = self._db.execute("SELECT artifact FROM artifacts ORDER BY rowid")
        return (_ARTIFACT.decode(content) for (content,) in rows)

    def _move_to(self, point: Point) -> None:
        bare = msgspec.structs.replace(point.standing, artifacts={})
        self._db.execute(
            "INSERT OR REPLACE INTO point VALUES "
            "(1, ?, ?, ?, ?, ?, ?, (SELECT count(*) FROM keys), ?)",
            (
                self._run_id,
                point.start,
                point.before,
                point.end,
                point.seal,
                point.size,
                msgspec.json.encode(bare),
            ),
        )
