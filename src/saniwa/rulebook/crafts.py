"""Reads crafts of a rulebook, and merges them with those of the layers below."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Located
from saniwa.documents.reader import is_well_formed
from saniwa.rulebook.checks import BookDocument, CheckReader
from saniwa.rulebook.effects import read_effect
from saniwa.rulebook.findings import NOTATION, RulebookFindings, list_entries
from saniwa.rulebook.format import CRAFT, STRING
from saniwa.rulebook.predicates import Predicate
from saniwa.rulebook.refusal_messages import LONGEST_TEMPLATE
from saniwa.world.actions import ACTIONS

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
                self._notes.add_duplicate(held.path, message, "join the two")
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
        checks = {check["id"]: check for check in below.get("checks", ())}
        craft["checks"] = self._checks.read(found.get("checks"), checks)
        if "effects" in found or "effects" in found.malformed:
            craft["effects"] = self._read_effects(found.get("effects"))
        elif "effects" not in below and craft["name"] and craft.get("enabled", True):
            needs = f"the craft {quote_value(craft['name'])} needs 'effects'"
            hint = "write effects: [] where nothing comes of it"
            self._notes.add_malformed(held.path, needs, hint)
        return craft

    def _read_name(self, held: Located | None) -> str:
        if held is None:
            return ""
        name: str = held.value
        if name in ACTIONS:
            message = f"{name!r} is an action already, and cannot be a craft"
            self._notes.add_duplicate(held.path, message, "give the craft another name")
        elif not _NAME.fullmatch(name) or len(name) > LONGEST_WORD:
            hint = f"one word of letters, at most {LONGEST_WORD} long"
            message = f"{quote_value(name)} is no name for a craft"
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
            self._notes.add_malformed(held.path, f"a verb has 1 to {LONGEST_WORD} letters")
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


def merge_crafts(
    lower: Iterable[BookDocument], upper: Iterable[BookDocument]
) -> list[BookDocument]:
    """Merge the crafts of two layers."""
    crafts = {craft["name"]: craft for craft in lower}
    for craft in upper:
        crafts[craft["name"]] = _merge_craft(crafts.get(craft["name"], {}), craft)
    return list(crafts.values())


def _merge_craft(lower: BookDocument, upper: BookDocument) -> BookDocument:
    below = {} if upper.get("replace") else lower
    checks = {check["id"]: check for check in below.get("checks", ())}
    for check in upper["checks"]:
        checks[check["id"]] = {**checks.get(check["id"], {}), **check}
    merged = {"enabled": True, **below, **upper, "checks": list(checks.values())}
    merged.pop("replace", None)
    return merged
