"""Reads one layer of a rulebook and merges it with those below.

Rules are merged by action type, crafts by name. Over a layer below, checks are merged
one by one; a craft's words, effects and other fields are replaced as a unit. `enabled:
false` switches a rule or craft off, `replace: true` discards what was below.
"""

from collections.abc import Mapping
from typing import Any, Final

from saniwa.rulebook.book import EVERY_ACTION
from saniwa.rulebook.checks import BookDocument, BookValueReader, CheckReader
from saniwa.rulebook.conditions import VOCABULARY
from saniwa.rulebook.crafts import CraftReader, merge_crafts
from saniwa.rulebook.findings import Path, RulebookFindings
from saniwa.rulebook.format import BOOK, CODES, RULE
from saniwa.rulebook.predicates import PluginFinder, Predicate
from saniwa.rulebook.verdict import REASONS
from saniwa.world.actions import ACTIONS

EMPTY_LAYER: Final[BookDocument] = {"rules": []}
"""The layer below the lowest one."""

_ABOUT_KEYS: Final = ("id", "name", "description", "extends", "worldId")
_DATE_KEYS: Final = ("version", "createdAt", "updatedAt")


class LayerReader:
    """Reads one layer; every mistake becomes a finding."""

    def __init__(self, lower: BookDocument, notes: RulebookFindings, plugins: PluginFinder) -> None:
        self._lower = lower
        self._notes = notes
        self._plugins = plugins
        self._shapes = BookValueReader(notes)
        self._words: set[str] = {*REASONS, *lower.get("reasons", {})}
        self._vocabulary: dict[str, Predicate] = dict(VOCABULARY)
        self._checks = CheckReader(notes, self._words, self._vocabulary)

    def read(self, document: object) -> BookDocument:
        """Return the layer in its normal form."""
        fields = self._shapes.read_fields(document, (), BOOK)
        layer: BookDocument = {}
        for name, (value, path) in fields.items():
            if name in _ABOUT_KEYS and value is not None:
                layer[name] = self._shapes.read_text(value, path, name)
            elif name in _DATE_KEYS:
                layer[name] = self._shapes.read_scalar(value, path, name)
        below = self._lower.get("plugins", [])
        own = self._shapes.read_list(fields, "plugins", ())
        layer["plugins"] = self._read_plugins([(n, ()) for n in below] + own)
        layer["reasons"] = self._read_reasons(fields.get("reasons"))
        layer["rules"] = self._read_rules(self._shapes.read_list(fields, "rules", ()))
        if "crafts" in fields:
            crafts = CraftReader(self._notes, self._checks, self._vocabulary)
            listed = self._shapes.read_list(fields, "crafts", ())
            layer["crafts"] = crafts.read(listed, self._lower.get("crafts", ()))
        return layer

    def _read_plugins(self, named: list[tuple[Any, Path]]) -> list[str]:
        names: list[str] = []
        for value, path in named:
            name = self._shapes.read_text(value, path, "plugins")
            found = None if name in VOCABULARY else self._plugins(name)
            if found is None:
                self._notes.add_unknown("RULE_UNKNOWN_PLUGIN", path, name, ())
            elif name not in names:
                names.append(name)
                self._vocabulary[name] = found.predicate
        return names

    def _read_reasons(self, field: tuple[Any, Path] | None) -> dict[str, str]:
        if field is None:
            return {}
        reasons: dict[str, str] = {}
        for word, value, path in self._shapes.read_entries(*field, "reasons"):
            if word in REASONS:
                self._notes.add_duplicate(path, f"{word!r} already means {REASONS[word]}")
            elif value not in CODES:
                self._notes.add_unknown("RULE_UNKNOWN_REASON", path, value, CODES)
            else:
                reasons[word] = str(value)
        self._words.update(reasons)
        return reasons

    def _read_rules(self, listed: list[tuple[Any, Path]]) -> list[BookDocument]:
        rules = [self._read_rule(value, path) for value, path in listed]
        seen: set[str] = set()
        for rule, (_, path) in zip(rules, listed, strict=True):
            name = rule["actionType"]
            if name in seen:
                self._notes.add_duplicate(path, f"a second rule for {name!r}", "join the two")
            seen.add(name)
        return [rule for rule in rules if rule["actionType"]]

    def _read_rule(self, value: Any, path: Path) -> BookDocument:
        fields = self._shapes.read_fields(value, path, RULE)
        rule: BookDocument = {"actionType": ""}
        if "actionType" in fields:
            rule["actionType"] = self._read_action_type(*fields["actionType"])
        elif isinstance(value, Mapping):
            self._notes.add_malformed(path, "a rule needs 'actionType'")
        for name in ("enabled", "replace"):
            if name in fields:
                rule[name] = self._shapes.read_flag(*fields[name], name)
        below = _find_checks(self._lower, rule["actionType"])
        known = {} if rule.get("replace") else below
        listed = self._shapes.read_list(fields, "checks", path)
        rule["checks"] = self._checks.read(listed, known)
        return rule

    def _read_action_type(self, value: Any, path: Path) -> str:
        if value == EVERY_ACTION or (isinstance(value, str) and value in ACTIONS):
            return str(value)
        self._notes.add_unknown("RULE_UNKNOWN_ACTION", path, value, {EVERY_ACTION, *ACTIONS})
        return ""


def merge_layers(lower: BookDocument, upper: BookDocument) -> BookDocument:
    """Merge two layers into one document."""
    rules = {rule["actionType"]: rule for rule in lower["rules"]}
    for rule in upper["rules"]:
        name = rule["actionType"]
        rules[name] = _merge_rule(rules.get(name, {"actionType": name}), rule)
    about = {**lower, **upper}
    about.pop("extends", None)
    about.pop("crafts", None)
    crafts = merge_crafts(lower.get("crafts", ()), upper.get("crafts", ()))
    if crafts:
        about["crafts"] = crafts
    return {
        **about,
        "plugins": upper.get("plugins", []),
        "reasons": {**lower.get("reasons", {}), **upper.get("reasons", {})},
        "rules": list(rules.values()),
    }


def _merge_rule(lower: BookDocument, upper: BookDocument) -> BookDocument:
    checks = {} if upper.get("replace") else {c["id"]: c for c in lower.get("checks", ())}
    for check in upper["checks"]:
        checks[check["id"]] = {**checks.get(check["id"], {}), **check}
    return {
        "actionType": upper["actionType"],
        "enabled": upper.get("enabled", lower.get("enabled", True)),
        "checks": list(checks.values()),
    }


def _find_checks(document: BookDocument, action_type: str) -> dict[str, BookDocument]:
    for rule in document["rules"]:
        if rule["actionType"] == action_type:
            return {check["id"]: check for check in rule["checks"]}
    return {}
