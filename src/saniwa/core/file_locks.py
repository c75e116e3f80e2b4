"""File locks between processes: read, compare and write without another writer.

The lock is on a file of its own that is never renamed or removed. It ends when the
process that holds it ends.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from saniwa.core import atomic_files, system_calls
from saniwa.core.errors import StoreError
from saniwa.core.text import quote_value

LOCK_TIMEOUT_SECONDS: Final = 10.0
"""How many seconds to wait for another holder of the lock."""
LOCK_FILE_NAME: Final = ".saniwa.lock"
"""The file whose lock allows a process to write in its folder."""
_OWNER_ONLY: Final = 0o600
LockKind = Literal["exclusive", "shared"]
"""Whether others may read meanwhile."""
EXCLUSIVE: Final = "exclusive"
"""No other process reads or writes."""
SHARED: Final = "shared"
"""Other processes may read, none may write."""
_FIRST_WAIT = 50e-6
_LONGEST_WAIT = 1e-3
_GROWTH = 1.5


def acquire_lock(fd: int, kind: LockKind, until: float) -> bool:
    """Lock the open file; return False if it is still locked at `until`.

    `until` is on the clock of `time.monotonic`. Polls instead of waiting in the kernel,
    where a wait has no deadline.
    """
    wait = _FIRST_WAIT
    while not try_lock(fd, kind):
        if time.monotonic() >= until:
            return False
        time.sleep(wait)
        wait = min(wait * _GROWTH, _LONGEST_WAIT)
    return True


def try_lock(fd: int, kind: LockKind) -> bool:
    """Lock the open file if that is possible at once; return whether it was."""
    return system_calls.try_lock(fd, shared=kind == SHARED)


def release_lock(fd: int) -> None:
    """Unlock the open file, for every process that shares it by a fork."""
    system_calls.release_lock(fd)


def open_lock_file(file: Path, patience: float = LOCK_TIMEOUT_SECONDS) -> int:
    """Open and lock a file until it is closed; it is created if it does not exist.

    Raises:
        StoreError: `LOCK_TIMEOUT`.
        OSError: The file cannot be opened.
    """
    atomic_files.make_folder(file.parent)
    fd = system_calls.open_file(file, os.O_RDWR | os.O_CREAT, _OWNER_ONLY, follow=False)
    try:
        if acquire_lock(fd, EXCLUSIVE, time.monotonic() + patience):
            return fd
        raise _make_busy_error(file, patience)
    except BaseException:
        os.close(fd)
        raise


@contextmanager
def lock_folder(
    folder: Path, name: str = LOCK_FILE_NAME, patience: float = LOCK_TIMEOUT_SECONDS
) -> Iterator[None]:
    """Hold the folder's lock during the block; a second caller with the name waits.

    Raises:
        StoreError: `LOCK_TIMEOUT`; `FILE_UNWRITABLE` if the folder cannot be written.
    """
    try:
        fd = open_lock_file(folder / name, patience)
    except OSError as problem:
        raise StoreError(
            "FILE_UNWRITABLE",
            f"{quote_value(folder.name)} cannot be written: {problem.strerror}",
            hint="check the permissions of the folder and the free disk space",
        ) from problem
    try:
        yield
    finally:
        os.close(fd)


def _make_busy_error(file: Path, patience: float) -> StoreError:
    return StoreError(
        "LOCK_TIMEOUT",
        f"another process has held the lock {quote_value(file.name)} for {patience:g} seconds",
        hint="try again when it is done",
        recoverable=True,
    )
