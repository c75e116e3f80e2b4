"""The key that badges are sealed with: made once, kept for its owner alone."""

import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from saniwa.core import lasting
from saniwa.core.errors import StoreError
from saniwa.core.small_file import small_file
from saniwa.core.where import Where
from saniwa.store.gate.people.people import Chance
from saniwa.store.shelf import unwritable

NAME: Final = "badge.key"
"""What the file is called."""
_BYTES: Final = 32
_TEXT: Final = re.compile(rb"[0-9a-f]{64}\n?")
_OWNER_ALONE: Final = 0o600


def badge_key(folder: Path, chance: Chance) -> bytes:
    """The key in a folder; of several who make the first, all get the same.

    Raises:
        StoreError: `TRACE_UNWRITABLE`, `STORE_UNREADABLE`.
    """
    path = folder / NAME
    try:
        if not path.exists():
            _make(folder, chance.fresh(_BYTES))
        content = small_file(path, 2 * _BYTES + 1)
    except OSError as problem:
        raise unwritable(path, problem) from problem
    if _TEXT.fullmatch(content) is None:
        raise StoreError(
            "STORE_UNREADABLE",
            f"{NAME!r} holds no key",
            where=Where(file=str(path)),
            hint="remove the file: a new key is made, and everybody signs in again",
        )
    return bytes.fromhex(content.decode())


def _make(folder: Path, key: bytes) -> None:
    lasting.make_folder(folder)
    with lasting.begun(folder, _OWNER_ALONE) as new:
        new.write(key.hex().encode() + b"\n")
        new.sync()
        with suppress(FileExistsError):
            new.link(NAME)
    lasting.sync_folder(folder)
