"""Files that are written beside the place they are meant for, and what is left of them."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

LARGEST: Final = 256_000_000
"""Bytes one outcome may have."""
ABANDONED: Final = 24 * 3_600_000
"""Milliseconds after which a file that nobody finished is taken for a dead writer's."""
_BEGUN: Final = ".cell-"
_UNFINISHED: Final = ".tmp"


def written(folder: Path, content: bytes) -> Path:
    """A file of its own in the folder, whole and synced, that counts for nothing yet.

    Raises:
        OSError: It cannot be written, or is too large to be read again.
    """
    if len(content) > LARGEST:
        raise OSError(0, f"it has more than {LARGEST} bytes")
    handle, name = tempfile.mkstemp(_UNFINISHED, _BEGUN, folder)
    try:
        with os.fdopen(handle, "wb") as stream:
            os.fchmod(handle, 0o644)
            stream.write(content)
            stream.flush()
            os.fsync(handle)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def clear(folder: Path, now: int) -> None:
    """Remove what writers left who are surely gone, on whichever machine they were."""
    # It is in nobody's way: where it cannot be removed, it stays.
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            ours = entry.name.startswith(_BEGUN) and entry.name.endswith(_UNFINISHED)
            if ours and now - _written_at(entry) > ABANDONED:
                Path(entry.path).unlink(missing_ok=True)


def _written_at(entry: os.DirEntry[str]) -> int:
    return entry.stat(follow_symlinks=False).st_mtime_ns // 1_000_000
