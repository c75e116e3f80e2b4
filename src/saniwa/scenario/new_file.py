"""Files that must not be there yet: written whole or not at all."""

import os
import re
import tempfile
from pathlib import Path

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}").fullmatch


def usable_id(name: str) -> bool:
    """Whether the name can be a new scenario's id, and its file's."""
    return _ID(name) is not None


def create(file: Path, text: bytes) -> None:
    """Write a file that must not be there yet, whole or not at all."""
    beside = written(file.parent, text)
    try:
        # A link fails where a rename would quietly put the new file over an old one.
        os.link(beside, file)
    finally:
        beside.unlink()


def written(folder: Path, text: bytes) -> Path:
    """A new file in the folder with this text, under a name of its own."""
    handle, name = tempfile.mkstemp(dir=folder, prefix=".saniwa-", suffix=".new")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(0o644)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)
