"""What callers do to names, as steps: open, create, move, remove and look up."""

import os
from typing import Any

from tests.checked.call_router import REAL, CallRouter, is_there, list_name_changes


class FileNames(CallRouter):
    """Steps that use files and folders by their names."""

    def _open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        at = self._find_disk(path, dir_fd)
        fd: int
        if at is None:
            return int(REAL["open"](path, flags, mode, dir_fd=dir_fd))
        disk, name = at
        makes = bool(flags & os.O_CREAT)
        named = (f"name {name}",)
        folder = list_name_changes(name) if makes else ()
        reads, writes = ((), (*named, *folder)) if makes else (named, ())
        disk.do(f"{'makes' if makes else 'opens'} {name}", reads=reads, writes=writes)
        new = makes and not is_there(disk.root / name)
        fd = REAL["open"](path, flags, mode, dir_fd=dir_fd)
        disk.note_open(fd, name, new=new)
        return fd

    def _close(self, fd: int) -> None:
        at = self._find_disk(fd)
        if at is not None:
            disk, name = at
            held = (f"lock {name}",) if disk.holds_lock(fd) else ()
            if held:
                disk.do(f"closes {name}", writes=held)
            disk.note_close(fd)
        REAL["close"](fd)

    def _fdopen(self, fd: int, *more: Any, **others: Any) -> Any:
        at = self._find_disk(fd)
        if at is not None:
            at[0].note_owner(fd)
        return REAL["fdopen"](fd, *more, **others)

    def _replace(self, old: Any, new: Any, **folders: Any) -> None:
        at = self._find_disk(old, folders.get("src_dir_fd"))
        to = self._find_disk(new, folders.get("dst_dir_fd"))
        if at is not None and to is not None:
            disk, one, other = *at, to[1]
            kinds = ("name", "file", "lasting")
            things = [f"{kind} {n}" for n in (one, other) for kind in kinds]
            both = (*list_name_changes(one), *list_name_changes(other))
            disk.do(f"puts {one} in place of {other}", writes=(*things, *both))
            disk.platter.move(one, other)
            disk.asked += 1
        REAL["replace"](old, new, **folders)

    def _link(self, old: Any, new: Any, **folders: Any) -> None:
        at = self._find_disk(old, folders.get("src_dir_fd"))
        to = self._find_disk(new, folders.get("dst_dir_fd"))
        if at is None or to is None:
            REAL["link"](old, new, **folders)
            return
        disk, one, other = *at, to[1]
        things = [f"{kind} {other}" for kind in ("name", "file", "lasting", "lock")]
        disk.do(f"calls {one} {other} too", writes=(*things, *list_name_changes(other)))
        REAL["link"](old, new, **folders)
        disk.note_link(one, other)

    def _unlink(self, path: Any, *, dir_fd: int | None = None) -> None:
        at = self._find_disk(path, dir_fd)
        if at is not None:
            disk, name = at
            there = is_there(disk.root / name)
            disk.do(f"removes {name}", writes=(f"name {name}", *list_name_changes(name)))
            if there:
                disk.platter.remove(name)
                disk.asked += 1
        REAL["unlink"](path, dir_fd=dir_fd)

    def _mkdir(self, path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        at = self._find_disk(path, dir_fd)
        if at is not None:
            disk, name = at
            disk.do(f"makes {name}", writes=(f"name {name}", *list_name_changes(name)))
        REAL["mkdir"](path, mode, dir_fd=dir_fd)

    def _stat(self, path: Any, **more: Any) -> os.stat_result:
        return self._look_at("stat", path, more)

    def _lstat(self, path: Any, **more: Any) -> os.stat_result:
        return self._look_at("lstat", path, more)

    def _look_at(self, call: str, path: Any, more: Any) -> os.stat_result:
        at = self._find_disk(path, more.get("dir_fd"))
        if at is not None:
            disk, name = at
            disk.do(f"looks at {name}", reads=(f"name {name}", f"folder {name}"))
        found: os.stat_result = REAL[call](path, **more)
        return found

    def _listdir(self, path: Any = ".") -> list[str]:
        at = self._find_disk(path)
        if at is not None:
            at[0].do(f"lists {at[1]}", reads=(f"folder {at[1]}",))
        return sorted(REAL["listdir"](path))
