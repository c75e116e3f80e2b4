"""The way to something below a folder: one name at a time, and never through a link.

Each step is opened from the folder before it, so nobody can turn the way while we are
on it; what was opened in the end is the very thing that is used.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

FolderOpener = Callable[[int, str], int]
"""Opens a name in an open folder."""
_OPEN_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY


class SymlinkError(OSError):
    """A link stands in the way; what the system said is kept."""


def open_inside(here: int, name: str) -> int:
    """Open what has this name in an open folder, for reading; no pipe is waited for.

    Raises:
        LinkError: It is a link.
        OSError: It cannot be opened.
    """
    return _open_name(here, name, 0)


def open_folder_inside(here: int, name: str) -> int:
    """The same for a folder.

    Raises:
        LinkError: It is a link.
        OSError: It cannot be opened, or is no folder.
    """
    return _open_name(here, name, os.O_DIRECTORY)


def make_folder_inside(here: int, name: str) -> int:
    """The folder of this name in an open one, made where it is not there.

    Raises:
        OSError: It cannot be made, or is no folder.
    """
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=here)
    return open_folder_inside(here, name)


@contextmanager
def open_folder_path(
    top: Path, names: Sequence[str], step: FolderOpener = open_folder_inside
) -> Iterator[int]:
    """The folder at the end of some names, as a descriptor that is closed afterwards.

    `top` is ours and may be reached through links; nothing below it may.

    Raises:
        OSError: `top` cannot be opened; or what `step` raises.
    """
    here = os.open(top, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        for name in names:
            inner = step(here, name)
            os.close(here)
            here = inner
        yield here
    finally:
        os.close(here)


def _open_name(here: int, name: str, more: int) -> int:
    try:
        return os.open(name, _OPEN_FLAGS | more, dir_fd=here)
    except OSError as problem:
        if _is_link(here, name):
            raise SymlinkError(problem.errno, problem.strerror) from problem
        raise


def _is_link(here: int, name: str) -> bool:
    try:
        state = os.stat(name, dir_fd=here, follow_symlinks=False)
    except OSError:
        return False
    return stat.S_ISLNK(state.st_mode)


class UnfitFileError(OSError):
    """What is wrong with a file; reads on after its name: `is too large`."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(number, why)

    def __str__(self) -> str:
        return str(self.strerror)


def read_small_file(path: str | Path, largest: int) -> bytes:
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
