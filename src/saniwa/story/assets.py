"""Where a story's pictures and sounds lie: logical names in, files for the host out.

A folder is looked through once, then every answer comes from memory. No path given to a
host is absolute, and none leads out of the folder.
"""

import heapq
import os
import re
import unicodedata
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, Protocol

AssetKind = Literal["bgm", "se", "image", "movie"]
"""What sort of thing a name stands for."""

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
"""How files of each kind end; of two with one name, the earlier ending is taken."""

MOST: Final = 100_000
"""How many files and folders are looked at; those that sort first."""

_OUTSIDE = ""
"""Stands for a file that a link would lead to, outside the folder."""
_DRIVE = re.compile(r"[A-Za-z]:")


class Assets(Protocol):
    """Finds the file for a logical name."""

    def find(self, kind: AssetKind, name: str) -> str | None:
        """The path for the host, or None where there is no such file."""
        ...


class ListedAssets(Assets, Protocol):
    """The same, and answers the questions of a linter and an editor."""

    def is_outside(self, name: str, kind: AssetKind | None = None) -> bool:
        """Whether the name is refused because it leads out of the folder."""
        ...

    def list_names(self, kind: AssetKind) -> tuple[str, ...]:
        """Every logical name there is, without endings, in order."""
        ...


class NoAssets:
    """Finds nothing, for stories without a folder."""

    def find(self, kind: AssetKind, name: str) -> str | None:  # noqa: ARG002
        """None."""
        return None

    def is_outside(self, name: str, kind: AssetKind | None = None) -> bool:  # noqa: ARG002
        """Whether the name as written would lead out of any folder."""
        return is_outside_path(name)

    def list_names(self, kind: AssetKind) -> tuple[str, ...]:  # noqa: ARG002
        """None at all."""
        return ()


class FolderAssets:
    """Finds files in a folder, as it was when this was made.

    A folder that is missing or cannot be read holds nothing. Names may have `/` in them
    and may end as the file does; composed and decomposed letters are the same, upper and
    lower case are not. Only regular files count, and no linked folder is entered.
    """

    def __init__(self, folder: Path) -> None:
        self._real = _resolve_links(folder)
        self._room = MOST
        self.whole = True
        """Whether everything in the folder was looked at; false beyond `MOST`."""
        self._shelves = {kind: self._scan_folder(kind) for kind in FOLDERS}

    def find(self, kind: AssetKind, name: str) -> str | None:
        """The path relative to the folder, with forward slashes; None if there is none."""
        return self._shelves[kind].find(name) or None

    def is_outside(self, name: str, kind: AssetKind | None = None) -> bool:
        """Whether the name is refused: as written, or as links would lead it.

        With a kind, only that kind's files are asked, else all.
        """
        kinds = FOLDERS if kind is None else (kind,)
        return any(self._shelves[each].find(name) == _OUTSIDE for each in kinds)

    def list_names(self, kind: AssetKind) -> tuple[str, ...]:
        """Every name that is found, without endings, in order."""
        return self._shelves[kind].list_names()

    def _scan_folder(self, kind: AssetKind) -> "_AssetIndex":
        shelf = _AssetIndex(EXTENSIONS[kind])
        top = self._real / FOLDERS[kind]
        if os.path.islink(top):  # noqa: PTH114 - a name no system could hold is none
            shelf.linked.add("")
            return shelf
        waiting = deque([""])
        while waiting:
            inside = waiting.popleft()
            for entry in self._list_entries(f"{top}/{inside}"):
                name = f"{inside}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{name}/")
                else:
                    self._add_entry(shelf, entry, name, f"{FOLDERS[kind]}/{name}")
        return shelf

    def _list_entries(self, folder: str) -> list[os.DirEntry[str]]:
        """What a folder holds, in order, as far as there is room for it."""
        try:
            with os.scandir(folder) as entries:
                # Bounded and in order, however many there are.
                found = heapq.nsmallest(
                    self._room + 1, _filter_usable(entries), _make_sort_key
                )
        except OSError:
            return []
        if len(found) > self._room:
            self.whole = False
            del found[self._room :]
        self._room -= len(found)
        return found

    def _add_entry(
        self, shelf: "_AssetIndex", entry: os.DirEntry[str], name: str, path: str
    ) -> None:
        if not entry.is_symlink():
            if entry.is_file(follow_symlinks=False):
                shelf.add(name, path)
            return
        real = _resolve_links(entry.path)
        if real.is_dir():
            shelf.linked.add(_normalize_name(name))
        elif not real.is_relative_to(self._real):
            shelf.add(name, _OUTSIDE)
        elif real.is_file():
            shelf.add(name, path)


class _AssetIndex:
    """The files of one kind."""

    def __init__(self, extensions: tuple[str, ...]) -> None:
        self.linked: set[str] = set()
        """Linked folders, which are not entered."""
        self._extensions = extensions
        self._files: dict[str, str] = {}
        self._stems: dict[str, tuple[int, str]] = {}

    def add(self, name: str, path: str) -> None:
        """Keep a file under its name and under its stem; what came first stays."""
        plain = _normalize_name(name)
        stem, extension = self._split_extension(plain)
        if not extension or stem.endswith("/") or not stem:
            return
        self._files.setdefault(plain, path)
        rank = self._extensions.index(extension)
        if stem not in self._stems or rank < self._stems[stem][0]:
            self._stems[stem] = (rank, path)

    def find(self, name: str) -> str | None:
        """The path; `_OUTSIDE` for what leads out; None for what is not there."""
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
        """Every stem that leads to a file."""
        return tuple(sorted(s for s, (_, path) in self._stems.items() if path))

    def _split_extension(self, plain: str) -> tuple[str, str]:
        """Stem and extension; all stem where the extension is none of ours."""
        stem, dot, ending = plain.rpartition(".")
        extension = dot + ending
        return (stem, extension) if extension in self._extensions else (plain, "")

    def _is_linked(self, plain: str) -> bool:
        parts = plain.split("/")[:-1]
        above = ("/".join(parts[:depth]) for depth in range(len(parts) + 1))
        return any(folder in self.linked for folder in above)


def is_outside_path(name: str) -> bool:
    """Whether a name, as written, is more than a way down from where it is read."""
    return (
        name.startswith("/")
        or ".." in name.split("/")
        or any(sign in name for sign in ("\\", "\0", "://"))
        or _DRIVE.match(name) is not None
    )


def _filter_usable(entries: Iterator[os.DirEntry[str]]) -> Iterator[os.DirEntry[str]]:
    """Leaves out names that could not be asked for, or not be written as JSON."""
    return (e for e in entries if "\\" not in e.name and not _has_surrogates(e.name))


def _has_surrogates(name: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in name)


def _make_sort_key(entry: os.DirEntry[str]) -> tuple[str, str]:
    return (_normalize_name(entry.name), entry.name)


def _resolve_links(path: Path | str) -> Path:
    return Path(os.path.realpath(path))  # `Path.resolve` raises where links go round


def _normalize_name(name: str) -> str:
    return unicodedata.normalize("NFC", name)
