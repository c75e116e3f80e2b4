"""Small files that somebody names: read at once, or not at all."""

import os
import stat
from pathlib import Path


class UnfitFileError(ValueError):
    """What is wrong with a file; reads on after its name: `is too large`."""


def small_file(path: str | Path, largest: int) -> bytes:
    """Everything in a regular file; a pipe is not waited for, nor a device read.

    Raises:
        UnfitFileError: It is no regular file, or has more bytes than that.
        OSError: It is not there, or cannot be read.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise UnfitFileError("is no regular file")
        content = stream.read(largest + 1)
    if len(content) > largest:
        raise UnfitFileError("is too large")
    return content
