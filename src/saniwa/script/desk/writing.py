"""Puts a file in the place of another: whole, or not at all."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path


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
    handle, name = tempfile.mkstemp(dir=real.parent, prefix=".saniwa-", suffix=".new")
    written = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        written.chmod(_usual() if mode is None else mode)
        if unless():
            raise FileChangedError
        written.replace(real)
    except OSError:
        written.unlink(missing_ok=True)
        raise


def _usual() -> int:
    """The mode new files get here; it can only be asked by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask
