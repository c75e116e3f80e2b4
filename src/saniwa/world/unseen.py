"""Letters that no name needs and that make a terminal or a reader see another one."""

import re
from typing import Final

_UNSEEN: Final = "\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff"
_IN_NAME: Final = re.compile(f"[{_UNSEEN}]").search
_IN_TEXT: Final = re.compile(
    f"[{_UNSEEN}]".replace("\x00-\x1f", "\x00-\x08\x0b-\x1f")
).search


def unseen_in_name(name: str) -> str:
    """The first such letter of a name; empty if there is none."""
    if name.isascii() and name.isprintable():
        return ""
    letter = _IN_NAME(name)
    return letter.group() if letter else ""


def unseen_in_text(text: str) -> str:
    """The first such letter of a text, which may have tabs and several lines."""
    letter = _IN_TEXT(text)
    return letter.group() if letter else ""
