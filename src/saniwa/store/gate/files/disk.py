"""Putting bytes where they last: whole files, folders and the names in them."""

import os
from pathlib import Path


def make(folder: Path) -> None:
    """Make a folder that lasts, with those above it.

    Raises:
        OSError: It cannot be made.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(exist_ok=True)
        sync_folder(each.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last, not only what the files hold.

    Raises:
        OSError: The disk does not answer for it.
    """
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def opened(path: Path, flags: int = 0) -> tuple[int, OSError | None]:
    """A file opened for reading and writing; for reading alone where no more is allowed.

    Says also why it cannot be written; None if it can.

    Raises:
        FileNotFoundError: There is none.
        OSError: It cannot even be read.
    """
    # Without noting when it was read, which costs a write; only its owner may ask for it.
    for more in (os.O_RDWR | os.O_NOATIME, os.O_RDWR):
        try:
            return os.open(path, more | flags), None
        except FileNotFoundError:
            raise
        except OSError as problem:
            refusal = problem
    return to_read(path), refusal


def to_read(path: Path) -> int:
    """A file opened for reading.

    Raises:
        OSError: It cannot be read: it is a folder, a pipe, or not there.
    """
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        os.pread(fd, 1, 0)
    except OSError:
        os.close(fd)
        raise
    return fd


def write_all(fd: int, content: bytes) -> None:
    """Write at the file's end (or wherever it stands), all of it.

    Raises:
        OSError: It took only a part.
    """
    written = os.write(fd, content)
    if written != len(content):
        raise OSError(0, f"it took {written} of {len(content)} bytes")


def put(path: Path, content: bytes, mode: int = 0o666) -> None:
    """A new file with this content, or none: there is no moment with half of it.

    Raises:
        OSError: It cannot be written.
    """
    beside = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
        try:
            write_all(fd, content)
            os.fsync(fd)
        finally:
            os.close(fd)
        beside.replace(path)
    except OSError:
        beside.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)
