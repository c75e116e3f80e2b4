"""Finds, for every system call, the caller that made it and the disk and file it concerns."""

import os
from pathlib import Path
from typing import Any, Final

from tests.checked.schedule_disk import ScheduleDisk
from tests.checked.schedule_run import CallerGoneError, get_caller

REAL: Final[dict[str, Any]] = {
    name: getattr(os, name)
    for name in (
        *("open", "close", "fdopen", "read", "pread", "write", "pwrite", "ftruncate"),
        *("fsync", "fdatasync", "replace", "link", "unlink", "mkdir", "stat", "lstat"),
        *("fstat", "lseek", "listdir", "getpid"),
    )
}
"""The system's own calls, saved before they are replaced."""


class CallRouter:
    """Routes the system calls of callers to the disk of their schedule."""

    def __init__(self) -> None:
        self.disk: ScheduleDisk | None = None
        """The disk of the callers of this schedule."""

    def _find_disk(self, path: Any, dir_fd: int | None = None) -> tuple[ScheduleDisk, str] | None:
        """The disk and the name; None if no caller makes the call or the path is elsewhere."""
        found = get_caller()
        if found is None or self.disk is None:
            return None
        if found[1].gone:
            raise CallerGoneError
        name = self.disk.find_name(path, dir_fd)
        return None if name is None else (self.disk, name)


def is_there(path: Path) -> bool:
    """Whether a file or folder has the name; not counted as a step of a caller."""
    try:
        REAL["lstat"](path)
    except OSError:
        return False
    return True


def list_content_changes(name: str) -> tuple[str, str]:
    """What changes when the content of a file changes."""
    return f"file {name}", f"lasting {name}"


def list_name_changes(name: str) -> tuple[str, str]:
    """What changes when a name is added to a folder or removed from it."""
    folder = os.path.dirname(name) or "."  # noqa: PTH120 - a name, not a path
    return f"folder {folder}", f"lasting {folder}"
