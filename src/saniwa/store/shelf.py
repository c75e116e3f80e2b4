"""Small things kept by name, one file each: a story's place, its saves, what was seen.

A file is replaced whole or not at all, and when `put` returns, it would survive a power
cut. The name somebody gave stands inside the file; the file's own name is made of it and
can lead nowhere else.
"""

import unicodedata
from hashlib import sha256
from pathlib import Path
from typing import Final, Protocol

import msgspec

from saniwa.core.clock import SystemClock
from saniwa.core.errors import StoreError
from saniwa.core.lasting import clear, make_folder, put, sync_folder
from saniwa.core.near import did_you_mean
from saniwa.core.ready import ready
from saniwa.core.there import is_there
from saniwa.core.where import Where
from saniwa.store.lookup import check_name

LARGEST: Final = 8_000_000
"""Bytes one file may have."""
_ENDING = ".json"
_LETTERS = 40


class _Sheet(msgspec.Struct, frozen=True):
    """What a file holds."""

    name: str
    """The name it is kept under."""
    kept: msgspec.Raw
    """The thing itself, which is JSON."""
    seal: str = ""
    """What name and thing come to; empty in files that were written before seals."""


class Shelved(Protocol):
    """Keeps small JSON by name."""

    def put(self, name: str, content: bytes) -> None:
        """Keep some JSON under a name; what was there before is replaced."""
        ...

    def get(self, name: str) -> bytes:
        """What is kept under a name."""
        ...

    def has(self, name: str) -> bool:
        """Whether something is kept under a name."""
        ...

    def drop(self, name: str) -> None:
        """Keep it no longer."""
        ...

    def names(self) -> tuple[str, ...]:
        """Every name something is kept under, in order."""
        ...


class Shelf:
    """A folder of small JSON files."""

    def __init__(self, folder: Path) -> None:
        """A shelf in a folder, which is made when something is put there.

        What a killed writer left there is cleared away.
        """
        self._folder = folder
        clear(folder, SystemClock().now())

    def put(self, name: str, content: bytes) -> None:
        """Keep some JSON under a name; what was there before is replaced.

        Raises:
            StoreError: `SAVE_UNNAMED`; `STATE_TOO_LARGE` or `TRACE_UNWRITABLE`, and
                then what was there before is still there.
        """
        path = self._path(name)
        sheet = _sheet(name, content)
        try:
            make_folder(self._folder)
            put(self._folder, path.name, sheet)
        except OSError as problem:
            raise unwritable(path, problem) from problem

    def get(self, name: str) -> bytes:
        """What is kept under a name.

        Raises:
            StoreError: `SAVE_NOT_FOUND`, `SAVE_UNNAMED`, `STORE_UNREADABLE`.
        """
        path = self._path(name)
        if not is_there(path):
            raise _missing(name, self.names())
        return bytes(_read(path).kept)

    def has(self, name: str) -> bool:
        """Whether something is kept under a name.

        Raises:
            StoreError: `SAVE_UNNAMED`.
        """
        return is_there(self._path(name))

    def drop(self, name: str) -> None:
        """Keep it no longer.

        Raises:
            StoreError: `SAVE_NOT_FOUND`, `SAVE_UNNAMED`, `TRACE_UNWRITABLE`.
        """
        path = self._path(name)
        try:
            path.unlink()
            sync_folder(self._folder)
        except FileNotFoundError as problem:
            raise _missing(name, self.names()) from problem
        except OSError as problem:
            raise unwritable(path, problem) from problem

    def names(self) -> tuple[str, ...]:
        """Every name something is kept under, in order.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        if not self._folder.is_dir():
            return ()
        files = sorted(self._folder.glob(f"*{_ENDING}"))
        return tuple(sorted(_read(file).name for file in files if file.is_file()))

    def _path(self, name: str) -> Path:
        check_name(name, str(self._folder))
        return self._folder / _file_name(_composed(name))


class MemoryShelf:
    """The same in memory, for as long as it lasts."""

    def __init__(self) -> None:
        """An empty shelf."""
        self._sheets: dict[str, bytes] = {}

    def put(self, name: str, content: bytes) -> None:
        """Keep some JSON under a name; what was there before is replaced.

        Raises:
            StoreError: `SAVE_UNNAMED`, `STATE_TOO_LARGE`.
        """
        checked = _checked(name)
        _sheet(name, content)
        self._sheets[checked] = content

    def get(self, name: str) -> bytes:
        """What is kept under a name.

        Raises:
            StoreError: `SAVE_NOT_FOUND`, `SAVE_UNNAMED`.
        """
        if not self.has(name):
            raise _missing(name, self.names())
        return self._sheets[_checked(name)]

    def has(self, name: str) -> bool:
        """Whether something is kept under a name.

        Raises:
            StoreError: `SAVE_UNNAMED`.
        """
        return _checked(name) in self._sheets

    def drop(self, name: str) -> None:
        """Keep it no longer.

        Raises:
            StoreError: `SAVE_NOT_FOUND`, `SAVE_UNNAMED`.
        """
        self.get(name)
        del self._sheets[_checked(name)]

    def names(self) -> tuple[str, ...]:
        """Every name something is kept under, in order."""
        return tuple(sorted(self._sheets))


def _checked(name: str) -> str:
    check_name(name, "memory:")
    return _composed(name)


def _missing(name: str, names: tuple[str, ...]) -> StoreError:
    there = f"there is: {', '.join(names)}" if names else "nothing was saved"
    return StoreError(
        "SAVE_NOT_FOUND",
        f"there is no save {name!r} of this story",
        hint=did_you_mean(name, names) or there,
        details={"save": name, "saves": list(names)},
    )


def _composed(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _file_name(name: str) -> str:
    """A name to recognise it by, and a hash that tells it from all others."""
    readable = "".join(c if c.isalnum() else "_" for c in name[:_LETTERS])
    return f"{readable}-{sha256(name.encode()).hexdigest()[:16]}{_ENDING}"


def _sheet(name: str, content: bytes) -> bytes:
    """What a file is to hold; never more than could be read again."""
    kept = _Sheet(
        _composed(name), msgspec.Raw(content), _seal(_composed(name), content)
    )
    sheet = msgspec.json.encode(kept)
    if len(sheet) > LARGEST:
        raise StoreError(
            "STATE_TOO_LARGE",
            f"what is to be kept as {name!r} has more than {LARGEST} bytes",
            hint="let the story remember less; what was kept before is still there",
        )
    return sheet


def _seal(name: str, content: bytes) -> str:
    return sha256(name.encode() + b"\0" + content).hexdigest()[:32]


def _read(path: Path) -> _Sheet:
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise ValueError(f"it has more than {LARGEST} bytes")
        sheet = msgspec.json.decode(content, type=_Sheet)
        if sheet.seal and sheet.seal != _seal(sheet.name, bytes(sheet.kept)):
            raise ValueError("it is not what was written")
        return sheet
    except (OSError, ValueError, msgspec.DecodeError, RecursionError) as problem:
        raise StoreError(
            "STORE_UNREADABLE",
            f"what is kept in {path.name!r} cannot be read: {problem}",
            where=Where(file=str(path)),
            hint="bring the file back from a copy, or remove it",
        ) from problem


def unwritable(path: Path, problem: OSError) -> StoreError:
    """The error for a small file that could not be replaced."""
    return StoreError(
        "TRACE_UNWRITABLE",
        f"{path.name!r} cannot be written: {problem.strerror}",
        where=Where(file=str(path)),
        hint="make room, or allow writing there; what was kept before is still there",
        recoverable=True,
    )


ready(_Sheet)
