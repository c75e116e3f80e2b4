"""Writes the files an agent hands in: below one folder, whole or not at all.

No link is followed on the way, and a file that is there is replaced only by its content
being written beside it first.
"""

import os
import stat
from pathlib import Path

from saniwa.core.inside import folder_made, walked
from saniwa.core.lasting import put
from saniwa.core.quoted import quoted
from saniwa.process.ports import EvidenceError
from saniwa.process.weighing.place import steps_of

LARGEST = 10_000_000
"""Bytes of one file."""


class FolderBench:
    """Files below one folder, which is made when the first is written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, path: str, content: bytes) -> None:
        """Write a file and the folders that lead to it.

        Raises:
            EvidenceError: The path leads elsewhere, through a link, or to no file; the
                content is too large; or the system says no.
        """
        steps = steps_of(path)
        if len(content) > LARGEST:
            raise EvidenceError(f"{quoted(path)} has more than {LARGEST} bytes")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with walked(self._folder, steps[:-1], folder_made) as here:
                _replace(here, steps[-1], content)
        except OSError as problem:
            why = problem.strerror or type(problem).__name__
            raise EvidenceError(f"{quoted(path)} cannot be written: {why}") from problem


def _replace(here: int, name: str, content: bytes) -> None:
    if _is_other(here, name):
        raise OSError(0, "it is there, and is no regular file")
    put(here, name, content)


def _is_other(here: int, name: str) -> bool:
    try:
        found = os.stat(name, dir_fd=here, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(found.st_mode)
