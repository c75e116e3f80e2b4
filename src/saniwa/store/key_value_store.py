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

from saniwa.core import atomic_files
from saniwa.core.clock import SystemClock
from saniwa.core.errors import StoreError
from saniwa.core.json_values import warm_decoders
from saniwa.core.path_checks import does_path_exist
from saniwa.core.suggestions import suggest_nearest
from saniwa.store.file_errors import make_unwritable_error, translate_os_errors
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
    """Stores small JSON values by name; one name in all its Unicode spellings."""

    place: str
    """The store's name in messages."""

    def put(self, name: str, content: bytes) -> None:
        """Store JSON under a name, replacing the previous value.

        Raises:
            StoreError: `SAVE_UNNAMED`; `STATE_TOO_LARGE` or `TRACE_UNWRITABLE`, and
                then the previous value is unchanged.
        """
        key = self._check_name(name)
        value = _StoredValue(key, msgspec.Raw(content), _compute_seal(key, content))
        encoded = msgspec.json.encode(value)
        if len(encoded) > LARGEST_VALUE:
            raise StoreError(
                "STATE_TOO_LARGE",
                f"what is to be kept as {name!r} has more than {LARGEST_VALUE} bytes",
                hint="let the story remember less; what was kept before is still there",
            )
        self._write(key, encoded)

    def get(self, name: str) -> bytes:
        """Return the value stored under a name.

        Raises:
            StoreError: `SAVE_NOT_FOUND`, `SAVE_UNNAMED`, `STORE_UNREADABLE`.
        """
        if not self.has(name):
            raise self._make_missing_error(name)
        return bytes(self._read(self._check_name(name)).kept)

    def has(self, name: str) -> bool:
        """Whether a value is stored under a name.

        Raises:
            StoreError: `SAVE_UNNAMED`.
        """
        return self._exists(self._check_name(name))

    def drop(self, name: str) -> None:
        """Delete the value stored under a name.

        Raises:
            StoreError: `SAVE_NOT_FOUND`, `SAVE_UNNAMED`, `TRACE_UNWRITABLE`.
        """
        try:
            self._remove(self._check_name(name))
        except (KeyError, FileNotFoundError) as problem:
            raise self._make_missing_error(name) from problem

    def list_names(self) -> tuple[str, ...]:
        """List every name that has a value, sorted.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        ...

    def _exists(self, key: str) -> bool: ...

    def _read(self, key: str) -> _StoredValue: ...

    def _write(self, key: str, encoded: bytes) -> None: ...

    def _remove(self, key: str) -> None: ...

    def _check_name(self, name: str) -> str:
        check_save_name(name, self.place)
        return unicodedata.normalize("NFC", name)

    def _make_missing_error(self, name: str) -> StoreError:
        names = self.list_names()
        saved = f"there is: {', '.join(names)}" if names else "nothing was saved"
        return StoreError(
            "SAVE_NOT_FOUND",
            f"there is no save {name!r} of this story",
            hint=suggest_nearest(name, names) or saved,
            details={"save": name, "saves": list(names)},
        )


class FolderKeyValueStore(KeyValueStore):
    """A folder of small JSON files, which the first `put` creates."""

    def __init__(self, folder: Path) -> None:
        """Use a folder; temporary files of a killed writer are removed."""
        self._folder = folder
        self.place = str(folder)
        atomic_files.remove_abandoned_files(folder, SystemClock().now())

    def list_names(self) -> tuple[str, ...]:
        """List every name that has a value, sorted.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        if not self._folder.is_dir():
            return ()
        files = sorted(self._folder.glob(f"*{_EXTENSION}"))
        return tuple(sorted(_read_value(file).name for file in files if file.is_file()))

    def _exists(self, key: str) -> bool:
        return does_path_exist(self._build_path(key))

    def _read(self, key: str) -> _StoredValue:
        return _read_value(self._build_path(key))

    def _write(self, key: str, encoded: bytes) -> None:
        path = self._build_path(key)
        with translate_os_errors(make_unwritable_error, path):
            atomic_files.make_folder(self._folder)
            atomic_files.write_atomically(self._folder, path.name, encoded)

    def _remove(self, key: str) -> None:
        path = self._build_path(key)
        try:
            path.unlink()
            atomic_files.sync_folder(self._folder)
        except FileNotFoundError:
            raise
        except OSError as problem:
            raise make_unwritable_error(path, problem) from problem

    def _build_path(self, key: str) -> Path:
        """Build a file name: a readable part, and a hash that makes it unique."""
        readable = "".join(c if c.isalnum() else "_" for c in key[:_NAME_LENGTH])
        hashed = sha256(key.encode()).hexdigest()[:16]
        return self._folder / f"{readable}-{hashed}{_EXTENSION}"


class MemoryKeyValueStore(KeyValueStore):
    """The same in memory, for the life of the process."""

    place = "memory:"

    def __init__(self) -> None:
        """Create an empty store."""
        self._values: dict[str, bytes] = {}

    def list_names(self) -> tuple[str, ...]:
        """List every name that has a value, sorted."""
        return tuple(sorted(self._values))

    def _exists(self, key: str) -> bool:
        return key in self._values

    def _read(self, key: str) -> _StoredValue:
        return msgspec.json.decode(self._values[key], type=_StoredValue)

    def _write(self, key: str, encoded: bytes) -> None:
        self._values[key] = encoded

    def _remove(self, key: str) -> None:
        del self._values[key]


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
            where=str(path),
            hint="bring the file back from a copy, or remove it",
        ) from problem


warm_decoders(_StoredValue)
