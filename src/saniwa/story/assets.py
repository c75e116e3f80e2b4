"""Find a story's pictures and sounds: map logical names to files for the host.

A folder is scanned once; after that every lookup is answered from memory. No path given
to a host is absolute, and none leads out of the folder.
"""

import heapq
import os
import re
import unicodedata
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

from saniwa.core.text import is_encodable

AssetKind = Literal["bgm", "se", "image", "movie"]
"""The kind of asset a name refers to."""

FOLDERS: Final[dict[AssetKind, str]] = {
    "bgm": "bgm",
    "se": "se",
    "image": "images",
    "movie": "movies",
}
"""The folder of each kind, inside the asset folder."""

EXTENSIONS: Final[dict[AssetKind, tuple[str, ...]]] = {
    "bgm": (".ogg", ".mp3", ".wav"),
    "se": (".ogg", ".mp3", ".wav"),
    "image": (".png", ".jpg", ".webp", ".jpeg", ".svg"),
    "movie": (".mp4", ".webm"),
}
"""Extensions of each kind; if two files share a name, the earlier extension wins."""

MOST: Final = 100_000
"""The most files and folders that are scanned; the first in sort order are used."""

_OUTSIDE = ""
"""Stored in place of a path for a file that a link leads to outside the folder."""
_DRIVE = re.compile(r"[A-Za-z]:")


class FolderAssets:
    """Finds files in a folder, as the folder was when this object was made.

    Without a folder it finds nothing.

    A folder that is missing or cannot be read counts as empty. Names may contain `/`
    and may include the file's extension. Composed and decomposed characters are equal;
    upper and lower case are not. Only regular files count, and linked folders are not
    entered.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = None if folder is None else _resolve_links(folder)
        """The asset folder; None if the story has none."""
        self._remaining = MOST
        self.whole = True
        """Whether everything in the folder was scanned; false if there is too much."""
        self._indexes = {kind: self._scan_folder(kind) for kind in FOLDERS}

    def find(self, kind: AssetKind, name: str) -> str | None:
        """Return the path relative to the folder, with `/` as separator, or None."""
        return self._indexes[kind].find(name) or None

    def is_outside(self, name: str, kind: AssetKind | None = None) -> bool:
        """Whether the name is refused, either as written or because of links.

        With a kind, only that kind's files are checked; otherwise all are.
        """
        kinds = FOLDERS if kind is None else (kind,)
        return any(self._indexes[each].find(name) == _OUTSIDE for each in kinds)

    def list_names(self, kind: AssetKind) -> tuple[str, ...]:
        """List every name that can be found, without extensions, in order."""
        return self._indexes[kind].list_names()

    def _scan_folder(self, kind: AssetKind) -> "_AssetIndex":
        index = _AssetIndex(EXTENSIONS[kind])
        if self.folder is None:
            return index
        top = self.folder / FOLDERS[kind]
        if os.path.islink(top):  # noqa: PTH114 - a name no system could hold is none
            index.linked.add("")
            return index
        waiting = deque([""])
        while waiting:
            inside = waiting.popleft()
            for entry in self._list_entries(f"{top}/{inside}"):
                name = f"{inside}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{name}/")
                else:
                    self._add_entry(index, entry, name, f"{FOLDERS[kind]}/{name}")
        return index

    def _list_entries(self, folder: str) -> list[os.DirEntry[str]]:
        """List a folder's entries in order, as many as `MOST` still allows."""
        try:
            with os.scandir(folder) as entries:
                # Memory stays bounded and the order fixed, however many entries there
                # are.
                found = heapq.nsmallest(
                    self._remaining + 1, _filter_usable(entries), _make_sort_key
                )
        except OSError:
            return []
        if len(found) > self._remaining:
            self.whole = False
            del found[self._remaining :]
        self._remaining -= len(found)
        return found

    def _add_entry(
        self, index: "_AssetIndex", entry: os.DirEntry[str], name: str, path: str
    ) -> None:
        if not entry.is_symlink():
            if entry.is_file(follow_symlinks=False):
                index.add(name, path)
            return
        real = _resolve_links(entry.path)
        if real.is_dir():
            index.linked.add(_normalize_name(name))
        elif self.folder is None or not real.is_relative_to(self.folder):
            index.add(name, _OUTSIDE)
        elif real.is_file():
            index.add(name, path)


class _AssetIndex:
    """The files of one kind."""

    def __init__(self, extensions: tuple[str, ...]) -> None:
        self.linked: set[str] = set()
        """Linked folders, which are not entered."""
        self._extensions = extensions
        self._files: dict[str, str] = {}
        self._stems: dict[str, tuple[int, str]] = {}

    def add(self, name: str, path: str) -> None:
        """Add a file under its name and under its stem; the first one added is kept."""
        plain = _normalize_name(name)
        stem, extension = self._split_extension(plain)
        if not extension or stem.endswith("/") or not stem:
            return
        self._files.setdefault(plain, path)
        rank = self._extensions.index(extension)
        if stem not in self._stems or rank < self._stems[stem][0]:
            self._stems[stem] = (rank, path)

    def find(self, name: str) -> str | None:
        """Return the path, `_OUTSIDE` if it leads out of the folder, else None."""
        if is_outside_path(name):
            return _OUTSIDE
        plain = _normalize_name(name)
        if plain in self._files:
            return self._files[plain]
        for stem in (plain, self._split_extension(plain)[0]):
            if stem in self._stems:
                return self._stems[stem][1]
        return _OUTSIDE if self.linked and self._is_linked(plain) else None

    def list_names(self) -> tuple[str, ...]:
        """List every stem that leads to a file."""
        return tuple(sorted(s for s, (_, path) in self._stems.items() if path))

    def _split_extension(self, plain: str) -> tuple[str, str]:
        """Split off the extension; an unknown one stays part of the stem."""
        stem, dot, ending = plain.rpartition(".")
        extension = dot + ending
        return (stem, extension) if extension in self._extensions else (plain, "")

    def _is_linked(self, plain: str) -> bool:
        parts = plain.split("/")[:-1]
        above = ("/".join(parts[:depth]) for depth in range(len(parts) + 1))
        return any(folder in self.linked for folder in above)


def is_outside_path(name: str) -> bool:
    """Whether a name, as written, is anything but a path downwards."""
    return (
        name.startswith("/")
        or ".." in name.split("/")
        or any(sign in name for sign in ("\\", "\0", "://"))
        or _DRIVE.match(name) is not None
    )


def _filter_usable(entries: Iterator[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
    """Leave out names that no story can ask for or that cannot be written as JSON."""
    return (e for e in entries if "\\" not in e.name and is_encodable(e.name))


def _make_sort_key(entry: os.DirEntry[str]) -> tuple[str, str]:
    return (_normalize_name(entry.name), entry.name)


def _resolve_links(path: Path | str) -> Path:
    return Path(os.path.realpath(path))  # `Path.resolve` raises on link cycles


def _normalize_name(name: str) -> str:
    return unicodedata.normalize("NFC", name)
