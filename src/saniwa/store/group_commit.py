"""What was written into a SQLite file, made durable for many at once.

A commit that does not sync costs little; a sync costs the disk's time, whether it is for
one commit or for a hundred. Whoever answers many people commits at once and tells them
after the next sync.
"""

import os
from pathlib import Path
from threading import Lock
from typing import Final

from saniwa.core.errors import StoreError
from saniwa.core.findings import SourceLocation

_WAL_SUFFIX: Final = "-wal"


class GroupCommit:
    """The commits of one file, and how many of them would survive a power cut."""

    def __init__(self, file: Path, place: str) -> None:
        """Nothing was written yet; `place` is how the file is named to people."""
        self._file = file
        self._place = place
        self._count = self._durable = 0
        self._named = self._failed = False
        self._alone = Lock()

    @property
    def is_durable(self) -> bool:
        """Whether all of it is durable."""
        return self._count == self._durable

    def add_commit(self, *, durable: bool) -> None:
        """One more commit; durable if it was synced by itself."""
        with self._alone:
            self._count += 1
            if durable and self._count == self._durable + 1:
                self._durable = self._count

    def sync(self) -> None:
        """Make everything durable that was committed before; may be called in a thread.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; nobody may be told of what was written since.
        """
        reached = self._count
        try:
            # A system that could not write once forgets that it could not.
            if self._failed:
                raise OSError("the disk has failed before")
            self._sync_log()
        except OSError as problem:
            self._failed = True
            raise self._make_unwritable_error(problem) from problem
        with self._alone:
            self._durable = max(self._durable, reached)

    def _sync_log(self) -> None:
        """Where the log is gone, everything has moved into the file, and was synced."""
        try:
            log = os.open(f"{self._file}{_WAL_SUFFIX}", os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            os.fdatasync(log)
        finally:
            os.close(log)
        if not self._named:
            self._sync_folder()
            self._named = True

    def _sync_folder(self) -> None:
        """The log's name must last as well."""
        folder = os.open(self._file.parent, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _make_unwritable_error(self, problem: OSError) -> StoreError:
        return StoreError(
            "TRACE_UNWRITABLE",
            f"the disk does not keep what is written: {problem.strerror or problem}",
            where=SourceLocation(file=self._place),
            hint="mend the disk and start again; what was acknowledged before is kept",
        )
