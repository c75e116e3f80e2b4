from typing import Any

import pytest

from saniwa.rulebook.finding_collector import RulebookFindings
from saniwa.rulebook.layers import EMPTY_LAYER, LayerReader, merge_layers
from saniwa.rulebook.loader import load_shipped_book
from saniwa.rulebook.verdict import LONGEST_TEMPLATE
from tests.fakes.books import make_layer, make_rule


def _find_no_plugin(_name: str) -> None:
    return None


def _find_in_layer(document: object, lower: Any = EMPTY_LAYER) -> list[tuple[str, str]]:
    notes = RulebookFindings()
    LayerReader(lower, notes, _find_no_plugin).read(document)
    return [(f.code, f.where.path) for f in notes.build_report().findings]


def _lay_layers(*layers: dict[str, Any]) -> dict[str, Any]:
    whole = EMPTY_LAYER
    for each in layers:
        notes = RulebookFindings()
        upper = LayerReader(whole, notes, _find_no_plugin).read(each)
        notes.raise_if_any()
        whole = merge_layers(whole, upper)
    return whole


def _make_check(name: str, **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "condition": "actorsTurn",
        "failReason": "UNKNOWN",
        "failMessage": "no",
        **more,
    }


def _make_one_check(**fields: Any) -> dict[str, Any]:
    return {"rules": [{"actionType": "take", "checks": [{**_make_check("a"), **fields}]}]}


def _list_checks(whole: dict[str, Any], action: str = "take") -> list[tuple[str, Any]]:
    rules = {r["actionType"]: r for r in whole["rules"]}
    return [(c["id"], c["failMessage"]) for c in rules[action]["checks"]]


BELOW = {"rules": [{"actionType": "take", "checks": [_make_check("a"), _make_check("b")]}]}


def test_a_check_is_overlaid_in_its_place() -> None:
    """A check with the same id keeps its place and takes the new fields."""
    above = {"rules": [{"actionType": "take", "checks": [{"id": "a", "failMessage": "x"}]}]}
    whole = _lay_layers(BELOW, above)

    assert [("a", "x"), ("b", "no")] == _list_checks(whole)


def test_a_new_check_comes_last() -> None:
    """A check with a new id is added at the end."""
    above = {"rules": [{"actionType": "take", "checks": [_make_check("c")]}]}

    assert ["a", "b", "c"] == [name for name, _ in _list_checks(_lay_layers(BELOW, above))]


def test_a_rule_can_be_replaced_whole() -> None:
    """`replace` drops the checks below."""
    above = {"rules": [{"actionType": "take", "replace": True, "checks": [_make_check("c")]}]}

    assert ["c"] == [name for name, _ in _list_checks(_lay_layers(BELOW, above))]


def test_what_replaces_a_rule_is_whole() -> None:
    """A check of a replaced rule must be complete."""
    part = {"actionType": "take", "replace": True, "checks": [{"id": "a", "enabled": True}]}

    assert [("RULE_BAD_FIELD", "rules[0].checks[0]")] == _find_in_layer(
        {"rules": [part]}, _lay_layers(BELOW)
    )


def test_a_rule_stays_switched_off_until_a_layer_switches_it_on() -> None:
    """A layer without `enabled` does not change it."""
    off = {"rules": [{"actionType": "take", "enabled": False}]}
    more = {"rules": [{"actionType": "take", "checks": [_make_check("c")]}]}
    on = {"rules": [{"actionType": "take", "enabled": True}]}

    assert _lay_layers(BELOW, off, more)["rules"][0]["enabled"] is False
    assert _lay_layers(BELOW, off, more, on)["rules"][0]["enabled"] is True


def test_a_dropped_check_can_come_back() -> None:
    """A check that was switched off needs only its id to be switched on."""
    off = {"rules": [{"actionType": "take", "checks": [{"id": "a", "enabled": False}]}]}
    on = {"rules": [{"actionType": "take", "checks": [{"id": "a", "enabled": True}]}]}
    whole = _lay_layers(BELOW, off, on)

    assert whole["rules"][0]["checks"][0]["enabled"] is True


def test_what_a_layer_says_about_itself_goes_up() -> None:
    """The uppermost id and name count, and `extends` is dropped."""
    whole = _lay_layers({**BELOW, "id": "low", "name": "Low"}, {"id": "up", "extends": "strict"})

    assert ("up", "Low") == (whole["id"], whole["name"])
    assert "extends" not in whole


def test_reasons_gather() -> None:
    """Reasons of lower layers can be used above."""
    low = {"reasons": {"too_dark": "NOT_PRESENT"}}
    whole = _lay_layers(
        low, _make_one_check(failReason="too_dark"), {"reasons": {"wet": "UNKNOWN"}}
    )

    assert {"too_dark": "NOT_PRESENT", "wet": "UNKNOWN"} == whole["reasons"]


def test_snake_case_is_read() -> None:
    """Keys may be written in snake_case."""
    snake = {
        "world_id": "w",
        "created_at": "2026-01-01",
        "rules": [
            {
                "action_type": "take",
                "checks": [
                    {
                        "id": "a",
                        "condition": {"entity_exists": "target"},
                        "fail_reason": "target_not_found",
                        "fail_message": "no",
                    }
                ],
            }
        ],
    }

    assert [] == _find_in_layer(snake)


@pytest.mark.parametrize(
    ("document", "code", "path"),
    [
        ([], "RULE_BAD_FIELD", ""),
        ({1: 2}, "RULE_BAD_FIELD", "1"),
        ({"ruels": []}, "RULE_UNKNOWN_FIELD", "ruels"),
        ({"rules": {}}, "RULE_BAD_FIELD", "rules"),
        ({"id": 3}, "RULE_BAD_FIELD", "id"),
        ({"version": []}, "RULE_BAD_FIELD", "version"),
        ({"version": True}, "RULE_BAD_FIELD", "version"),
        ({"worldId": "a", "world_id": "b"}, "RULE_DUPLICATE", "world_id"),
        ({"reasons": []}, "RULE_BAD_FIELD", "reasons"),
        ({"reasons": {"dark": "NOPE"}}, "RULE_UNKNOWN_REASON", "reasons.dark"),
        ({"reasons": {"dark": "OK"}}, "RULE_UNKNOWN_REASON", "reasons.dark"),
        ({"reasons": {"fixed": "UNKNOWN"}}, "RULE_DUPLICATE", "reasons.fixed"),
        ({"plugins": "a"}, "RULE_BAD_FIELD", "plugins"),
        ({"plugins": ["nope"]}, "RULE_UNKNOWN_PLUGIN", "plugins[0]"),
        ({"rules": [3]}, "RULE_BAD_FIELD", "rules[0]"),
        ({"rules": [{}]}, "RULE_BAD_FIELD", "rules[0]"),
        ({"rules": [{"actionType": "tkae"}]}, "RULE_UNKNOWN_ACTION", "rules[0].actionType"),
        ({"rules": [{"actionType": []}]}, "RULE_UNKNOWN_ACTION", "rules[0].actionType"),
        ({"rules": [{"actionType": "take", "enabled": 1}]}, "RULE_BAD_FIELD", "rules[0].enabled"),
        ({"rules": [{"actionType": "take"}, {"actionType": "take"}]}, "RULE_DUPLICATE", "rules[1]"),
        (
            {"rules": [{"actionType": "take", "checks": [_make_check("a"), _make_check("a")]}]},
            "RULE_DUPLICATE",
            "rules[0].checks[1]",
        ),
        (
            {"rules": [{"actionType": "take", "checks": [3]}]},
            "RULE_BAD_FIELD",
            "rules[0].checks[0]",
        ),
        (
            {"rules": [{"actionType": "take", "checks": [{}]}]},
            "RULE_BAD_FIELD",
            "rules[0].checks[0]",
        ),
        (
            {"rules": [{"actionType": "take", "checks": [{"id": "a"}]}]},
            "RULE_BAD_FIELD",
            "rules[0].checks[0]",
        ),
        (
            _make_one_check(failReason="dunno"),
            "RULE_UNKNOWN_REASON",
            "rules[0].checks[0].failReason",
        ),
        (_make_one_check(failReason="OK"), "RULE_UNKNOWN_REASON", "rules[0].checks[0].failReason"),
        (_make_one_check(failReason=[]), "RULE_UNKNOWN_REASON", "rules[0].checks[0].failReason"),
        (_make_one_check(failMessage=3), "RULE_BAD_FIELD", "rules[0].checks[0].failMessage"),
        (_make_one_check(failMessage={}), "RULE_BAD_FIELD", "rules[0].checks[0].failMessage"),
        (
            _make_one_check(failMessage={"en": 3}),
            "RULE_BAD_FIELD",
            "rules[0].checks[0].failMessage.en",
        ),
        (
            _make_one_check(failMessage={"ja": "{target.nmae}"}),
            "RULE_UNKNOWN_PLACEHOLDER",
            "rules[0].checks[0].failMessage.ja",
        ),
        (_make_one_check(hint="{key.hint}"), "RULE_UNKNOWN_PLACEHOLDER", "rules[0].checks[0].hint"),
        (
            _make_one_check(condition={"held": "tol"}),
            "RULE_UNKNOWN_ROLE",
            "rules[0].checks[0].condition.held",
        ),
        (_make_one_check(description=3), "RULE_BAD_FIELD", "rules[0].checks[0].description"),
        (_make_one_check(id=3), "RULE_BAD_FIELD", "rules[0].checks[0].id"),
        (_make_one_check(wieght=3), "RULE_UNKNOWN_FIELD", "rules[0].checks[0].wieght"),
    ],
)
def test_a_mistake_is_found_where_it_is(document: Any, code: str, path: str) -> None:
    """Every mistake in a layer has a code and a path."""
    assert [(code, path)] == _find_in_layer(document)


def test_dropping_a_check_that_is_not_there_offers_the_one_that_is() -> None:
    """A misspelt id of a check to drop is a finding with a suggestion."""
    notes = RulebookFindings()
    lower = _lay_layers(load_shipped_book("default"))
    typo = {"actionType": "take", "checks": [{"id": "in_scop", "enabled": False}]}
    LayerReader(lower, notes, _find_no_plugin).read({"rules": [typo]})

    assert [("RULE_UNKNOWN_CHECK", "did you mean 'in_scope'?")] == [
        (f.code, f.hint) for f in notes.findings
    ]


def test_all_mistakes_are_found_at_once() -> None:
    """A layer with three faults reports three findings."""
    broken = make_layer(make_rule("tkae", {"held": "tol"}), make_rule("take", "nope"))

    assert {"RULE_UNKNOWN_ACTION", "RULE_UNKNOWN_ROLE", "RULE_UNKNOWN_PREDICATE"} == {
        code for code, _ in _find_in_layer(broken)
    }


@pytest.mark.parametrize("name", ["failMessage", "hint"])
def test_a_message_may_only_be_so_long(name: str) -> None:
    """A message template has a maximum length in each language."""
    long = "x" * (LONGEST_TEMPLATE + 1)

    assert [] == _find_in_layer(_make_one_check(**{name: long[1:]}))
    assert [("RULE_BAD_FIELD", f"rules[0].checks[0].{name}")] == _find_in_layer(
        _make_one_check(**{name: long})
    )
    assert [("RULE_BAD_FIELD", f"rules[0].checks[0].{name}.ja")] == _find_in_layer(
        _make_one_check(**{name: {"en": "no", "ja": long}})
    )


@pytest.mark.parametrize(
    "document",
    [
        {"x" * 10_000: 1},
        {"reasons": {"mine": "x" * 10_000}},
        {"plugins": ["x" * 10_000]},
        {"rules": [{"actionType": "x" * 10_000}]},
        {"rules": [{"actionType": "take", "enabled": "x" * 10_000}]},
        _make_one_check(id="x" * 10_000, condition=7),
        _make_one_check(failReason="x" * 10_000),
        _make_one_check(failReason=["x" * 100] * 100),
        _make_one_check(failMessage="{" + "x" * 1_900 + "}"),
        _make_one_check(condition={"x" * 10_000: "actor"}),
        _make_one_check(condition={"held": "x" * 10_000}),
        _make_one_check(condition={"held": ["x" * 100] * 100}),
        {"rules": [_make_one_check()["rules"][0] | {"checks": [_make_check("x" * 10_000)] * 2}]},
    ],
)
def test_findings_quote_short(document: dict[str, Any]) -> None:
    """A finding does not repeat long values."""
    notes = RulebookFindings()
    LayerReader(EMPTY_LAYER, notes, _find_no_plugin).read(document)

    assert notes.findings
    for finding in notes.findings:
        assert 200 > len(finding.message)
        assert 300 > len(finding.where.path)
        assert 2_000 > len(repr(finding.details))


def test_a_layer_may_use_the_words_it_brings() -> None:
    """A layer may use its own reasons in its rules and crafts."""
    check = _make_check("a", failReason="too_dark")
    document = {
        "reasons": {"too_dark": "NOT_PRESENT"},
        "rules": [{"actionType": "take", "checks": [check]}],
        "crafts": [{"name": "polish", "checks": [check], "effects": []}],
    }

    assert [] == _find_in_layer(document)
