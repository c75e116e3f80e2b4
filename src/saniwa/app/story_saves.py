"""Saves of stories: the current position, named saves, and lines already seen.

They are stored next to the run store, or in memory.
"""

import os
from hashlib import sha256
from pathlib import Path

import msgspec

from saniwa.app.store import locate_beside
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.runs.story import decode_playing_state
from saniwa.store.key_value_store import FolderKeyValueStore, KeyValueStore, MemoryKeyValueStore

STORIES_FOLDER = "stories"
"""The folder of story saves, next to the store."""
_PLACE_KEY = "here"
_SEEN_KEY = "seen"


class StorySaves:
    """What is saved of one story between sessions."""

    def __init__(self, own: KeyValueStore, saves: KeyValueStore) -> None:
        """Use two stores: one for the story's own entries, one for named saves."""
        self._own = own
        self.saves = saves
        """Named saves."""

    def to_temporary(self) -> "StorySaves":
        """Return the same saves, with position and seen lines only in memory."""
        return StorySaves(MemoryKeyValueStore(), self.saves)

    def save_place(self, state: bytes) -> None:
        """Save the current position in the story.

        Raises:
            StoreError: `TRACE_UNWRITABLE`.
        """
        self._own.put(_PLACE_KEY, state)

    def load_place(self) -> bytes | None:
        """Return the saved position; None if there is none, or it was cleared.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        return self._own.get(_PLACE_KEY) if self._own.has(_PLACE_KEY) else None

    def clear_place(self) -> None:
        """Delete the position, for example after the end.

        Raises:
            StoreError: `TRACE_UNWRITABLE`.
        """
        if self._own.has(_PLACE_KEY):
            self._own.drop(_PLACE_KEY)

    def load_seen(self) -> frozenset[str]:
        """Return the ids of lines that were seen in earlier sessions.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        if not self._own.has(_SEEN_KEY):
            return frozenset()
        try:
            return frozenset(msgspec.json.decode(self._own.get(_SEEN_KEY), type=list[str]))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            raise StoreError(
                "STORE_UNREADABLE",
                f"what was seen cannot be read: {problem}",
                hint="bring the story's folder back from a copy, or remove it",
            ) from problem

    def save_seen(self, ids: frozenset[str]) -> None:
        """Save the ids of lines that were seen.

        Raises:
            StoreError: `TRACE_UNWRITABLE`.
        """
        self._own.put(_SEEN_KEY, msgspec.json.encode(sorted(ids)))


def open_story_saves(path: str | os.PathLike[str], store: str | Path) -> StorySaves:
    """Open the saves of the story in a file, next to the store at a place.

    For a store in memory the saves are in memory too; for a remote database they are in
    the current folder.
    """
    folder = locate_beside(store, STORIES_FOLDER)
    if folder is None:
        return StorySaves(MemoryKeyValueStore(), MemoryKeyValueStore())
    own = folder / _make_story_key(path, folder)
    return StorySaves(FolderKeyValueStore(own), FolderKeyValueStore(own / "saves"))


def find_unfinished_runs(store: str | Path) -> frozenset[str]:
    """Return the runs of unfinished stories that were played in a terminal.

    A position that cannot be read is skipped here; resuming it reports the error.
    """
    folder = locate_beside(store, STORIES_FOLDER)
    try:
        found = [] if folder is None else [each for each in folder.iterdir() if each.is_dir()]
    except (FileNotFoundError, NotADirectoryError):
        found = []
    return frozenset(filter(None, map(_read_run_id, found)))


def list_terminal_plays(path: str | os.PathLike[str], store: str | Path) -> tuple[str, ...]:
    """List what a terminal with this store has saved of the story in a file.

    An empty text for the current position, then the names of its saves.

    Raises:
        StoreError: `STORE_UNREADABLE` for a save that cannot be read.
    """
    saves = open_story_saves(path, store)
    left = ("",) if saves.load_place() is not None else ()
    return (*left, *saves.saves.list_names())


def _read_run_id(folder: Path) -> str:
    try:
        store = FolderKeyValueStore(folder)
        return decode_playing_state(store.get(_PLACE_KEY)).run if store.has(_PLACE_KEY) else ""
    except SaniwaError:
        return ""


def _make_story_key(path: str | os.PathLike[str], folder: Path) -> str:
    """Return a unique name for a story file that stays the same if both are moved."""
    relation = os.path.relpath(os.path.realpath(path), os.path.realpath(folder))
    stem = "".join(c if c.isalnum() else "_" for c in Path(path).stem[:40])
    way = Path(relation).as_posix().encode("utf-8", "surrogateescape")
    return f"{stem}-{sha256(way).hexdigest()[:12]}"
