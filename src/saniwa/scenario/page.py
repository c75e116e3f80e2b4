"""A document under inspection, and what has been found in it so far."""

from collections.abc import Iterable, Mapping
from typing import Any

from saniwa.core.document import Document, Step
from saniwa.core.finding import Finding, Report, Severity
from saniwa.core.near import nearest
from saniwa.scenario.code import Code

Path = tuple[Step, ...]
"""The way to a value in the document."""

MOST_NEAR = 100
"""Findings that get a near name: each costs a look at every name there is."""
MOST_LOOKS = 100_000
"""Names that are looked at for all of them together."""


class Page:
    """Collects findings, so that an author sees all of them at once."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._found: list[Finding] = list(document.findings)
        self._near = MOST_NEAR
        self._looks = MOST_LOOKS

    def error(
        self,
        code: Code,
        message: str,
        path: Path,
        *,
        hint: str = "",
        key: bool = False,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Note a mistake that keeps the document from being used."""
        self._note("error", code, message, path, hint, key, details)

    def warn(
        self,
        code: Code,
        message: str,
        path: Path,
        *,
        hint: str = "",
        key: bool = False,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Note something one may live with."""
        self._note("warning", code, message, path, hint, key, details)

    def note(self, code: Code, message: str, path: Path) -> None:
        """Note something worth knowing that nothing need be done about."""
        self._note("note", code, message, path, "", False, None)

    def near(self, name: str, names: Iterable[str]) -> str:
        """A hint with the nearest of the names; empty if there is none."""
        if self._near <= 0 or self._looks <= 0:
            return ""
        known = list(names)
        self._near -= 1
        self._looks -= len(known)
        found = nearest(name, known)
        return f"did you mean {found!r}?" if found else ""

    def near_id(self, name: str, known: Iterable[tuple[str, str]]) -> str:
        """The same for pairs of id and name: the id of what is called so comes first."""
        if self._near <= 0 or self._looks <= 0:
            return ""
        pairs = list(known)
        for id, called in pairs:
            if called == name and id != name:
                return f"its id is {id!r}"
        return self.near(name, [id for id, _ in pairs])

    @property
    def passed(self) -> bool:
        """Whether no mistake has been found yet."""
        return all(found.severity != "error" for found in self._found)

    def report(self) -> Report:
        """Everything found, in reading order."""
        return Report.of(self._found)

    def _note(
        self,
        severity: Severity,
        code: Code,
        message: str,
        path: Path,
        hint: str,
        key: bool,
        details: Mapping[str, Any] | None,
    ) -> None:
        document = self.document
        where = document.where_key(path) if key else document.where(path)
        self._found.append(
            Finding(
                code=code.value,
                severity=severity,
                message=message,
                where=where,
                hint=hint,
                details=dict(details or {}),
            )
        )
