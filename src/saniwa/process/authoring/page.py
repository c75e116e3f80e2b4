"""A definition under inspection, and what has been found in it so far."""

from collections.abc import Collection, Mapping
from typing import Any

from saniwa.core.document import Document, Step
from saniwa.core.finding import Finding, Report, Severity
from saniwa.core.near import did_you_mean
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
        self.passed = not document.findings
        """Whether no mistake has been found yet."""

    def error(
        self, code: str, message: str, path: Path, *, hint: str = "", key: bool = False
    ) -> None:
        """Note a mistake that keeps the document from being used."""
        self.passed = False
        self._note("error", code, message, path, hint, key=key)

    def warn(
        self, code: str, message: str, path: Path, *, hint: str = "", key: bool = False
    ) -> None:
        """Note something one may live with."""
        self._note("warning", code, message, path, hint, key=key)

    def near(self, name: str, names: Collection[str] | Mapping[str, Any]) -> str:
        """A hint with the nearest of the names; empty if there is none."""
        self._compared += len(names) + 1
        if self._compared > _MOST_COMPARED or len(self._found) >= MOST:
            return ""
        return did_you_mean(name, names)

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
        if len(self._found) >= MOST:
            self._more += 1
            return
        document = self.document
        where = document.where_key(path) if key else document.where(path)
        self._found.append(
            Finding(
                code=code, severity=severity, message=message, where=where, hint=hint
            )
        )
