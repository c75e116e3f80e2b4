"""Every state in which a power cut may leave a disk, one after the other.

Does what `tests.fakes.power_cut` does, but for every possible result instead of a random
one: of what was not synced, each sector may be there or not, and each name may refer to the
file it referred to before. Writes whose sync failed may never be there, whatever later
syncs report.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import PurePosixPath

from tests.fakes.power_cut import SECTOR

MOST = 1 << 14
"""How many states may be possible at one moment; more would take too long to try."""

Files = dict[str, bytes]
"""Contents by name."""


class _SectorPiece:
    """A piece of one sector that was written, or a truncation."""

    def __init__(self, at: int, content: bytes | None) -> None:
        self.at = at
        self.content = content
        self.lasts = self.doubtful = False


class _FileStates:
    """The durable content of a file, and the writes since."""

    def __init__(self, content: bytes = b"") -> None:
        self.content = content
        self.pieces: list[_SectorPiece] = []

    def write(self, at: int, content: bytes) -> None:
        """Write some bytes, in pieces that a disk writes whole."""
        start = at
        while start < at + len(content):
            end = min((start // SECTOR + 1) * SECTOR, at + len(content))
            self.pieces.append(_SectorPiece(start, content[start - at : end - at]))
            start = end

    def settle(self) -> None:
        """Make all writes durable, except those that a failed sync has forgotten."""
        for piece in self.pieces:
            piece.lasts = not piece.doubtful
        while self.pieces and self.pieces[0].lasts:
            self.content = _apply_piece(self.content, self.pieces.pop(0))

    def mark_doubtful(self) -> None:
        """Note a failed sync: the system considers everything written."""
        for piece in self.pieces:
            piece.doubtful = True

    def list_endings(self) -> set[bytes]:
        """All possible contents after a power cut."""
        open_ = [piece for piece in self.pieces if not piece.lasts]
        assert 1 << len(open_) <= MOST, "too much is not synced"
        return {
            self._apply_pieces(dict(zip(open_, kept, strict=True)))
            for kept in product((True, False), repeat=len(open_))
        }

    def _apply_pieces(self, kept: dict[_SectorPiece, bool]) -> bytes:
        content = self.content
        for piece in self.pieces:
            if piece.lasts or kept[piece]:
                content = _apply_piece(content, piece)
        return content


def _apply_piece(content: bytes, piece: _SectorPiece) -> bytes:
    if piece.content is None:
        return content[: piece.at]
    end = piece.at + len(piece.content)
    return content[: piece.at].ljust(piece.at, b"\0") + piece.content + content[end:]


class UnpoweredDisk:
    """A disk without power: its names, and the files they may refer to."""

    def __init__(self, files: Files) -> None:
        self._names: dict[str, list[_FileStates | None]] = {
            name: [_FileStates(content)] for name, content in files.items()
        }

    def make(self, name: str) -> None:
        """Create an empty file."""
        self._names.setdefault(name, [None]).append(_FileStates())

    def write(self, name: str, at: int, content: bytes) -> None:
        """Write bytes at an offset of a file."""
        self._get_state(name).write(at, content)

    def cut(self, name: str, size: int) -> None:
        """Truncate a file."""
        self._get_state(name).pieces.append(_SectorPiece(size, None))

    def move(self, old: str, new: str) -> None:
        """Rename a file, replacing the file that had the name."""
        flat = self._get_state(old)
        self._names.setdefault(new, [None]).append(flat)
        self._names[old].append(None)

    def link(self, old: str, new: str) -> None:
        """Give a file a second name, which must be free."""
        self._names.setdefault(new, [None]).append(self._get_state(old))

    def remove(self, name: str) -> None:
        """Remove a name."""
        self._names[name].append(None)

    def sync(self, name: str) -> None:
        """Make the content of a file durable; for a folder, the names in it."""
        if name in self._names:
            self._get_state(name).settle()
            return
        for each, flats in self._names.items():
            if str(PurePosixPath(each).parent) == name:
                del flats[:-1]

    def mark_doubtful(self, name: str) -> None:
        """Note that the sync of a file failed."""
        if name in self._names:
            self._get_state(name).mark_doubtful()

    def list_endings(self) -> Iterator[Files]:
        """Every state in which a power cut may leave the files."""
        names = list(self._names)
        may = [self._list_contents(name) for name in names]
        ways = 1
        for contents in may:
            ways *= len(contents)
        assert ways <= MOST, "too much is not synced"
        for ending in product(*may):
            pairs = zip(names, ending, strict=True)
            yield {name: content for name, content in pairs if content is not None}

    def _list_contents(self, name: str) -> list[bytes | None]:
        found: dict[bytes | None, None] = {}
        for flat in self._names[name]:
            for content in sorted(flat.list_endings()) if flat is not None else [None]:
                found[content] = None
        return list(found)

    def _get_state(self, name: str) -> _FileStates:
        flat = self._names[name][-1]
        assert flat is not None, f"{name} is not there"
        return flat
