"""Collect the findings of one story file while it is parsed.

Limits how many are stored, counts the rest, and converts columns to those of the file
where comments were removed before parsing. It does not decide what is a finding.
"""

from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import Any, Final, NamedTuple

from saniwa.core.findings import Finding, Severity, SourceLocation

MOST = 1_000
"""The most findings stored for one file; a note says how many more there were."""


_CURRENT: Final = {
    "SAY": "Name: text; a name with blanks needs cast: in the front matter",
    "LABEL": "## name, where no list or block is open",
    "JUMP": "[text](#label)",
    "# scene:": "## name",
}
"""Commands that are still good, and the plain Markdown that does the same."""


class TextReplacement(NamedTuple):
    """A correction of the characters at one place of the finding's line."""

    column: int
    """The column of the first character to replace."""
    length: int
    """How many characters to replace."""
    text: str
    """What to write instead."""


class FindingCollector:
    """Collects the findings of one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._found: list[Finding] = []
        self._fixed: list[Finding] = []
        self._more = 0
        self.count = 0
        """How many findings were added so far."""
        self._noted: set[str] = set()
        self.excused: set[tuple[str, int]] = set()
        """Findings that `lint` must not add, by code and line."""
        self._old: dict[str, list[int]] = {}
        self._cuts: dict[int, list[tuple[int, int]]] = {}

    def add_error(
        self,
        code: str,
        message: str,
        line: int,
        column: int,
        hint: str = "",
        rewrite: TextReplacement | None = None,
    ) -> None:
        """Add an error: something that must be corrected."""
        self._record_finding("error", code, message, line, column, hint, rewrite)

    def add_warning(
        self,
        code: str,
        message: str,
        line: int,
        column: int,
        hint: str = "",
        rewrite: TextReplacement | None = None,
    ) -> None:
        """Add a warning: something the author may leave as it is."""
        self._record_finding("warning", code, message, line, column, hint, rewrite)

    def add_note(self, code: str, message: str, line: int, column: int, hint: str = "") -> None:
        """Add a note, something worth knowing; each code only once per file."""
        if code not in self._noted:
            self._noted.add(code)
            self._record_finding("note", code, message, line, column, hint, None)

    def excuse_lines(self, code: str, *lines: int) -> None:
        """Mark lines where a finding of `lint` would add nothing to one made here."""
        self.excused.update((code, line) for line in lines)

    def add_finding(self, finding: Finding) -> None:
        """Add a finding whose columns are already those of the file."""
        self.count += 1
        if self.is_full:
            self._more += 1
        else:
            self._fixed.append(finding)

    @property
    def is_full(self) -> bool:
        """Whether further findings are only counted, so that hints need not be made."""
        return len(self._found) + len(self._fixed) >= MOST

    def count_old_notation(self, kind: str, line: int, column: int) -> None:
        """Count one use of an old notation; the finding names the first place."""
        seen = self._old.get(kind)
        if seen is None:
            self._old[kind] = [1, line, column]
        else:
            seen[0] += 1

    def record_cut(self, line: int, at: int, length: int) -> None:
        """Record that a comment was removed from a line, to keep columns correct."""
        self._cuts.setdefault(line, []).append((at, length))

    @property
    def has_cuts(self) -> bool:
        """Whether a comment with text after it was removed from any line."""
        return bool(self._cuts)

    def to_file_column(self, line: int, column: int) -> int:
        """Convert a column of the text without comments to a column of the file."""
        cuts = self._cuts.get(line, ())
        return column + sum(length for at, length in cuts if column > at)

    def has_cut_between(self, first: int, last: int) -> bool:
        """Whether a comment with text after it was removed from one of these lines."""
        lines = self._cut_lines
        return bisect_left(lines, first) < bisect_right(lines, last)

    @cached_property
    def _cut_lines(self) -> list[int]:
        return sorted(self._cuts)

    def list_findings(self) -> tuple[Finding, ...]:
        """Return all findings in reading order."""
        found = self._fixed + [self._restore_place(each) for each in self._found]
        found += [self._make_old_notation_finding(kind, *seen) for kind, seen in self._old.items()]
        found.sort(key=lambda each: (each.where.line, each.where.column))
        if self._more:
            found.append(
                Finding(
                    code="FINDINGS_MANY",
                    severity="note",
                    message=f"{self._more} more findings are not shown",
                    where=SourceLocation(file=self.file),
                    hint="put these right first and check again",
                    details={"more": self._more},
                )
            )
        return tuple(found)

    def _record_finding(
        self,
        severity: Severity,
        code: str,
        message: str,
        line: int,
        column: int,
        hint: str,
        rewrite: TextReplacement | None,
    ) -> None:
        self.count += 1
        if self.is_full:
            self._more += 1
            return
        where = SourceLocation(file=self.file, line=line, column=column)
        self._found.append(
            Finding(
                code=code,
                severity=severity,
                message=message,
                where=where,
                hint=hint,
                details={} if rewrite is None else make_rewrite_details(line, rewrite),
            )
        )

    def _restore_place(self, finding: Finding) -> Finding:
        where = finding.where
        column = self.to_file_column(where.line, where.column)
        if column == where.column:
            return finding
        moved = SourceLocation(file=where.file, line=where.line, column=column, path=where.path)
        details = finding.details
        if "rewrite" in details:
            details = self._move_replacement(details["rewrite"])
        return Finding(
            code=finding.code,
            severity=finding.severity,
            message=finding.message,
            where=moved,
            hint=finding.hint,
            details=details,
        )

    def _move_replacement(self, edited: dict[str, Any]) -> dict[str, Any]:
        """Convert an edit to the file's columns; empty if a comment is inside it."""
        line, column, length = edited["line"], edited["column"], edited["length"]
        begin = self.to_file_column(line, column)
        if length and self.to_file_column(line, column + length - 1) != begin + length - 1:
            return {}
        return make_rewrite_details(line, TextReplacement(begin, length, edited["text"]))

    def _make_old_notation_finding(self, kind: str, count: int, line: int, column: int) -> Finding:
        times = "once" if count == 1 else f"{count} times"
        today = _CURRENT.get(kind)
        message = f"the old notation {kind!r} is used {times}"
        hint = "saniwa fmt rewrites it where the meaning stays the same"
        if today is not None:
            message = f"{kind!r} is used {times}; plain Markdown has its own way"
            hint = f"you may write {today}"
        return Finding(
            code="OLD_NOTATION",
            severity="warning" if today is None else "note",
            message=message,
            where=SourceLocation(file=self.file, line=line, column=column),
            hint=hint,
            details={"kind": kind, "count": count},
        )


def make_rewrite_details(line: int, rewrite: TextReplacement) -> dict[str, Any]:
    """Make the details of a finding that offers a correction."""
    column, length, text = rewrite
    place = {"line": line, "column": column, "length": length}
    return {"rewrite": {**place, "text": text}}
