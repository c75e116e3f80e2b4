"""Opening files of a log, and writing to them all or saying so."""

import os
from pathlib import Path


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
