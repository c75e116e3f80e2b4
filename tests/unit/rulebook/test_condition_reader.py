from typing import Any

import pytest

from saniwa.rulebook.conditions import (
    DEEPEST_CONDITION,
    VOCABULARY,
    read_condition,
    render_condition,
)
from saniwa.rulebook.finding_collector import RulebookFindings, to_camel
from saniwa.rulebook.predicates import make_plugin

MOON = make_plugin("moonlit", lambda _case, _args: True, "almanac 1.0").predicate
WORDS = {**VOCABULARY, "moonlit": MOON}


def _parse_condition_value(value: Any) -> tuple[Any, list[tuple[str, str]]]:
    notes = RulebookFindings()
    condition = read_condition(value, ("condition",), notes, WORDS)
    found = [(f.code, f.where.path) for f in notes.findings]
    return (render_condition(condition) if condition else None), found


HELD = {"op": "held", "role": "tool"}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ({"op": "held", "role": "tool"}, HELD),
        ({"held": "tool"}, HELD),
        ({"held": {"role": "tool"}}, HELD),
        ("actorsTurn", {"op": "actorsTurn"}),
        ({"actors_turn": None}, {"op": "actorsTurn"}),
        ({"actorsTurn": {}}, {"op": "actorsTurn"}),
        ({"closed": None}, {"op": "closed", "role": "target"}),
        ({"op": "in_scope", "role": "actor_room"}, {"op": "inScope", "role": "actorRoom"}),
        (
            {"entity_type": {"role": "target", "required_type": "room"}},
            {"op": "entityType", "role": "target", "requiredType": "location"},
        ),
        (
            {"isKind": {"role": "target", "kinds": "door"}},
            {"op": "isKind", "role": "target", "kinds": ["door"]},
        ),
        ({"actorIdIn": "ann"}, {"op": "actorIdIn", "allowedIds": ["ann"]}),
        ({"flag": "lit"}, {"op": "flag", "name": "lit", "value": True}),
        (
            {"metaValueNotInRoom": {"entityType": None}},
            {"op": "metaValueNotInRoom", "metaKey": "name", "entityType": None},
        ),
        ({"not": {"held": "tool"}}, {"op": "not", "condition": HELD}),
        ({"op": "not", "condition": HELD}, {"op": "not", "condition": HELD}),
        ({"and": [{"held": "tool"}]}, {"op": "and", "conditions": [HELD]}),
        ({"op": "or", "conditions": [HELD]}, {"op": "or", "conditions": [HELD]}),
        ({"moonlit": {"hours": 3}}, {"op": "moonlit", "hours": 3}),
        ("moonlit", {"op": "moonlit"}),
    ],
)
def test_both_forms_mean_the_same(written: Any, meant: Any) -> None:
    """Short and long form, camelCase and snake_case are read as one form."""
    assert (meant, []) == _parse_condition_value(written)


@pytest.mark.parametrize(
    ("written", "code", "path"),
    [
        (3, "RULE_BAD_FIELD", "condition"),
        (None, "RULE_BAD_FIELD", "condition"),
        ({}, "RULE_BAD_FIELD", "condition"),
        ({1: "target"}, "RULE_BAD_FIELD", "condition"),
        ({"op": 3}, "RULE_UNKNOWN_PREDICATE", "condition"),
        ({"held": "tool", "inScope": "tool"}, "RULE_BAD_FIELD", "condition"),
        ({"holds": "tool"}, "RULE_UNKNOWN_PREDICATE", "condition"),
        ({"held": "tol"}, "RULE_UNKNOWN_ROLE", "condition.held"),
        ({"held": 3}, "RULE_UNKNOWN_ROLE", "condition.held"),
        ({"op": "held", "role": "tol"}, "RULE_UNKNOWN_ROLE", "condition.role"),
        ({"op": "held", "rolle": "tool"}, "RULE_UNKNOWN_FIELD", "condition.rolle"),
        ({"op": "held"}, "RULE_BAD_FIELD", "condition"),
        ({"and": []}, "RULE_BAD_FIELD", "condition.and"),
        ({"and": {"held": "tool"}}, "RULE_BAD_FIELD", "condition.and"),
        ({"or": [{"held": "tool"}, 3]}, "RULE_BAD_FIELD", "condition.or[1]"),
        ({"not": 3}, "RULE_BAD_FIELD", "condition.not"),
        ({"not": {"condition": 3}}, "RULE_BAD_FIELD", "condition.not.condition"),
        ({"actorsTurn": 3}, "RULE_BAD_FIELD", "condition.actorsTurn"),
        ({"moonlit": 3}, "RULE_BAD_FIELD", "condition.moonlit"),
        ({"moonlit": {"hours": 0.5}}, "RULE_BAD_FIELD", "condition.moonlit"),
        ({"isKind": {"role": "tool", "kinds": [3]}}, "RULE_BAD_FIELD", "condition.isKind.kinds"),
        ({"flag": 3}, "RULE_BAD_FIELD", "condition.flag"),
        ({"flag": {"name": "a", "value": 1}}, "RULE_BAD_FIELD", "condition.flag.value"),
        ({"actorIdIn": [3]}, "RULE_BAD_FIELD", "condition.actorIdIn"),
        (
            {"eq": {"role": "tool", "attribute": "size", "value": 1.5}},
            "RULE_BAD_FIELD",
            "condition.eq.value",
        ),
    ],
)
def test_a_mistake_is_found_where_it_is(written: Any, code: str, path: str) -> None:
    """Every mistake in a condition has a code and a path."""
    condition, found = _parse_condition_value(written)

    assert condition is None
    assert (code, path) in found


def test_all_mistakes_are_found_at_once() -> None:
    """One mistake does not hide the next."""
    _, found = _parse_condition_value({"and": [{"held": "tol"}, {"holds": "tool"}, {"flag": 3}]})

    assert ["RULE_UNKNOWN_ROLE", "RULE_UNKNOWN_PREDICATE", "RULE_BAD_FIELD"] == [
        code for code, _ in found
    ]


def test_a_condition_nested_too_deep_is_refused() -> None:
    """A condition that nests too deep is a finding."""
    nested: Any = "actorsTurn"
    for _ in range(DEEPEST_CONDITION + 1):
        nested = {"not": nested}
    condition, found = _parse_condition_value(nested)

    assert condition is None
    assert ["RULE_BAD_FIELD"] == [code for code, _ in found]


def test_a_huge_value_is_shown_in_part() -> None:
    """A finding about a huge value stays short."""
    notes = RulebookFindings()
    read_condition(["x" * 1000], (), notes, WORDS)

    assert len(notes.findings[0].message) < 100


@pytest.mark.parametrize(
    ("written", "meant"),
    [("action_type", "actionType"), ("failReason", "failReason"), ("_", "_"), ("", "")],
)
def test_keys_are_read_in_either_case(written: str, meant: str) -> None:
    """Keys in snake_case become camelCase; camelCase is unchanged."""
    assert meant == to_camel(written)
