"""A disk that loses its power: the calls made on it, and what may be left of them.

Everything that was synced is there. Of what was not, any sector may be there or not: a
missing sector has its earlier content, or NULs where there was none. A name that was not
synced may be there or not, and a truncation may have happened or not.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random  # noqa: TID251 - seeded by the caller
from typing import Any
from unittest.mock import patch

SECTOR = 512

Op = tuple[str, str, int, bytes]
"""A call: what was done, to which file, at which offset, and with which bytes."""


class DiskTape:
    """All calls on the disk, in order, with the acknowledgements between them."""

    def __init__(self) -> None:
        self.ops: list[Op] = []

    def say(self, number: int) -> None:
        """Note an acknowledgement."""
        self.ops.append(("said", "", number, b""))

    @contextmanager
    def record_calls(self) -> Iterator[None]:
        """Record the disk calls of this process."""
        names: dict[int, str] = {}
        real = {name: getattr(os, name) for name in _HEARD}

        def record_open(path: Any, flags: int, *more: Any, **others: Any) -> int:
            new = bool(flags & os.O_CREAT) and not Path(path).exists()
            fd: int = real["open"](path, flags, *more, **others)
            names[fd] = str(path)
            if new:
                self.ops.append(("made", str(path), 0, b""))
            return fd

        def record_pwrite(fd: int, content: bytes, at: int) -> int:
            self.ops.append(("write", names[fd], at, bytes(content)))
            written: int = real["pwrite"](fd, content, at)
            return written

        def write(fd: int, content: bytes) -> int:
            before = os.fstat(fd).st_size
            written: int = real["write"](fd, content)
            at = os.lseek(fd, 0, os.SEEK_CUR) - written
            assert at <= before
            self.ops.append(("write", names[fd], at, bytes(content)))
            return written

        def record_ftruncate(fd: int, size: int) -> None:
            self.ops.append(("cut", names[fd], size, b""))
            real["ftruncate"](fd, size)

        def record_sync(fd: int) -> None:
            self.ops.append(("synced", names[fd], 0, b""))

        def record_replace(one: Any, other: Any, **_: Any) -> None:
            self.ops.append(("moved", str(one), 0, str(other).encode()))
            real["replace"](one, other)

        def record_link(one: Any, other: Any, **_: Any) -> None:
            # The first name is temporary and is removed next.
            real["link"](one, other)
            self.ops.append(("moved", str(one), 0, str(other).encode()))

        fakes: Any = {
            "open": record_open,
            "pwrite": record_pwrite,
            "write": write,
            "ftruncate": record_ftruncate,
            "fsync": record_sync,
            "fdatasync": record_sync,
            "replace": record_replace,
            "link": record_link,
        }
        with patch.multiple(os, **fakes):
            yield


_HEARD = (*("open", "pwrite", "write", "ftruncate", "fsync", "fdatasync", "replace", "link"),)


class _DiskFile:
    """A file as it is on the disk, with the calls since."""

    def __init__(self, content: bytes = b"", *, named: bool = False) -> None:
        self.content = bytearray(content)
        self.asked: list[Op] = []
        self.named = named

    def settle(self) -> None:
        """Do all pending calls."""
        for op in self.asked:
            self._do(op, lambda: True)
        self.asked = []

    def choose_left(self, chance: Random) -> bytes | None:
        """The content after a power cut; None if there is no file."""
        if not self.named and chance.random() < 0.5:
            return None
        likely = chance.choice([0.0, 0.5, 0.9, 1.0])
        for op in self.asked:
            self._do(op, lambda: chance.random() < likely)
        return bytes(self.content)

    def _do(self, op: Op, survives: Callable[[], bool]) -> None:
        what, _, at, written = op
        if what == "cut":
            if survives():
                del self.content[at:]
            return
        start = at
        while start < at + len(written):
            end = min((start // SECTOR + 1) * SECTOR, at + len(written))
            if survives():
                missing = start - len(self.content)
                self.content += b"\0" * max(missing, 0)
                self.content[start:end] = written[start - at : end - at]
            start = end


def cut_power(before: dict[str, bytes], ops: list[Op], chance: Random) -> dict[str, bytes]:
    """The files that a power cut may leave after these calls, together with those before."""
    files = {name: _DiskFile(content, named=True) for name, content in before.items()}
    for op in ops:
        what, name, _, more = op
        if what == "made":
            files.setdefault(name, _DiskFile())
        elif what in ("write", "cut"):
            files[name].asked.append(op)
        elif what == "synced" and name in files:
            files[name].settle()
        elif what == "synced":
            for path, file in files.items():
                file.named = file.named or str(Path(path).parent) == name
        elif what == "moved" and name in files:  # the key index is missing here: it can be rebuilt
            files[more.decode()] = files.pop(name)
            files[more.decode()].named = False
    left = {name: file.choose_left(chance) for name, file in files.items()}
    return {name: content for name, content in left.items() if content is not None}
