"""Anybody's words in a Markdown page: never markup, never more than one line."""

import re
from typing import Final

from saniwa.core.quoted import cut
from saniwa.core.sound import sound

_MARKUP: Final = re.compile(r"[\\`*_\[\]<>&|~$@^#=]|:(?=//)|(?<=www)\.", re.IGNORECASE)
_JOINER: Final = "\u200d"
_MARK: Final = "\ufffd"


def as_text(words: str, longest: int) -> str:
    """The words as a page shows them letter for letter, cut where they become long.

    Line ends become spaces, and what is no letter (marks that turn the direction of
    writing, control characters) becomes U+FFFD. It must not stand at the beginning of a
    line, where a number or a dash would begin a list.
    """
    line = " ".join(cut(words, longest).split())
    return _MARKUP.sub(r"\\\g<0>", _visible(sound(line)))


def _visible(line: str) -> str:
    if line.isprintable():
        return line
    return "".join(
        letter if letter.isprintable() or letter == _JOINER else _MARK
        for letter in line
    )
