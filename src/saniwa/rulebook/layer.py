"""One layer of a book: read from its document, then laid over what is below it.

Layers are joined by action type and by check id. A check that exists below is overlaid
field by field and keeps its place, a new one comes last, `enabled: false` drops it, and
`replace: true` on a rule forgets everything below.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, get_args

from saniwa.core.quoted import quoted
from saniwa.rulebook.book import EVERY
from saniwa.rulebook.condition import VOCABULARY, document_of
from saniwa.rulebook.message import (
    LONGEST_TEMPLATE,
    PLACEHOLDERS,
    unknown_placeholders,
)
from saniwa.rulebook.notes import Notes, Path
from saniwa.rulebook.plugin import Plugins
from saniwa.rulebook.predicate import Predicate
from saniwa.rulebook.reading import camel, read_condition
from saniwa.rulebook.reason import REASONS
from saniwa.rulebook.verdict import ReasonCode
from saniwa.world.action import ACTIONS

Document = dict[str, Any]
"""A plain document in camelCase, every condition in its full form."""

EMPTY: Final[Document] = {"rules": []}
"""What the lowest layer is laid over."""

_ABOUT: Final = ("id", "name", "description", "extends", "worldId")
_WHEN: Final = ("version", "createdAt", "updatedAt")
_BOOK: Final = frozenset({*_ABOUT, *_WHEN, "rules", "reasons", "plugins"})
_RULE: Final = frozenset({"actionType", "enabled", "replace", "checks"})
_CHECK: Final = frozenset(
    {"id", "description", "enabled", "condition", "failReason", "failMessage", "hint"}
)
_NEEDED: Final = ("condition", "failReason", "failMessage")
_CODES: Final = tuple(code for code in get_args(ReasonCode) if code != "OK")


class LayerReader:
    """Reads one layer; every mistake goes into its notes."""

    def __init__(self, lower: Document, notes: Notes, plugins: Plugins) -> None:
        self._lower = lower
        self._notes = notes
        self._plugins = plugins
        self._words: set[str] = {*REASONS, *lower.get("reasons", {})}
        self._vocabulary: dict[str, Predicate] = dict(VOCABULARY)

    def read(self, document: object) -> Document:
        """The layer in its one plain form."""
        fields = self._fields(document, (), _BOOK, "a rulebook")
        layer: Document = {}
        for name, (value, path) in fields.items():
            if name in _ABOUT and value is not None:
                layer[name] = self._text(value, path, name)
            elif name in _WHEN:
                layer[name] = self._scalar(value, path, name)
        below = self._lower.get("plugins", [])
        own = self._list(fields, "plugins", ())
        layer["plugins"] = self._read_plugins([(n, ()) for n in below] + own)
        layer["reasons"] = self._read_reasons(fields.get("reasons"))
        layer["rules"] = self._read_rules(self._list(fields, "rules", ()))
        return layer

    def _read_plugins(self, named: list[tuple[Any, Path]]) -> list[str]:
        names: list[str] = []
        for value, path in named:
            name = self._text(value, path, "plugins")
            found = None if name in VOCABULARY else self._plugins(name)
            if found is None:
                self._notes.unknown("RULE_UNKNOWN_PLUGIN", path, name, ())
            elif name not in names:
                names.append(name)
                self._vocabulary[name] = found.predicate
        return names

    def _read_reasons(self, field: tuple[Any, Path] | None) -> dict[str, str]:
        if field is None:
            return {}
        reasons: dict[str, str] = {}
        for word, value, path in self._entries(*field, "reasons"):
            if word in REASONS:
                self._notes.twice(path, f"{word!r} already means {REASONS[word]}")
            elif value not in _CODES:
                self._notes.unknown("RULE_UNKNOWN_REASON", path, value, _CODES)
            else:
                reasons[word] = str(value)
        self._words |= reasons.keys()
        return reasons

    def _read_rules(self, listed: list[tuple[Any, Path]]) -> list[Document]:
        rules = [self._read_rule(value, path) for value, path in listed]
        seen: set[str] = set()
        for rule, (_, path) in zip(rules, listed, strict=True):
            name = rule["actionType"]
            if name in seen:
                self._notes.twice(path, f"a second rule for {name!r}", "join the two")
            seen.add(name)
        return [rule for rule in rules if rule["actionType"]]

    def _read_rule(self, value: Any, path: Path) -> Document:
        fields = self._fields(value, path, _RULE, "a rule")
        rule: Document = {"actionType": ""}
        if "actionType" in fields:
            rule["actionType"] = self._action_type(*fields["actionType"])
        elif isinstance(value, Mapping):
            self._notes.bad(path, "a rule needs 'actionType'")
        for name in ("enabled", "replace"):
            if name in fields:
                rule[name] = self._truth(*fields[name], name)
        below = _checks_of(self._lower, rule["actionType"])
        known = {} if rule.get("replace") else below
        listed = self._list(fields, "checks", path)
        rule["checks"] = self._read_checks(listed, known)
        return rule

    def _action_type(self, value: Any, path: Path) -> str:
        if value == EVERY or (isinstance(value, str) and value in ACTIONS):
            return str(value)
        self._notes.unknown("RULE_UNKNOWN_ACTION", path, value, {EVERY, *ACTIONS})
        return ""

    def _read_checks(
        self, listed: list[tuple[Any, Path]], below: Mapping[str, Document]
    ) -> list[Document]:
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
        fields = self._fields(value, path, _CHECK, "a check")
        check: Document = {"id": f"#{path[-1]}"}
        readers: dict[str, Callable[[Any, Path], Any]] = {
            "id": lambda v, p: self._text(v, p, "id"),
            "description": lambda v, p: self._text(v, p, "description"),
            "enabled": lambda v, p: self._truth(v, p, "enabled"),
            "condition": self._condition,
            "failReason": self._reason,
            "failMessage": lambda v, p: self._message(v, p, "failMessage"),
            "hint": lambda v, p: self._message(v, p, "hint"),
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

    def _message(self, value: Any, path: Path, name: str) -> str | dict[str, str]:
        if isinstance(value, str):
            self._template(value, path, name)
            return value
        texts: dict[str, str] = {}
        for language, text, inside in self._entries(value, path, name):
            texts[language] = self._text(text, inside, name)
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

    def _fields(
        self, value: object, path: Path, allowed: frozenset[str], what: str
    ) -> dict[str, tuple[Any, Path]]:
        """The known fields by their camelCase name, each with the way to it."""
        fields: dict[str, tuple[Any, Path]] = {}
        for key, inner, inside in self._entries(value, path, what):
            name = camel(key)
            if name not in allowed:
                self._notes.unknown("RULE_UNKNOWN_FIELD", inside, key, allowed)
            elif name in fields:
                self._notes.twice(inside, f"{name!r} is given twice")
            else:
                fields[name] = (inner, inside)
        return fields

    def _entries(
        self, value: Any, path: Path, what: str
    ) -> Iterator[tuple[str, Any, Path]]:
        if not isinstance(value, Mapping):
            self._notes.bad(path, f"{what} is an object, not {type(value).__name__}")
            return
        for key, inner in value.items():
            if isinstance(key, str):
                yield key, inner, (*path, key)
            else:
                self._notes.bad(
                    (*path, quoted(key)), f"the key {quoted(key)} is not text"
                )

    def _list(
        self, fields: Mapping[str, tuple[Any, Path]], name: str, path: Path
    ) -> list[tuple[Any, Path]]:
        value, inside = fields.get(name, ([], (*path, name)))
        if not isinstance(value, (list, tuple)):
            self._notes.bad(inside, f"{name!r} is a list, not {type(value).__name__}")
            return []
        return [(each, (*inside, i)) for i, each in enumerate(value)]

    def _text(self, value: Any, path: Path, name: str) -> str:
        if not isinstance(value, str):
            self._notes.bad(path, f"{name!r} is text, not {type(value).__name__}")
            return ""
        return value

    def _truth(self, value: Any, path: Path, name: str) -> bool:
        if not isinstance(value, bool):
            self._notes.bad(path, f"{name!r} is true or false, not {quoted(value)}")
        return bool(value)

    def _scalar(self, value: Any, path: Path, name: str) -> Any:
        if not isinstance(value, (str, int)) or isinstance(value, bool):
            self._notes.bad(path, f"{name!r} is a text or a whole number")
        return value


def lay(lower: Document, upper: Document) -> Document:
    """The two layers as one document."""
    rules = {rule["actionType"]: rule for rule in lower["rules"]}
    for rule in upper["rules"]:
        name = rule["actionType"]
        rules[name] = _lay_rule(rules.get(name, {"actionType": name}), rule)
    about = {**lower, **upper}
    about.pop("extends", None)
    return {
        **about,
        "plugins": upper.get("plugins", []),
        "reasons": {**lower.get("reasons", {}), **upper.get("reasons", {})},
        "rules": list(rules.values()),
    }


def _lay_rule(lower: Document, upper: Document) -> Document:
    checks = (
        {} if upper.get("replace") else {c["id"]: c for c in lower.get("checks", ())}
    )
    for check in upper["checks"]:
        checks[check["id"]] = {**checks.get(check["id"], {}), **check}
    return {
        "actionType": upper["actionType"],
        "enabled": upper.get("enabled", lower.get("enabled", True)),
        "checks": list(checks.values()),
    }


def _checks_of(document: Document, action_type: str) -> dict[str, Document]:
    for rule in document["rules"]:
        if rule["actionType"] == action_type:
            return {check["id"]: check for check in rule["checks"]}
    return {}
