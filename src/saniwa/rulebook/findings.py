"""Collects the mistakes in a book while it is read, and limits its size."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from saniwa.core.errors import RulebookError
from saniwa.core.findings import Finding, Report, SourceLocation
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value, truncate

Path = tuple[str | int, ...]
"""The path through a document, with keys as the author wrote them."""

_LONGEST = 200

Locator = Callable[[Path], SourceLocation]
"""Finds the place in a file of a path in the document."""


def locate_by_path(path: Path) -> SourceLocation:
    """Return a place known only by its path, such as `rules[0].checks[2].condition`."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += ("." if text else "") + truncate(part, _LONGEST)
    return SourceLocation(path=text)


class RulebookFindings:
    """The findings of one book, each with its place."""

    def __init__(self, where: Locator = locate_by_path) -> None:
        self._where = where
        self.findings: list[Finding] = []

    def add_malformed(self, path: Path, message: str, hint: str = "") -> None:
        """Add a finding: a value has the wrong shape."""
        self._append("RULE_BAD_FIELD", path, message, hint, {})

    def add_duplicate(self, path: Path, message: str, hint: str = "") -> None:
        """Add a finding: something is defined twice."""
        self._append("RULE_DUPLICATE", path, message, hint, {})

    def add_unknown(self, code: str, path: Path, name: Any, known: Iterable[str]) -> None:
        """Add a finding: a name is unknown.

        The last word of the code says what it should name.
        """
        names = sorted(known)
        shown = quote_value(name)
        name = truncate(name, _LONGEST) if isinstance(name, str) else shown
        hint = suggest_nearest(name, names)
        if names and not hint:
            hint = f"known: {_join_names(names)}"
        self._append(
            code,
            path,
            f"there is no {code.rpartition('_')[2].lower()} called {shown}",
            hint,
            {"name": name, "known": names},
        )

    def _append(
        self, code: str, path: Path, message: str, hint: str, details: dict[str, Any]
    ) -> None:
        self.findings.append(
            Finding(code=code, message=message, where=self._where(path), hint=hint, details=details)
        )

    def build_report(self) -> Report:
        """Return all findings so far, in reading order."""
        return Report.from_findings(self.findings)

    def build_error(self) -> RulebookError:
        """Build one error for all findings.

        It has the code and place of the first finding, and all of them under
        `details["findings"]`.
        """
        report = self.build_report()
        first = report.findings[0]
        return RulebookError(
            first.code,
            first.message,
            where=first.where,
            hint=first.hint,
            details={
                **first.details,
                "findings": [finding.to_document() for finding in report.findings],
            },
        )

    def raise_if_any(self) -> None:
        """Raise an error if there is any finding.

        Raises:
            RulebookError: As `build_error` makes it.
        """
        if self.findings:
            raise self.build_error()


def _join_names(names: Sequence[str]) -> str:
    shown = ", ".join(names[:12])
    return shown + (", …" if len(names) > 12 else "")


DEEPEST_BOOK = 100
"""The most levels a book may nest."""
MOST_VALUES = 20_000
"""The most values in a book; a shared value counts wherever it occurs."""
_SHOWN = 9

_PathChain = tuple[Any, str | int] | None
"""The path to a value, as a linked list from its end: the path before it, and the last
step."""


def is_within_bounds(document: object, notes: RulebookFindings) -> bool:
    """Whether a document is within the depth and size of a book; else add a finding."""
    waiting: list[tuple[object, int, _PathChain]] = [(document, 0, None)]
    count = 0
    while waiting:
        value, depth, way = waiting.pop()
        if depth > DEEPEST_BOOK:
            notes.add_malformed(
                _build_path(way)[:_SHOWN], f"the book nests deeper than {DEEPEST_BOOK} levels"
            )
            return False
        # Counted before it is expanded: one list may be larger than the limit.
        count += _count_parts(value)
        if count > MOST_VALUES:
            notes.add_malformed((), f"the book holds more than {MOST_VALUES} values")
            return False
        waiting += [(part, depth + 1, (way, step)) for step, part in _list_parts(value)]
    return True


def _count_parts(value: object) -> int:
    return len(value) if isinstance(value, Mapping | list | tuple) else 0


def _list_parts(value: object) -> Iterable[tuple[Any, object]]:
    if isinstance(value, Mapping):
        return value.items()
    return enumerate(value) if isinstance(value, list | tuple) else ()


def _build_path(way: _PathChain) -> Path:
    steps: list[str | int] = []
    while way is not None:
        way, step = way
        steps.append(step if isinstance(step, int) else str(step))
    return tuple(reversed(steps))
