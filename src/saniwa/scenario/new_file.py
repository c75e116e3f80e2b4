"""Files that must not be there yet: written whole or not at all."""

import re
from pathlib import Path

from saniwa.core.lasting import begun, sync_folder

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}").fullmatch


def usable_id(name: str) -> bool:
    """Whether the name can be a new scenario's id, and its file's."""
    return _ID(name) is not None


def create(file: Path, text: bytes) -> None:
    """Write a file that must not be there yet, whole or not at all.

    Raises:
        FileExistsError: It is there.
        OSError: It cannot be written.
    """
    with begun(file.parent) as new:
        new.write(text)
        new.sync()
        # A link fails where a rename would quietly put the new file over an old one.
        new.link(file.name)
    sync_folder(file.parent)
