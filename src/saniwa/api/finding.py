"""Mistakes in authored files, as HTTP tells them."""

from collections.abc import Iterable
from pathlib import PurePath

import msgspec

from saniwa.core.finding import Finding, Severity


class FindingView(msgspec.Struct, frozen=True, kw_only=True):
    """One mistake, with its place and its cure."""

    code: str
    """Upper-case words, explained in the documentation."""
    severity: Severity
    """`error`, `warning` or `note`; only errors keep a file from being used."""
    message: str
    """What is wrong."""
    file: str = ""
    """The name of the file; empty if there is none."""
    line: int = 0
    """1-based; 0 where no line is known."""
    column: int = 0
    """1-based; 0 where no column is known."""
    path: str = ""
    """The way through the document."""
    hint: str = ""
    """What to do."""


def finding_views(findings: Iterable[Finding]) -> list[FindingView]:
    """Findings as they are answered: files by their names, whatever folder they lie in."""
    return [
        FindingView(
            code=str(each.code),
            severity=each.severity,
            message=each.message,
            file=PurePath(each.where.file).name,
            line=each.where.line,
            column=each.where.column,
            path=each.where.path,
            hint=each.hint,
        )
        for each in findings
    ]
