"""From the document of all layers to a book that judges."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from saniwa.core.errors import SchemaValidationError
from saniwa.core.fingerprint import short_hash
from saniwa.rulebook.book import EVERY, Check, Craft, Rulebook
from saniwa.rulebook.checks import Document
from saniwa.rulebook.condition import VOCABULARY, Either, test_of
from saniwa.rulebook.effects import provision_of
from saniwa.rulebook.message import Message
from saniwa.rulebook.notes import Notes
from saniwa.rulebook.plan import UNLISTED, Demand, Plan, plan_of
from saniwa.rulebook.plugin import Plugin, Plugins
from saniwa.rulebook.predicate import Predicate
from saniwa.rulebook.reading import read_condition
from saniwa.rulebook.reason import CODES, reason_code
from saniwa.world.action import ACTIONS
from saniwa.world.manner import Manner


def made(whole: Document, plugins: Plugins) -> Rulebook:
    """The book that a document of all its layers makes, ready to judge by."""
    found = [plugins(name) for name in whole["plugins"]]
    known = [plugin for plugin in found if plugin is not None]
    vocabulary = {**VOCABULARY, **{p.predicate.name: p.predicate for p in known}}
    rules = {
        rule["actionType"]: _checks(rule, whole["reasons"], vocabulary)
        for rule in whole["rules"]
    }
    every = rules.get(EVERY, ())
    checks = {name: every + rules.get(name, ()) for name in ACTIONS}
    crafts = {
        craft["name"]: _craft(craft, every, whole["reasons"], vocabulary)
        for craft in _crafts_in_force(whole)
    }
    return Rulebook(
        id=whole.get("id", "unnamed"),
        fingerprint=_fingerprint(whole, known),
        document=whole,
        checks={cls: checks[name] for name, cls in ACTIONS.items()},
        plans=tuple(_plans(checks, crafts)),
        crafts=crafts,
        untaught=(*every, _UNTAUGHT),
    )


def _plans(
    checks: Mapping[str, tuple[Check, ...]], crafts: Mapping[str, Craft]
) -> Iterator[Plan]:
    for name in sorted(ACTIONS):
        if name not in UNLISTED:
            yield plan_of(name, _demands(checks[name]))
        if name == "use":
            for manner, craft in sorted(crafts.items()):
                yield plan_of(name, _demands(craft.checks), manner)


def _demands(checks: Sequence[Check]) -> list[Demand]:
    return [Demand(check.condition, check.test) for check in checks]


_UNTAUGHT: Final = Check(
    name="use.manner",
    condition=Either(()),
    test=lambda _case: False,
    reason="INVALID_TARGET",
    word="",
    message=Message(
        {
            "en": "Nobody here knows how that is done.",
            "ja": "そのやり方を知る者は、ここにはいない。",
        }
    ),
    hint=None,
)
"""Refuses every use in a manner that the book does not teach."""


def _craft(
    craft: Document,
    every: tuple[Check, ...],
    reasons: Mapping[str, Any],
    vocabulary: Mapping[str, Predicate],
) -> Craft:
    words = {lang: tuple(said) for lang, said in craft.get("words", {}).items()}
    own = _named_checks(craft["name"], craft, reasons, vocabulary)
    return Craft(
        manner=Manner(name=craft["name"], words=words, told=craft.get("told", {})),
        checks=every + own,
        provisions=tuple(
            provision_of(effect, vocabulary) for effect in craft.get("effects", ())
        ),
    )


def _checks(
    rule: Document, reasons: Mapping[str, Any], vocabulary: Mapping[str, Predicate]
) -> tuple[Check, ...]:
    return _named_checks(rule["actionType"], rule, reasons, vocabulary)


def _named_checks(
    name: str,
    rule: Document,
    reasons: Mapping[str, Any],
    vocabulary: Mapping[str, Predicate],
) -> tuple[Check, ...]:
    return tuple(
        _check(f"{name}.{check['id']}", check, reasons, vocabulary)
        for check in _in_force(rule)
    )


def _crafts_in_force(whole: Document) -> list[Document]:
    return [craft for craft in whole.get("crafts", ()) if craft["enabled"]]


def _in_force(rule: Document) -> list[Document]:
    if not rule["enabled"]:
        return []
    return [check for check in rule["checks"] if check.get("enabled", True)]


def _check(
    name: str,
    check: Document,
    reasons: Mapping[str, Any],
    vocabulary: Mapping[str, Predicate],
) -> Check:
    notes = Notes()
    condition = read_condition(check["condition"], (), notes, vocabulary)
    word = check["failReason"]
    reason = reason_code(word, reasons)
    assert condition is not None, "a condition was not what its reader made of it"
    assert reason is not None, "a reason was not what its reader made of it"
    return Check(
        name=name,
        condition=condition,
        test=test_of(condition),
        reason=reason,
        word="" if word in CODES else word,
        message=_message(check["failMessage"]),
        hint=_message(check["hint"]) if "hint" in check else None,
    )


def _message(text: str | dict[str, str]) -> Message:
    return Message({"en": text} if isinstance(text, str) else text)


def _fingerprint(whole: Document, plugins: Sequence[Plugin]) -> str:
    """A hash of what judges: not of names, descriptions and dates.

    Order decides between two refusals, and canonical JSON forgets the order of lists, so
    lists are hashed with their positions.
    """
    judging = {
        "rules": {
            rule["actionType"]: _judging_checks(rule)
            for rule in whole["rules"]
            if _in_force(rule)
        },
        "reasons": whole["reasons"],
        "plugins": {plugin.predicate.name: plugin.origin for plugin in plugins},
    }
    crafts = {craft["name"]: _judging(craft) for craft in _crafts_in_force(whole)}
    if crafts:
        judging["crafts"] = crafts
    try:
        return short_hash(_numbered(judging))
    except SchemaValidationError as problem:
        # Text that no JSON can hold can come from a caller, never from a file.
        notes = Notes()
        notes.bad((), f"the book has no hash: {problem.message}", problem.hint)
        raise notes.error() from problem


def _judging(craft: Document) -> Document:
    return {"checks": _judging_checks(craft), "effects": craft.get("effects", [])}


def _judging_checks(rule: Document) -> list[Document]:
    return [
        {k: v for k, v in check.items() if k not in ("description", "enabled")}
        for check in _in_force(rule)
    ]


def _numbered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _numbered(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return {str(place): _numbered(inner) for place, inner in enumerate(value)}
    return value
