"""What callers do to names, as steps: opening, making, moving, removing, looking."""

import os
from typing import Any

from tests.checked.routed import REAL, Routed, above, is_there


class Names(Routed):
    """Files and folders by their names."""

    def _open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        at = self._where(path, dir_fd)
        fd: int
        if at is None:
            return int(REAL["open"](path, flags, mode, dir_fd=dir_fd))
        disk, name = at
        makes = bool(flags & os.O_CREAT)
        named = (f"name {name}",)
        folder = above(name) if makes else ()
        reads, writes = ((), (*named, *folder)) if makes else (named, ())
        disk.do(f"{'makes' if makes else 'opens'} {name}", reads=reads, writes=writes)
        new = makes and not is_there(disk.root / name)
        fd = REAL["open"](path, flags, mode, dir_fd=dir_fd)
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
        REAL["close"](fd)

    def _fdopen(self, fd: int, *more: Any, **others: Any) -> Any:
        at = self._where(fd)
        if at is not None:
            at[0].own(fd)
        return REAL["fdopen"](fd, *more, **others)

    def _replace(self, old: Any, new: Any, **folders: Any) -> None:
        at = self._where(old, folders.get("src_dir_fd"))
        to = self._where(new, folders.get("dst_dir_fd"))
        if at is not None and to is not None:
            disk, one, other = *at, to[1]
            kinds = ("name", "file", "lasting")
            things = [f"{kind} {n}" for n in (one, other) for kind in kinds]
            both = (*above(one), *above(other))
            disk.do(f"puts {one} in place of {other}", writes=(*things, *both))
            disk.platter.move(one, other)
            disk.asked += 1
        REAL["replace"](old, new, **folders)

    def _link(self, old: Any, new: Any, **folders: Any) -> None:
        at = self._where(old, folders.get("src_dir_fd"))
        to = self._where(new, folders.get("dst_dir_fd"))
        if at is None or to is None:
            REAL["link"](old, new, **folders)
            return
        disk, one, other = *at, to[1]
        things = [f"{kind} {other}" for kind in ("name", "file", "lasting", "lock")]
        disk.do(f"calls {one} {other} too", writes=(*things, *above(other)))
        REAL["link"](old, new, **folders)
        disk.linked(one, other)

    def _unlink(self, path: Any, *, dir_fd: int | None = None) -> None:
        at = self._where(path, dir_fd)
        if at is not None:
            disk, name = at
            there = is_there(disk.root / name)
            disk.do(f"removes {name}", writes=(f"name {name}", *above(name)))
            if there:
                disk.platter.remove(name)
                disk.asked += 1
        REAL["unlink"](path, dir_fd=dir_fd)

    def _mkdir(self, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        at = self._where(path, dir_fd)
        if at is not None:
            disk, name = at
            disk.do(f"makes {name}", writes=(f"name {name}", *above(name)))
        REAL["mkdir"](path, mode, dir_fd=dir_fd)

    def _stat(self, path: Any, **more: Any) -> os.stat_result:
        return self._looked_at("stat", path, more)

    def _lstat(self, path: Any, **more: Any) -> os.stat_result:
        return self._looked_at("lstat", path, more)

    def _looked_at(self, call: str, path: Any, more: Any) -> os.stat_result:
        at = self._where(path, more.get("dir_fd"))
        if at is not None:
            disk, name = at
            disk.do(f"looks at {name}", reads=(f"name {name}", f"folder {name}"))
        found: os.stat_result = REAL[call](path, **more)
        return found

    def _listdir(self, path: Any = ".") -> list[str]:
        at = self._where(path)
        if at is not None:
            at[0].do(f"lists {at[1]}", reads=(f"folder {at[1]}",))
        return sorted(REAL["listdir"](path))
