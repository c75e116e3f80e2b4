"""One file of an agent under inspection, and the values in it with their places."""

from typing import Any, NamedTuple

from saniwa.core.errors import DocumentError
from saniwa.core.finding import Finding, Severity
from saniwa.core.where import Where
from saniwa.process.authoring import page as process_page
from saniwa.process.authoring.page import MOST, Path

__all__ = ["Held", "Page", "Path"]


class Page(process_page.Page):
    """Collects the findings of one file; what can be used stays to be read."""

    def note(self, code: str, message: str, path: Path, *, hint: str = "") -> None:
        """Note something that is well, and may not be what its author thinks."""
        self._note("note", code, message, path, hint, key=True)

    def at(
        self, severity: Severity, code: str, message: str, offset: int, hint: str = ""
    ) -> None:
        """Note something at a letter of the text, for a file that is no document."""
        if severity == "error":
            self.passed = False
        if len(self._found) >= MOST:
            self._more += 1
            return
        line, column = self.document.place_at(offset)
        where = Where(file=self.document.file, line=line, column=column)
        self._found.append(
            Finding(
                code=code, severity=severity, message=message, where=where, hint=hint
            )
        )

    def told(self, problem: DocumentError) -> None:
        """Note why the file is no document."""
        self.passed = False
        self._found.append(
            Finding(
                code=problem.code,
                message=problem.message,
                where=problem.where or Where(file=self.document.file),
                hint=problem.hint,
            )
        )


class Held(NamedTuple):
    """A value, where it stands, and what it stands over: `config.json` over `agent.json`."""

    value: Any
    """The value."""
    path: Path
    """The way to it."""
    page: Page
    """The file it stands in."""
    below: "Held | None" = None
    """The mapping it adds to and overrides, key by key."""

    def error(self, code: str, message: str, *, hint: str = "") -> None:
        """Note a mistake here."""
        self.page.error(code, message, self.path, hint=hint)

    def warn(self, code: str, message: str, *, hint: str = "") -> None:
        """Note something one may live with."""
        self.page.warn(code, message, self.path, hint=hint)

    def inner(self, step: str | int, value: Any) -> "Held":
        """A value within this one."""
        return Held(value, (*self.path, step), self.page)

    @property
    def bottom(self) -> "Held":
        """The lowest of those it stands over: where its author writes what is missing."""
        return self if self.below is None else self.below.bottom
