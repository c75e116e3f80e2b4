"""Reads one layer of a rulebook and merges it with those below.

Rules are merged by action type, crafts by name. Over a layer below, checks are merged
one by one; a craft's words, effects and other fields are replaced as a unit. `enabled:
false` switches a rule or craft off, `replace: true` discards what was below.
"""

from typing import Any, Final

from saniwa.documents.finding_collector import Located
from saniwa.documents.reader import is_well_formed
from saniwa.rulebook.book import EVERY_ACTION
from saniwa.rulebook.checks import BookDocument, CheckReader
from saniwa.rulebook.conditions import VOCABULARY
from saniwa.rulebook.crafts import CraftReader, merge_crafts
from saniwa.rulebook.findings import NOTATION, Path, RulebookFindings, copy_plain, list_entries
from saniwa.rulebook.format import BOOK, CODES, RULE, STRING
from saniwa.rulebook.predicates import PluginFinder, Predicate
from saniwa.rulebook.verdict import REASONS
from saniwa.world.actions import ACTIONS

EMPTY_LAYER: Final[BookDocument] = {"rules": []}
"""The layer below the lowest one."""

_PLAIN_KEYS: Final = frozenset(BOOK) - {"rules", "crafts", "reasons", "plugins"}


class LayerReader:
    """Reads one layer; every mistake becomes a finding."""

    def __init__(self, lower: BookDocument, notes: RulebookFindings, plugins: PluginFinder) -> None:
        self._lower = lower
        self._notes = notes
        self._plugins = plugins
        self._words: set[str] = {*REASONS, *lower.get("reasons", {})}
        self._vocabulary: dict[str, Predicate] = dict(VOCABULARY)
        self._checks = CheckReader(notes, self._words, self._vocabulary)

    def read(self, document: object) -> BookDocument:
        """Return the layer in its normal form."""
        found = BOOK.read(Located(copy_plain(document), (), self._notes))
        layer: BookDocument = {
            name: held.value
            for name, held in found.items()
            if name in _PLAIN_KEYS and held.value is not None
        }
        layer["plugins"] = self._read_plugins(found.get("plugins"))
        layer["reasons"] = self._read_reasons(found.get("reasons"))
        layer["rules"] = self._read_rules(found.get("rules"))
        if "crafts" in found:
            crafts = CraftReader(self._notes, self._checks, self._vocabulary)
            layer["crafts"] = crafts.read(found["crafts"], self._lower.get("crafts", ()))
        return layer

    def _read_plugins(self, listed: Located | None) -> list[str]:
        names: list[str] = []
        lower = [Located(name, (), self._notes) for name in self._lower.get("plugins", [])]
        for held in (*lower, *(listed.list_items() if listed is not None else ())):
            name = held.value if is_well_formed(held, STRING, "'plugins'", NOTATION) else ""
            plugin = None if name in VOCABULARY else self._plugins(name)
            if plugin is None:
                self._notes.add_unknown("RULE_UNKNOWN_PLUGIN", held.path, name, ())
            elif name not in names:
                names.append(name)
                self._vocabulary[name] = plugin.predicate
        return names

    def _read_reasons(self, held: Located | None) -> dict[str, str]:
        reasons: dict[str, str] = {}
        for inner in list_entries(held, "reasons") if held is not None else ():
            word, value = str(inner.path[-1]), inner.value
            if word in REASONS:
                self._notes.add_duplicate(inner.path, f"{word!r} already means {REASONS[word]}")
            elif value not in CODES:
                self._notes.add_unknown("RULE_UNKNOWN_REASON", inner.path, value, CODES)
            else:
                reasons[word] = str(value)
        self._words.update(reasons)
        return reasons

    def _read_rules(self, listed: Located | None) -> list[BookDocument]:
        rules: list[BookDocument] = []
        seen: set[str] = set()
        for held in listed.list_items() if listed is not None else ():
            rule = self._read_rule(held)
            name = rule["actionType"]
            if name in seen:
                self._notes.add_duplicate(held.path, f"a second rule for {name!r}", "join the two")
            seen.add(name)
            rules += [rule] if name else []
        return rules

    def _read_rule(self, held: Located) -> BookDocument:
        found = RULE.read(held)
        kind = found.get("actionType")
        rule: BookDocument = {"actionType": ""}
        if kind is not None:
            rule["actionType"] = self._read_action_type(kind.value, kind.path)
        for name in ("enabled", "replace"):
            if name in found:
                rule[name] = found[name].value
        below = _find_checks(self._lower, rule["actionType"])
        known = {} if rule.get("replace") else below
        rule["checks"] = self._checks.read(found.get("checks"), known)
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
