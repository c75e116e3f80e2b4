"""Durable, atomic file writes: a new file is synced, then renamed into place.

A reader sees the old content or the new content, never a part. A writer that is killed
leaves a file named `.saniwa-PID-N.new`, which every reader ignores.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO, Final

from saniwa.core import system_calls

ABANDONED_AFTER_MS: Final = 24 * 3_600_000
"""Age in milliseconds after which an unfinished file is taken to belong to a dead
writer, on any machine."""
USUAL_MODE: Final = 0o666
"""The mode of a new file, before the umask is applied."""
_CREATING: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL
_PENDING_NAME: Final = re.compile(r"\.saniwa-[0-9]{1,9}-[0-9]+\.new")


class PendingFile:
    """A new file under a temporary name, until it is moved into place."""

    def __init__(self, folder: Path | int, name: str, file: BinaryIO) -> None:
        self.file = file
        """What is written to."""
        self.name = name
        """The temporary name."""
        self._folder = folder
        self._here = folder if isinstance(folder, int) else None
        self._moved = False

    def write(self, content: bytes) -> None:
        """Write all of `content`."""
        view = memoryview(content)
        while view:
            view = view[os.write(self.file.fileno(), view) :]

    def sync(self) -> None:
        """Flush the file and sync it to disk."""
        self.file.flush()
        os.fsync(self.file.fileno())

    def replace(self, name: str) -> None:
        """Rename the file to `name`, replacing any file of that name.

        Raises:
            OSError: The rename failed; a file that had the name is unchanged.
        """
        self.file.flush()
        old, new = _join_name(self._folder, self.name), _join_name(self._folder, name)
        system_calls.replace_file(old, new, self._here)
        self._moved = True

    def link(self, name: str) -> None:
        """Link the file as `name`, which must be free.

        Exactly one of several writers succeeds.

        Raises:
            FileExistsError: The name is taken; its file is unchanged.
            OSError: The link failed.
        """
        self.file.flush()
        old, new = _join_name(self._folder, self.name), _join_name(self._folder, name)
        try:
            system_calls.link_file(old, new, self._here)
        except FileExistsError:
            # A shared disk may carry out a request, lose its answer, and refuse the
            # retry: two links to this file mean that the first request succeeded.
            if system_calls.read_state(old, self._here).st_nlink != 2:
                raise

    def discard(self) -> None:
        """Remove the temporary name, unless the file was moved into place."""
        # After `replace`, another writer may already use the temporary name.
        if not self._moved:
            with suppress(FileNotFoundError):
                system_calls.remove_file(_join_name(self._folder, self.name), self._here)


@contextmanager
def open_pending_file(folder: Path | int, mode: int = USUAL_MODE) -> Iterator[PendingFile]:
    """Create a file that is removed after the block, unless it was moved into place.

    Args:
        folder: The folder to write in; an open descriptor is not left through a link.
        mode: The mode of the file, before the umask is applied.

    Raises:
        OSError: The file cannot be created.
    """
    name, fd = _create_pending_file(folder, mode)
    with os.fdopen(fd, "wb") as file:
        new = PendingFile(folder, name, file)
        try:
            yield new
        finally:
            new.discard()


def write_atomically(folder: Path | int, name: str, content: bytes, mode: int = USUAL_MODE) -> None:
    """Write a file durably, replacing any file of that name.

    Raises:
        OSError: The file cannot be written; a file that had the name is unchanged.
    """
    with open_pending_file(folder, mode) as new:
        new.write(content)
        new.sync()
        new.replace(name)
    sync_folder(folder)


class FileChangedError(OSError):
    """A file has changed since it was read."""


def replace_file(
    path: str | os.PathLike[str], content: bytes, *, unless: Callable[[], bool] = lambda: False
) -> None:
    """Replace a file atomically; its mode is preserved.

    A symbolic link is followed: its target is replaced. `unless` is called last, to
    check whether another writer has changed the file meanwhile.

    Raises:
        FileChangedError: Another writer has changed it; nothing was written.
        OSError: If it cannot be written; the old file is unchanged.
    """
    real = Path(path).resolve()
    mode = real.stat().st_mode & 0o7777 if real.exists() else None
    with open_pending_file(real.parent) as new:
        new.write(content)
        if mode is not None:
            system_calls.set_mode(new.file.fileno(), mode)
        new.sync()
        if unless():
            raise FileChangedError
        new.replace(real.name)
    sync_folder(real.parent)


def make_folder(folder: Path) -> None:
    """Create a folder durably, with its missing parents.

    Raises:
        OSError: The folder cannot be created.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(exist_ok=True)
        sync_folder(each.parent)


def sync_folder(folder: Path | int) -> None:
    """Make the names in a folder durable; syncing a file does not do that.

    Raises:
        OSError: The sync failed.
    """
    if isinstance(folder, int):
        system_calls.sync_folder(folder)
        return
    opened = system_calls.open_folder(folder)
    try:
        system_calls.sync_folder(opened)
    finally:
        system_calls.close_folder(opened)


def is_pending_name(name: str) -> bool:
    """Whether a name is that of an unfinished file.

    A process that holds the lock of a folder may treat such a file there as abandoned.
    """
    return _PENDING_NAME.fullmatch(name) is not None


def remove_abandoned_files(folder: Path, now: int) -> None:
    """Remove unfinished files that are old enough to be abandoned, on any machine."""
    # A file that cannot be removed stays: it does no harm.
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if is_pending_name(entry.name) and entry.is_file(follow_symlinks=False):
                written = entry.stat(follow_symlinks=False).st_mtime_ns // 1_000_000
                if now - written > ABANDONED_AFTER_MS:
                    Path(entry.path).unlink(missing_ok=True)


def _create_pending_file(folder: Path | int, mode: int) -> tuple[str, int]:
    """Create a file under a name that is free, even if others write here as well."""
    here = folder if isinstance(folder, int) else None
    for number in count():
        name = f".saniwa-{os.getpid()}-{number}.new"
        with suppress(FileExistsError):
            path = _join_name(folder, name)
            return name, system_calls.open_file(path, _CREATING, mode, here=here, follow=False)
    raise AssertionError("numbers do not end")


def _join_name(folder: Path | int, name: str) -> str:
    # Not pathlib: it takes longer over a name than the disk over a link.
    return name if isinstance(folder, int) else f"{folder}/{name}"
