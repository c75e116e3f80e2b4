"""Small files that somebody names: read at once, or not at all."""

import errno
import os
import stat
from pathlib import Path


class UnfitFileError(OSError):
    """What is wrong with a file; reads on after its name: `is too large`."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(number, why)

    def __str__(self) -> str:
        return str(self.strerror)


def small_file(path: str | Path, largest: int) -> bytes:
    """Everything in a regular file; a pipe is not waited for, nor a device read.

    Raises:
        UnfitFileError: It is no regular file, or has more bytes than that.
        OSError: It is not there, or cannot be read.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    with os.fdopen(handle, "rb") as stream:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise UnfitFileError(errno.EINVAL, "is no regular file")
        content = stream.read(min(state.st_size, largest) + 1)
    if len(content) > largest:
        raise UnfitFileError(errno.EFBIG, f"has more than {largest} bytes")
    return content
