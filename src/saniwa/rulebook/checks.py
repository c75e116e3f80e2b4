"""Reads the checks of a rule or a craft from a document.

Every mistake becomes a finding. Does not merge layers; see `layers`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from saniwa.core.text import quote_value
from saniwa.documents.reader import RecordForm
from saniwa.rulebook.conditions import read_condition, render_condition
from saniwa.rulebook.findings import Path, RulebookFindings
from saniwa.rulebook.format import CHECK
from saniwa.rulebook.predicates import Predicate
from saniwa.rulebook.refusal_messages import (
    LONGEST_TEMPLATE,
    PLACEHOLDERS,
    find_unknown_placeholders,
)

BookFields = dict[str, tuple[Any, Path]]
"""The fields of an object by their camelCase name, each with its path."""


class BookValueReader:
    """Reads simple values; every mistake becomes a finding."""

    def __init__(self, notes: RulebookFindings) -> None:
        self.notes = notes
        """The findings so far."""

    def read_fields(self, value: object, path: Path, form: RecordForm) -> BookFields:
        """Return the known fields of an object."""
        fields: BookFields = {}
        for key, inner, inside in self.read_entries(value, path, form.owner):
            name = form.notation.resolve_key(key, form)
            if key == "$schema" and not path:
                continue
            if name not in form:
                self.notes.add_unknown("RULE_UNKNOWN_FIELD", inside, key, form)
            elif name in fields:
                self.notes.add_duplicate(inside, f"{name!r} is given twice")
            else:
                fields[name] = (inner, inside)
        return fields

    def read_entries(self, value: Any, path: Path, what: str) -> Iterator[tuple[str, Any, Path]]:
        """Yield every key of an object with its value and path."""
        if not isinstance(value, Mapping):
            self.notes.add_malformed(path, f"{what} is an object, not {type(value).__name__}")
            return
        for key, inner in value.items():
            if isinstance(key, str):
                yield key, inner, (*path, key)
            else:
                self.notes.add_malformed(
                    (*path, quote_value(key)), f"the key {quote_value(key)} is not text"
                )

    def read_list(
        self, fields: Mapping[str, tuple[Any, Path]], name: str, path: Path
    ) -> list[tuple[Any, Path]]:
        """Return the items of a field, each with its path; empty if it is missing."""
        value, inside = fields.get(name, ([], (*path, name)))
        if not isinstance(value, (list, tuple)):
            self.notes.add_malformed(inside, f"{name!r} is a list, not {type(value).__name__}")
            return []
        return [(each, (*inside, i)) for i, each in enumerate(value)]

    def read_text(self, value: Any, path: Path, name: str) -> str:
        """Return a text; empty for anything else."""
        if not isinstance(value, str):
            self.notes.add_malformed(path, f"{name!r} is text, not {type(value).__name__}")
            return ""
        return value

    def read_flag(self, value: Any, path: Path, name: str) -> bool:
        """Return true or false."""
        if not isinstance(value, bool):
            self.notes.add_malformed(path, f"{name!r} is true or false, not {quote_value(value)}")
        return bool(value)

    def read_scalar(self, value: Any, path: Path, name: str) -> Any:
        """Return a text or an integer."""
        if not isinstance(value, (str, int)) or isinstance(value, bool):
            self.notes.add_malformed(path, f"{name!r} is a text or a whole number")
        return value


BookDocument = dict[str, Any]
"""A plain document in camelCase, every condition in its full form."""

_NEEDED: Final = ("condition", "failReason", "failMessage")


class CheckReader:
    """Reads checks against the reasons and predicates that a layer knows."""

    def __init__(
        self, notes: RulebookFindings, words: set[str], vocabulary: Mapping[str, Predicate]
    ) -> None:
        self._notes = notes
        self._shapes = BookValueReader(notes)
        self._words = words
        self._vocabulary = vocabulary

    def read(
        self, listed: list[tuple[Any, Path]], below: Mapping[str, BookDocument]
    ) -> list[BookDocument]:
        """Read the checks of a list; `below` are those they may change."""
        checks: dict[str, BookDocument] = {}
        for value, path in listed:
            check = self._read_check(value, path, below)
            if check["id"] in checks:
                message = f"a second check called {quote_value(check['id'])}"
                self._notes.add_duplicate(path, message, "give it another id")
            checks[check["id"]] = check
        return list(checks.values())

    def _read_check(
        self, value: Any, path: Path, below: Mapping[str, BookDocument]
    ) -> BookDocument:
        fields = self._shapes.read_fields(value, path, CHECK)
        check: BookDocument = {"id": f"#{path[-1]}"}
        readers: dict[str, Callable[[Any, Path], Any]] = {
            "id": lambda v, p: self._shapes.read_text(v, p, "id"),
            "description": lambda v, p: self._shapes.read_text(v, p, "description"),
            "enabled": lambda v, p: self._shapes.read_flag(v, p, "enabled"),
            "condition": self._read_condition,
            "failReason": self._read_reason,
            "failMessage": lambda v, p: self.read_message(v, p, "failMessage"),
            "hint": lambda v, p: self.read_message(v, p, "hint"),
        }
        for name, reader in readers.items():
            if name in fields:
                check[name] = reader(*fields[name])
        if isinstance(value, Mapping):
            self._check_missing(check, fields, path, below)
        return check

    def _check_missing(
        self,
        check: BookDocument,
        fields: Mapping[str, object],
        path: Path,
        below: Mapping[str, BookDocument],
    ) -> None:
        if "id" not in fields:
            self._notes.add_malformed(path, "a check needs 'id'")
            return
        merged = {**below.get(check["id"], {}), **check}
        missing = [name for name in _NEEDED if name not in merged]
        if not missing:
            return
        if check["id"] not in below and below and len(missing) == len(_NEEDED):
            self._notes.add_unknown("RULE_UNKNOWN_CHECK", path, check["id"], below)
            return
        needs = ", ".join(repr(name) for name in missing)
        self._notes.add_malformed(path, f"the check {quote_value(check['id'])} needs {needs}")

    def _read_condition(self, value: Any, path: Path) -> BookDocument | None:
        read = read_condition(value, path, self._notes, self._vocabulary)
        return render_condition(read) if read else None

    def _read_reason(self, value: Any, path: Path) -> str:
        if not isinstance(value, str) or value not in self._words:
            self._notes.add_unknown("RULE_UNKNOWN_REASON", path, value, self._words)
            return ""
        return value

    def read_message(self, value: Any, path: Path, name: str) -> str | dict[str, str]:
        """Read a text, or texts by language, whose placeholders must all be known."""
        if isinstance(value, str):
            self._check_template(value, path, name)
            return value
        texts: dict[str, str] = {}
        for language, text, inside in self._shapes.read_entries(value, path, name):
            texts[language] = self._shapes.read_text(text, inside, name)
            self._check_template(texts[language], inside, name)
        if not texts and isinstance(value, Mapping):
            self._notes.add_malformed(path, f"{name!r} is empty", "write {en: …, ja: …}")
        return texts

    def _check_template(self, text: str, path: Path, name: str) -> None:
        if len(text) > LONGEST_TEMPLATE:
            message = f"{name!r} has {len(text)} letters"
            self._notes.add_malformed(path, message, f"write at most {LONGEST_TEMPLATE}")
            return
        for word in find_unknown_placeholders(text):
            self._notes.add_unknown("RULE_UNKNOWN_PLACEHOLDER", path, word, PLACEHOLDERS)
