"""What every call of a caller goes through: whose it is, and what it is asked of."""

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
"""The system's own calls, as they were before anybody listened."""


class CallRouter:
    """Routes what callers ask of the system to the disk of their schedule."""

    def __init__(self) -> None:
        self.disk: ScheduleDisk | None = None
        """Where the callers of this schedule work."""

    def _find_disk(self, path: Any, dir_fd: int | None = None) -> tuple[ScheduleDisk, str] | None:
        """The disk and the name; None for what is no caller's or lies elsewhere."""
        found = get_caller()
        if found is None or self.disk is None:
            return None
        if found[1].gone:
            raise CallerGoneError
        name = self.disk.find_name(path, dir_fd)
        return None if name is None else (self.disk, name)


def is_there(path: Path) -> bool:
    """Whether something has the name; no step of anybody's."""
    try:
        REAL["lstat"](path)
    except OSError:
        return False
    return True


def list_content_changes(name: str) -> tuple[str, str]:
    """What changes with what a file holds."""
    return f"file {name}", f"lasting {name}"


def list_name_changes(name: str) -> tuple[str, str]:
    """What changes with a name in a folder."""
    folder = os.path.dirname(name) or "."  # noqa: PTH120 - a name, not a path
    return f"folder {folder}", f"lasting {folder}"
