"""The names under which headings can be linked to: GitHub's rule."""

import re
import unicodedata

_DROPPED = re.compile(r"[^a-z0-9_ -]+")
_BLANKS = " \t"


def slug(heading: str) -> str:
    """The heading in lower case, blanks as `-`, without punctuation or wide blanks.

    Letters, marks and numbers of every script stay, and `-` and `_`. A heading of nothing
    but punctuation has no slug.
    """
    text = heading.strip().lower()
    if text.isascii():
        return _DROPPED.sub("", text.replace("\t", " ")).replace(" ", "-")
    return "".join(_kept(letter) for letter in text)


def _kept(letter: str) -> str:
    if letter in _BLANKS:
        return "-"
    if letter in "-_" or unicodedata.category(letter)[0] in "LMN":
        return letter
    return ""
