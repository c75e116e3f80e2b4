"""Collecting mistakes in a book while it is read."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from saniwa.core.errors import RulebookError
from saniwa.core.finding import Finding, Report
from saniwa.core.near import did_you_mean
from saniwa.core.quoted import cut, quoted
from saniwa.core.where import Where

Path = tuple[str | int, ...]
"""The way through a document, keys as the author wrote them."""

_LONGEST = 200

Locate = Callable[[Path], Where]
"""Tells where in a file a path of the document stands."""


def unplaced(path: Path) -> Where:
    """A place known only by its path, such as `rules[0].checks[2].condition`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + cut(part, _LONGEST)
    return Where(path=text)


class Notes:
    """The findings of one reading, each with its place."""

    def __init__(self, where: Locate = unplaced) -> None:
        self._where = where
        self.findings: list[Finding] = []

    def bad(self, path: Path, message: str, hint: str = "") -> None:
        """Something has the wrong shape."""
        self._add("RULE_BAD_FIELD", path, message, hint, {})

    def twice(self, path: Path, message: str, hint: str = "") -> None:
        """Something stands twice."""
        self._add("RULE_DUPLICATE", path, message, hint, {})

    def unknown(self, code: str, path: Path, name: Any, known: Iterable[str]) -> None:
        """A name stands for nothing; the code's last word says what it should name."""
        names = sorted(known)
        shown = quoted(name)
        name = cut(name, _LONGEST) if isinstance(name, str) else shown
        hint = did_you_mean(name, names)
        if names and not hint:
            hint = f"known: {_listed(names)}"
        self._add(
            code,
            path,
            f"there is no {code.rpartition('_')[2].lower()} called {shown}",
            hint,
            {"name": name, "known": names},
        )

    def _add(
        self, code: str, path: Path, message: str, hint: str, details: dict[str, Any]
    ) -> None:
        self.findings.append(
            Finding(
                code=code,
                message=message,
                where=self._where(path),
                hint=hint,
                details=details,
            )
        )

    def report(self) -> Report:
        """Everything noted so far, in reading order."""
        return Report.of(self.findings)

    def error(self) -> RulebookError:
        """The one error that stands for all findings.

        It has the code and place of the first, and all of them under
        `details["findings"]`.
        """
        report = self.report()
        first = report.findings[0]
        return RulebookError(
            first.code,
            first.message,
            where=first.where,
            hint=first.hint,
            details={
                **first.details,
                "findings": [finding.as_document() for finding in report.findings],
            },
        )

    def raise_any(self) -> None:
        """Stop here if anything was found.

        Raises:
            RulebookError: as `error` makes it.
        """
        if self.findings:
            raise self.error()


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:12])
    return shown + (", …" if len(names) > 12 else "")
