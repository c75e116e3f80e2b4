"""Tests on paths for which a name that is too long counts as not found.

`Path` raises for such names up to Python 3.13. A user who mistypes a name should get
the usual "not found" message of the caller instead. Other errors, such as a folder that
may not be read, are raised as usual.
"""

import errno
from collections.abc import Callable
from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether the path is a regular file; links are followed.

    Raises:
        OSError: The file system cannot be queried.
    """
    return _ask_file_system(path.is_file)


def is_folder(path: Path) -> bool:
    """Whether the path is a folder; links are followed.

    Raises:
        OSError: The file system cannot be queried.
    """
    return _ask_file_system(path.is_dir)


def does_path_exist(path: Path) -> bool:
    """Whether the path exists; links are followed.

    Raises:
        OSError: The file system cannot be queried.
    """
    return _ask_file_system(path.exists)


def is_link(path: Path) -> bool:
    """Whether the path itself is a link, even a broken one.

    Raises:
        OSError: The file system cannot be queried.
    """
    return _ask_file_system(path.is_symlink)


def _ask_file_system(question: Callable[[], bool]) -> bool:
    try:
        return question()
    except OSError as problem:
        if problem.errno == errno.ENAMETOOLONG:
            return False
        raise
