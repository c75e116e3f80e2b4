"""Reads crafts of a rulebook, and merges them with those of the layers below."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from saniwa.core.text import quote_value
from saniwa.rulebook.checks import BookDocument, BookFields, BookValueReader, CheckReader
from saniwa.rulebook.effects import read_effect
from saniwa.rulebook.findings import Path, RulebookFindings
from saniwa.rulebook.format import CRAFT
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
        self._shapes = BookValueReader(notes)
        self._checks = checks
        self._vocabulary = vocabulary

    def read(
        self, listed: list[tuple[Any, Path]], below: Iterable[BookDocument]
    ) -> list[BookDocument]:
        """Return the crafts of a layer in their normal form."""
        if len(listed) > MOST_CRAFTS:
            message = f"{len(listed)} crafts are more than {MOST_CRAFTS}"
            self._notes.add_malformed(("crafts",), message)
            return []
        known = {craft["name"]: craft for craft in below}
        crafts: dict[str, BookDocument] = {}
        for value, path in listed:
            craft = self._read_craft(value, path, known)
            name = craft["name"]
            if name in crafts:
                message = f"a second craft called {quote_value(name)}"
                self._notes.add_duplicate(path, message, "join the two")
            crafts[name] = craft
        return [craft for name, craft in crafts.items() if name]

    def _read_craft(
        self, value: Any, path: Path, known: Mapping[str, BookDocument]
    ) -> BookDocument:
        fields = self._shapes.read_fields(value, path, CRAFT)
        craft: BookDocument = {"name": self._read_name(fields, value, path)}
        if "description" in fields:
            craft["description"] = self._shapes.read_text(*fields["description"], "description")
        for name in ("enabled", "replace"):
            if name in fields:
                craft[name] = self._shapes.read_flag(*fields[name], name)
        if "words" in fields:
            craft["words"] = self._read_words(*fields["words"])
        if "told" in fields:
            craft["told"] = self._read_narration(*fields["told"])
        below = {} if craft.get("replace") else known.get(craft["name"], {})
        checks = self._shapes.read_list(fields, "checks", path)
        craft["checks"] = self._checks.read(
            checks, {check["id"]: check for check in below.get("checks", ())}
        )
        if "effects" in fields:
            craft["effects"] = self._read_effects(fields, path)
        elif "effects" not in below and craft["name"] and craft.get("enabled", True):
            needs = f"the craft {quote_value(craft['name'])} needs 'effects'"
            self._notes.add_malformed(path, needs, "write effects: [] where nothing comes of it")
        return craft

    def _read_name(self, fields: BookFields, value: Any, path: Path) -> str:
        if "name" not in fields:
            if isinstance(value, Mapping):
                self._notes.add_malformed(path, "a craft needs 'name'")
            return ""
        name = self._shapes.read_text(*fields["name"], "name")
        value, inside = fields["name"]
        if not isinstance(value, str):
            return ""
        if name in ACTIONS:
            message = f"{name!r} is an action already, and cannot be a craft"
            self._notes.add_duplicate(inside, message, "give the craft another name")
        elif not _NAME.fullmatch(name) or len(name) > LONGEST_WORD:
            hint = f"one word of letters, at most {LONGEST_WORD} long"
            self._notes.add_malformed(inside, f"{quote_value(name)} is no name for a craft", hint)
        else:
            return name
        return ""

    def _read_words(self, value: Any, path: Path) -> dict[str, list[str]]:
        words: dict[str, list[str]] = {}
        for language, given, inside in self._shapes.read_entries(value, path, "'words'"):
            verbs = [given] if isinstance(given, str) else given
            if not isinstance(verbs, (list, tuple)) or len(verbs) > MOST_WORDS:
                message = f"'words' are up to {MOST_WORDS} verbs for each language"
                self._notes.add_malformed(inside, message, "write {en: [slice], ja: [切る]}")
                continue
            words[language] = [self._read_verb(verb, (*inside, i)) for i, verb in enumerate(verbs)]
        return words

    def _read_verb(self, value: Any, path: Path) -> str:
        verb = self._shapes.read_text(value, path, "words")
        if not 0 < len(verb.strip()) <= LONGEST_WORD:
            self._notes.add_malformed(path, f"a verb has 1 to {LONGEST_WORD} letters")
        return " ".join(verb.split())

    def _read_narration(self, value: Any, path: Path) -> dict[str, str]:
        texts: dict[str, str] = {}
        for language, text, inside in self._shapes.read_entries(value, path, "'told'"):
            texts[language] = self._shapes.read_text(text, inside, "told")
            if len(texts[language]) > LONGEST_TEMPLATE:
                message = f"'told' has {len(texts[language])} letters"
                self._notes.add_malformed(inside, message, f"write at most {LONGEST_TEMPLATE}")
                continue
            for name in _BRACES.findall(texts[language]):
                if name not in NARRATION_ROLES:
                    self._notes.add_unknown(
                        "RULE_UNKNOWN_PLACEHOLDER", inside, name, NARRATION_ROLES
                    )
        return texts

    def _read_effects(self, fields: BookFields, path: Path) -> list[BookDocument]:
        read = (
            read_effect(value, inside, self._notes, self._vocabulary)
            for value, inside in self._shapes.read_list(fields, "effects", path)
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
