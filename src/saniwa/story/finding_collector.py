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


_Correction = TextReplacement | None


def make_finding(
    code: str,
    message: str,
    where: SourceLocation,
    hint: str = "",
    severity: Severity = "error",
    **details: Any,
) -> Finding:
    """Make a finding."""
    return Finding(
        code=code, severity=severity, message=message, where=where, hint=hint, details=details
    )


def make_more_finding(file: str, more: int) -> Finding:
    """Make the note that says how many more findings a file has."""
    message, hint = f"{more} more findings are not shown", "put these right first and check again"
    where = SourceLocation(file=file)
    return make_finding("FINDINGS_MANY", message, where, hint, "note", more=more)


class FindingCollector:
    """Collects the findings of one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._found: list[Finding] = []
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
        fix: _Correction = None,
    ) -> None:
        """Add an error: something that must be corrected."""
        self._add_moved("error", code, message, line, column, hint, fix)

    def add_warning(
        self,
        code: str,
        message: str,
        line: int,
        column: int,
        hint: str = "",
        fix: _Correction = None,
    ) -> None:
        """Add a warning: something the author may leave as it is."""
        self._add_moved("warning", code, message, line, column, hint, fix)

    def add_note(self, code: str, message: str, line: int, column: int, hint: str = "") -> None:
        """Add a note, something worth knowing; each code only once per file."""
        if code not in self._noted:
            self._noted.add(code)
            self._add_moved("note", code, message, line, column, hint)

    def excuse_lines(self, code: str, *lines: int) -> None:
        """Mark lines where a finding of `lint` would add nothing to one made here."""
        self.excused.update((code, line) for line in lines)

    def add_finding(self, finding: Finding) -> None:
        """Add a finding whose columns are already those of the file."""
        self.count += 1
        if not self.is_full:
            self._found.append(finding)

    @property
    def is_full(self) -> bool:
        """Whether further findings are only counted, so that hints need not be made."""
        return len(self._found) >= MOST

    def count_old_notation(self, kind: str, line: int, column: int) -> None:
        """Count one use of an old notation; the finding names the first place."""
        self._old.setdefault(kind, [0, line, column])[0] += 1

    def record_cut(self, line: int, at: int, length: int) -> None:
        """Record that a comment was removed from a line, before it is read."""
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
        found = [*self._found]
        found += [self._make_old_notation_finding(kind, *seen) for kind, seen in self._old.items()]
        found.sort(key=lambda each: (each.where.line, each.where.column))
        more = self.count - len(self._found)
        return (*found, make_more_finding(self.file, more)) if more else tuple(found)

    def add_at(
        self,
        severity: Severity,
        code: str,
        message: str,
        line: int,
        column: int,
        hint: str = "",
        fix: _Correction = None,
    ) -> None:
        """Add a finding at a line and column of the file."""
        where = SourceLocation(file=self.file, line=line, column=column)
        details = {} if fix is None else {"rewrite": {"line": line, **fix._asdict()}}
        self.add_finding(make_finding(code, message, where, hint, severity, **details))

    def _add_moved(
        self,
        severity: Severity,
        code: str,
        message: str,
        line: int,
        column: int,
        hint: str,
        fix: _Correction = None,
    ) -> None:
        """Add a finding whose columns are those of the text without comments."""
        moved = self.to_file_column(line, column)
        if fix is not None and moved != column:
            fix = self._move_replacement(line, fix)
        self.add_at(severity, code, message, line, moved, hint, fix)

    def _move_replacement(self, line: int, fix: TextReplacement) -> _Correction:
        """Convert an edit to the file's columns; None if a comment is inside it."""
        begin, last = self.to_file_column(line, fix.column), fix.column + fix.length - 1
        if fix.length and self.to_file_column(line, last) != begin + fix.length - 1:
            return None
        return fix._replace(column=begin)

    def _make_old_notation_finding(self, kind: str, count: int, line: int, column: int) -> Finding:
        times = "once" if count == 1 else f"{count} times"
        today = _CURRENT.get(kind)
        message = f"the old notation {kind!r} is used {times}"
        hint = "saniwa fmt rewrites it where the meaning stays the same"
        severity: Severity = "warning"
        if today is not None:
            message = f"{kind!r} is used {times}; plain Markdown has its own way"
            hint, severity = f"you may write {today}", "note"
        where = SourceLocation(file=self.file, line=line, column=column)
        return make_finding("OLD_NOTATION", message, where, hint, severity, kind=kind, count=count)
