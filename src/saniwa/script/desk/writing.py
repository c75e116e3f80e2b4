"""Puts a file in the place of another: whole, or not at all."""

import os
from collections.abc import Callable
from pathlib import Path

from saniwa.core.lasting import begun, sync_folder


class FileChangedError(OSError):
    """A file is no longer what it was when it was read."""


def write_whole(
    path: str | os.PathLike[str],
    content: bytes,
    *,
    unless: Callable[[], bool] = lambda: False,
) -> None:
    """Write a file so that nobody ever sees half of it; its mode stays what it was.

    A link is followed: the file it leads to is the one that is written. `unless` is
    asked last of all whether somebody else has written there meanwhile.

    Raises:
        FileChangedError: Somebody else has; then nothing was written.
        OSError: If it cannot be written; then the old file stands untouched.
    """
    real = Path(path).resolve()
    mode = real.stat().st_mode & 0o7777 if real.exists() else None
    with begun(real.parent) as new:
        new.write(content)
        if mode is not None:
            os.fchmod(new.file.fileno(), mode)
        new.sync()
        if unless():
            raise FileChangedError
        new.replace(real.name)
    sync_folder(real.parent)
