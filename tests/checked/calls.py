"""The system's calls, in whose place callers meet steps; everybody else meets the system."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.checked.disk import FAILED, SYNCING, WRITING, Disk
from tests.checked.playing import GoneError, here

_REAL: dict[str, Any] = {
    name: getattr(os, name)
    for name in (
        *("open", "close", "fdopen", "read", "pread", "write", "pwrite", "ftruncate"),
        *("fsync", "fdatasync", "replace", "link", "unlink", "mkdir", "stat", "lstat"),
        *("fstat", "lseek", "listdir", "getpid"),
    )
}
_FLOCK, _READ, _WRITE = fcntl.flock, Path.read_bytes, Path.write_bytes
_FAR = 1 << 40


class Calls:
    """Routes what callers ask of the system to the disk of their schedule."""

    def __init__(self) -> None:
        self.disk: Disk | None = None
        """Where the callers of this schedule work."""
        self._moments: dict[int, int] = {}

    @contextmanager
    def heard(self) -> Iterator[None]:
        """Listen, for as long as schedules are played."""
        names = {name: getattr(self, f"_{name}") for name in _REAL}
        clocks: dict[str, Any] = {
            "sleep": self._sleep,
            "monotonic": self._real_or(time.monotonic, 0.0),
            "time_ns": self._real_or(time.time_ns, 0),
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

    def _where(self, path: Any, dir_fd: int | None = None) -> tuple[Disk, str] | None:
        """The disk and the name; None for what is no caller's or lies elsewhere."""
        found = here()
        if found is None or self.disk is None:
            return None
        if found[1].gone:
            raise GoneError
        name = self.disk.named(path, dir_fd)
        return None if name is None else (self.disk, name)

    def _open(
        self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None
    ) -> int:
        at = self._where(path, dir_fd)
        fd: int
        if at is None:
            return int(_REAL["open"](path, flags, mode, dir_fd=dir_fd))
        disk, name = at
        makes = bool(flags & os.O_CREAT)
        named = (f"name {name}",)
        above = _above(name) if makes else ()
        reads, writes = ((), (*named, *above)) if makes else (named, ())
        disk.do(f"{'makes' if makes else 'opens'} {name}", reads=reads, writes=writes)
        new = makes and not _is_there(disk.root / name)
        fd = _REAL["open"](path, flags, mode, dir_fd=dir_fd)
        disk.opened(fd, name, new=new)
        return fd

    def _close(self, fd: int) -> None:
        at = self._where(fd)
        if at is not None:
            disk, name = at
            held = (f"lock {name}",) if disk.holds(fd) else ()
            if held:
                disk.do(f"closes {name}", writes=held)
            disk.closed(fd)
        _REAL["close"](fd)

    def _fdopen(self, fd: int, *more: Any, **others: Any) -> Any:
        at = self._where(fd)
        if at is not None:
            at[0].own(fd)
        return _REAL["fdopen"](fd, *more, **others)

    def _pread(self, fd: int, size: int, start: int) -> bytes:
        self._looks_into(fd, "reads")
        content: bytes = _REAL["pread"](fd, size, start)
        return content

    def _read(self, fd: int, size: int) -> bytes:
        self._looks_into(fd, "reads")
        content: bytes = _REAL["read"](fd, size)
        return content

    def _fstat(self, fd: int) -> os.stat_result:
        self._looks_into(fd, "asks for the size of")
        found: os.stat_result = _REAL["fstat"](fd)
        return found

    def _lseek(self, fd: int, to: int, how: int) -> int:
        if how == os.SEEK_END:
            self._looks_into(fd, "looks for the end of")
        return int(_REAL["lseek"](fd, to, how))

    def _looks_into(self, fd: int, what: str) -> None:
        at = self._where(fd)
        if at is not None:
            at[0].do(f"{what} {at[1]}", reads=(f"file {at[1]}",))

    def _pwrite(self, fd: int, content: bytes, start: int) -> int:
        return self._written(fd, content, start)

    def _write(self, fd: int, content: bytes) -> int:
        return self._written(fd, content, None)

    def _written(self, fd: int, content: bytes, start: int | None) -> int:
        at = self._where(fd)
        real = _REAL["write"] if start is None else _REAL["pwrite"]
        more = () if start is None else (start,)
        if at is None:
            return int(real(fd, content, *more))
        disk, name = at
        told = f"writes {len(content)} bytes to {name}"
        fault = disk.do(told, writes=_content(name), kinds=WRITING)
        if fault == "full":
            raise FAILED[fault]
        part = bytes(content)[: len(content) // 2] if fault else bytes(content)
        written = int(real(fd, part, *more))
        place = _REAL["lseek"](fd, 0, os.SEEK_CUR) - written if start is None else start
        disk.platter.write(name, place, part)
        disk.asked += 1
        if fault == "torn":
            found = here()
            assert found is not None, "callers write"
            disk.kill(found[1])
        return written

    def _ftruncate(self, fd: int, size: int) -> None:
        at = self._where(fd)
        if at is not None:
            disk, name = at
            disk.do(f"cuts {name} to {size} bytes", writes=_content(name))
            disk.platter.cut(name, size)
            disk.asked += 1
        _REAL["ftruncate"](fd, size)

    def _fsync(self, fd: int) -> None:
        at = self._where(fd)
        if at is None:
            return
        disk, name = at
        # What others read is the same before and after; what a power cut leaves is not.
        fault = disk.do(f"syncs {name}", writes=(f"lasting {name}",), kinds=SYNCING)
        disk.asked += 1
        if fault is not None:
            disk.platter.doubt(name)
            raise FAILED[fault]
        disk.platter.sync(name)

    def _fdatasync(self, fd: int) -> None:
        self._fsync(fd)

    def _replace(self, old: Any, new: Any, **folders: Any) -> None:
        at = self._where(old, folders.get("src_dir_fd"))
        to = self._where(new, folders.get("dst_dir_fd"))
        if at is not None and to is not None:
            disk, one, other = *at, to[1]
            kinds = ("name", "file", "lasting")
            things = [f"{kind} {n}" for n in (one, other) for kind in kinds]
            above = (*_above(one), *_above(other))
            disk.do(f"puts {one} in place of {other}", writes=(*things, *above))
            disk.platter.move(one, other)
            disk.asked += 1
        _REAL["replace"](old, new, **folders)

    def _link(self, old: Any, new: Any, **folders: Any) -> None:
        assert self._where(old) is None, "no caller links, so no step is known for it"
        _REAL["link"](old, new, **folders)

    def _unlink(self, path: Any, *, dir_fd: int | None = None) -> None:
        at = self._where(path, dir_fd)
        if at is not None:
            disk, name = at
            there = _is_there(disk.root / name)
            disk.do(f"removes {name}", writes=(f"name {name}", *_above(name)))
            if there:
                disk.platter.remove(name)
                disk.asked += 1
        _REAL["unlink"](path, dir_fd=dir_fd)

    def _mkdir(
        self, path: Any, mode: int = 0o777, *, dir_fd: int | None = None
    ) -> None:
        at = self._where(path, dir_fd)
        if at is not None:
            disk, name = at
            disk.do(f"makes {name}", writes=(f"name {name}", *_above(name)))
        _REAL["mkdir"](path, mode, dir_fd=dir_fd)

    def _stat(self, path: Any, **more: Any) -> os.stat_result:
        return self._looked_at("stat", path, more)

    def _lstat(self, path: Any, **more: Any) -> os.stat_result:
        return self._looked_at("lstat", path, more)

    def _looked_at(self, call: str, path: Any, more: Any) -> os.stat_result:
        at = self._where(path, more.get("dir_fd"))
        if at is not None:
            disk, name = at
            disk.do(f"looks at {name}", reads=(f"name {name}", f"folder {name}"))
        found: os.stat_result = _REAL[call](path, **more)
        return found

    def _listdir(self, path: Any = ".") -> list[str]:
        at = self._where(path)
        if at is not None:
            at[0].do(f"lists {at[1]}", reads=(f"folder {at[1]}",))
        return sorted(_REAL["listdir"](path))

    def _getpid(self) -> int:
        found = here()
        return int(_REAL["getpid"]()) if found is None else 1000 + found[1].number

    def _flock(self, fd: int, kind: int) -> None:
        at = self._where(fd)
        if at is None:
            _FLOCK(fd, kind)
            return
        disk, name = at
        disk.do(f"{_lock_named(kind)} {name}", writes=(f"lock {name}",))
        try:
            _FLOCK(fd, kind)
        except BlockingIOError:
            disk.missed(fd)
            raise
        if kind == fcntl.LOCK_UN:
            disk.unlocked(fd)
        else:
            disk.locked(fd)

    def _sleep(self, _: float) -> None:
        # Nobody else has to wait here: what outsiders poll for is not under way.
        if here() is not None and self.disk is not None:
            self.disk.wait()

    def _read_bytes(self, path: Path) -> bytes:
        at = self._where(path)
        if at is not None:
            at[0].do(f"reads {at[1]}", reads=(f"name {at[1]}", f"file {at[1]}"))
        return _READ(path)

    def _write_bytes(self, path: Path, content: bytes) -> int:
        at = self._where(path)
        if at is not None:
            disk, name = at
            things = (f"name {name}", *_content(name), *_above(name))
            disk.do(f"writes {name} whole", writes=things)
            disk.platter.make(name)
            disk.platter.write(name, 0, content)
            disk.asked += 1
        return _WRITE(path, content)

    def _real_or(self, real: Callable[[], Any], still: Any) -> Callable[[], Any]:
        return lambda: real() if here() is None else still

    def _monotonic_ns(self, real: Callable[[], int]) -> Callable[[], int]:
        """For callers, so much later each time that nothing is taken on trust."""

        def moment() -> int:
            found = here()
            if found is None:
                return real()
            caller = id(found[1])
            self._moments[caller] = self._moments.get(caller, 0) + _FAR
            return self._moments[caller]

        return moment


def _is_there(path: Path) -> bool:
    try:
        _REAL["lstat"](path)
    except OSError:
        return False
    return True


def _lock_named(kind: int) -> str:
    if kind == fcntl.LOCK_UN:
        return "unlocks"
    return "asks to share" if kind & fcntl.LOCK_SH else "asks to lock"


def _content(name: str) -> tuple[str, str]:
    return f"file {name}", f"lasting {name}"


def _above(name: str) -> tuple[str, str]:
    folder = os.path.dirname(name) or "."  # noqa: PTH120 - a name, not a path
    return f"folder {folder}", f"lasting {folder}"
