"""What a power cut may leave of everything that was asked of a disk: all of it, in turn.

As `tests.fakes.power_cut` has it, but every way it can end instead of one by chance: of what
was not synced, each sector may be there or not, and each name may lead where it led before.
What a failed sync was for may never be there, whatever later syncs say.
"""

from collections.abc import Iterator
from itertools import product
from pathlib import PurePosixPath

from tests.fakes.power_cut import SECTOR

MOST = 1 << 14
"""Ways in which one moment may end; more would not be tried in an evening."""

Files = dict[str, bytes]
"""Contents by name."""


class _SectorPiece:
    """A piece of one sector that was written, or a cut."""

    def __init__(self, at: int, content: bytes | None) -> None:
        self.at = at
        self.content = content
        self.lasts = self.doubtful = False


class _FileStates:
    """What a file holds, as far as it lasts, and what was asked since."""

    def __init__(self, content: bytes = b"") -> None:
        self.content = content
        self.pieces: list[_SectorPiece] = []

    def write(self, at: int, content: bytes) -> None:
        """Some bytes, in pieces that a disk writes whole."""
        start = at
        while start < at + len(content):
            end = min((start // SECTOR + 1) * SECTOR, at + len(content))
            self.pieces.append(_SectorPiece(start, content[start - at : end - at]))
            start = end

    def settle(self) -> None:
        """All that was asked lasts, but for what a failed sync has forgotten."""
        for piece in self.pieces:
            piece.lasts = not piece.doubtful
        while self.pieces and self.pieces[0].lasts:
            self.content = _apply_piece(self.content, self.pieces.pop(0))

    def mark_doubtful(self) -> None:
        """A sync has failed: the system takes everything for written."""
        for piece in self.pieces:
            piece.doubtful = True

    def list_endings(self) -> set[bytes]:
        """All that may be left of it."""
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
    """A disk without power: names, and what they may lead to."""

    def __init__(self, files: Files) -> None:
        self._names: dict[str, list[_FileStates | None]] = {
            name: [_FileStates(content)] for name, content in files.items()
        }

    def make(self, name: str) -> None:
        """A new, empty file."""
        self._names.setdefault(name, [None]).append(_FileStates())

    def write(self, name: str, at: int, content: bytes) -> None:
        """Bytes at a place of a file."""
        self._get_state(name).write(at, content)

    def cut(self, name: str, size: int) -> None:
        """A file made shorter."""
        self._get_state(name).pieces.append(_SectorPiece(size, None))

    def move(self, old: str, new: str) -> None:
        """A file under another name, in place of whatever had it."""
        flat = self._get_state(old)
        self._names.setdefault(new, [None]).append(flat)
        self._names[old].append(None)

    def link(self, old: str, new: str) -> None:
        """A file under another name as well, which nothing has."""
        self._names.setdefault(new, [None]).append(self._get_state(old))

    def remove(self, name: str) -> None:
        """A name taken away."""
        self._names[name].append(None)

    def sync(self, name: str) -> None:
        """What a file holds lasts; for a folder, the names in it."""
        if name in self._names:
            self._get_state(name).settle()
            return
        for each, flats in self._names.items():
            if str(PurePosixPath(each).parent) == name:
                del flats[:-1]

    def mark_doubtful(self, name: str) -> None:
        """A sync of a file failed."""
        if name in self._names:
            self._get_state(name).mark_doubtful()

    def list_endings(self) -> Iterator[Files]:
        """Every state in which the power may leave the files."""
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
