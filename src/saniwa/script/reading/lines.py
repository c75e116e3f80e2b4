"""The lines of a file, and the comments taken out of them."""

import re
from typing import Final, NamedTuple

from saniwa.core.finding import Finding, Severity
from saniwa.core.near import slipped
from saniwa.core.quoted import quoted
from saniwa.core.where import Where
from saniwa.script.notes import Notes, Rewrite, edit

LONG: Final = 20
"""Lines a comment may have before it is told of: its end may have been forgotten."""
_NEARLY = re.compile(r"\s*([A-Za-z]{3,8})\s*([:：=]?)[ \t]*([^\n]{0,60}?)\s*\Z").match
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]").match
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
        begin = _opening(raw, 0)
        while begin >= 0:
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
            begin = _opening(raw, at)
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
        self._long(first, last, begin)
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
            self._misspelt(text, begin)
            return
        id = found[1].strip()
        if not id:
            hint = "write <!-- ending: id -->"
            message = "the ending has no id"
            self._find("PARAMETER_MISSING", "warning", message, begin, hint)
        remarks.append(Remark(id, self.number, begin + 1))

    def _misspelt(self, text: str, begin: int) -> None:
        """Warn if a comment nearly is an ending."""
        found = _NEARLY(text)
        if found is None or not _is_nearly(*found.groups()):
            return
        wanted = f"<!-- ending: {found[3] or 'id'} -->"
        written = f"{_OPEN}{text}{_CLOSE}"
        rewrite = Rewrite(begin + 1, len(written), wanted) if found[3] else None
        message = f"the comment {quoted(written)} ends nothing"
        hint = f"did you mean {wanted}?"
        self._find("ENDING_MISSPELT", "warning", message, begin, hint, rewrite)

    def _long(self, first: int, last: int, begin: int) -> None:
        """Warn if a comment takes so much with it that its end may be forgotten."""
        inside = enumerate(self.all[first:last], first + 1)
        heading = next(((n, raw) for n, raw in inside if _HEADING(raw)), None)
        if heading is None and last + 1 - first < LONG:
            return
        message = f"this comment swallows lines {first}–{last + 1}"
        hint = "end it with --> earlier if that is not meant"
        if heading is not None:
            message += f", the heading {quoted(heading[1].strip())} among them"
            hint = f"end it with --> before line {heading[0]} if that is not meant"
        self._find("COMMENT_LONG", "warning", message, begin, hint)

    def _find(
        self,
        code: str,
        severity: Severity,
        message: str,
        begin: int,
        hint: str,
        rewrite: Rewrite | None = None,
    ) -> None:
        where = Where(file=self.notes.file, line=self.number, column=begin + 1)
        self.notes.take(
            Finding(
                code=code,
                severity=severity,
                message=message,
                where=where,
                hint=hint,
                details={} if rewrite is None else edit(self.number, rewrite),
            )
        )


def _opening(raw: str, at: int) -> int:
    """Where the next comment begins; -1 if none does. `\\<!--` begins none."""
    while (begin := raw.find(_OPEN, at)) > 0:
        first = begin
        while first and raw[first - 1] == "\\":
            first -= 1
        if not (begin - first) % 2:
            break
        at = begin + 1
    return begin


def _is_nearly(word: str, colon: str, id: str) -> bool:
    """Whether a comment of this word, colon and rest was meant to be an ending."""
    word = word.lower()
    if colon and word in ("end", "ends"):
        return bool(id)
    if not word.startswith("e") or (not colon and len(id.split()) > 1):
        return False
    return word == "ending" or slipped(word, ("ending",)) == "ending"


def skip_blanks(raw: str, at: int) -> int:
    """Where the line goes on after blanks."""
    while at < len(raw) and raw[at] in " \t":
        at += 1
    return at
