"""Where something is really written, letter for letter.

The reader of stories takes comments out of a line before it counts columns; here they are
counted in again.
"""

import re
from collections.abc import Iterator, Sequence

from saniwa.script.desk.edit import lines_of


class Sight:
    """Looks for words in one text."""

    def __init__(self, text: str) -> None:
        self._lines = lines_of(text)
        self._tails = frozenset(_tails(self._lines)) if "<!--" in text else frozenset()

    def find(self, line: int, column: int, written: str, *, near: bool = False) -> int:
        """The column it is written at; 0 if it is not written there.

        With `near`, it may stand further to the right, as a word of its own.
        """
        raw = self.line(line)
        if not written:
            return 0
        # Comments are no part of what the reader of stories counts.
        tail = line in self._tails
        moved = (
            _uncommented(raw, column, tail=tail) if tail or "<!--" in raw else column
        )
        for at in (moved, column):
            if raw.startswith(written, max(at - 1, 0)):
                return at
        if not near:
            return 0
        whole = re.compile(rf"(?<!\w){re.escape(written)}(?!\w)").search(raw, column)
        return whole.start() + 1 if whole else 0

    def line(self, line: int) -> str:
        """The text of a line; empty where there is none."""
        return self._lines[line - 1] if 0 < line <= len(self._lines) else ""


def _tails(lines: Sequence[str]) -> Iterator[int]:
    """The lines in which a comment of several lines ends."""
    opened = False
    for number, raw in enumerate(lines, 1):
        if opened and "-->" not in raw:
            continue
        if opened:
            yield number
        opened = raw.rfind("<!--") > raw.rfind("-->")


def _uncommented(raw: str, column: int, *, tail: bool) -> int:
    """The column in a line of what stands at this one without the line's comments."""
    begin = 0 if tail else raw.find("<!--")
    end = raw.find("-->", begin)
    while 0 <= begin < column and end >= 0:
        after = raw[end + 3 :]
        until = len(raw) - len(after.lstrip(" \t"))
        column += until - begin
        begin = raw.find("<!--", until)
        end = raw.find("-->", begin)
    return column
