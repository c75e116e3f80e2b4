"""Keeping cells in a folder, one file each: on this machine or on a shared disk.

An outcome is written beside, synced, and then linked to its name: a link fails where there
is a file already, so that of all writers on all machines exactly one wins, and no moment
has half a file under a cell's name.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import StoreError
from saniwa.core.inside import LinkError, open_inside, walked
from saniwa.core.lasting import begun, clear, make_folder, sync_folder
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.store.cells.label import check_key, check_whole

MARK: Final = ".experiment"
"""The file that says whose cells these are: the fingerprint of a prepared plan."""
LARGEST: Final = 256_000_000
"""Bytes one outcome may have."""
_FOR_ALL: Final = 0o644
_ENDING: Final = ".json"
_TIMES: Final = 3


class FolderCells:
    """Outcomes as files `KEY.json` in one folder."""

    def __init__(
        self,
        folder: Path,
        *,
        experiment: str = "",
        existing: bool = False,
        clock: Clock | None = None,
    ) -> None:
        """The shelf in a folder, which is made where it is missing.

        Args:
            folder: Where the files lie.
            experiment: The fingerprint of the prepared plan; a folder that holds cells
                of another is refused. Empty: whichever it is.
            existing: Make nothing: a folder that nobody marked for the experiment is not
                the one that everybody shares.
            clock: Tells how old leftovers are.

        Raises:
            StoreError: `STORE_UNREADABLE`, `TRACE_UNWRITABLE`.
        """
        self._folder = folder
        self.place = str(folder)
        if not existing:
            self._make(experiment)
        if experiment:
            self._check_mark(experiment)
        clear(folder, (clock or SystemClock()).now())

    def keep(self, key: str, outcome: bytes) -> bool:
        """Keep a cell's outcome durably; False where it has one already, which stays.

        Raises:
            StoreError: `NAME_UNUSABLE`; `TRACE_UNWRITABLE`, and then nothing was kept.
        """
        check_key(key, self.place)
        try:
            return self._linked(key + _ENDING, outcome)
        except OSError as problem:
            raise self._unwritable(problem) from problem

    def discard(self, key: str, outcome: bytes) -> bool:
        """Remove a cell's outcome durably; False where another is kept, or none.

        Only one process at a time may do so in a folder: between the comparison and the
        removal another could replace the file.

        Raises:
            StoreError: `NAME_UNUSABLE`; `STORE_UNREADABLE`; `TRACE_UNWRITABLE`.
        """
        if self.outcome(key) != outcome:
            return False
        try:
            (self._folder / (key + _ENDING)).unlink(missing_ok=True)
            sync_folder(self._folder)
        except OSError as problem:
            raise self._unwritable(problem) from problem
        return True

    def outcome(self, key: str) -> bytes | None:
        """What is kept for a cell; None where it is not finished.

        Raises:
            StoreError: `NAME_UNUSABLE`; `STORE_UNREADABLE`; `TRACE_CORRUPT` if the file
                is torn, or is another cell's.
        """
        check_key(key, self.place)
        try:
            kept = self._read(key + _ENDING)
        except FileNotFoundError:
            return None
        except OSError as problem:
            raise self._unreadable(key + _ENDING, problem) from problem
        check_whole(key, kept, self.place)
        return kept

    def keys(self) -> Iterator[str]:
        """The cells that are finished, in order; the files are not opened.

        Raises:
            StoreError: `STORE_UNREADABLE`.
        """
        try:
            names = [entry.name for entry in self._folder.iterdir()]
        except OSError as problem:
            raise self._unreadable("", problem) from problem
        return iter(
            sorted(
                name.removesuffix(_ENDING)
                for name in names
                if name.endswith(_ENDING) and not name.startswith(".")
            )
        )

    def close(self) -> None:
        """Nothing is held open."""

    def _linked(self, name: str, outcome: bytes, times: int = _TIMES) -> bool:
        """Whether the name was free, and is now this outcome's."""
        if len(outcome) > LARGEST:
            raise OSError(0, f"it has more than {LARGEST} bytes")
        try:
            kept = self._link(name, outcome)
        except FileNotFoundError:
            # Somebody took us for dead: a machine that slept for a day.
            if times == 1:
                raise
            return self._linked(name, outcome, times - 1)
        # Also where another was first: it may not have come to its own sync.
        sync_folder(self._folder)
        return kept

    def _link(self, name: str, outcome: bytes) -> bool:
        with begun(self._folder) as new:
            # Whoever reads them may be somebody else, on another machine.
            os.fchmod(new.file.fileno(), _FOR_ALL)
            new.write(outcome)
            new.sync()
            try:
                new.link(name)
            except FileExistsError:
                return False
            return True

    def _read(self, name: str) -> bytes:
        with walked(self._folder, ()) as here:
            handle = open_inside(here, name)
        with os.fdopen(handle, "rb") as stream:
            state = os.fstat(handle)
            if not stat.S_ISREG(state.st_mode):
                raise OSError(0, "it is no regular file")
            if state.st_size > LARGEST:
                raise OSError(0, f"it has more than {LARGEST} bytes")
            return stream.read(LARGEST)

    def _make(self, experiment: str) -> None:
        try:
            make_folder(self._folder)
            if experiment and not (self._folder / MARK).exists():
                self._linked(MARK, experiment.encode())
        except OSError as problem:
            raise self._unwritable(problem) from problem

    def _check_mark(self, experiment: str) -> None:
        try:
            found = self._read(MARK).decode("ascii", "replace")
        except OSError as problem:
            raise self._unreadable(MARK, problem) from problem
        if found != experiment:
            raise StoreError(
                "STORE_UNREADABLE",
                f"the cells here are of the experiment {quoted(found)}, and not of "
                f"{quoted(experiment)}",
                where=Where(file=self.place),
                hint="name another folder, or resume the experiment that is there",
            )

    def _unwritable(self, problem: OSError) -> StoreError:
        return StoreError(
            "TRACE_UNWRITABLE",
            f"a cell cannot be kept: {problem.strerror}",
            where=Where(file=self.place),
            hint="make room, or allow writing there; a disk without hard links cannot "
            "keep cells: name another folder, or postgresql://…",
        )

    def _unreadable(self, name: str, problem: OSError) -> StoreError:
        why = "it is a link" if isinstance(problem, LinkError) else problem.strerror
        return StoreError(
            "STORE_UNREADABLE",
            f"the cells cannot be read: {quoted(name)}: {why}"
            if name
            else f"the cells cannot be read: {why}",
            where=Where(file=self.place),
            hint="see whether the folder is the experiment's own, and the same one on "
            "every machine",
        )
