"""Collects the findings in one file while it is checked."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from saniwa.core.errors import DocumentError
from saniwa.core.findings import Finding, Report, Severity, SourceLocation
from saniwa.core.messages import Describer
from saniwa.core.suggestions import find_nearest, find_typo_correction
from saniwa.documents.document import Document, PathStep

KeyPath = tuple[PathStep, ...]
"""The path to a value in the document."""

MOST_FINDINGS = 1_000
"""The most findings that are stored; a note says how many more there were."""
_MOST_COMPARED = 200_000
"""The most names that are compared for suggestions in all: each takes some time."""


class Findings:
    """Collects findings, so that an author sees all of them at once."""

    def __init__(
        self,
        document: Document,
        locate: Callable[[KeyPath], SourceLocation] | None = None,
        describe: Describer | None = None,
    ) -> None:
        """Collect the findings of a document; `locate` finds places if it is no file.

        `describe` has the messages of the document's format, for `report`.
        """
        self.document = document
        self._locate = locate
        self._describe = describe
        self._found: list[Finding] = list(document.findings[:MOST_FINDINGS])
        self._more = len(document.findings) - len(self._found)
        self._compared = 0
        self.errors = sum(each.severity == "error" for each in document.findings)
        """How many errors were found so far."""
        self.passed = not document.findings
        """Whether there is no error so far."""

    def add_error(
        self,
        code: str,
        message: str,
        path: KeyPath,
        *,
        hint: str = "",
        key: bool = False,
        details: dict[str, Any] | None = None,
    ) -> None:
        """Add an error, which prevents the use of the document."""
        self._add_at_path(path, key, details, "error", code, message, hint)

    def add_warning(
        self,
        code: str,
        message: str,
        path: KeyPath,
        *,
        hint: str = "",
        key: bool = False,
        details: dict[str, Any] | None = None,
    ) -> None:
        """Add a warning, which does not prevent the use of the document."""
        self._add_at_path(path, key, details, "warning", code, message, hint)

    def add_note(
        self, code: str, message: str, path: KeyPath, *, hint: str = "", key: bool = True
    ) -> None:
        """Add a note: valid, but perhaps not what the author intended."""
        self._add_at_path(path, key, None, "note", code, message, hint)

    def report(self, name: str, path: KeyPath, /, *, key: bool = False, **values: Any) -> None:
        """Add what the format's catalogue says under a name, with these values filled in."""
        assert self._describe is not None, "the format has a catalogue"
        said = self._describe(name, **values)
        self._add_at_path(path, key, said.details, said.severity, said.code, said.text, said.hint)

    def add_at_offset(
        self, severity: Severity, code: str, message: str, offset: int, hint: str = ""
    ) -> None:
        """Add a finding at a character of the text, for a file that is not a document."""
        line, column = self.document.find_position(offset)
        where = SourceLocation(file=self.document.file, line=line, column=column)
        self._append(Finding(code=code, severity=severity, message=message, where=where, hint=hint))

    def add_document_error(self, problem: DocumentError) -> None:
        """Add the reason why the file is not a document."""
        where = problem.where or SourceLocation(file=self.document.file)
        code, message, hint = problem.code, problem.message, problem.hint
        self._append(Finding(code=code, message=message, where=where, hint=hint))

    def suggest_nearest(self, name: str, names: Collection[str] | Mapping[str, Any]) -> str:
        """Return a hint with the most similar name; empty if there is none."""
        found = self.find_nearest(name, names)
        return f"did you mean {found!r}?" if found else ""

    def suggest_id(self, name: str, known: Iterable[tuple[str, str]]) -> str:
        """Return a hint for pairs of id and name; the id of an equal name comes first."""
        pairs = list(known)
        self._compared += len(pairs)
        if self._compared > _MOST_COMPARED:
            return ""
        for id, called in pairs:
            if called == name and id != name:
                return f"its id is {id!r}"
        return self.suggest_nearest(name, [id for id, _ in pairs])

    def find_nearest(self, name: str, names: Collection[str] | Mapping[str, Any]) -> str:
        """Return the most similar name, or the one with a typing error; empty if none."""
        self._compared += len(names) + 1
        if self._compared > _MOST_COMPARED or len(self._found) >= MOST_FINDINGS:
            return ""
        return find_nearest(name, names) or find_typo_correction(name, names)

    @property
    def findings(self) -> list[Finding]:
        """All findings so far, in the order in which they were added."""
        return self._found

    def build_report(self) -> Report:
        """Return all findings, in reading order."""
        found = Report.from_findings(self._found)
        if not self._more:
            return found
        many = Finding(
            code="FINDINGS_MANY",
            severity="note",
            message=f"{self._more} more findings are not shown",
            where=SourceLocation(file=self.document.file),
            hint="fix these first, then check again",
            details={"more": self._more},
        )
        return Report((*found.findings, many))

    def _add_at_path(
        self,
        path: KeyPath,
        key: bool,
        details: dict[str, Any] | None,
        severity: Severity,
        code: str,
        message: str,
        hint: str,
    ) -> None:
        document = self.document
        if len(self._found) >= MOST_FINDINGS:
            where = SourceLocation(file=document.file)
        elif self._locate is not None:
            where = self._locate(path)
        else:
            where = document.locate_key(path) if key else document.locate(path)
        self._append(
            Finding(
                code=str(code),
                severity=severity,
                message=message,
                where=where,
                hint=hint,
                details=details or {},
            )
        )

    def _append(self, finding: Finding) -> None:
        if finding.severity == "error":
            self.errors += 1
            self.passed = False
        if len(self._found) >= MOST_FINDINGS:
            self._more += 1
        else:
            self._found.append(finding)


class Located(NamedTuple):
    """A value, its place, and the value it overrides: `config.json` over `agent.json`."""

    value: Any
    """The value."""
    path: KeyPath
    """The path to it."""
    page: Findings
    """The findings of its file."""
    below: "Located | None" = None
    """The mapping it extends and overrides, key by key."""

    def add_error(self, code: str, message: str, *, hint: str = "", key: bool = False) -> None:
        """Add an error at this place, or at the key before it."""
        self.page.add_error(code, message, self.path, hint=hint, key=key)

    def add_warning(self, code: str, message: str, *, hint: str = "", key: bool = False) -> None:
        """Add a warning at this place, or at the key before it."""
        self.page.add_warning(code, message, self.path, hint=hint, key=key)

    def report(self, name: str, /, *, key: bool = False, **values: Any) -> None:
        """Add what the format's catalogue says, at this place or at the key before it."""
        self.page.report(name, self.path, key=key, **values)

    def make_inner(self, step: str | int, value: Any) -> "Located":
        """Return a value inside this one."""
        return Located(value, (*self.path, step), self.page)

    def list_items(self) -> "list[Located]":
        """Return the items of a list, or the values of a mapping."""
        pairs = self.value.items() if isinstance(self.value, dict) else enumerate(self.value)
        return [self.make_inner(step, value) for step, value in pairs]

    @property
    def bottom(self) -> "Located":
        """The lowest of those it overrides: where its author should add a missing key."""
        return self if self.below is None else self.below.bottom
