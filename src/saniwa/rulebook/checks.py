"""The checks of a rule or a craft: read from a document, each mistake noted."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from saniwa.core.quoted import quoted
from saniwa.rulebook.condition import document_of
from saniwa.rulebook.message import (
    LONGEST_TEMPLATE,
    PLACEHOLDERS,
    unknown_placeholders,
)
from saniwa.rulebook.notes import Notes, Path
from saniwa.rulebook.predicate import Predicate
from saniwa.rulebook.reading import read_condition
from saniwa.rulebook.shapes import Shapes

Document = dict[str, Any]
"""A plain document in camelCase, every condition in its full form."""

_CHECK: Final = frozenset(
    {"id", "description", "enabled", "condition", "failReason", "failMessage", "hint"}
)
_NEEDED: Final = ("condition", "failReason", "failMessage")


class CheckReader:
    """Reads checks against the words and predicates that a layer knows."""

    def __init__(
        self, notes: Notes, words: set[str], vocabulary: Mapping[str, Predicate]
    ) -> None:
        self._notes = notes
        self._shapes = Shapes(notes)
        self._words = words
        self._vocabulary = vocabulary

    def read(
        self, listed: list[tuple[Any, Path]], below: Mapping[str, Document]
    ) -> list[Document]:
        """The checks of a list; `below` are those they may change."""
        checks: dict[str, Document] = {}
        for value, path in listed:
            check = self._read_check(value, path, below)
            if check["id"] in checks:
                message = f"a second check called {quoted(check['id'])}"
                self._notes.twice(path, message, "give it another id")
            checks[check["id"]] = check
        return list(checks.values())

    def _read_check(
        self, value: Any, path: Path, below: Mapping[str, Document]
    ) -> Document:
        fields = self._shapes.fields(value, path, _CHECK, "a check")
        check: Document = {"id": f"#{path[-1]}"}
        readers: dict[str, Callable[[Any, Path], Any]] = {
            "id": lambda v, p: self._shapes.text(v, p, "id"),
            "description": lambda v, p: self._shapes.text(v, p, "description"),
            "enabled": lambda v, p: self._shapes.truth(v, p, "enabled"),
            "condition": self._condition,
            "failReason": self._reason,
            "failMessage": lambda v, p: self.message(v, p, "failMessage"),
            "hint": lambda v, p: self.message(v, p, "hint"),
        }
        for name, reader in readers.items():
            if name in fields:
                check[name] = reader(*fields[name])
        if isinstance(value, Mapping):
            self._missing(check, fields, path, below)
        return check

    def _missing(
        self,
        check: Document,
        fields: Mapping[str, object],
        path: Path,
        below: Mapping[str, Document],
    ) -> None:
        if "id" not in fields:
            self._notes.bad(path, "a check needs 'id'")
            return
        whole = {**below.get(check["id"], {}), **check}
        missing = [name for name in _NEEDED if name not in whole]
        if not missing:
            return
        if check["id"] not in below and below and len(missing) == len(_NEEDED):
            self._notes.unknown("RULE_UNKNOWN_CHECK", path, check["id"], below)
            return
        needs = ", ".join(repr(name) for name in missing)
        self._notes.bad(path, f"the check {quoted(check['id'])} needs {needs}")

    def _condition(self, value: Any, path: Path) -> Document | None:
        read = read_condition(value, path, self._notes, self._vocabulary)
        return document_of(read) if read else None

    def _reason(self, value: Any, path: Path) -> str:
        if not isinstance(value, str) or value not in self._words:
            self._notes.unknown("RULE_UNKNOWN_REASON", path, value, self._words)
            return ""
        return value

    def message(self, value: Any, path: Path, name: str) -> str | dict[str, str]:
        """A text, or texts by language, in which only known names stand in braces."""
        if isinstance(value, str):
            self._template(value, path, name)
            return value
        texts: dict[str, str] = {}
        for language, text, inside in self._shapes.entries(value, path, name):
            texts[language] = self._shapes.text(text, inside, name)
            self._template(texts[language], inside, name)
        if not texts and isinstance(value, Mapping):
            self._notes.bad(path, f"{name!r} is empty", "write {en: …, ja: …}")
        return texts

    def _template(self, text: str, path: Path, name: str) -> None:
        if len(text) > LONGEST_TEMPLATE:
            message = f"{name!r} has {len(text)} letters"
            self._notes.bad(path, message, f"write at most {LONGEST_TEMPLATE}")
            return
        for word in unknown_placeholders(text):
            self._notes.unknown("RULE_UNKNOWN_PLACEHOLDER", path, word, PLACEHOLDERS)
