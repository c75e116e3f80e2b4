"""Making a SQLite file of ours: it has its name when it is whole, and not before.

So an empty file at the place of one is never a beginning: something is lost.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from saniwa.core import lasting

_MODE: Final = 0o644
"""As SQLite makes its files."""


def is_empty(path: Path) -> bool:
    """Whether a file is there that holds nothing at all."""
    with suppress(OSError):
        return path.is_file() and path.stat().st_size == 0
    return False


def is_cut(path: Path, page: int) -> bool:
    """Whether a file ends within a page, which no log beside it could make whole."""
    with suppress(OSError):
        torn = path.stat().st_size % page
        # Asked second: who is killed while a page goes from the log to the file leaves both.
        return bool(torn) and not _holds(path.with_name(f"{path.name}-wal"))
    return False


def make(path: Path, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Make a file and give it its name, durably, unless somebody was first.

    Where this cannot be done nothing is left, and whoever opens the file hears why: or
    makes it in its place, on a disk that knows no second name for a file.
    """
    with suppress(OSError, sqlite3.Error), lasting.begun(path.parent, _MODE) as new:
        # Closing a file gives up the locks that SQLite has on it by any other name.
        new.file.close()
        beside = path.with_name(new.name)
        with closing(sqlite3.connect(beside, isolation_level=None)) as made:
            fill(made)
        os.link(beside, path)
        lasting.sync_folder(path.parent)


def _holds(log: Path) -> bool:
    return log.exists() and log.stat().st_size > 0
