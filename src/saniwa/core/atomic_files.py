"""Files that last: written beside their place, synced, and put there whole or not at all.

What a killed writer leaves beside is called `.saniwa-PID-N.new`, wherever it was writing,
and counts for nothing.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO, Final

ABANDONED_AFTER_MS: Final = 24 * 3_600_000
"""Milliseconds after which what nobody finished is taken for a dead writer's, on whichever
machine it was."""
USUAL_MODE: Final = 0o666
"""The mode of a new file, less what the user's mask takes away."""
_NEW_FILE_FLAGS: Final = (
    os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
)
_PENDING_NAME: Final = re.compile(r"\.saniwa-[0-9]{1,9}-[0-9]+\.new")


class PendingFile:
    """A new file in a folder, under a name of its own until it is put in its place."""

    def __init__(self, folder: Path | int, name: str, file: BinaryIO) -> None:
        self.file = file
        """What is written to."""
        self.name = name
        """What it is called meanwhile."""
        self._folder = folder
        self._here = folder if isinstance(folder, int) else None
        self._moved = False

    def write(self, content: bytes) -> None:
        """Write all of it."""
        view = memoryview(content)
        while view:
            view = view[os.write(self.file.fileno(), view) :]

    def sync(self) -> None:
        """See that what was written lasts."""
        self.file.flush()
        os.fsync(self.file.fileno())

    def replace(self, name: str) -> None:
        """Give it that name; what was called so before is no more.

        Raises:
            OSError: It cannot be; then what was there stands untouched.
        """
        self.file.flush()
        old, new = _join_name(self._folder, self.name), _join_name(self._folder, name)
        os.replace(old, new, src_dir_fd=self._here, dst_dir_fd=self._here)
        self._moved = True

    def link(self, name: str) -> None:
        """Give it that name, which must be free: of all writers exactly one succeeds.

        Raises:
            FileExistsError: It is taken, and stays what it was.
            OSError: It cannot be.
        """
        self.file.flush()
        old, new = _join_name(self._folder, self.name), _join_name(self._folder, name)
        try:
            os.link(old, new, src_dir_fd=self._here, dst_dir_fd=self._here)
        except FileExistsError:
            # A shared disk may carry out a request, lose its answer, and refuse the
            # second: two names for our file say that we were the first.
            if os.stat(old, dir_fd=self._here).st_nlink != 2:
                raise

    def discard(self) -> None:
        """Take away the name it had meanwhile."""
        # Once it was given up, the name may be another writer's already.
        if not self._moved:
            with suppress(FileNotFoundError):
                os.unlink(_join_name(self._folder, self.name), dir_fd=self._here)


@contextmanager
def open_pending_file(
    folder: Path | int, mode: int = USUAL_MODE
) -> Iterator[PendingFile]:
    """A file that is gone after the block, unless it was put in its place.

    Args:
        folder: Where; an open folder is not left through any link.
        mode: Its mode, less what the user's mask takes away.

    Raises:
        OSError: It cannot be made.
    """
    name, fd = _create_pending_file(folder, mode)
    with os.fdopen(fd, "wb") as file:
        new = PendingFile(folder, name, file)
        try:
            yield new
        finally:
            new.discard()


def write_atomically(
    folder: Path | int, name: str, content: bytes, mode: int = USUAL_MODE
) -> None:
    """A file with this content, in the place of any; it lasts when this returns.

    Raises:
        OSError: It cannot be written; then what was there stands untouched.
    """
    with open_pending_file(folder, mode) as new:
        new.write(content)
        new.sync()
        new.replace(name)
    sync_folder(folder)


def make_folder(folder: Path) -> None:
    """Make a folder that lasts, with those above it.

    Raises:
        OSError: It cannot be made.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(exist_ok=True)
        sync_folder(each.parent)


def sync_folder(folder: Path | int) -> None:
    """Make the names in a folder last, not only what the files hold.

    Raises:
        OSError: The disk does not answer for it.
    """
    if isinstance(folder, int):
        os.fsync(folder)
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def is_pending_name(name: str) -> bool:
    """Whether a name is that of a file which somebody has begun and not put in its place.

    Whoever holds a folder alone may take it for a dead writer's.
    """
    return _PENDING_NAME.fullmatch(name) is not None


def remove_abandoned_files(folder: Path, now: int) -> None:
    """Remove what writers left who are surely gone, on whichever machine they were."""
    # It is in nobody's way: where it cannot be removed, it stays.
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            ours = _PENDING_NAME.fullmatch(entry.name) and entry.is_file(
                follow_symlinks=False
            )
            if ours and now - _get_modified_ms(entry) > ABANDONED_AFTER_MS:
                Path(entry.path).unlink(missing_ok=True)


def _create_pending_file(folder: Path | int, mode: int) -> tuple[str, int]:
    """A new file under a name that nobody has, though others write here as well."""
    here = folder if isinstance(folder, int) else None
    for number in count():
        name = f".saniwa-{os.getpid()}-{number}.new"
        with suppress(FileExistsError):
            return name, os.open(
                _join_name(folder, name), _NEW_FILE_FLAGS, mode, dir_fd=here
            )
    raise AssertionError("numbers do not end")


def _join_name(folder: Path | int, name: str) -> str:
    # Joined by hand: pathlib takes longer over a name than the disk over a link.
    return name if isinstance(folder, int) else f"{folder}/{name}"


def _get_modified_ms(entry: os.DirEntry[str]) -> int:
    return entry.stat(follow_symlinks=False).st_mtime_ns // 1_000_000
