"""Whether something has a name: a name that no file system holds is nobody's.

`Path` raises for names that are too long, up to Python 3.13; somebody who mistypes one
asks for what is not there, and is told so in the words of the room that was asked.
Other trouble, such as a folder that may not be looked into, is raised as ever.
"""

import errno
from collections.abc import Callable
from pathlib import Path


def is_file(path: Path) -> bool:
    """Whether it is a regular file, links followed.

    Raises:
        OSError: The system cannot say.
    """
    return _ask_file_system(path.is_file)


def is_folder(path: Path) -> bool:
    """Whether it is a folder, links followed.

    Raises:
        OSError: The system cannot say.
    """
    return _ask_file_system(path.is_dir)


def does_path_exist(path: Path) -> bool:
    """Whether anything has the name, links followed.

    Raises:
        OSError: The system cannot say.
    """
    return _ask_file_system(path.exists)


def is_link(path: Path) -> bool:
    """Whether it is a link itself, wherever that leads.

    Raises:
        OSError: The system cannot say.
    """
    return _ask_file_system(path.is_symlink)


def _ask_file_system(question: Callable[[], bool]) -> bool:
    try:
        return question()
    except OSError as problem:
        if problem.errno == errno.ENAMETOOLONG:
            return False
        raise
