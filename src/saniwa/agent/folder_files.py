"""Opens files inside an agent's folder, one folder at a time, or not at all.

No link is followed below the agent's folder, no pipe is waited for, no endless file
read.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from saniwa.core import safe_open
from saniwa.core.system_calls import scan_folder
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
    with _explain_problems(path):
        return safe_open.read_inside(folder, split_file_path(path), largest)


def check_file(folder: Path, path: str) -> None:
    """Check that there is a readable file below a folder.

    Raises:
        PromptFileMissingError: There is no such file.
        OutsideFolderError: The path leads out, or through a link.
        UnreadableFileError: It is not a regular file, or cannot be opened.
    """
    with _explain_problems(path):
        safe_open.check_inside(folder, split_file_path(path))


def list_names_inside(folder: Path, path: str) -> tuple[str, ...]:
    """List the names in a subfolder, sorted; empty if there is no such folder.

    Raises:
        OutsideFolderError: The path leads out, or through a link.
        UnreadableFileError: It cannot be read, or has too many files.
    """
    names: list[str] = []
    with suppress(PromptFileMissingError), _explain_problems(path):
        steps = split_folder_path(path)
        with safe_open.open_folder_path(folder, steps) as here, scan_folder(here) as entries:
            names = [entry.name for entry in islice(entries, MOST_NAMES_LISTED + 1)]
    if len(names) > MOST_NAMES_LISTED:
        raise UnreadableFileError(f"has more than {MOST_NAMES_LISTED} files")
    return tuple(sorted(names))


@contextmanager
def _explain_problems(path: str) -> Iterator[None]:
    """Convert what goes wrong with a path to one of the errors above."""
    try:
        yield
    except EvidenceError as problem:
        raise OutsideFolderError(str(problem)) from problem
    except safe_open.SymlinkError as problem:
        why = f"{path!r} is reached through a symbolic link, which is not followed"
        raise OutsideFolderError(why) from problem
    except safe_open.UnfitFileError as problem:
        raise UnreadableFileError(str(problem)) from problem
    except (FileNotFoundError, NotADirectoryError) as problem:
        raise PromptFileMissingError from problem
    except (OSError, ValueError) as problem:
        is_unfit = getattr(problem, "errno", 0) in (errno.ENXIO, errno.EISDIR)
        why = getattr(problem, "strerror", None) or str(problem)
        text = "is not a regular file" if is_unfit else f"cannot be opened: {why}"
        raise UnreadableFileError(text) from problem
