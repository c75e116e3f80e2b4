"""The file under lines: regular, lasting, and whole up to its last line break."""

import os
import stat
from pathlib import Path
from typing import Final

_BLOCK: Final = 1 << 16


def whole_bytes(fd: int, size: int) -> int:
    """Bytes up to and with the last newline."""
    end = size
    while end > 0:
        start = max(end - _BLOCK, 0)
        found = os.pread(fd, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def open_regular(path: Path, flags: int) -> int:
    """An open file; a pipe is not waited for.

    Raises:
        OSError: It cannot be opened, or is no regular file.
    """
    fd = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise OSError(0, "it is no regular file")
    return fd
