"""From documents to a book: shipped ones, a scenario's own, and a run's edits.

Files are read elsewhere; here a document is a plain mapping, and a caller who knows where
its parts stand in a file says so with a function.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final

import msgspec

from saniwa.core.errors import RulebookError, SchemaValidationError
from saniwa.core.finding import Report
from saniwa.core.fingerprint import short_hash
from saniwa.rulebook.book import EVERY, Check, Rulebook
from saniwa.rulebook.bounds import within_bounds
from saniwa.rulebook.condition import VOCABULARY, test_of
from saniwa.rulebook.layer import EMPTY, Document, LayerReader, lay
from saniwa.rulebook.message import Message
from saniwa.rulebook.notes import Locate, Notes, unplaced
from saniwa.rulebook.plan import UNLISTED, Demand, plan_of
from saniwa.rulebook.plugin import Plugin, Plugins, installed
from saniwa.rulebook.predicate import Predicate
from saniwa.rulebook.reading import read_condition
from saniwa.rulebook.reason import CODES, reason_code
from saniwa.world.action import ACTIONS

SHIPPED: Final = ("default", "strict")
"""The books that come with us."""
_LARGEST_KNOWN: Final = 1_000_000
"""Bytes of layers that are remembered once they were read."""


def shipped(name: str) -> Document:
    """The document of a book that comes with us.

    Raises:
        RulebookError: `RULE_UNKNOWN_BOOK`.
    """
    if name not in SHIPPED:
        notes = Notes()
        notes.unknown("RULE_UNKNOWN_BOOK", (), name, SHIPPED)
        notes.raise_any()
    text = files("saniwa.rulebook").joinpath("books", f"{name}.json").read_bytes()
    document: Document = msgspec.json.decode(text)
    return document


@cache
def default_book() -> Rulebook:
    """The shipped book that holds where nobody names another; read once."""
    return book_from_layers(layers_of())


def layers_of(spec: str | Mapping[str, Any] | None = None) -> tuple[Document, ...]:
    """The layers a book is made of, lowest first; what a run keeps.

    `spec` is what a scenario says under `rulebook`: nothing for `default`, the name of a
    shipped book, or a document. A document stands on the book it `extends`: `default`
    where it does not say, nothing at all where it says null.

    Raises:
        RulebookError: `RULE_UNKNOWN_BOOK`, or `RULE_BAD_FIELD`.
    """
    if spec is None:
        return (shipped("default"),)
    if isinstance(spec, str):
        return (shipped(spec),)
    notes = Notes()
    layers = _stood_upon(spec, notes)
    notes.raise_any()
    return layers


def inspect(document: object, where: Locate = unplaced) -> Report:
    """Everything that is wrong with a book's document; stops nobody."""
    notes = Notes(where)
    _read_layers(_stood_upon(document, notes), notes, installed)
    return notes.report()


def read_book(
    document: Mapping[str, Any],
    where: Locate = unplaced,
    *,
    plugins: Plugins = installed,
) -> Rulebook:
    """The book a document makes together with the book it extends.

    Raises:
        RulebookError: the code of its first finding, with all findings in `details`.
    """
    notes = Notes(where)
    whole = _read_layers(_stood_upon(document, notes), notes, plugins)
    notes.raise_any()
    return _made(whole, plugins)


def book_from_layers(
    layers: Sequence[Mapping[str, Any]],
    where: Locate = unplaced,
    *,
    plugins: Plugins = installed,
) -> Rulebook:
    """The book that layers make, lowest first; `where` places the uppermost.

    The same layers are read once: every run of a server has its own copy of them.

    Raises:
        RulebookError: the code of its first finding, with all findings in `details`.
    """
    content = _written(layers) if plugins is installed else b""
    if content:
        # What is wrong with them is told below, with its place.
        with suppress(RulebookError):
            return _known(content)
    notes = Notes(where)
    whole = _read_layers(layers, notes, plugins)
    notes.raise_any()
    return _made(whole, plugins)


@lru_cache(maxsize=32)
def _known(content: bytes) -> Rulebook:
    notes = Notes()
    whole = _read_layers(msgspec.json.decode(content), notes, installed)
    notes.raise_any()
    return _made(whole, installed)


def _written(layers: Sequence[Mapping[str, Any]]) -> bytes:
    """Layers as bytes that say all there is in them; empty for what bytes cannot say."""
    try:
        content = msgspec.json.encode(layers)
        same = len(content) <= _LARGEST_KNOWN and msgspec.json.decode(content) == [
            *layers
        ]
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError):
        return b""
    return content if same else b""


def _read_layers(
    layers: Sequence[Mapping[str, Any]], notes: Notes, plugins: Plugins
) -> Document:
    """All layers as one; what is wrong with the uppermost goes into the notes.

    Raises:
        RulebookError: a layer below the uppermost is wrong.
    """
    whole = EMPTY
    for number, layer in enumerate(layers, start=1):
        mine = notes if number == len(layers) else Notes()
        upper = EMPTY
        if within_bounds(layer, mine):
            upper = LayerReader(whole, mine, plugins).read(layer)
        if mine is not notes:
            mine.raise_any()
        whole = lay(whole, upper)
    return whole


def _stood_upon(document: object, notes: Notes) -> tuple[Document, ...]:
    if not isinstance(document, Mapping):
        notes.bad((), f"a rulebook is an object, not {type(document).__name__}")
        return ()
    if not within_bounds(document, notes):
        return ()
    below = document.get("extends", "default")
    if below is None:
        return (dict(document),)
    if below not in SHIPPED:
        notes.unknown("RULE_UNKNOWN_BOOK", ("extends",), below, SHIPPED)
        below = "default"
    return (shipped(below), dict(document))


def _made(whole: Document, plugins: Plugins) -> Rulebook:
    found = [plugins(name) for name in whole["plugins"]]
    known = [plugin for plugin in found if plugin is not None]
    vocabulary = {**VOCABULARY, **{p.predicate.name: p.predicate for p in known}}
    rules = {
        rule["actionType"]: _checks(rule, whole["reasons"], vocabulary)
        for rule in whole["rules"]
    }
    every = rules.get(EVERY, ())
    checks = {name: every + rules.get(name, ()) for name in ACTIONS}
    return Rulebook(
        id=whole.get("id", "unnamed"),
        fingerprint=_fingerprint(whole, known),
        document=whole,
        checks={cls: checks[name] for name, cls in ACTIONS.items()},
        plans=tuple(
            plan_of(name, [Demand(c.condition, c.test) for c in checks[name]])
            for name in sorted(ACTIONS)
            if name not in UNLISTED
        ),
    )


def _checks(
    rule: Document, reasons: Mapping[str, Any], vocabulary: Mapping[str, Predicate]
) -> tuple[Check, ...]:
    return tuple(
        _check(f"{rule['actionType']}.{check['id']}", check, reasons, vocabulary)
        for check in _in_force(rule)
    )


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
            rule["actionType"]: [
                {k: v for k, v in check.items() if k not in ("description", "enabled")}
                for check in _in_force(rule)
            ]
            for rule in whole["rules"]
            if _in_force(rule)
        },
        "reasons": whole["reasons"],
        "plugins": {plugin.predicate.name: plugin.origin for plugin in plugins},
    }
    try:
        return short_hash(_numbered(judging))
    except SchemaValidationError as problem:
        # Text that no JSON can hold can come from a caller, never from a file.
        notes = Notes()
        notes.bad((), f"the book has no hash: {problem.message}", problem.hint)
        raise notes.error() from problem


def _numbered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _numbered(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return {str(place): _numbered(inner) for place, inner in enumerate(value)}
    return value
