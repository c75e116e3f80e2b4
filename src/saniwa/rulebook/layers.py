"""Reads one layer of a rulebook and merges it with those below.

Rules are merged by action type, crafts by name. Over a layer below, checks are merged
one by one; a craft's words, effects and other fields are replaced as a unit. `enabled:
false` switches a rule or craft off, `replace: true` discards what was below. Every
mistake becomes a finding.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Located
from saniwa.documents.record_reader import is_well_formed
from saniwa.rulebook.book import EVERY_ACTION
from saniwa.rulebook.conditions import VOCABULARY, read_condition, render_condition
from saniwa.rulebook.effects import read_effect
from saniwa.rulebook.finding_collector import (
    NOTATION,
    Path,
    RulebookFindings,
    copy_plain,
    list_entries,
    to_camel,
)
from saniwa.rulebook.format import BOOK, CHECK, CODES, CRAFT, RULE, STRING
from saniwa.rulebook.predicates import PluginFinder, Predicate
from saniwa.rulebook.verdict import (
    LONGEST_TEMPLATE,
    PLACEHOLDERS,
    REASONS,
    find_unknown_placeholders,
)
from saniwa.world.actions import ACTIONS, RULED_ACTIONS

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


MOST_CRAFTS: Final = 200
"""The most crafts of one layer."""


LONGEST_WORD: Final = 60
"""The most characters of a craft's name, or of a verb for it."""


MOST_WORDS: Final = 20
"""The most verbs of a craft in one language."""


NARRATION_ROLES: Final = frozenset({"actor", "target", "tool"})
"""The placeholders of a sentence for a craft."""


_NAME: Final = re.compile(r"[^\W\d_][\w-]*")


_BRACES: Final = re.compile(r"\{([^{}]*)\}")


class CraftReader:
    """Reads crafts; every mistake becomes a finding."""

    def __init__(
        self, notes: RulebookFindings, checks: CheckReader, vocabulary: Mapping[str, Predicate]
    ) -> None:
        self._notes = notes
        self._checks = checks
        self._vocabulary = vocabulary

    def read(self, listed: Located, below: Iterable[BookDocument]) -> list[BookDocument]:
        """Return the crafts of a layer in their normal form."""
        if len(listed.value) > MOST_CRAFTS:
            message = f"{len(listed.value)} crafts are more than {MOST_CRAFTS}"
            self._notes.add_malformed(("crafts",), message)
            return []
        known = {craft["name"]: craft for craft in below}
        crafts: dict[str, BookDocument] = {}
        for held in listed.list_items():
            craft = self._read_craft(held, known)
            name = craft["name"]
            if name in crafts:
                message = f"a second craft called {quote_value(name)}"
                self._notes.add_duplicate(held.path, message, "merge them")
            crafts[name] = craft
        return [craft for name, craft in crafts.items() if name]

    def _read_craft(self, held: Located, known: Mapping[str, BookDocument]) -> BookDocument:
        found = CRAFT.read(held)
        craft: BookDocument = {"name": self._read_name(found.get("name"))}
        for name in ("description", "enabled", "replace"):
            if name in found:
                craft[name] = found[name].value
        if "words" in found:
            craft["words"] = self._read_words(found["words"])
        if "told" in found:
            craft["told"] = self._read_narration(found["told"])
        below = {} if craft.get("replace") else known.get(craft["name"], {})
        craft["checks"] = self._checks.read(found.get("checks"), _get_checks(below))
        if "effects" in found or "effects" in found.malformed:
            craft["effects"] = self._read_effects(found.get("effects"))
        elif "effects" not in below and craft["name"] and craft.get("enabled", True):
            needs = f"the craft {quote_value(craft['name'])} needs 'effects'"
            hint = "write effects: [] if it has none"
            self._notes.add_malformed(held.path, needs, hint)
        return craft

    def _read_name(self, held: Located | None) -> str:
        if held is None:
            return ""
        name: str = held.value
        if name in ACTIONS:
            message = f"{name!r} is already an action, so it cannot be a craft"
            self._notes.add_duplicate(held.path, message, "rename the craft")
        elif not _NAME.fullmatch(name) or len(name) > LONGEST_WORD:
            hint = f"one word of letters, at most {LONGEST_WORD} long"
            message = f"{quote_value(name)} cannot be the name of a craft"
            self._notes.add_malformed(held.path, message, hint)
        else:
            return name
        return ""

    def _read_words(self, held: Located) -> dict[str, list[str]]:
        words: dict[str, list[str]] = {}
        for inner in list_entries(held, "'words'"):
            verbs = [inner.value] if isinstance(inner.value, str) else inner.value
            if not isinstance(verbs, list) or len(verbs) > MOST_WORDS:
                message = f"'words' are up to {MOST_WORDS} verbs for each language"
                hint = "write {en: [slice], ja: [切る]}"
                self._notes.add_malformed(inner.path, message, hint)
                continue
            listed = inner._replace(value=verbs).list_items()
            words[str(inner.path[-1])] = [self._read_verb(verb) for verb in listed]
        return words

    def _read_verb(self, held: Located) -> str:
        verb = held.value if is_well_formed(held, STRING, "'words'", NOTATION) else ""
        if not 0 < len(verb.strip()) <= LONGEST_WORD:
            self._notes.add_malformed(held.path, f"a verb has 1 to {LONGEST_WORD} characters")
        return " ".join(verb.split())

    def _read_narration(self, held: Located) -> dict[str, str]:
        texts: dict[str, str] = {}
        for inner in list_entries(held, "'told'"):
            if not is_well_formed(inner, STRING, "'told'", NOTATION):
                continue
            text = texts[str(inner.path[-1])] = inner.value
            if len(text) > LONGEST_TEMPLATE:
                message = f"'told' has {len(text)} letters"
                self._notes.add_malformed(inner.path, message, f"write at most {LONGEST_TEMPLATE}")
                continue
            for name in _BRACES.findall(text):
                if name not in NARRATION_ROLES:
                    self._notes.add_unknown(
                        "RULE_UNKNOWN_PLACEHOLDER", inner.path, name, NARRATION_ROLES
                    )
        return texts

    def _read_effects(self, listed: Located | None) -> list[BookDocument]:
        read = (
            read_effect(held.value, held.path, self._notes, self._vocabulary)
            for held in (listed.list_items() if listed is not None else ())
        )
        return [effect for effect in read if effect is not None]


def _merge_crafts(
    lower: Iterable[BookDocument], upper: Iterable[BookDocument]
) -> list[BookDocument]:
    """Merge the crafts of two layers."""
    crafts = {craft["name"]: craft for craft in lower}
    for craft in upper:
        crafts[craft["name"]] = _merge_craft(crafts.get(craft["name"], {}), craft)
    return list(crafts.values())


def _merge_craft(lower: BookDocument, upper: BookDocument) -> BookDocument:
    below = {} if upper.get("replace") else lower
    merged = {"enabled": True, **below, **upper, "checks": _merge_checks(below, upper)}
    merged.pop("replace", None)
    return merged


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
                self._notes.add_duplicate(held.path, f"a second rule for {name!r}", "merge them")
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
        lower = (each for each in self._lower["rules"] if each["actionType"] == rule["actionType"])
        below: BookDocument = {} if rule.get("replace") else next(lower, {})
        rule["checks"] = self._checks.read(found.get("checks"), _get_checks(below))
        return rule

    def _read_action_type(self, value: Any, path: Path) -> str:
        if value == EVERY_ACTION or (isinstance(value, str) and value in RULED_ACTIONS):
            return str(value)
        self._notes.add_unknown("RULE_UNKNOWN_ACTION", path, value, {EVERY_ACTION, *RULED_ACTIONS})
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
    crafts = _merge_crafts(lower.get("crafts", ()), upper.get("crafts", ()))
    if crafts:
        about["crafts"] = crafts
    return {
        **about,
        "plugins": upper.get("plugins", []),
        "reasons": {**lower.get("reasons", {}), **upper.get("reasons", {})},
        "rules": list(rules.values()),
    }


def _merge_rule(lower: BookDocument, upper: BookDocument) -> BookDocument:
    return {
        "actionType": upper["actionType"],
        "enabled": upper.get("enabled", lower.get("enabled", True)),
        "checks": _merge_checks({} if upper.get("replace") else lower, upper),
    }


def _merge_checks(lower: BookDocument, upper: BookDocument) -> list[BookDocument]:
    checks = _get_checks(lower)
    for check in upper["checks"]:
        checks[check["id"]] = {**checks.get(check["id"], {}), **check}
    return list(checks.values())


def _get_checks(rule: BookDocument) -> dict[str, BookDocument]:
    return {check["id"]: check for check in rule.get("checks", ())}
