"""Loads rulebooks: resolves their layers, merges them, and compiles the result.

Mistakes become findings; see `findings`. Judging is in `book`.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

import msgspec

from saniwa.core.canonical_json import compute_short_hash
from saniwa.core.errors import RulebookError, SchemaValidationError
from saniwa.core.findings import Report
from saniwa.core.text import quote_value
from saniwa.rulebook.action_search import CheckDemand, SearchPlan, make_search_plan
from saniwa.rulebook.book import EVERY_ACTION, UNLISTED_ACTIONS, Craft, Rulebook, RuleCheck
from saniwa.rulebook.conditions import VOCABULARY, AnyCondition, build_test, read_condition
from saniwa.rulebook.effects import build_conditional_effect
from saniwa.rulebook.finding_collector import (
    Locator,
    RulebookFindings,
    is_within_bounds,
    locate_by_path,
)
from saniwa.rulebook.layers import EMPTY_LAYER, BookDocument, LayerReader, merge_layers
from saniwa.rulebook.predicates import (
    PluginFinder,
    Predicate,
    PredicatePlugin,
    load_installed_plugin,
)
from saniwa.rulebook.verdict import REASON_CODES, RefusalMessage, find_reason_code
from saniwa.world.actions import ACTIONS, RULED_ACTIONS
from saniwa.world.model import Manner


def compile_rulebook(merged: BookDocument, plugins: PluginFinder) -> Rulebook:
    """Compile the merged document of all layers into a book."""
    found = [plugins(name) for name in merged["plugins"]]
    known = [plugin for plugin in found if plugin is not None]
    vocabulary = {**VOCABULARY, **{p.predicate.name: p.predicate for p in known}}
    rules = {
        rule["actionType"]: _build_checks(rule, merged["reasons"], vocabulary)
        for rule in merged["rules"]
    }
    every = rules.get(EVERY_ACTION, ())
    checks = {name: every + rules.get(name, ()) for name in RULED_ACTIONS}
    crafts = {
        craft["name"]: _build_craft(craft, every, merged["reasons"], vocabulary)
        for craft in _list_enabled_crafts(merged)
    }
    return Rulebook(
        id=merged.get("id", "unnamed"),
        fingerprint=_compute_fingerprint(merged, known),
        document=merged,
        checks={cls: checks.get(name, ()) for name, cls in ACTIONS.items()},
        plans=tuple(_make_plans(checks, crafts)),
        crafts=crafts,
        untaught=(*every, _UNTAUGHT_CHECK),
    )


def _make_plans(
    checks: Mapping[str, tuple[RuleCheck, ...]], crafts: Mapping[str, Craft]
) -> Iterator[SearchPlan]:
    for name in sorted(ACTIONS):
        if name not in UNLISTED_ACTIONS:
            yield make_search_plan(name, _list_demands(checks[name]))
        if name == "use":
            for manner, craft in sorted(crafts.items()):
                yield make_search_plan(name, _list_demands(craft.checks), manner)


def _list_demands(checks: Sequence[RuleCheck]) -> list[CheckDemand]:
    return [CheckDemand(check.condition, check.test) for check in checks]


_UNTAUGHT_CHECK: Final = RuleCheck(
    name="use.manner",
    condition=AnyCondition(()),
    test=lambda _case: False,
    reason="INVALID_TARGET",
    word="",
    message=RefusalMessage(
        {"en": "No one here knows how to do that.", "ja": "そのやり方を知る者は、ここにはいない。"}
    ),
    hint=None,
)
"""Refuses every use in a manner that the book does not define."""


def _build_craft(
    craft: BookDocument,
    every: tuple[RuleCheck, ...],
    reasons: Mapping[str, Any],
    vocabulary: Mapping[str, Predicate],
) -> Craft:
    words = {lang: tuple(verbs) for lang, verbs in craft.get("words", {}).items()}
    own = _build_named_checks(craft["name"], craft, reasons, vocabulary)
    return Craft(
        manner=Manner(name=craft["name"], words=words, told=craft.get("told", {})),
        checks=every + own,
        provisions=tuple(
            build_conditional_effect(effect, vocabulary) for effect in craft.get("effects", ())
        ),
    )


def _build_checks(
    rule: BookDocument, reasons: Mapping[str, Any], vocabulary: Mapping[str, Predicate]
) -> tuple[RuleCheck, ...]:
    return _build_named_checks(rule["actionType"], rule, reasons, vocabulary)


def _build_named_checks(
    name: str, rule: BookDocument, reasons: Mapping[str, Any], vocabulary: Mapping[str, Predicate]
) -> tuple[RuleCheck, ...]:
    return tuple(
        _build_check(f"{name}.{check['id']}", check, reasons, vocabulary)
        for check in _list_enabled_checks(rule)
    )


def _list_enabled_crafts(document: BookDocument) -> list[BookDocument]:
    return [craft for craft in document.get("crafts", ()) if craft["enabled"]]


def _list_enabled_checks(rule: BookDocument) -> list[BookDocument]:
    if not rule["enabled"]:
        return []
    return [check for check in rule["checks"] if check.get("enabled", True)]


def _build_check(
    name: str, check: BookDocument, reasons: Mapping[str, Any], vocabulary: Mapping[str, Predicate]
) -> RuleCheck:
    notes = RulebookFindings()
    condition = read_condition(check["condition"], (), notes, vocabulary)
    word = check["failReason"]
    reason = find_reason_code(word, reasons)
    assert condition is not None, "a condition was not what its reader made of it"
    assert reason is not None, "a reason was not what its reader made of it"
    return RuleCheck(
        name=name,
        condition=condition,
        test=build_test(condition),
        reason=reason,
        word="" if word in REASON_CODES else word,
        message=_build_message(check["failMessage"]),
        hint=_build_message(check["hint"]) if "hint" in check else None,
    )


def _build_message(text: str | dict[str, str]) -> RefusalMessage:
    return RefusalMessage({"en": text} if isinstance(text, str) else text)


def _compute_fingerprint(document: BookDocument, plugins: Sequence[PredicatePlugin]) -> str:
    """Hash what affects a verdict: not names, descriptions and dates.

    The order of checks decides between two refusals, and canonical JSON drops the order
    of lists, so list items are hashed with their index.
    """
    judging = {
        "rules": {
            rule["actionType"]: _describe_checks(rule)
            for rule in document["rules"]
            if _list_enabled_checks(rule)
        },
        "reasons": document["reasons"],
        "plugins": {plugin.predicate.name: plugin.origin for plugin in plugins},
    }
    crafts = {craft["name"]: _describe_craft(craft) for craft in _list_enabled_crafts(document)}
    if crafts:
        judging["crafts"] = crafts
    try:
        return compute_short_hash(_replace_lists(judging))
    except SchemaValidationError as problem:
        # Text that JSON cannot represent can come from a caller, never from a file.
        notes = RulebookFindings()
        notes.add_malformed((), f"the book has no hash: {problem.message}", problem.hint)
        raise notes.build_error() from problem


def _describe_craft(craft: BookDocument) -> BookDocument:
    return {"checks": _describe_checks(craft), "effects": craft.get("effects", [])}


def _describe_checks(rule: BookDocument) -> list[BookDocument]:
    return [
        {k: v for k, v in check.items() if k not in ("description", "enabled")}
        for check in _list_enabled_checks(rule)
    ]


def _replace_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _replace_lists(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return {str(place): _replace_lists(inner) for place, inner in enumerate(value)}
    return value


SHIPPED_BOOKS: Final = ("cooking", "default", "strict")
"""The books that are part of the package."""
_LARGEST_CACHED: Final = 1_000_000
"""The most bytes of layers whose compiled book is cached."""


def load_shipped_book(name: str) -> BookDocument:
    """Load the document of a shipped book.

    Raises:
        RulebookError: `RULE_UNKNOWN_BOOK`.
    """
    if name not in SHIPPED_BOOKS:
        notes = RulebookFindings()
        notes.add_unknown("RULE_UNKNOWN_BOOK", (), name, SHIPPED_BOOKS)
        notes.raise_if_any()
    text = (Path(__file__).parent / "books" / f"{name}.json").read_bytes()
    document: BookDocument = msgspec.json.decode(text)
    return document


@cache
def get_default_rulebook() -> Rulebook:
    """Return the shipped book that is used if none is named; read once."""
    return build_rulebook(resolve_layers())


def resolve_layers(spec: str | Mapping[str, Any] | None = None) -> tuple[BookDocument, ...]:
    """Return the layers of a book, lowest first; a run stores them.

    `spec` is the value of `rulebook` in a scenario: nothing for `default`, the name of
    a shipped book, or a document. A document is a layer over the book it `extends`:
    `default` if it does not say, none if it says null.

    Raises:
        RulebookError: `RULE_UNKNOWN_BOOK`, or `RULE_BAD_FIELD`.
    """
    if spec is None or isinstance(spec, str):
        return _load_shipped_layers("default" if spec is None else spec)
    notes = RulebookFindings()
    layers = _list_base_layers(spec, notes)
    notes.raise_if_any()
    return layers


def inspect_rulebook(document: object, where: Locator = locate_by_path) -> Report:
    """Report everything that is wrong with a book's document; never raises for it."""
    notes = RulebookFindings(where)
    _read_layers(_list_base_layers(document, notes), notes, load_installed_plugin)
    return notes.build_report()


def read_rulebook(
    document: Mapping[str, Any],
    where: Locator = locate_by_path,
    *,
    plugins: PluginFinder = load_installed_plugin,
) -> Rulebook:
    """Build the book of a document together with the book it extends.

    Raises:
        RulebookError: The code of its first finding, with all findings in `details`.
    """
    notes = RulebookFindings(where)
    merged = _read_layers(_list_base_layers(document, notes), notes, plugins)
    notes.raise_if_any()
    return compile_rulebook(merged, plugins)


def build_rulebook(
    layers: Sequence[Mapping[str, Any]],
    where: Locator = locate_by_path,
    *,
    plugins: PluginFinder = load_installed_plugin,
) -> Rulebook:
    """Build the book of some layers, lowest first; `where` locates the uppermost.

    Equal layers are compiled once: every run of a server has its own copy of them.

    Raises:
        RulebookError: The code of its first finding, with all findings in `details`.
    """
    content = _encode_layers(layers) if plugins is load_installed_plugin else b""
    if content:
        # Findings are reported below, with their place.
        with suppress(RulebookError):
            return _build_cached(content)
    notes = RulebookFindings(where)
    merged = _read_layers(layers, notes, plugins)
    notes.raise_if_any()
    return compile_rulebook(merged, plugins)


def build_edited_book(
    below: Sequence[Mapping[str, Any]], layer: Mapping[str, Any], where: Locator = locate_by_path
) -> Rulebook:
    """Build the book of a run with one more layer on top.

    A run keeps the book it began with, so the layer may not extend another one.

    Raises:
        RulebookError: As for `build_rulebook`.
    """
    base, known = layer.get("extends"), [each.get("id") for each in below]
    if base is not None and base not in known:
        notes = RulebookFindings(where)
        notes.add_malformed(
            ("extends",),
            f"the run's rulebook does not extend {quote_value(base)}, and an edit cannot change that",
            hint="remove 'extends', or start a run with this rulebook",
        )
        raise notes.build_error()
    return build_rulebook((*below, layer), where)


@lru_cache(maxsize=32)
def _build_cached(content: bytes) -> Rulebook:
    notes = RulebookFindings()
    merged = _read_layers(msgspec.json.decode(content), notes, load_installed_plugin)
    notes.raise_if_any()
    return compile_rulebook(merged, load_installed_plugin)


def _encode_layers(layers: Sequence[Mapping[str, Any]]) -> bytes:
    """Encode layers without loss; empty if they cannot be encoded or are too large."""
    try:
        content = msgspec.json.encode(layers)
        is_lossless = len(content) <= _LARGEST_CACHED and msgspec.json.decode(content) == [*layers]
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError):
        return b""
    return content if is_lossless else b""


def _read_layers(
    layers: Sequence[Mapping[str, Any]], notes: RulebookFindings, plugins: PluginFinder
) -> BookDocument:
    """Merge all layers; mistakes in the uppermost become findings.

    Raises:
        RulebookError: A layer below the uppermost is invalid.
    """
    merged = EMPTY_LAYER
    for number, layer in enumerate(layers, start=1):
        own_notes = notes if number == len(layers) else RulebookFindings()
        upper = EMPTY_LAYER
        if is_within_bounds(layer, own_notes):
            upper = LayerReader(merged, own_notes, plugins).read(layer)
        if own_notes is not notes:
            own_notes.raise_if_any()
        merged = merge_layers(merged, upper)
    return merged


def _list_base_layers(document: object, notes: RulebookFindings) -> tuple[BookDocument, ...]:
    if not isinstance(document, Mapping):
        notes.add_malformed((), f"a rulebook is an object, not {type(document).__name__}")
        return ()
    if not is_within_bounds(document, notes):
        return ()
    below = document.get("extends", "default")
    if below is None:
        return (dict(document),)
    if below not in SHIPPED_BOOKS:
        notes.add_unknown("RULE_UNKNOWN_BOOK", ("extends",), below, SHIPPED_BOOKS)
        below = "default"
    return (*_load_shipped_layers(below), dict(document))


def _load_shipped_layers(name: str) -> tuple[BookDocument, ...]:
    """Return a shipped book, with the shipped books it extends below it."""
    document = load_shipped_book(name)
    below = document.get("extends")
    return (*(_load_shipped_layers(below) if below is not None else ()), document)
