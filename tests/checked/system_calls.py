"""Replaces the system's calls: for callers they are steps, for all other threads the real ones."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.checked.call_router import REAL
from tests.checked.file_contents import FileContents
from tests.checked.file_names import FileNames
from tests.checked.schedule_run import get_caller

_FLOCK = fcntl.flock
_FAR = 1 << 40


class SystemCalls(FileContents, FileNames):
    """All system calls of callers."""

    def __init__(self) -> None:
        super().__init__()
        self._moment = 0

    @contextmanager
    def replace_calls(self) -> Iterator[None]:
        """Replace the calls while schedules are played."""
        names = {name: getattr(self, f"_{name}") for name in REAL}
        clocks: dict[str, Any] = {
            "sleep": self._sleep,
            "monotonic": self._choose_real_or(time.monotonic, 0.0),
            "time_ns": self._choose_real_or(time.time_ns, 0),
            "monotonic_ns": self._monotonic_ns(time.monotonic_ns),
        }
        paths: dict[str, Any] = {
            "read_bytes": lambda path: self._read_bytes(path),
            "write_bytes": lambda path, content: self._write_bytes(path, content),
        }
        with (
            patch.multiple(os, **names),
            patch.multiple(time, **clocks),
            patch.multiple(Path, **paths),
            patch.object(fcntl, "flock", self._flock),
        ):
            yield

    def _getpid(self) -> int:
        found = get_caller()
        return int(REAL["getpid"]()) if found is None else 1000 + found[1].number

    def _flock(self, fd: int, kind: int) -> None:
        at = self._find_disk(fd)
        if at is None:
            _FLOCK(fd, kind)
            return
        disk, name = at
        disk.do(f"{_name_lock(kind)} {name}", writes=(f"lock {name}",))
        try:
            _FLOCK(fd, kind)
        except BlockingIOError:
            disk.note_missed_lock(fd)
            raise
        if kind == fcntl.LOCK_UN:
            disk.note_unlock(fd)
        else:
            disk.note_lock(fd)

    def _sleep(self, _: float) -> None:
        # Other threads need not wait here: what they poll for does not happen during a schedule.
        if get_caller() is not None and self.disk is not None:
            self.disk.wait()

    def _choose_real_or(self, real: Callable[[], Any], still: Any) -> Callable[[], Any]:
        return lambda: real() if get_caller() is None else still

    def _monotonic_ns(self, real: Callable[[], int]) -> Callable[[], int]:
        """The time for all callers, so much later at each call that no cached value is trusted."""

        def read_moment() -> int:
            if get_caller() is None:
                return real()
            self._moment += _FAR
            return self._moment

        return read_moment


def _name_lock(kind: int) -> str:
    if kind == fcntl.LOCK_UN:
        return "unlocks"
    return "asks to share" if kind & fcntl.LOCK_SH else "asks to lock"
