"""Opening files below a folder without following links.

Each name is opened from the folder before it, so no other process can redirect the path
meanwhile; the file opened last is the one that is used. Also reads small regular files.
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
    """A name in the path is a link; carries the system's error number and text."""


def open_inside(here: int, name: str) -> int:
    """Open a name in an open folder for reading, without waiting for a pipe.

    Raises:
        SymlinkError: The name is a link.
        OSError: It cannot be opened.
    """
    return _open_name(here, name, 0)


def open_folder_inside(here: int, name: str) -> int:
    """Open a folder in an open folder.

    Raises:
        SymlinkError: The name is a link.
        OSError: It cannot be opened, or is not a folder.
    """
    return _open_name(here, name, os.O_DIRECTORY)


def make_folder_inside(here: int, name: str) -> int:
    """Open a folder in an open folder; it is created if it does not exist.

    Raises:
        OSError: It cannot be created, or is not a folder.
    """
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=here)
    return open_folder_inside(here, name)


@contextmanager
def open_folder_path(
    top: Path, names: Sequence[str], step: FolderOpener = open_folder_inside
) -> Iterator[int]:
    """Open the folder at the end of `names`; its descriptor is closed afterwards.

    `top` is trusted and may be reached through links; nothing below it may.

    Raises:
        OSError: `top` cannot be opened; or any error that `step` raises.
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
        is_link = False
        with suppress(OSError):
            state = os.stat(name, dir_fd=here, follow_symlinks=False)
            is_link = stat.S_ISLNK(state.st_mode)
        if is_link:
            raise SymlinkError(problem.errno, problem.strerror) from problem
        raise


class UnfitFileError(OSError):
    """A file cannot be used; the text continues its name: `is too large`."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(number, why)

    def __str__(self) -> str:
        return str(self.strerror)


def read_small_file(path: str | Path, largest: int) -> bytes:
    """Read a regular file, without waiting for a pipe or reading a device.

    Raises:
        UnfitFileError: It is not a regular file, or is larger than `largest` bytes.
        OSError: It does not exist, or cannot be read.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    return _read_regular(handle, largest)


def read_inside(top: Path, names: Sequence[str], largest: int) -> bytes:
    """Read a regular file below `top`, as `read_small_file` does; follows no link.

    Raises:
        UnfitFileError, OSError: As for `read_small_file` and `open_folder_path`.
    """
    with open_folder_path(top, names[:-1]) as here:
        return read_regular_inside(here, names[-1], largest)


def check_inside(top: Path, names: Sequence[str]) -> None:
    """Check that there is a regular file below `top` that can be read; follows no link.

    Raises:
        UnfitFileError, OSError: As for `read_inside`.
    """
    with open_folder_path(top, names[:-1]) as here:
        _read_regular(open_inside(here, names[-1]), None)


def read_regular_inside(here: int, name: str, largest: int) -> bytes:
    """Read a regular file in an open folder; follows no link.

    Raises:
        UnfitFileError, OSError: As for `read_small_file`.
    """
    return _read_regular(open_inside(here, name), largest)


def _read_regular(handle: int, largest: int | None) -> bytes:
    """Read an open file and close it; without `largest`, nothing is read."""
    with os.fdopen(handle, "rb") as stream:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise UnfitFileError(errno.EINVAL, "is no regular file")
        if largest is None:
            return b""
        content = stream.read(min(state.st_size, largest) + 1)
    if len(content) > largest:
        raise UnfitFileError(errno.EFBIG, f"has more than {largest} bytes")
    return content
