"""What reading one file finds: collected as it comes, counted, and bounded."""

from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import Any, Final, NamedTuple

from saniwa.core.findings import Finding, Severity, SourceLocation

MOST = 1_000
"""Findings of one file that are kept; a note says how many more there were."""


_CURRENT: Final = {
    "SAY": "Name: text; a name with blanks needs cast: in the front matter",
    "LABEL": "## name, where no list or block is open",
    "JUMP": "[text](#label)",
    "# scene:": "## name",
}
"""Commands that are as good as what plain Markdown has, which is named."""


class TextReplacement(NamedTuple):
    """What would be right, in the place of letters of the line a finding is on."""

    column: int
    """Where the letters begin."""
    length: int
    """How many they are."""
    text: str
    """What to write instead."""


class FindingCollector:
    """The findings of one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._found: list[Finding] = []
        self._fixed: list[Finding] = []
        self._more = 0
        self.count = 0
        """How many findings there were so far."""
        self._noted: set[str] = set()
        self.excused: set[tuple[str, int]] = set()
        """Findings that are not to be made, by code and line."""
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
        """Keep what must be put right."""
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
        """Keep what one may live with."""
        self._record_finding("warning", code, message, line, column, hint, rewrite)

    def add_note(
        self, code: str, message: str, line: int, column: int, hint: str = ""
    ) -> None:
        """Keep what is only worth knowing; once a file."""
        if code not in self._noted:
            self._noted.add(code)
            self._record_finding("note", code, message, line, column, hint, None)

    def excuse_lines(self, code: str, *lines: int) -> None:
        """Remember lines of which a finding of the whole story would say nothing new."""
        self.excused.update((code, line) for line in lines)

    def add_finding(self, finding: Finding) -> None:
        """Keep a finding whose place is already the file's own."""
        self.count += 1
        if self.is_full:
            self._more += 1
        else:
            self._fixed.append(finding)

    @property
    def is_full(self) -> bool:
        """Whether no more findings are kept, so that nobody needs to make hints."""
        return len(self._found) + len(self._fixed) >= MOST

    def count_old_notation(self, kind: str, line: int, column: int) -> None:
        """Count one use of an old notation; the first place is told."""
        seen = self._old.get(kind)
        if seen is None:
            self._old[kind] = [1, line, column]
        else:
            seen[0] += 1

    def record_cut(self, line: int, at: int, letters: int) -> None:
        """Remember that a comment was taken out of a line, so that columns stay true."""
        self._cuts.setdefault(line, []).append((at, letters))

    @property
    def has_cuts(self) -> bool:
        """Whether a comment was taken out of any line, of text behind it."""
        return bool(self._cuts)

    def to_file_column(self, line: int, column: int) -> int:
        """The column in the file of what stands there once comments are taken out."""
        cuts = self._cuts.get(line, ())
        return column + sum(letters for at, letters in cuts if column > at)

    def has_cut_between(self, first: int, last: int) -> bool:
        """Whether a comment was taken out of one of these lines, of text behind it."""
        lines = self._cut_lines
        return bisect_left(lines, first) < bisect_right(lines, last)

    @cached_property
    def _cut_lines(self) -> list[int]:
        return sorted(self._cuts)

    def list_findings(self) -> tuple[Finding, ...]:
        """Everything found, in reading order."""
        found = self._fixed + [self._restore_place(each) for each in self._found]
        found += [
            self._make_old_notation_finding(kind, *seen)
            for kind, seen in self._old.items()
        ]
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
        moved = SourceLocation(
            file=where.file, line=where.line, column=column, path=where.path
        )
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
        """The same edit in the file's columns; none if a comment stands within."""
        line, column, length = edited["line"], edited["column"], edited["length"]
        begin = self.to_file_column(line, column)
        if (
            length
            and self.to_file_column(line, column + length - 1) != begin + length - 1
        ):
            return {}
        return make_rewrite_details(
            line, TextReplacement(begin, length, edited["text"])
        )

    def _make_old_notation_finding(
        self, kind: str, count: int, line: int, column: int
    ) -> Finding:
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
    """The details of a finding that knows what would be right."""
    column, length, text = rewrite
    place = {"line": line, "column": column, "length": length}
    return {"rewrite": {**place, "text": text}}
