"""The lines of a file, and the comments taken out of them."""

import re
from typing import NamedTuple

from saniwa.core.finding import Finding, Severity
from saniwa.core.where import Where
from saniwa.script.notes import Notes

_ENDING = re.compile(r"\s*ending\s*[:：]\s*(.*)", re.IGNORECASE | re.DOTALL)
_OPEN = "<!--"
_CLOSE = "-->"


class Remark(NamedTuple):
    """`<!-- ending: id -->`: a comment that says something to us."""

    id: str
    """Which ending."""
    line: int
    """Where the comment begins."""
    column: int
    """Where the comment begins."""


class Lines:
    """The lines of one file, from the first to the last."""

    def __init__(self, lines: list[str], notes: Notes) -> None:
        self.all = lines
        self.number = 0
        """The line that is being read, from 1; also the index of the next."""
        self.notes = notes
        self._unclosed = False

    def uncomment(self, raw: str) -> tuple[str, list[Remark]]:
        """The current line without comments, and the endings among them.

        What stands behind a comment of several lines becomes the next line to read.
        """
        remarks: list[Remark] = []
        kept: list[str] = []
        at = length = 0
        while (begin := raw.find(_OPEN, at)) >= 0:
            kept.append(raw[at:begin])
            length += begin - at
            end = raw.find(_CLOSE, begin + len(_OPEN))
            if end < 0:
                self._over(raw, begin, remarks)
                return "".join(kept).rstrip(), remarks
            self._remark(raw[begin + len(_OPEN) : end], begin, remarks)
            at = skip_blanks(raw, end + len(_CLOSE))
            if at < len(raw):
                self.notes.cut(self.number, length, at - begin)
        kept.append(raw[at:])
        return "".join(kept).rstrip(), remarks

    def _over(self, raw: str, begin: int, remarks: list[Remark]) -> None:
        """Skip a comment that goes on in the next lines."""
        first = self.number
        last = -1 if self._unclosed else self._closing()
        if last < 0:
            self._unclosed = True
            message = "the comment does not end; it is read up to the end of its line"
            self._find("COMMENT_UNCLOSED", "error", message, begin, "end it with -->")
            return
        end = self.all[last].index(_CLOSE)
        text = [raw[begin + len(_OPEN) :], *self.all[first:last], self.all[last][:end]]
        self._remark("\n".join(text), begin, remarks)
        at = skip_blanks(self.all[last], end + len(_CLOSE))
        self.all[last] = self.all[last][at:]
        self.notes.cut(last + 1, 0, at)
        self.number = last

    def _closing(self) -> int:
        for at in range(self.number, len(self.all)):
            if _CLOSE in self.all[at]:
                return at
        return -1

    def _remark(self, text: str, begin: int, remarks: list[Remark]) -> None:
        found = _ENDING.match(text)
        if found is None:
            return
        id = found[1].strip()
        if not id:
            hint = "write <!-- ending: id -->"
            message = "the ending has no id"
            self._find("PARAMETER_MISSING", "warning", message, begin, hint)
        remarks.append(Remark(id, self.number, begin + 1))

    def _find(
        self, code: str, severity: Severity, message: str, begin: int, hint: str
    ) -> None:
        where = Where(file=self.notes.file, line=self.number, column=begin + 1)
        self.notes.take(
            Finding(
                code=code, severity=severity, message=message, where=where, hint=hint
            )
        )


def skip_blanks(raw: str, at: int) -> int:
    """Where the line goes on after blanks."""
    while at < len(raw) and raw[at] in " \t":
        at += 1
    return at
