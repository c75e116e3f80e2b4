"""Reads the checks of a rule or a craft from a document.

Every mistake becomes a finding. Does not merge layers; see `layers`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Located
from saniwa.documents.reader import is_well_formed
from saniwa.rulebook.conditions import read_condition, render_condition
from saniwa.rulebook.findings import NOTATION, Path, RulebookFindings, list_entries, to_camel
from saniwa.rulebook.format import CHECK, STRING
from saniwa.rulebook.predicates import Predicate
from saniwa.rulebook.refusal_messages import (
    LONGEST_TEMPLATE,
    PLACEHOLDERS,
    find_unknown_placeholders,
)

BookDocument = dict[str, Any]
"""A plain document in camelCase, every condition in its full form."""

_NEEDED: Final = ("condition", "failReason", "failMessage")


class CheckReader:
    """Reads checks against the reasons and predicates that a layer knows."""

    def __init__(
        self, notes: RulebookFindings, words: set[str], vocabulary: Mapping[str, Predicate]
    ) -> None:
        self._notes = notes
        self._words = words
        self._vocabulary = vocabulary

    def read(self, listed: Located | None, below: Mapping[str, BookDocument]) -> list[BookDocument]:
        """Read the checks of a list; `below` are those they may change."""
        checks: dict[str, BookDocument] = {}
        for held in listed.list_items() if listed is not None else ():
            check = self._read_check(held, below)
            if check["id"] in checks:
                message = f"a second check called {quote_value(check['id'])}"
                self._notes.add_duplicate(held.path, message, "give it another id")
            checks[check["id"]] = check
        return list(checks.values())

    def _read_check(self, held: Located, below: Mapping[str, BookDocument]) -> BookDocument:
        found = CHECK.read(held)
        usual = "" if "id" in found.malformed else f"#{held.path[-1]}"
        check: BookDocument = {"id": found.get_value("id", usual)}
        readers: dict[str, Callable[[Located], Any]] = {
            "condition": self._read_condition,
            "failReason": self._read_reason,
            "failMessage": self._read_message,
            "hint": self._read_message,
        }
        for name in ("description", "enabled", *readers):
            if name in found:
                check[name] = readers[name](found[name]) if name in readers else found[name].value
        if isinstance(held.value, dict) and {"id"} & {*found, *found.malformed}:
            self._check_missing(check, held.path, below)
        return check

    def _check_missing(
        self, check: BookDocument, path: Path, below: Mapping[str, BookDocument]
    ) -> None:
        merged = {**below.get(check["id"], {}), **check}
        missing = [name for name in _NEEDED if name not in merged]
        if not missing:
            return
        if check["id"] not in below and below and len(missing) == len(_NEEDED):
            self._notes.add_unknown("RULE_UNKNOWN_CHECK", path, check["id"], below)
            return
        needs = ", ".join(repr(name) for name in missing)
        self._notes.add_malformed(path, f"the check {quote_value(check['id'])} needs {needs}")

    def _read_condition(self, held: Located) -> BookDocument | None:
        read = read_condition(held.value, held.path, self._notes, self._vocabulary)
        return render_condition(read) if read else None

    def _read_reason(self, held: Located) -> str:
        if not isinstance(held.value, str) or held.value not in self._words:
            self._notes.add_unknown("RULE_UNKNOWN_REASON", held.path, held.value, self._words)
            return ""
        return held.value

    def _read_message(self, held: Located) -> str | dict[str, str]:
        """Read a text, or texts by language, whose placeholders must all be known."""
        name = to_camel(str(held.path[-1]))
        if isinstance(held.value, str):
            self._check_template(held.value, held.path, name)
            return held.value
        texts: dict[str, str] = {}
        for inner in list_entries(held, name):
            if is_well_formed(inner, STRING, repr(name), NOTATION):
                texts[str(inner.path[-1])] = inner.value
                self._check_template(inner.value, inner.path, name)
        if held.value == {}:
            self._notes.add_malformed(held.path, f"{name!r} is empty", "write {en: …, ja: …}")
        return texts

    def _check_template(self, text: str, path: Path, name: str) -> None:
        if len(text) > LONGEST_TEMPLATE:
            message = f"{name!r} has {len(text)} letters"
            self._notes.add_malformed(path, message, f"write at most {LONGEST_TEMPLATE}")
            return
        for word in find_unknown_placeholders(text):
            self._notes.add_unknown("RULE_UNKNOWN_PLACEHOLDER", path, word, PLACEHOLDERS)
