"""One layer of a book: read from its document, then laid over what is below it.

Layers are joined by action type and by check id. A check that exists below is overlaid
field by field and keeps its place, a new one comes last, `enabled: false` drops it, and
`replace: true` on a rule forgets everything below. Crafts are joined by name; see
`rulebook.craft_layer`.
"""

from collections.abc import Mapping
from typing import Any, Final, get_args

from saniwa.rulebook.book import EVERY
from saniwa.rulebook.checks import CheckReader, Document
from saniwa.rulebook.condition import VOCABULARY
from saniwa.rulebook.craft_layer import CraftReader, lay_crafts
from saniwa.rulebook.notes import Notes, Path
from saniwa.rulebook.plugin import Plugins
from saniwa.rulebook.predicate import Predicate
from saniwa.rulebook.reason import REASONS
from saniwa.rulebook.shapes import Shapes
from saniwa.rulebook.verdict import ReasonCode
from saniwa.world.action import ACTIONS

EMPTY: Final[Document] = {"rules": []}
"""What the lowest layer is laid over."""

_ABOUT: Final = ("id", "name", "description", "extends", "worldId")
_WHEN: Final = ("version", "createdAt", "updatedAt")
_BOOK: Final = frozenset({*_ABOUT, *_WHEN, "rules", "crafts", "reasons", "plugins"})
_RULE: Final = frozenset({"actionType", "enabled", "replace", "checks"})
_CODES: Final = tuple(code for code in get_args(ReasonCode) if code != "OK")


class LayerReader:
    """Reads one layer; every mistake goes into its notes."""

    def __init__(self, lower: Document, notes: Notes, plugins: Plugins) -> None:
        self._lower = lower
        self._notes = notes
        self._plugins = plugins
        self._shapes = Shapes(notes)
        self._words: set[str] = {*REASONS, *lower.get("reasons", {})}
        self._vocabulary: dict[str, Predicate] = dict(VOCABULARY)
        self._checks = CheckReader(notes, self._words, self._vocabulary)

    def read(self, document: object) -> Document:
        """The layer in its one plain form."""
        fields = self._shapes.fields(document, (), _BOOK, "a rulebook")
        layer: Document = {}
        for name, (value, path) in fields.items():
            if name in _ABOUT and value is not None:
                layer[name] = self._shapes.text(value, path, name)
            elif name in _WHEN:
                layer[name] = self._shapes.scalar(value, path, name)
        below = self._lower.get("plugins", [])
        own = self._shapes.listed(fields, "plugins", ())
        layer["plugins"] = self._read_plugins([(n, ()) for n in below] + own)
        layer["reasons"] = self._read_reasons(fields.get("reasons"))
        layer["rules"] = self._read_rules(self._shapes.listed(fields, "rules", ()))
        if "crafts" in fields:
            crafts = CraftReader(self._notes, self._checks, self._vocabulary)
            listed = self._shapes.listed(fields, "crafts", ())
            layer["crafts"] = crafts.read(listed, self._lower.get("crafts", ()))
        return layer

    def _read_plugins(self, named: list[tuple[Any, Path]]) -> list[str]:
        names: list[str] = []
        for value, path in named:
            name = self._shapes.text(value, path, "plugins")
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
        for word, value, path in self._shapes.entries(*field, "reasons"):
            if word in REASONS:
                self._notes.twice(path, f"{word!r} already means {REASONS[word]}")
            elif value not in _CODES:
                self._notes.unknown("RULE_UNKNOWN_REASON", path, value, _CODES)
            else:
                reasons[word] = str(value)
        self._words.update(reasons)
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
        fields = self._shapes.fields(value, path, _RULE, "a rule")
        rule: Document = {"actionType": ""}
        if "actionType" in fields:
            rule["actionType"] = self._action_type(*fields["actionType"])
        elif isinstance(value, Mapping):
            self._notes.bad(path, "a rule needs 'actionType'")
        for name in ("enabled", "replace"):
            if name in fields:
                rule[name] = self._shapes.truth(*fields[name], name)
        below = _checks_of(self._lower, rule["actionType"])
        known = {} if rule.get("replace") else below
        listed = self._shapes.listed(fields, "checks", path)
        rule["checks"] = self._checks.read(listed, known)
        return rule

    def _action_type(self, value: Any, path: Path) -> str:
        if value == EVERY or (isinstance(value, str) and value in ACTIONS):
            return str(value)
        self._notes.unknown("RULE_UNKNOWN_ACTION", path, value, {EVERY, *ACTIONS})
        return ""


def lay(lower: Document, upper: Document) -> Document:
    """The two layers as one document."""
    rules = {rule["actionType"]: rule for rule in lower["rules"]}
    for rule in upper["rules"]:
        name = rule["actionType"]
        rules[name] = _lay_rule(rules.get(name, {"actionType": name}), rule)
    about = {**lower, **upper}
    about.pop("extends", None)
    about.pop("crafts", None)
    crafts = lay_crafts(lower.get("crafts", ()), upper.get("crafts", ()))
    if crafts:
        about["crafts"] = crafts
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
