"""What callers do to the content of files, as steps."""

import os
from pathlib import Path

from tests.checked.call_router import REAL, CallRouter, list_content_changes, list_name_changes
from tests.checked.schedule_disk import FAILED, SYNCING, WRITING
from tests.checked.schedule_run import get_caller

_READ, _WRITE = Path.read_bytes, Path.write_bytes


class FileContents(CallRouter):
    """Steps that read, write, truncate and sync."""

    def _pread(self, fd: int, size: int, start: int) -> bytes:
        self._looks_into(fd, "reads")
        content: bytes = REAL["pread"](fd, size, start)
        return content

    def _read(self, fd: int, size: int) -> bytes:
        self._looks_into(fd, "reads")
        content: bytes = REAL["read"](fd, size)
        return content

    def _fstat(self, fd: int) -> os.stat_result:
        self._looks_into(fd, "asks for the size of")
        found: os.stat_result = REAL["fstat"](fd)
        return found

    def _lseek(self, fd: int, to: int, how: int) -> int:
        if how == os.SEEK_END:
            self._looks_into(fd, "looks for the end of")
        return int(REAL["lseek"](fd, to, how))

    def _looks_into(self, fd: int, what: str) -> None:
        at = self._find_disk(fd)
        if at is not None:
            at[0].do(f"{what} {at[1]}", reads=(f"file {at[1]}",))

    def _pwrite(self, fd: int, content: bytes, start: int) -> int:
        return self._write_at(fd, content, start)

    def _write(self, fd: int, content: bytes) -> int:
        return self._write_at(fd, content, None)

    def _write_at(self, fd: int, content: bytes, start: int | None) -> int:
        at = self._find_disk(fd)
        real = REAL["write"] if start is None else REAL["pwrite"]
        more = () if start is None else (start,)
        if at is None:
            return int(real(fd, content, *more))
        disk, name = at
        told = f"writes {len(content)} bytes to {name}"
        fault = disk.do(told, writes=list_content_changes(name), kinds=WRITING)
        if fault == "full":
            raise FAILED[fault]
        part = bytes(content)[: len(content) // 2] if fault else bytes(content)
        written = int(real(fd, part, *more))
        place = REAL["lseek"](fd, 0, os.SEEK_CUR) - written if start is None else start
        disk.platter.write(name, place, part)
        disk.asked += 1
        if fault == "torn":
            found = get_caller()
            assert found is not None, "callers write"
            disk.kill(found[1])
        return written

    def _ftruncate(self, fd: int, size: int) -> None:
        at = self._find_disk(fd)
        if at is not None:
            disk, name = at
            disk.do(f"cuts {name} to {size} bytes", writes=list_content_changes(name))
            disk.platter.cut(name, size)
            disk.asked += 1
        REAL["ftruncate"](fd, size)

    def _fsync(self, fd: int) -> None:
        at = self._find_disk(fd)
        if at is None:
            return
        disk, name = at
        # Other readers see the same before and after; a power cut does not leave the same.
        fault = disk.do(f"syncs {name}", writes=(f"lasting {name}",), kinds=SYNCING)
        disk.asked += 1
        if fault is not None:
            disk.platter.mark_doubtful(name)
            raise FAILED[fault]
        disk.platter.sync(name)

    def _fdatasync(self, fd: int) -> None:
        self._fsync(fd)

    def _read_bytes(self, path: Path) -> bytes:
        at = self._find_disk(path)
        if at is not None:
            at[0].do(f"reads {at[1]}", reads=(f"name {at[1]}", f"file {at[1]}"))
        return _READ(path)

    def _write_bytes(self, path: Path, content: bytes) -> int:
        at = self._find_disk(path)
        if at is not None:
            disk, name = at
            things = (f"name {name}", *list_content_changes(name), *list_name_changes(name))
            disk.do(f"writes {name} whole", writes=things)
            disk.platter.make(name)
            disk.platter.write(name, 0, content)
            disk.asked += 1
        return _WRITE(path, content)
