"""Access to a gate's files: their folders, opening, identity, and errors only files can have."""

import os
import re
import time
from pathlib import Path

import msgspec

from saniwa.core import system_calls
from saniwa.core.clock import SystemClock
from saniwa.core.errors import StoreError
from saniwa.core.findings import Finding, SourceLocation
from saniwa.store.gate import describe


def open_file(path: Path, flags: int = 0) -> tuple[int, OSError | None]:
    """Open a file for reading and writing; read-only if nothing else is allowed.

    Also returns why it cannot be written; None if it can.

    Raises:
        FileNotFoundError: There is none.
        OSError: It cannot even be read.
    """
    # Without recording the access time, which costs a write; only the owner may request
    # that.
    for more in (os.O_RDWR | system_calls.NO_ACCESS_TIME, os.O_RDWR):
        try:
            return system_calls.open_file(path, more | flags), None
        except FileNotFoundError:
            raise
        except OSError as problem:
            refusal = problem
    return open_for_reading(path), refusal


def open_for_reading(path: Path) -> int:
    """Open a file for reading.

    Raises:
        OSError: It cannot be read: it is a folder, a pipe, or missing.
    """
    fd = system_calls.open_file(path, os.O_RDONLY | system_calls.NO_WAITING)
    try:
        system_calls.read_at(fd, 1, 0)
    except OSError:
        os.close(fd)
        raise
    return fd


def write_all(fd: int, content: bytes) -> None:
    """Write all the content at the file's current position.

    Raises:
        OSError: Only a part was written.
    """
    written = os.write(fd, content)
    if written != len(content):
        raise OSError(0, f"it took {written} of {len(content)} bytes")


_RUN_ID = re.compile(r"run-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


class GateFolders(msgspec.Struct, frozen=True, kw_only=True):
    """The folders of one gate; missing ones are created when they are needed."""

    runs: Path
    """The published tables, one CSV for each run."""
    metadata: Path
    """The journals, one file of JSON lines for each run."""
    definitions: Path
    """Definitions by their hash."""
    index: Path
    """Indexes, which only save time; may be removed at any moment."""

    @classmethod
    def from_root(cls, root: Path) -> "GateFolders":
        """Build the usual folders under one root, such as `.state_gate`."""
        return cls(
            runs=root / "runs",
            metadata=root / "metadata",
            definitions=root / "definitions",
            index=root / "index",
        )

    def locate_table(self, run_id: str) -> Path:
        """Return the path of a run's published table."""
        return self.runs / f"{run_id}.csv"

    def locate_journal(self, run_id: str) -> Path:
        """Return the path of a run's journal."""
        return self.metadata / f"{run_id}.jsonl"

    def locate_index(self, run_id: str) -> Path:
        """Return the path of a run's index."""
        return self.index / f"{run_id}.index"

    def locate_definition(self, hash: str) -> Path:
        """Return the path of the definition with that hash."""
        return self.definitions / f"{hash}.json"


def is_run_id(text: str) -> bool:
    """Whether the text is `run-` and a UUIDv7, so that it is safe as a file name."""
    return _RUN_ID.fullmatch(text) is not None


_NO_TIME = (0, 0, 0)
_FRESH_NS = 50_000_000
"""Nanoseconds within which two changes of a folder may have the same timestamp."""


TRUSTED_NS = 2_000_000
"""Nanoseconds for which a writer that stays need not check again.

If a backup replaces a file, what was written since is lost, and up to this much longer.
"""


class FileIdentity:
    """Whether an open file is still the one at its path."""

    def __init__(self, path: Path, fd: int) -> None:
        """Remember the path under which the file was opened."""
        self._folder = str(path.parent)
        self._path = path
        seen = os.fstat(fd)
        self._identity = (seen.st_dev, seen.st_ino)
        self._moment = _NO_TIME
        self._trusted = 0

    @property
    def is_settled(self) -> bool:
        """Whether the folder's timestamp is enough to decide, until it changes."""
        return self._moment != _NO_TIME

    def is_in_place(self) -> bool:
        """Whether the path still leads to the open file."""
        try:
            seen = os.stat(self._folder)  # noqa: PTH116 - at every event
        except FileNotFoundError:
            return False
        moment = (seen.st_ctime_ns, seen.st_ino, seen.st_dev)
        return moment == self._moment or self._matches_identity(moment)

    def is_recently_in_place(self) -> bool:
        """The same, but a recent positive answer is not checked again."""
        now = time.monotonic_ns()
        if now < self._trusted:
            return True
        if not self.is_in_place():
            return False
        self._trusted = now + TRUSTED_NS
        return True

    def _matches_identity(self, moment: tuple[int, int, int]) -> bool:
        # The folder was checked first: a change in between is seen the next time.
        settled = SystemClock().now() * 1_000_000 - moment[0] > _FRESH_NS
        self._moment = moment if settled else _NO_TIME
        try:
            seen = self._path.stat()
        except FileNotFoundError:
            return False
        return (seen.st_dev, seen.st_ino) == self._identity


def make_diverged_error(path: Path, line: int, why: str) -> StoreError:
    """Build the error for a table that differs from its journal."""
    return describe("LOG_DIVERGED", line=line, name=path.name, why=why).to_error(
        StoreError, where=SourceLocation(file=str(path), line=line)
    )


def make_behind_finding(path: Path, what: str, hint: str, line: int = 0) -> Finding:
    """Build the finding for a table that lacks rows which its journal has."""
    return Finding(
        code="LOG_BEHIND",
        severity="warning",
        message=f"{path.name!r} {what}",
        where=SourceLocation(file=str(path), line=line),
        hint=hint,
    )
