from typing import Any

import pytest

from saniwa.rulebook.finding_collector import RulebookFindings
from saniwa.rulebook.layers import (
    EMPTY_LAYER,
    LONGEST_WORD,
    MOST_CRAFTS,
    MOST_WORDS,
    LayerReader,
    merge_layers,
)
from saniwa.rulebook.loader import inspect_rulebook


def _find_no_plugin(_name: str) -> None:
    return None


def _make_craft(name: Any = "polish", **more: Any) -> dict[str, Any]:
    return {"name": name, "effects": [], **more}


def _make_check(name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "condition": "actorsTurn",
        "failReason": "UNKNOWN",
        "failMessage": "no",
        **more,
    }


def _find_in_crafts(*crafts: Any) -> list[tuple[str, str]]:
    return [(f.code, f.where.path) for f in inspect_rulebook({"crafts": list(crafts)}).findings]


def _lay_crafts(*layers: Any) -> dict[str, Any]:
    whole = EMPTY_LAYER
    for crafts in layers:
        notes = RulebookFindings()
        upper = LayerReader(whole, notes, _find_no_plugin).read({"crafts": crafts})
        notes.raise_if_any()
        whole = merge_layers(whole, upper)
    return {craft["name"]: craft for craft in whole.get("crafts", ())}


@pytest.mark.parametrize(
    ("craft", "code", "path"),
    [
        (3, "RULE_BAD_FIELD", "crafts[0]"),
        ({"effects": []}, "RULE_BAD_FIELD", "crafts[0]"),
        (_make_craft(3), "RULE_BAD_FIELD", "crafts[0].name"),
        (_make_craft(""), "RULE_BAD_FIELD", "crafts[0].name"),
        (_make_craft("two words"), "RULE_BAD_FIELD", "crafts[0].name"),
        (_make_craft("a" * (LONGEST_WORD + 1)), "RULE_BAD_FIELD", "crafts[0].name"),
        (_make_craft("take"), "RULE_DUPLICATE", "crafts[0].name"),
        (_make_craft(verbs=[]), "RULE_UNKNOWN_FIELD", "crafts[0].verbs"),
        (_make_craft(words=["polish"]), "RULE_BAD_FIELD", "crafts[0].words"),
        (_make_craft(words={"en": 3}), "RULE_BAD_FIELD", "crafts[0].words.en"),
        (_make_craft(words={"en": [" "]}), "RULE_BAD_FIELD", "crafts[0].words.en[0]"),
        (
            _make_craft(words={"en": ["a"] * (MOST_WORDS + 1)}),
            "RULE_BAD_FIELD",
            "crafts[0].words.en",
        ),
        (
            _make_craft(told={"en": "{target.name} shines."}),
            "RULE_UNKNOWN_PLACEHOLDER",
            "crafts[0].told.en",
        ),
        (_make_craft(enabled="yes"), "RULE_BAD_FIELD", "crafts[0].enabled"),
        (_make_craft(checks=[{"id": "a"}]), "RULE_BAD_FIELD", "crafts[0].checks[0]"),
        (_make_craft(effects={}), "RULE_BAD_FIELD", "crafts[0].effects"),
        (
            _make_craft(effects=[{"remove": "victim"}]),
            "RULE_UNKNOWN_ROLE",
            "crafts[0].effects[0].remove",
        ),
        ({"name": "polish"}, "RULE_BAD_FIELD", "crafts[0]"),
    ],
)
def test_what_is_wrong_with_a_craft_is_found_in_its_place(craft: Any, code: str, path: str) -> None:
    """Each mistake in a craft has a code and a path."""
    assert [(code, path)] == _find_in_crafts(craft)


def test_a_craft_occurs_once_in_a_layer() -> None:
    """A repeated craft name is a mistake, and so are too many crafts."""
    assert [("RULE_DUPLICATE", "crafts[1]")] == _find_in_crafts(_make_craft(), _make_craft())
    many = [_make_craft(f"craft{n}") for n in range(MOST_CRAFTS + 1)]
    assert [("RULE_BAD_FIELD", "crafts")] == _find_in_crafts(*many)


def test_a_layer_changes_what_it_names_and_keeps_the_rest() -> None:
    """A layer replaces single checks, and words and effects as a whole; the rest is kept."""
    lower = _make_craft(
        words={"en": ["polish", "shine"]},
        checks=[_make_check("a"), _make_check("b")],
        effects=[{"flag": "shiny"}],
    )
    laid = _lay_crafts(
        [lower, _make_craft("wax")],
        [{"name": "polish", "checks": [{"id": "a", "failMessage": "never"}]}],
        [{"name": "polish", "words": {"en": ["buff"]}}],
    )

    assert ["polish", "wax"] == list(laid)
    polish = laid["polish"]
    assert [("a", "never"), ("b", "no")] == [
        (check["id"], check["failMessage"]) for check in polish["checks"]
    ]
    assert {"en": ["buff"]} == polish["words"]
    assert [{"op": "flag", "name": "shiny", "value": True}] == polish["effects"]


def test_a_layer_switches_a_craft_off_or_writes_it_again() -> None:
    """`enabled: false` needs no other key; `replace: true` drops what was below."""
    lower = _make_craft(words={"en": ["polish"]}, checks=[_make_check("a")])
    off = _lay_crafts([lower], [{"name": "polish", "enabled": False}])["polish"]
    anew = _lay_crafts([lower], [_make_craft(replace=True, effects=[{"flag": "x"}])])["polish"]

    assert off["enabled"] is False
    assert [] == anew["checks"]
    assert "words" not in anew
    assert anew["enabled"] is True


def test_a_book_without_crafts_says_nothing_of_them() -> None:
    """A book without crafts has no `crafts` key."""
    assert {} == _lay_crafts([])
    assert "crafts" not in merge_layers(EMPTY_LAYER, {"rules": [], "crafts": []})
