"""Group commit for a SQLite file: one sync makes many commits durable.

A commit that does not sync costs little; a sync costs the same disk time for one commit
or a hundred. A server with many callers commits at once and answers them after the next
sync.
"""

import os
from pathlib import Path
from threading import Lock

from saniwa.core.atomic_files import sync_folder
from saniwa.core.errors import StoreError


class GroupCommit:
    """The commits of one file, and how many of them are durable."""

    def __init__(self, file: Path, place: str) -> None:
        """Start with nothing written; `place` is the file's name in messages."""
        self._file = file
        self._place = place
        self._count = self._durable = 0
        self._folder_synced = self._failed = False
        self._lock = Lock()

    @property
    def is_durable(self) -> bool:
        """Whether every commit is durable."""
        return self._count == self._durable

    def add_commit(self, *, durable: bool) -> None:
        """Count one more commit; `durable` if it was synced by itself."""
        with self._lock:
            self._count += 1
            if durable and self._count == self._durable + 1:
                self._durable = self._count

    def sync(self) -> None:
        """Make everything durable that was committed before; may be called in a thread.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; nothing written since may be acknowledged.
        """
        reached = self._count
        try:
            # After one failed sync, the operating system may report success for the
            # next one although the data was lost.
            if self._failed:
                raise OSError("the disk has failed before")
            self._sync_log()
        except OSError as problem:
            self._failed = True
            raise StoreError(
                "TRACE_UNWRITABLE",
                f"the disk does not keep what is written: {problem.strerror or problem}",
                where=self._place,
                hint="mend the disk and start again; what was acknowledged before is kept",
            ) from problem
        with self._lock:
            self._durable = max(self._durable, reached)

    def _sync_log(self) -> None:
        """Sync the log; if there is none, SQLite has synced all into the file."""
        try:
            log = os.open(f"{self._file}-wal", os.O_RDWR | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            os.fdatasync(log)
        finally:
            os.close(log)
        # So that the log's name is durable too.
        if not self._folder_synced:
            sync_folder(self._file.parent)
            self._folder_synced = True
