"""Words that can stand in the name of a folder, made from words that cannot."""

import re
from typing import Final

LONGEST: Final = 60
"""Letters an id or a slug may have."""
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*").fullmatch
_OTHER: Final = re.compile(r"(?:[^\w.]|_)+")
_UNFIT: Final = re.compile(r"[^A-Za-z0-9._-]+")


def is_id(text: str) -> bool:
    """Whether a text can be the id of an experiment, and begin the names of its cells."""
    return len(text) <= LONGEST and _ID(text) is not None


def id_from(text: str) -> str:
    """An id that is nearly this text."""
    made = _UNFIT.sub("-", text).strip("-._")[:LONGEST].rstrip("-._")
    return made if is_id(made) else "experiment"


def slug(level: object) -> str:
    """A level in the name of a condition: letters, digits, `.` and `-`; empty if none.

    No `_`, which parts the name of a cell, and no `/`.
    """
    if isinstance(level, bool):
        return "on" if level else "off"
    if isinstance(level, float):
        return f"{level:g}".replace("+", "")
    return _OTHER.sub("-", str(level)).strip("-.")[:LONGEST].rstrip("-.")
