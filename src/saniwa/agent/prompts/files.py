"""Files of an agent: opened one folder at a time inside its own, or not at all.

No link is followed below the agent's folder, no pipe is waited for, no endless file read.
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
"""Files of one folder that are looked at."""


class PromptFileMissingError(Exception):
    """There is no such file."""


class OutsideFolderError(Exception):
    """Why a path could lead out of the agent's folder; a whole sentence."""


class UnreadableFileError(Exception):
    """What keeps a file from being read; reads on after its name."""


def read_inside(folder: Path, path: str, largest: int) -> bytes:
    """Everything in a regular file below a folder.

    Raises:
        MissingError: There is no such file.
        OutsideError: The path leads out, or through a link.
        UnfitError: It is no regular file, has more bytes than that, or cannot be read.
    """
    steps = _split_path(split_file_path, path)
    with _open_folder(folder, steps[:-1], path) as here:
        handle = open_inside(here, steps[-1])
    try:
        content = _read_content(handle, largest)
    except OSError as problem:
        raise UnreadableFileError(f"cannot be read: {problem.strerror}") from problem
    finally:
        os.close(handle)
    if len(content) > largest:
        raise UnreadableFileError(f"has more than {largest} bytes")
    return content


def check_file(folder: Path, path: str) -> None:
    """See that there is a file below a folder that could be read.

    Raises:
        MissingError: There is no such file.
        OutsideError: The path leads out, or through a link.
        UnfitError: It is no regular file, or cannot be opened.
    """
    steps = _split_path(split_file_path, path)
    with _open_folder(folder, steps[:-1], path) as here:
        handle = open_inside(here, steps[-1])
    try:
        _check_regular(handle)
    finally:
        os.close(handle)


def _check_regular(handle: int) -> os.stat_result:
    state = os.fstat(handle)
    if not stat.S_ISREG(state.st_mode):
        raise UnreadableFileError("is no regular file")
    return state


def _read_content(handle: int, largest: int) -> bytes:
    """Everything in an open file, and no more than one byte too many."""
    state = _check_regular(handle)
    with os.fdopen(handle, "rb", closefd=False) as stream:
        return stream.read(min(state.st_size, largest) + 1)


def list_names_inside(folder: Path, path: str) -> tuple[str, ...]:
    """The names in a folder below a folder, sorted; none where there is no such one.

    Raises:
        OutsideError: The path leads out, or through a link.
        UnfitError: It cannot be read, or holds too many.
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


def find_path_escape(path: str) -> str:
    """Why a path could lead out of its folder, by its letters alone; empty if it cannot."""
    try:
        split_folder_path(path)
    except EvidenceError as problem:
        return str(problem)
    return ""


def _split_path(read: Callable[[str], tuple[str, ...]], path: str) -> tuple[str, ...]:
    try:
        return read(path)
    except EvidenceError as problem:
        raise OutsideFolderError(str(problem)) from problem


@contextmanager
def _open_folder(folder: Path, steps: Sequence[str], path: str) -> Iterator[int]:
    """The folder at the end of some steps, as a descriptor that is closed afterwards."""
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
