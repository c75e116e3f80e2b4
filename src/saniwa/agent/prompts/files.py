"""Opens files inside an agent's folder, one folder at a time, or not at all.

No link is followed below the agent's folder, no pipe is waited for, no endless file
read.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from saniwa.core.safe_open import SymlinkError, open_folder_path, open_inside
from saniwa.process.evidence_paths import split_file_path, split_folder_path
from saniwa.process.ports import EvidenceError

MOST_NAMES_LISTED = 1_000
"""The most files of one folder."""


class PromptFileMissingError(Exception):
    """There is no such file."""


class OutsideFolderError(Exception):
    """Why a path could lead out of the agent's folder; a complete sentence."""


class UnreadableFileError(Exception):
    """Why a file cannot be read; continues a sentence that begins with its name."""


def read_inside(folder: Path, path: str, largest: int) -> bytes:
    """Read a regular file below a folder.

    Raises:
        PromptFileMissingError: There is no such file.
        OutsideFolderError: The path leads out, or through a link.
        UnreadableFileError: It is not a regular file, is too large, or cannot be read.
    """
    with _open_file(folder, path) as (handle, size):
        try:
            with os.fdopen(handle, "rb", closefd=False) as stream:
                # At most one byte too many.
                content = stream.read(min(size, largest) + 1)
        except OSError as problem:
            raise UnreadableFileError(f"cannot be read: {problem.strerror}") from problem
    if len(content) > largest:
        raise UnreadableFileError(f"has more than {largest} bytes")
    return content


def check_file(folder: Path, path: str) -> None:
    """Check that there is a readable file below a folder.

    Raises:
        PromptFileMissingError: There is no such file.
        OutsideFolderError: The path leads out, or through a link.
        UnreadableFileError: It is not a regular file, or cannot be opened.
    """
    with _open_file(folder, path):
        pass


@contextmanager
def _open_file(folder: Path, path: str) -> Iterator[tuple[int, int]]:
    """Open a regular file; yield its descriptor and its size."""
    steps = _split_path(split_file_path, path)
    with _open_folder(folder, steps[:-1], path) as here:
        handle = open_inside(here, steps[-1])
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise UnreadableFileError("is no regular file")
        yield handle, state.st_size
    finally:
        os.close(handle)


def list_names_inside(folder: Path, path: str) -> tuple[str, ...]:
    """List the names in a subfolder, sorted; empty if there is no such folder.

    Raises:
        OutsideFolderError: The path leads out, or through a link.
        UnreadableFileError: It cannot be read, or has too many files.
    """
    try:
        steps = _split_path(split_folder_path, path)
        with _open_folder(folder, steps, path) as here, os.scandir(here) as entries:
            names = [entry.name for entry in islice(entries, MOST_NAMES_LISTED + 1)]
    except PromptFileMissingError:
        return ()
    if len(names) > MOST_NAMES_LISTED:
        raise UnreadableFileError(f"has more than {MOST_NAMES_LISTED} files")
    return tuple(sorted(names))


def _split_path(read: Callable[[str], tuple[str, ...]], path: str) -> tuple[str, ...]:
    try:
        return read(path)
    except EvidenceError as problem:
        raise OutsideFolderError(str(problem)) from problem


@contextmanager
def _open_folder(folder: Path, steps: Sequence[str], path: str) -> Iterator[int]:
    """Open the folder at the end of a path; the descriptor is closed afterwards."""
    try:
        with open_folder_path(folder, steps) as here:
            yield here
    except SymlinkError as problem:
        why = f"{path!r} leads through a link, and links are not followed"
        raise OutsideFolderError(why) from problem
    except (OSError, ValueError) as problem:
        raise _to_file_error(problem) from problem


def _to_file_error(problem: OSError | ValueError) -> Exception:
    if isinstance(problem, ValueError):
        return UnreadableFileError(f"cannot be opened: {problem}")
    if problem.errno in (errno.ENOENT, errno.ENOTDIR):
        return PromptFileMissingError()
    if problem.errno == errno.ENXIO:
        return UnreadableFileError("is no regular file")
    return UnreadableFileError(f"cannot be opened: {problem.strerror}")
