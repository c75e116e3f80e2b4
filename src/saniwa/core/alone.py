"""One at a time in a place, whichever process: read, compare and write with nobody between.

The lock is on a file of its own that is never renamed or removed, and lasts no longer than
whoever holds it.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from saniwa.core import lasting, lock
from saniwa.core.errors import StoreError
from saniwa.core.quoted import quoted

PATIENCE: Final = 10.0
"""Seconds to wait for somebody else."""
NAME: Final = ".saniwa.lock"
"""The file whose holder may write in its folder."""
_OWNER_ALONE: Final = 0o600
_FLAGS: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


def held(file: Path, patience: float = PATIENCE) -> int:
    """The lock's file, open and held until it is closed; made where it is not there.

    Raises:
        StoreError: `LOCK_TIMEOUT`.
        OSError: It cannot be opened.
    """
    lasting.make_folder(file.parent)
    fd = os.open(file, _FLAGS, _OWNER_ALONE)
    try:
        if lock.take(fd, lock.ALONE, time.monotonic() + patience):
            return fd
        raise _busy(file, patience)
    except BaseException:
        os.close(fd)
        raise


@contextmanager
def alone(folder: Path, name: str = NAME, patience: float = PATIENCE) -> Iterator[None]:
    """Nobody else who asks so, by the same name, writes in the folder meanwhile.

    Raises:
        StoreError: `LOCK_TIMEOUT`; `FILE_UNWRITABLE` where the folder cannot be written.
    """
    try:
        fd = held(folder / name, patience)
    except OSError as problem:
        raise StoreError(
            "FILE_UNWRITABLE",
            f"{quoted(folder.name)} cannot be written: {problem.strerror}",
            hint="see whether the folder may be written to, and the disk has room",
        ) from problem
    try:
        yield
    finally:
        os.close(fd)


def _busy(file: Path, patience: float) -> StoreError:
    return StoreError(
        "LOCK_TIMEOUT",
        f"somebody else has been holding {quoted(file.name)} for {patience:g} seconds",
        hint="try again when they are done",
        recoverable=True,
    )
