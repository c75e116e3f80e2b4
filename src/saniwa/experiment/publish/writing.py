"""Files of an experiment's folder: whole or not at all, and untouched where they are the same.

Nothing is reached through a link, so nothing outside the folder can be written. Where there
are very many files, waiting for the disk at each would take longer than the experiment:
those are put in `hasty` places. What a power cut tears there is not the same any more, and
so the next writing mends it.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from saniwa.core.inside import folder_made, open_inside, walked
from saniwa.core.lasting import Begun, begun, make_folder
from saniwa.store.shelf import unwritable

_BLOCK: Final = 1 << 16


class Place:
    """An open folder that files are put in."""

    def __init__(self, path: Path, fd: int, *, hasty: bool = False) -> None:
        self.path = path
        """Where it is; only for what is said when it cannot be written."""
        self.changed = False
        """Whether anything was put there or taken away."""
        self._fd = fd
        self._hasty = hasty

    def write(self, name: str, content: bytes) -> None:
        """Put a file there; one that holds the same already is left alone.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; then what was there before stands untouched.
        """
        if not self._holds(name, content):
            with self._begun(name, self._put) as file:
                file.write(content)

    @contextmanager
    def stream(self, name: str) -> Iterator[BinaryIO]:
        """A file to be written piece by piece; it is there when all is written.

        Raises:
            StoreError: `TRACE_UNWRITABLE`; then what was there before stands untouched.
        """
        with self._begun(name, self._put_if_new) as file:
            yield file

    @contextmanager
    def _begun(
        self, name: str, end: Callable[[Begun, str], None]
    ) -> Iterator[BinaryIO]:
        try:
            with begun(self._fd) as new:
                yield new.file
                new.file.flush()
                if not self._hasty:
                    new.sync()
                end(new, name)
        except OSError as problem:
            raise unwritable(self.path / name, problem) from problem

    def read(self, name: str) -> bytes | None:
        """What a file holds; None where there is none that can be read."""
        file = self._to_read(name)
        if file is None:
            return None
        with file:
            return file.read()

    def names(self) -> list[str]:
        """What is there, in order."""
        with os.scandir(self._fd) as found:
            return sorted(entry.name for entry in found)

    def remove(self, name: str) -> None:
        """Take a file away; one that is gone is gone.

        Raises:
            StoreError: `TRACE_UNWRITABLE`: It cannot be taken away.
        """
        try:
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=self._fd)
                self.changed = True
        except OSError as problem:
            raise unwritable(self.path / name, problem) from problem

    def remove_empty(self, name: str) -> None:
        """Take a folder away if nothing is in it."""
        with suppress(OSError):
            os.rmdir(name, dir_fd=self._fd)
            self.changed = True

    def sync(self) -> None:
        """Make the names in it last, where any has changed."""
        if self.changed and not self._hasty:
            os.fsync(self._fd)

    def _put(self, new: Begun, name: str) -> None:
        new.replace(name)
        self.changed = True

    def _put_if_new(self, new: Begun, name: str) -> None:
        if not self._alike(new.name, name):
            self._put(new, name)

    def _holds(self, name: str, content: bytes) -> bool:
        file = self._to_read(name)
        if file is None:
            return False
        with file:
            size = os.fstat(file.fileno()).st_size
            return size == len(content) and file.read(size + 1) == content

    def _alike(self, first: str, second: str) -> bool:
        other = self._to_read(second)
        if other is None:
            return False
        with other, os.fdopen(open_inside(self._fd, first), "rb") as one:
            while (block := one.read(_BLOCK)) == other.read(_BLOCK):
                if not block:
                    return True
        return False

    def _to_read(self, name: str) -> BinaryIO | None:
        """The file, opened; None where there is none that can be read."""
        try:
            fd = open_inside(self._fd, name)
        except OSError:
            return None
        if stat.S_ISREG(os.fstat(fd).st_mode):
            return os.fdopen(fd, "rb")
        os.close(fd)
        return None


@contextmanager
def placed(folder: Path, *names: str, hasty: bool = False) -> Iterator[Place]:
    """The folder at the end of these names, made where it is not there.

    In haste the disk is not waited for.

    Raises:
        StoreError: `TRACE_UNWRITABLE`: It cannot be made, or a link stands in the way.
    """
    path = folder.joinpath(*names)
    try:
        make_folder(folder)
        with walked(folder, names, folder_made) as fd:
            place = Place(path, fd, hasty=hasty)
            yield place
            place.sync()
    except OSError as problem:
        raise unwritable(path, problem) from problem
