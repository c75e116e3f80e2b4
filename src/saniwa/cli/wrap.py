"""Where lines break on a screen: English at blanks, Japanese as print does."""

import re
import textwrap
from collections.abc import Iterator

from saniwa.cli.render import width

_OPENING = "「『（【〈《［｛〔“‘"
_CLOSING = (
    "、。，．・：；！？…‥」』）】〉》］｝〕”’ーゝゞ々〜～"
    "ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ"
)
_PIECE = re.compile(rf"[{_OPENING}]*(?:[!-~¡-ɏ]+|.)[{_CLOSING}]*[ ]*", re.DOTALL)
"""What stays together: a word, or a letter with the marks that belong to it."""


def wrapped(text: str, columns: int) -> list[str]:
    """One paragraph as lines of at most so many columns, at least one line."""
    if width(text) <= columns:
        return [text]
    if text.isascii() or width(text) == len(text):
        return textwrap.wrap(text, columns) or [text]
    lines, line = list[str](), ""
    for piece in _pieces(text, columns):
        if line and width(line) + width(piece.rstrip(" ")) > columns:
            lines.append(line.rstrip(" "))
            line = ""
        line += piece
    return [*lines, line.rstrip(" ")]


def _pieces(text: str, columns: int) -> Iterator[str]:
    for piece in _PIECE.findall(text):
        if width(piece) <= columns:
            yield piece
        else:
            yield from piece  # a row of marks longer than a line has no good break
