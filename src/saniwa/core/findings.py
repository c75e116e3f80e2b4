"""Mistakes in authored files: collected, never raised one by one."""

from collections.abc import Iterable
from typing import Any, Literal

import msgspec


class SourceLocation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """File, line, column and the path inside the document; all 1-based."""

    file: str = ""
    """The file as the user named it; never made absolute."""
    line: int = 0
    """1-based; 0 if the line is unknown."""
    column: int = 0
    """1-based, counted in characters; 0 if the column is unknown."""
    path: str = ""
    """The path inside the document, such as `locations.キッチン.exits[1]`."""

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f":{self.line}" + (f":{self.column}" if self.column else "")
        if self.path:
            place = f"{place} ({self.path})" if place else self.path
        return place


Severity = Literal["error", "warning", "note"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding: what is wrong, where, and how to fix it."""

    code: str
    """Upper-case words; has an entry under docs/errors."""
    severity: Severity = "error"
    """Only errors keep a file from being used."""
    message: str
    """What is wrong, in one plain sentence; values quoted."""
    where: SourceLocation = SourceLocation()
    """The place to look at."""
    hint: str = ""
    """What to do; offers the nearest existing name where there is one."""
    details: dict[str, Any] = {}
    """The values involved, for machines."""

    def __str__(self) -> str:
        parts = [f"[{self.code}] {self.message}"]
        if str(self.where):
            parts.append(f"  at {self.where}")
        if self.hint:
            parts.append(f"  hint: {self.hint}")
        return "\n".join(parts)

    def to_document(self) -> dict[str, Any]:
        """Return the finding for machines, with the parts of `where` as fields."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "file": self.where.file,
            "line": self.where.line,
            "column": self.where.column,
            "path": self.where.path,
            "hint": self.hint,
            "details": self.details,
        }


class Report(msgspec.Struct, frozen=True):
    """Everything found in one file or one set of files, in reading order."""

    findings: tuple[Finding, ...] = ()
    """All findings, sorted by place."""

    @classmethod
    def from_findings(cls, findings: Iterable[Finding]) -> "Report":
        """Sort findings by place; those without a place keep the order they came in."""

        def place(finding: Finding) -> tuple[str, int, int]:
            return (finding.where.file, finding.where.line, finding.where.column)

        return cls(tuple(sorted(findings, key=place)))

    @property
    def has_passed(self) -> bool:
        """Whether the file can be used: it has no errors."""
        return not self.errors

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that prevent the use of the file."""
        return tuple(f for f in self.findings if f.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The findings that do not prevent the use of the file."""
        return tuple(f for f in self.findings if f.severity == "warning")
