"""Collects the mistakes in a book while it is read, words them, and limits its size."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final

from saniwa.core.errors import RulebookError
from saniwa.core.findings import SourceLocation
from saniwa.core.suggestions import suggest_nearest
from saniwa.core.text import quote_value, truncate
from saniwa.documents.document import Document
from saniwa.documents.finding_collector import Findings, Located
from saniwa.documents.record_reader import MAPPING, Notation, RecordForm, ValueKind

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


class RulebookFindings(Findings):
    """The findings of one book, each with its place."""

    def __init__(self, where: Locator = locate_by_path) -> None:
        super().__init__(Document(plain=None), where)

    def add_malformed(self, path: Path, message: str, hint: str = "") -> None:
        """Add a finding: a value has the wrong shape."""
        self.add_error("RULE_BAD_FIELD", message, path, hint=hint)

    def add_duplicate(self, path: Path, message: str, hint: str = "") -> None:
        """Add a finding: something is defined twice."""
        self.add_error("RULE_DUPLICATE", message, path, hint=hint)

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
        message = f"there is no {code.rpartition('_')[2].lower()} called {shown}"
        self.add_error(code, message, path, hint=hint, details={"name": name, "known": names})

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


def get_notes(held: Located) -> RulebookFindings:
    """Return the findings of the book that a value is part of."""
    assert isinstance(held.page, RulebookFindings)
    return held.page


def to_camel(name: str) -> str:
    """Convert a key to camelCase."""
    first, *rest = name.split("_")
    return first + "".join(part[:1].upper() + part[1:] for part in rest) or name


class BookNotation(Notation):
    """How keys are spelled in a book, and how mistakes in it are worded."""

    def resolve_key(self, key: str, form: Collection[str]) -> str:
        """Return the key as it is published; a caller's document may have any keys."""
        return super().resolve_key(key, form) if isinstance(key, str) else ""

    def add_unknown_key(self, held: Located, key: str, form: RecordForm, owner: str) -> set[str]:
        """Report an unknown key."""
        del owner
        if check_key(held) and (key != "$schema" or len(held.path) > 1):
            get_notes(held).add_unknown("RULE_UNKNOWN_FIELD", held.path, key, form)
        return set()

    def add_duplicate_key(self, held: Located, name: str, key: str, first: str) -> None:
        """Report a key in its second spelling."""
        del key, first
        get_notes(held).add_duplicate(held.path, f"{name!r} is given twice")

    def add_missing_key(self, held: Located, name: str, owner: str, hint: str) -> None:
        """Report a required key that is missing."""
        get_notes(held).add_malformed(held.path, f"{owner} needs {name!r}", hint)

    def add_wrong_value(self, held: Located, kind: ValueKind, what: str) -> None:
        """Report a value that is not of its kind."""
        wanted = "an object" if kind is MAPPING else kind.wanted
        shown = quote_value(held.value) if kind.told else type(held.value).__name__
        get_notes(held).add_malformed(held.path, f"{what} is {wanted}, not {shown}")


def check_key(held: Located) -> bool:
    """Whether the key of a value is a text; a finding if not."""
    *before, key = held.path
    if isinstance(key, str):
        return True
    shown = quote_value(key)
    get_notes(held).add_malformed((*before, shown), f"the key {shown} is not text")
    return False


NOTATION: Final = BookNotation(to_camel, is_lenient=False)
"""`_` begins no key of the author's own in a book."""


def list_entries(held: Located, what: str) -> list[Located]:
    """Return the values of a mapping whose keys are texts; findings for the rest."""
    if not isinstance(held.value, dict):
        NOTATION.add_wrong_value(held, MAPPING, what)
        return []
    return [inner for inner in held.list_items() if check_key(inner)]


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
                _build_path(way)[:_SHOWN],
                f"the rulebook is nested deeper than {DEEPEST_BOOK} levels",
            )
            return False
        # Counted before it is expanded: one list may be larger than the limit.
        count += _count_parts(value)
        if count > MOST_VALUES:
            notes.add_malformed((), f"the rulebook has more than {MOST_VALUES} values")
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


def copy_plain(value: Any) -> Any:
    """Return a caller's document with plain mappings and lists; only within bounds."""
    if isinstance(value, Mapping):
        return {key: copy_plain(inner) for key, inner in value.items()}
    return [copy_plain(inner) for inner in value] if isinstance(value, list | tuple) else value
