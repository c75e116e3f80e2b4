"""Small JSON values by name, one file each: a story's position, its saves.

A file is replaced as a whole or not at all, and is durable when `write_atomically`
returns. The caller's name is stored inside the file; the file's own name is derived
from it and cannot lead out of the folder.
"""

import unicodedata
from hashlib import sha256
from pathlib import Path
from typing import Final, Protocol

import msgspec

from saniwa.core.atomic_files import (
    make_folder,
    remove_abandoned_files,
    sync_folder,
    write_atomically,
)
from saniwa.core.clock import SystemClock
from saniwa.core.errors import StoreError
from saniwa.core.findings import SourceLocation
from saniwa.core.path_checks import does_path_exist
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.warm_decoders import warm_decoders
from saniwa.store.lookup import check_save_name

LARGEST_VALUE: Final = 8_000_000
"""Most bytes one file may have."""
_EXTENSION = ".json"
_NAME_LENGTH = 40


class _StoredValue(msgspec.Struct, frozen=True):
    """The content of a file."""

    name: str
    """The name it is stored under."""
    kept: msgspec.Raw
    """The value itself, as JSON."""
    seal: str = ""
    """Seal over name and value; empty in files written before seals existed."""


class KeyValueStore(Protocol):
    """Stores small JSON values by name."""

    def put(self, name: str, content: bytes) -> None:
        """Store JSON under a name, replacing the previous value."""
        ...

    def get(self, name: str) -> bytes:
        """Return the value stored under a name."""
        ...

    def has(self, name: str) -> bool:
        """Whether a value is stored under a name."""
        ...

    def drop(self, name: str) -> None:
        """Delete the value stored under a name."""
        ...

    def list_names(self) -> tuple[str, ...]:
        """List every name that has a value, sorted."""
        ...


class FolderKeyValueStore:
    """A folder of small JSON files."""

    def __init__(self, folder: Path) -> None:
        """Use a folder, which the first `put` creates.

        Temporary files of a killed writer are removed.
        """
        self._folder = folder
        remove_abandoned_files(folder, SystemClock().now())

    def put(self, name: str, content: bytes) -> None:
        """Store JSON under a name, replacing the previous value.

        Raises:
            StoreError: `SAVE_UNNAMED`; `STATE_TOO_LARGE` or `TRACE_UNWRITABLE`, and
                then the previous value is unchanged.
        """
        path = self._build_path(name)
        encoded = _encode_value(name, content)
        try:
            make_folder(self._folder)
            write_atomically(self._folder, path.name, encoded)
        except OSError as problem:
            raise make_unwritable_error(path, problem) from problem

    def get(self, name: str) -> bytes:
        """Return the value stored under a name.

        Raises:
            StoreError: `SAVE_NOT_FOUND`, `SAVE_UNNAMED`, `STORE_UNREADABLE`.
        """
        path = self._build_path(name)
        if not does_path_exist(path):
            raise _make_missing_error(name, self.list_names())
        return bytes(_read_value(path).kept)

    def has(self, name: str) -> bool:
        """Whether a value is stored under a name.

        Raises:
            StoreError: `SAVE_UNNAMED`.
        """
        return does_path_exist(self._build_path(name))

    def drop(self, name: str) -> None:
        """Delete the value stored under a name.

        Raises:
            StoreError: `SAVE_NOT_FOUND`, `SAVE_UNNAMED`, `TRACE_UNWRITABLE`.
        """
        path = self._build_path(name)
        try:
            path.unlink()
            sync_folder(self._folder)
        except FileNotFoundError as problem:
            raise _make_missing_error(name, self.list_names()) from problem
        except OSError as problem:
            raise make_unwritable_error(path, problem) from problem

    def list_names(self) -> tuple[str, ...]:
        """List every name that has a value, sorted.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        if not self._folder.is_dir():
            return ()
        files = sorted(self._folder.glob(f"*{_EXTENSION}"))
        return tuple(sorted(_read_value(file).name for file in files if file.is_file()))

    def _build_path(self, name: str) -> Path:
        check_save_name(name, str(self._folder))
        return self._folder / _build_file_name(_normalize_name(name))


class MemoryKeyValueStore:
    """The same in memory, for the life of the process."""

    def __init__(self) -> None:
        """Create an empty store."""
        self._values: dict[str, bytes] = {}

    def put(self, name: str, content: bytes) -> None:
        """Store JSON under a name, replacing the previous value.

        Raises:
            StoreError: `SAVE_UNNAMED`, `STATE_TOO_LARGE`.
        """
        checked = _check_name(name)
        _encode_value(name, content)
        self._values[checked] = content

    def get(self, name: str) -> bytes:
        """Return the value stored under a name.

        Raises:
            StoreError: `SAVE_NOT_FOUND`, `SAVE_UNNAMED`.
        """
        if not self.has(name):
            raise _make_missing_error(name, self.list_names())
        return self._values[_check_name(name)]

    def has(self, name: str) -> bool:
        """Whether a value is stored under a name.

        Raises:
            StoreError: `SAVE_UNNAMED`.
        """
        return _check_name(name) in self._values

    def drop(self, name: str) -> None:
        """Delete the value stored under a name.

        Raises:
            StoreError: `SAVE_NOT_FOUND`, `SAVE_UNNAMED`.
        """
        self.get(name)
        del self._values[_check_name(name)]

    def list_names(self) -> tuple[str, ...]:
        """List every name that has a value, sorted."""
        return tuple(sorted(self._values))


def _check_name(name: str) -> str:
    check_save_name(name, "memory:")
    return _normalize_name(name)


def _make_missing_error(name: str, names: tuple[str, ...]) -> StoreError:
    saved = f"there is: {', '.join(names)}" if names else "nothing was saved"
    return StoreError(
        "SAVE_NOT_FOUND",
        f"there is no save {name!r} of this story",
        hint=suggest_nearest(name, names) or saved,
        details={"save": name, "saves": list(names)},
    )


def _normalize_name(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _build_file_name(name: str) -> str:
    """Build a file name: a readable part, and a hash that makes it unique."""
    readable = "".join(c if c.isalnum() else "_" for c in name[:_NAME_LENGTH])
    return f"{readable}-{sha256(name.encode()).hexdigest()[:16]}{_EXTENSION}"


def _encode_value(name: str, content: bytes) -> bytes:
    """Encode a file's content; refuses more than could be read again."""
    value = _StoredValue(
        _normalize_name(name), msgspec.Raw(content), _compute_seal(_normalize_name(name), content)
    )
    encoded = msgspec.json.encode(value)
    if len(encoded) > LARGEST_VALUE:
        raise StoreError(
            "STATE_TOO_LARGE",
            f"what is to be kept as {name!r} has more than {LARGEST_VALUE} bytes",
            hint="let the story remember less; what was kept before is still there",
        )
    return encoded


def _compute_seal(name: str, content: bytes) -> str:
    return sha256(name.encode() + b"\0" + content).hexdigest()[:32]


def _read_value(path: Path) -> _StoredValue:
    try:
        with path.open("rb") as stream:
            content = stream.read(LARGEST_VALUE + 1)
        if len(content) > LARGEST_VALUE:
            raise ValueError(f"it has more than {LARGEST_VALUE} bytes")
        value = msgspec.json.decode(content, type=_StoredValue)
        if value.seal and value.seal != _compute_seal(value.name, bytes(value.kept)):
            raise ValueError("it is not what was written")
        return value
    except (OSError, ValueError, msgspec.DecodeError, RecursionError) as problem:
        raise StoreError(
            "STORE_UNREADABLE",
            f"what is kept in {path.name!r} cannot be read: {problem}",
            where=SourceLocation(file=str(path)),
            hint="bring the file back from a copy, or remove it",
        ) from problem


def make_unwritable_error(path: Path, problem: OSError) -> StoreError:
    """Build the error for a small file that could not be replaced."""
    return StoreError(
        "TRACE_UNWRITABLE",
        f"{path.name!r} cannot be written: {problem.strerror}",
        where=SourceLocation(file=str(path)),
        hint="make room, or allow writing there; what was kept before is still there",
        recoverable=True,
    )


warm_decoders(_StoredValue)
