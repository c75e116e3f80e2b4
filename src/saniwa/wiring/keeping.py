"""Where the places, saves and memories of stories lie: beside the store, or nowhere."""

import os
from hashlib import sha256
from pathlib import Path

import msgspec

from saniwa.core.errors import SaniwaError, StoreError
from saniwa.run.kept import read_kept
from saniwa.store.shelf import MemoryShelf, Shelf, Shelved
from saniwa.wiring.store import is_address, is_memory

STORIES = "stories"
"""The folder of stories, beside the store."""
_HERE = "here"
_SEEN = "seen"
_DEFAULT = Path(".saniwa")


class StoryKeeping:
    """What lasts of one story from evening to evening."""

    def __init__(self, own: Shelved, saves: Shelved) -> None:
        """Keeping on two shelves: for the story's own sheets, and for people's saves."""
        self._own = own
        self.saves = saves
        """Saves by the names people gave them."""

    def aside(self) -> "StoryKeeping":
        """The same saves, but a place and a memory that last only as long as we do."""
        return StoryKeeping(MemoryShelf(), self.saves)

    def keep(self, state: bytes) -> None:
        """Keep the place where the story stands.

        Raises:
            StoreError: `TRACE_UNWRITABLE`.
        """
        self._own.put(_HERE, state)

    def here(self) -> bytes | None:
        """Where the story was left; None where nobody has played it, or it was forgotten.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        return self._own.get(_HERE) if self._own.has(_HERE) else None

    def forget(self) -> None:
        """Forget the place, such as after the end.

        Raises:
            StoreError: `TRACE_UNWRITABLE`.
        """
        if self._own.has(_HERE):
            self._own.drop(_HERE)

    def seen(self) -> frozenset[str]:
        """The ids of lines that were seen on earlier evenings.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        if not self._own.has(_SEEN):
            return frozenset()
        try:
            return frozenset(msgspec.json.decode(self._own.get(_SEEN), type=list[str]))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            raise StoreError(
                "STORE_UNREADABLE",
                f"what was seen cannot be read: {problem}",
                hint="bring the story's folder back from a copy, or remove it",
            ) from problem

    def keep_seen(self, ids: frozenset[str]) -> None:
        """Keep the ids of lines that were seen.

        Raises:
            StoreError: `TRACE_UNWRITABLE`.
        """
        self._own.put(_SEEN, msgspec.json.encode(sorted(ids)))


def keeping_of(path: str | os.PathLike[str], store: str | Path) -> StoryKeeping:
    """What lasts of the story in a file, kept beside the store at a place.

    For a store in memory it lasts as long as we do; for a database elsewhere it lies in
    the current folder.
    """
    if is_memory(store):
        return StoryKeeping(MemoryShelf(), MemoryShelf())
    folder = _folder(store)
    own = folder / _key(path, folder)
    return StoryKeeping(Shelf(own), Shelf(own / "saves"))


def left_runs(store: str | Path) -> frozenset[str]:
    """The runs beneath stories that were left in the middle, at a terminal of this store.

    Of a place that cannot be read, nothing is known here; resuming it says why.
    """
    if is_memory(store):
        return frozenset()
    return frozenset(filter(None, map(_run_beneath, _shelves(_folder(store)))))


def list_terminal_plays(
    path: str | os.PathLike[str], store: str | Path
) -> tuple[str, ...]:
    """What a terminal of this store keeps of the story in a file.

    An empty text for the place where it was left, then the names of its saves.

    Raises:
        StoreError: `STORE_UNREADABLE` for a save that cannot be read.
    """
    if is_memory(store):
        return ()
    kept = keeping_of(path, store)
    left = ("",) if kept.here() is not None else ()
    return (*left, *kept.saves.names())


def _shelves(folder: Path) -> list[Path]:
    try:
        return [each for each in folder.iterdir() if each.is_dir()]
    except (FileNotFoundError, NotADirectoryError):
        return []


def _run_beneath(folder: Path) -> str:
    try:
        shelf = Shelf(folder)
        return read_kept(shelf.get(_HERE)).run if shelf.has(_HERE) else ""
    except SaniwaError:
        return ""


def _folder(store: str | Path) -> Path:
    return (_DEFAULT if is_address(store) else Path(store).parent) / STORIES


def _key(path: str | os.PathLike[str], folder: Path) -> str:
    """A name of its own for every story file, the same wherever both are moved."""
    relation = os.path.relpath(os.path.realpath(path), os.path.realpath(folder))
    stem = "".join(c if c.isalnum() else "_" for c in Path(path).stem[:40])
    way = Path(relation).as_posix().encode("utf-8", "surrogateescape")
    return f"{stem}-{sha256(way).hexdigest()[:12]}"
