"""The crafts of one layer, and how they are laid over those below.

Crafts are joined by name. One that is known below is overlaid: its checks one by one,
its words, effects and all else whole; `enabled: false` switches it off, `replace: true`
forgets what was below.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from saniwa.core.quoted import quoted
from saniwa.rulebook.checks import CheckReader, Document
from saniwa.rulebook.effects import read_effect
from saniwa.rulebook.message import LONGEST_TEMPLATE
from saniwa.rulebook.notes import Notes, Path
from saniwa.rulebook.predicate import Predicate
from saniwa.rulebook.shapes import Fields, Shapes
from saniwa.world.action import ACTIONS

MOST_CRAFTS: Final = 200
"""Crafts one layer may speak of."""
LONGEST_WORD: Final = 60
"""Letters the name of a craft, or a verb for it, may have."""
MOST_WORDS: Final = 20
"""Verbs a craft may have in one language."""
TOLD: Final = frozenset({"actor", "target", "tool"})
"""What a sentence for a craft may have between braces."""

_CRAFT: Final = frozenset(
    {"name", "description", "enabled", "replace", "words", "told", "checks", "effects"}
)
_NAME: Final = re.compile(r"[^\W\d_][\w-]*")
_BRACES: Final = re.compile(r"\{([^{}]*)\}")


class CraftReader:
    """Reads crafts; every mistake goes into its notes."""

    def __init__(
        self, notes: Notes, checks: CheckReader, vocabulary: Mapping[str, Predicate]
    ) -> None:
        self._notes = notes
        self._shapes = Shapes(notes)
        self._checks = checks
        self._vocabulary = vocabulary

    def read(
        self, listed: list[tuple[Any, Path]], below: Iterable[Document]
    ) -> list[Document]:
        """The crafts of a layer in their one plain form."""
        if len(listed) > MOST_CRAFTS:
            message = f"{len(listed)} crafts are more than {MOST_CRAFTS}"
            self._notes.bad(("crafts",), message)
            return []
        known = {craft["name"]: craft for craft in below}
        crafts: dict[str, Document] = {}
        for value, path in listed:
            craft = self._read(value, path, known)
            name = craft["name"]
            if name in crafts:
                message = f"a second craft called {quoted(name)}"
                self._notes.twice(path, message, "join the two")
            crafts[name] = craft
        return [craft for name, craft in crafts.items() if name]

    def _read(self, value: Any, path: Path, known: Mapping[str, Document]) -> Document:
        fields = self._shapes.fields(value, path, _CRAFT, "a craft")
        craft: Document = {"name": self._name(fields, value, path)}
        if "description" in fields:
            craft["description"] = self._shapes.text(
                *fields["description"], "description"
            )
        for name in ("enabled", "replace"):
            if name in fields:
                craft[name] = self._shapes.truth(*fields[name], name)
        if "words" in fields:
            craft["words"] = self._words(*fields["words"])
        if "told" in fields:
            craft["told"] = self._told(*fields["told"])
        below = {} if craft.get("replace") else known.get(craft["name"], {})
        checks = self._shapes.listed(fields, "checks", path)
        craft["checks"] = self._checks.read(
            checks, {check["id"]: check for check in below.get("checks", ())}
        )
        if "effects" in fields:
            craft["effects"] = self._effects(fields, path)
        elif "effects" not in below and craft["name"] and craft.get("enabled", True):
            needs = f"the craft {quoted(craft['name'])} needs 'effects'"
            self._notes.bad(path, needs, "write effects: [] where nothing comes of it")
        return craft

    def _name(self, fields: Fields, value: Any, path: Path) -> str:
        if "name" not in fields:
            if isinstance(value, Mapping):
                self._notes.bad(path, "a craft needs 'name'")
            return ""
        name = self._shapes.text(*fields["name"], "name")
        value, inside = fields["name"]
        if not isinstance(value, str):
            return ""
        if name in ACTIONS:
            message = f"{name!r} is an action already, and cannot be a craft"
            self._notes.twice(inside, message, "give the craft another name")
        elif not _NAME.fullmatch(name) or len(name) > LONGEST_WORD:
            hint = f"one word of letters, at most {LONGEST_WORD} long"
            self._notes.bad(inside, f"{quoted(name)} is no name for a craft", hint)
        else:
            return name
        return ""

    def _words(self, value: Any, path: Path) -> dict[str, list[str]]:
        words: dict[str, list[str]] = {}
        for language, said, inside in self._shapes.entries(value, path, "'words'"):
            verbs = [said] if isinstance(said, str) else said
            if not isinstance(verbs, (list, tuple)) or len(verbs) > MOST_WORDS:
                message = f"'words' are up to {MOST_WORDS} verbs for each language"
                self._notes.bad(inside, message, "write {en: [slice], ja: [切る]}")
                continue
            words[language] = [
                self._verb(verb, (*inside, i)) for i, verb in enumerate(verbs)
            ]
        return words

    def _verb(self, value: Any, path: Path) -> str:
        verb = self._shapes.text(value, path, "words")
        if not 0 < len(verb.strip()) <= LONGEST_WORD:
            self._notes.bad(path, f"a verb has 1 to {LONGEST_WORD} letters")
        return " ".join(verb.split())

    def _told(self, value: Any, path: Path) -> dict[str, str]:
        told: dict[str, str] = {}
        for language, text, inside in self._shapes.entries(value, path, "'told'"):
            told[language] = self._shapes.text(text, inside, "told")
            if len(told[language]) > LONGEST_TEMPLATE:
                message = f"'told' has {len(told[language])} letters"
                self._notes.bad(inside, message, f"write at most {LONGEST_TEMPLATE}")
                continue
            for name in _BRACES.findall(told[language]):
                if name not in TOLD:
                    self._notes.unknown("RULE_UNKNOWN_PLACEHOLDER", inside, name, TOLD)
        return told

    def _effects(self, fields: Fields, path: Path) -> list[Document]:
        read = (
            read_effect(value, inside, self._notes, self._vocabulary)
            for value, inside in self._shapes.listed(fields, "effects", path)
        )
        return [effect for effect in read if effect is not None]


def lay_crafts(lower: Iterable[Document], upper: Iterable[Document]) -> list[Document]:
    """The crafts of two layers as one list."""
    crafts = {craft["name"]: craft for craft in lower}
    for craft in upper:
        crafts[craft["name"]] = _lay(crafts.get(craft["name"], {}), craft)
    return list(crafts.values())


def _lay(lower: Document, upper: Document) -> Document:
    below = {} if upper.get("replace") else lower
    checks = {check["id"]: check for check in below.get("checks", ())}
    for check in upper["checks"]:
        checks[check["id"]] = {**checks.get(check["id"], {}), **check}
    laid = {"enabled": True, **below, **upper, "checks": list(checks.values())}
    laid.pop("replace", None)
    return laid
