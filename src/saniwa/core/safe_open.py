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
from typing import BinaryIO

from saniwa.core import system_calls

FolderOpener = Callable[[int, str], int]
"""Opens a name in an open folder."""
_READING = os.O_RDONLY | system_calls.NO_WAITING


class SymlinkError(OSError):
    """A name in the path is a link; carries the system's error number and text."""


def open_inside(here: int, name: str) -> int:
    """Open a name in an open folder for reading, without waiting for a pipe.

    Raises:
        SymlinkError: The name is a link.
        OSError: It cannot be opened.
    """
    with _report_link(here, name):
        return system_calls.open_file(name, _READING, here=here, follow=False)


def open_folder_inside(here: int, name: str) -> int:
    """Open a folder in an open folder.

    Raises:
        SymlinkError: The name is a link.
        OSError: It cannot be opened, or is not a folder.
    """
    with _report_link(here, name):
        return system_calls.open_folder(name, here)


def make_folder_inside(here: int, name: str) -> int:
    """Open a folder in an open folder; it is created if it does not exist.

    Raises:
        OSError: It cannot be created, or is not a folder.
    """
    with suppress(FileExistsError):
        system_calls.make_folder(name, here)
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
    here = system_calls.open_folder(top)
    try:
        for name in names:
            inner = step(here, name)
            system_calls.close_folder(here)
            here = inner
        yield here
    finally:
        system_calls.close_folder(here)


@contextmanager
def _report_link(here: int, name: str) -> Iterator[None]:
    """Raise `SymlinkError` if the name cannot be opened because it is a link."""
    try:
        yield
    except OSError as problem:
        is_link = False
        with suppress(OSError):
            state = system_calls.read_state(name, here)
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
    handle = system_calls.open_file(path, _READING)
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
    with open_regular_inside(top, names):
        pass


@contextmanager
def open_regular_inside(top: Path, names: Sequence[str]) -> Iterator[BinaryIO]:
    """Open a regular file below `top` for reading, during the block; follows no link.

    Raises:
        UnfitFileError, OSError: As for `read_inside`.
    """
    with open_folder_path(top, names[:-1]) as here:
        handle = open_inside(here, names[-1])
    with _open_regular(handle) as stream:
        yield stream


def read_regular_inside(here: int, name: str, largest: int) -> bytes:
    """Read a regular file in an open folder; follows no link.

    Raises:
        UnfitFileError, OSError: As for `read_small_file`.
    """
    return _read_regular(open_inside(here, name), largest)


@contextmanager
def _open_regular(handle: int) -> Iterator[BinaryIO]:
    with os.fdopen(handle, "rb") as stream:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise UnfitFileError(errno.EINVAL, "is not a regular file")
        yield stream


def _read_regular(handle: int, largest: int) -> bytes:
    """Read an open file and close it."""
    with _open_regular(handle) as stream:
        content = stream.read(min(os.fstat(handle).st_size, largest) + 1)
    if len(content) > largest:
        raise UnfitFileError(errno.EFBIG, f"has more than {largest} bytes")
    return content
