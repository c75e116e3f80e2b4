"""Outcomes of experiment cells: in a folder, one file each, or in memory.

The folder may be on this machine or on a shared disk. An outcome is written to a
temporary file, synced, and then linked to its name. A link fails if there is a file
already, so exactly one of all writers on all machines wins, and a cell's name never
shows half a file.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Final

import msgspec

from saniwa.core import atomic_files, system_calls
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import StoreError
from saniwa.core.safe_open import SymlinkError, open_folder_path, open_inside
from saniwa.core.text import quote_value
from saniwa.store.storage_errors import translate_os_errors

LONGEST_KEY: Final = 200
"""Most bytes of a key: it becomes a file's name, with a suffix."""


class _OutcomeHeader(msgspec.Struct, frozen=True):
    """The part of an outcome that names its cell."""

    key: str
    """The cell it belongs to."""


def check_key(key: str, place: str) -> None:
    """Refuse a key that could lead elsewhere, hide, or not be a file name.

    Raises:
        StoreError: `NAME_UNUSABLE`.
    """
    plain = key.isprintable() and key[:1] not in ("", ".") and not {"/", "\\"} & {*key}
    if plain and len(key.encode()) <= LONGEST_KEY:
        return
    raise StoreError(
        "NAME_UNUSABLE",
        f"{quote_value(key)} cannot be the key of a cell",
        where=place,
        hint=f"use 1 to {LONGEST_KEY} bytes of printable characters, no slash, no dot in front; "
        "give the experiment a shorter id",
    )


def check_outcome(key: str, kept: bytes, place: str) -> None:
    """Refuse bytes that are not a complete outcome of this cell.

    Raises:
        StoreError: `TRACE_CORRUPT`.
    """
    try:
        label = msgspec.json.decode(kept, type=_OutcomeHeader)
    except (ValueError, RecursionError) as problem:
        raise make_corrupt_cell_error(
            key, "it is incomplete, or not an outcome", place
        ) from problem
    if label.key != key:
        raise make_corrupt_cell_error(key, f"it is the outcome of {quote_value(label.key)}", place)


def make_corrupt_cell_error(key: str, why: str, place: str = "") -> StoreError:
    """Build the error for a cell whose outcome cannot be used."""
    return StoreError(
        "TRACE_CORRUPT",
        f"the stored outcome of the cell {quote_value(key)} cannot be used: {why}",
        where=place or None,
        hint="restore it from a backup, or delete it and resume to run the cell again",
        details={"cell": key},
    )


warm_decoders(_OutcomeHeader)


EXPERIMENT_FILE: Final = ".experiment"
"""The file that names the experiment of these cells: a prepared plan's fingerprint."""
LARGEST_OUTCOME: Final = 256_000_000
"""Most bytes one outcome may have."""
_FILE_MODE: Final = 0o644
_EXTENSION: Final = ".json"
_MOST_TRIES: Final = 3


class FolderOutcomeStore:
    """Outcomes as files `KEY.json` in one folder."""

    def __init__(
        self,
        folder: Path,
        *,
        experiment: str = "",
        existing: bool = False,
        clock: Clock | None = None,
    ) -> None:
        """Use a folder, which is created if it is missing.

        Args:
            folder: The folder of the files.
            experiment: The fingerprint of the prepared plan; a folder with cells of
                another experiment is refused. Empty: no check.
            existing: Create nothing: a folder that is not marked for the experiment is
                not the one that all workers share.
            clock: Tells how old leftovers are.

        Raises:
            StoreError: `STORE_UNREADABLE`, `TRACE_UNWRITABLE`.
        """
        self._folder = folder
        self.place = str(folder)
        if not existing:
            self._make_folder(experiment)
        if experiment:
            self._check_experiment(experiment)
        atomic_files.remove_abandoned_files(folder, (clock or SystemClock()).now())

    def keep(self, key: str, outcome: bytes) -> bool:
        """Store a cell's outcome durably; False if it has one already, which stays.

        Raises:
            StoreError: `NAME_UNUSABLE`; `TRACE_UNWRITABLE`, and then nothing was
                stored.
        """
        check_key(key, self.place)
        with translate_os_errors(_make_unwritable_error, self._folder):
            return self._link_outcome(key + _EXTENSION, outcome)

    def discard(self, key: str, outcome: bytes) -> bool:
        """Remove a cell's outcome durably; False if another or none is stored.

        Only one process at a time may do so in a folder: between the comparison and the
        removal another could replace the file.

        Raises:
            StoreError: `NAME_UNUSABLE`; `STORE_UNREADABLE`; `TRACE_UNWRITABLE`.
        """
        if self.get_outcome(key) != outcome:
            return False
        with translate_os_errors(_make_unwritable_error, self._folder):
            (self._folder / (key + _EXTENSION)).unlink(missing_ok=True)
            atomic_files.sync_folder(self._folder)
        return True

    def get_outcome(self, key: str) -> bytes | None:
        """Return a cell's outcome; None if the cell is not finished.

        Raises:
            StoreError: `NAME_UNUSABLE`; `STORE_UNREADABLE`; `TRACE_CORRUPT` if the file
                is incomplete, or is another cell's.
        """
        check_key(key, self.place)
        with self._translate_reading(key + _EXTENSION), suppress(FileNotFoundError):
            outcome = self._read_file(key + _EXTENSION)
            check_outcome(key, outcome, self.place)
            return outcome
        return None

    def list_keys(self) -> Iterator[str]:
        """List the finished cells, sorted; opens no files.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        with self._translate_reading(""):
            names = [entry.name for entry in self._folder.iterdir()]
        cells = [n for n in names if n.endswith(_EXTENSION) and not n.startswith(".")]
        return iter(sorted(name.removesuffix(_EXTENSION) for name in cells))

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def _link_outcome(self, name: str, outcome: bytes) -> bool:
        """Link the outcome to a name; False if the name was taken."""
        if len(outcome) > LARGEST_OUTCOME:
            raise OSError(0, f"it has more than {LARGEST_OUTCOME} bytes")
        for _ in range(_MOST_TRIES - 1):
            # Another process may remove our temporary file as abandoned: this machine
            # may have slept for a day.
            with suppress(FileNotFoundError):
                return self._link_file(name, outcome)
        return self._link_file(name, outcome)

    def _link_file(self, name: str, outcome: bytes) -> bool:
        linked = True
        with atomic_files.open_pending_file(self._folder) as new:
            # The reader may be another user on another machine.
            system_calls.set_mode(new.file.fileno(), _FILE_MODE)
            new.write(outcome)
            new.sync()
            try:
                new.link(name)
            except FileExistsError:
                linked = False
        # Also if another writer was first: it may not have synced yet.
        atomic_files.sync_folder(self._folder)
        return linked

    def _read_file(self, name: str) -> bytes:
        with open_folder_path(self._folder, ()) as here:
            handle = open_inside(here, name)
        with os.fdopen(handle, "rb") as stream:
            state = os.fstat(handle)
            if not stat.S_ISREG(state.st_mode):
                raise OSError(0, "it is not a regular file")
            if state.st_size > LARGEST_OUTCOME:
                raise OSError(0, f"it has more than {LARGEST_OUTCOME} bytes")
            return stream.read(LARGEST_OUTCOME)

    def _make_folder(self, experiment: str) -> None:
        with translate_os_errors(_make_unwritable_error, self._folder):
            atomic_files.make_folder(self._folder)
            if experiment and not (self._folder / EXPERIMENT_FILE).exists():
                self._link_outcome(EXPERIMENT_FILE, experiment.encode())

    def _check_experiment(self, experiment: str) -> None:
        with self._translate_reading(EXPERIMENT_FILE):
            found = self._read_file(EXPERIMENT_FILE).decode("ascii", "replace")
        if found != experiment:
            raise StoreError(
                "STORE_UNREADABLE",
                f"the cells here are of the experiment {quote_value(found)}, and not of "
                f"{quote_value(experiment)}",
                where=self.place,
                hint="use another folder, or resume the experiment that is there",
            )

    @contextmanager
    def _translate_reading(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            why = "it is a link" if isinstance(problem, SymlinkError) else problem.strerror
            file = f"{quote_value(name)}: " if name else ""
            raise StoreError(
                "STORE_UNREADABLE",
                f"the cells cannot be read: {file}{why}",
                where=self.place,
                hint="see whether the folder is the experiment's own, and the same one on "
                "every machine",
            ) from problem


def _make_unwritable_error(folder: Path, problem: OSError) -> StoreError:
    return StoreError(
        "TRACE_UNWRITABLE",
        f"a cell cannot be stored: {problem.strerror}",
        where=str(folder),
        hint="make room, or allow writing there; a disk without hard links cannot "
        "keep cells: name another folder, or postgresql://…",
    )


_PLACE = "memory:"


class MemoryOutcomeStore:
    """Outcomes in a dictionary."""

    def __init__(self) -> None:
        self._outcomes: dict[str, bytes] = {}
        self._lock = Lock()

    def keep(self, key: str, outcome: bytes) -> bool:
        """Store a cell's outcome; False if it has one already, which stays.

        Raises:
            StoreError: `NAME_UNUSABLE`.
        """
        check_key(key, _PLACE)
        with self._lock:
            if key in self._outcomes:
                return False
            self._outcomes[key] = outcome
            return True

    def discard(self, key: str, outcome: bytes) -> bool:
        """Remove a cell's outcome; False if another or none is stored.

        Raises:
            StoreError: `NAME_UNUSABLE`.
        """
        check_key(key, _PLACE)
        with self._lock:
            if self._outcomes.get(key) != outcome:
                return False
            del self._outcomes[key]
            return True

    def get_outcome(self, key: str) -> bytes | None:
        """Return a cell's outcome; None if the cell is not finished.

        Raises:
            StoreError: `NAME_UNUSABLE`.
        """
        check_key(key, _PLACE)
        return self._outcomes.get(key)

    def list_keys(self) -> Iterator[str]:
        """List the finished cells, sorted."""
        return iter(sorted(self._outcomes))

    def close(self) -> None:
        """Do nothing; the outcomes live as long as the store object."""
