"""A file under inspection, and what has been found in it so far."""

from collections.abc import Collection, Mapping
from typing import Any

from saniwa.core.document import Document, Step
from saniwa.core.errors import DocumentError
from saniwa.core.finding import Finding, Report, Severity
from saniwa.core.near import nearest, slipped
from saniwa.core.where import Where

Path = tuple[Step, ...]
"""The way to a value in the document."""

MOST = 1_000
"""Findings that are kept; a note says how many more there were."""
_MOST_COMPARED = 200_000
"""Names that are looked at for near ones, in all: each costs a little."""


class Page:
    """Collects findings, so that an author sees all of them at once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._found: list[Finding] = list(document.findings[:MOST])
        self._more = len(document.findings) - len(self._found)
        self._compared = 0
        self.errors = sum(each.severity == "error" for each in document.findings)
        """How many mistakes have been found so far."""
        self.passed = not document.findings
        """Whether no mistake has been found yet."""

    def error(
        self, code: str, message: str, path: Path, *, hint: str = "", key: bool = False
    ) -> None:
        """Note a mistake that keeps the document from being used."""
        self._note("error", code, message, path, hint, key=key)

    def warn(
        self, code: str, message: str, path: Path, *, hint: str = "", key: bool = False
    ) -> None:
        """Note something one may live with."""
        self._note("warning", code, message, path, hint, key=key)

    def note(self, code: str, message: str, path: Path, *, hint: str = "") -> None:
        """Note something that is well, and may not be what its author thinks."""
        self._note("note", code, message, path, hint, key=True)

    def at(
        self, severity: Severity, code: str, message: str, offset: int, hint: str = ""
    ) -> None:
        """Note something at a letter of the text, for a file that is no document."""
        line, column = self.document.place_at(offset)
        where = Where(file=self.document.file, line=line, column=column)
        self._add(_finding(severity, code, message, where, hint))

    def told(self, problem: DocumentError) -> None:
        """Note why the file is no document."""
        where = problem.where or Where(file=self.document.file)
        self._add(_finding("error", problem.code, problem.message, where, problem.hint))

    def near(self, name: str, names: Collection[str] | Mapping[str, Any]) -> str:
        """A hint with the nearest of the names; empty if there is none."""
        found = self.nearest(name, names)
        return f"did you mean {found!r}?" if found else ""

    def nearest(self, name: str, names: Collection[str] | Mapping[str, Any]) -> str:
        """The nearest of the names, or the one whose letters slipped; empty if none."""
        self._compared += len(names) + 1
        if self._compared > _MOST_COMPARED or len(self._found) >= MOST:
            return ""
        return nearest(name, names) or slipped(name, names)

    def report(self) -> Report:
        """Everything found, in reading order."""
        found = Report.of(self._found)
        if not self._more:
            return found
        many = Finding(
            code="FINDINGS_MANY",
            severity="note",
            message=f"{self._more} more findings are not shown",
            where=Where(file=self.document.file),
            hint="put these right first and check again",
            details={"more": self._more},
        )
        return Report((*found.findings, many))

    def _note(
        self,
        severity: Severity,
        code: str,
        message: str,
        path: Path,
        hint: str,
        *,
        key: bool,
    ) -> None:
        document = self.document
        if len(self._found) >= MOST:
            where = Where(file=document.file)
        else:
            where = document.where_key(path) if key else document.where(path)
        self._add(_finding(severity, code, message, where, hint))

    def _add(self, finding: Finding) -> None:
        if finding.severity == "error":
            self.errors += 1
            self.passed = False
        if len(self._found) >= MOST:
            self._more += 1
        else:
            self._found.append(finding)


def _finding(
    severity: Severity, code: str, message: str, where: Where, hint: str
) -> Finding:
    return Finding(
        code=code, severity=severity, message=message, where=where, hint=hint
    )
