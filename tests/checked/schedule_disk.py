"""All disk calls of callers, as steps; with faults where the plan has one.

Files and locks are real, in a folder of their own; only syncs are recorded instead of done,
so that a power cut can be simulated at any moment. A caller that is killed loses its locks,
and none of its cleanup code has an effect.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

from tests.checked.schedule_run import CallerGoneError, ScheduleCaller, ScheduleRun, get_caller
from tests.checked.step import make_step
from tests.checked.unpowered_disk import Files, UnpoweredDisk

Kind = Literal["killed", "torn", "short", "full", "unsynced"]
WRITING: tuple[Kind, ...] = ("torn", "short", "full")
SYNCING: tuple[Kind, ...] = ("unsynced",)
_CLOSE, _FLOCK = os.close, fcntl.flock


class DiskFault(NamedTuple):
    """A fault that occurs once."""

    caller: int
    """The caller in whose step it occurs."""
    at: int
    """The number of that step, from 0."""
    kind: Kind
    """Killed before the step, or in the middle of a write; short, full, unsynced."""


class _OpenFile(NamedTuple):
    name: str
    caller: int


class ScheduleDisk:
    """A folder that callers share, and the calls made on it."""

    def __init__(
        self, playing: ScheduleRun, root: Path, files: Files, fault: DiskFault | None = None
    ) -> None:
        self.root = root
        self.platter = UnpoweredDisk(files)
        self.asked = 0
        """How many calls could change what a power cut leaves."""
        self.faults: set[DiskFault] = set()
        """Every fault that would have been possible."""
        self.struck = False
        """Whether the fault has occurred."""
        self._playing = playing
        self._fault = fault
        self._open: dict[int, _OpenFile] = {}
        self._owned: set[int] = set()
        self._locks: dict[int, str] = {}
        self._freed: dict[str, int] = {}
        self._missed: dict[int, tuple[str, int]] = {}
        lay(root, files)

    def do(
        self,
        what: str,
        *,
        reads: tuple[str, ...] = (),
        writes: tuple[str, ...] = (),
        kinds: tuple[Kind, ...] = (),
    ) -> Kind | None:
        """Wait for a step; return how it fails, if it must fail."""
        caller = self._get_caller()
        possible = [DiskFault(caller.number, caller.steps, k) for k in ("killed", *kinds)]
        self.faults.update(possible)
        kind = self._fault.kind if self._fault in possible else None
        if kind == "killed":
            self._playing.reach_step(
                make_step(f"is killed: {what}", writes=self._list_locks(caller))
            )
            self.kill(caller)
        told = what if kind is None else f"{what}: {kind}"
        more = self._list_locks(caller) if kind == "torn" else ()
        self._playing.reach_step(make_step(told, reads=reads, writes=(*writes, *more)))
        self.struck = self.struck or kind is not None
        return kind

    def kill(self, caller: ScheduleCaller) -> None:
        """Kill a caller: its locks are released, and it does nothing more.

        Raises:
            CallerGoneError: Always.
        """
        caller.gone = self.struck = True
        for fd, name in list(self._locks.items()):
            if self._open[fd].caller == caller.number:
                _FLOCK(fd, fcntl.LOCK_UN)
                self._release_lock(fd, name)
        raise CallerGoneError

    def find_name(self, path: Any, dir_fd: int | None = None) -> str | None:
        """The name of a path in this folder; None if it is outside."""
        if isinstance(path, int):
            return self._open[path].name if path in self._open else None
        text = os.fsdecode(path)
        if dir_fd is not None:
            above = self._open[dir_fd].name if dir_fd in self._open else None
            return None if above is None else os.path.normpath(f"{above}/{text}")
        root = str(self.root)
        if text == root:
            return "."
        return text.removeprefix(root + "/") if text.startswith(root + "/") else None

    def note_open(self, fd: int, name: str, *, new: bool) -> None:
        """Note that a file was opened."""
        self._open[fd] = _OpenFile(name, self._get_caller().number)
        self._owned.discard(fd)
        if new:
            self.platter.make(name)
            self.asked += 1

    def note_link(self, old: str, new: str) -> None:
        """Note that a file has a second name, by which other callers know it."""
        self.platter.link(old, new)
        self.asked += 1
        for fd, each in self._open.items():
            if each.name == old:
                self._open[fd] = each._replace(name=new)
                if fd in self._locks:
                    self._locks[fd] = new

    def note_owner(self, fd: int) -> None:
        """Note that a file object closes the file by itself."""
        self._owned.add(fd)

    def note_close(self, fd: int) -> None:
        """Note that a file was closed and its lock released."""
        if fd in self._locks:
            self._release_lock(fd, self._locks[fd])
        self._open.pop(fd, None)

    def note_lock(self, fd: int) -> None:
        """Note that a lock was taken."""
        self._locks[fd] = self._open[fd].name

    def note_missed_lock(self, fd: int) -> None:
        """Note that a lock was not available."""
        name = self._open[fd].name
        self._missed[self._get_caller().number] = (name, self._freed.get(name, 0))

    def note_unlock(self, fd: int) -> None:
        """Note that a lock was released."""
        if fd in self._locks:
            self._release_lock(fd, self._locks[fd])

    def wait(self) -> None:
        """Wait until the unavailable lock may be available."""
        name, seen = self._missed[self._get_caller().number]
        ready = lambda: self._freed.get(name, 0) != seen  # noqa: E731 - called repeatedly
        self._playing.reach_step(
            make_step(f"waits for {name}", reads=(f"lock {name}",), ready=ready)
        )

    def holds_lock(self, fd: int) -> bool:
        """Whether an open file is locked through this descriptor."""
        return fd in self._locks

    def close(self) -> None:
        """Close the files that killed callers have left open."""
        for fd in self._open.keys() - self._owned:
            _CLOSE(fd)
        self._open.clear()

    def _get_caller(self) -> ScheduleCaller:
        found = get_caller()
        assert found is not None, "only callers do steps"
        return found[1]

    def _list_locks(self, caller: ScheduleCaller) -> tuple[str, ...]:
        return tuple(
            f"lock {name}"
            for fd, name in self._locks.items()
            if self._open[fd].caller == caller.number
        )

    def _release_lock(self, fd: int, name: str) -> None:
        del self._locks[fd]
        self._freed[name] = self._freed.get(name, 0) + 1


def lay(root: Path, files: Files) -> None:
    """Write files into a folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def read_files(root: Path) -> Files:
    """The files of a folder, by name."""
    return {str(p.relative_to(root)): p.read_bytes() for p in _list_regular(root)}


def _list_regular(root: Path) -> Iterator[Path]:
    return (path for path in sorted(root.rglob("*")) if path.is_file())


FAILED: dict[Kind, OSError] = {
    "full": OSError(errno.ENOSPC, "No space left on device"),
    "unsynced": OSError(errno.EIO, "Input/output error"),
}
"""The error that a caller receives."""
