from typing import Any

import pytest

from saniwa.rulebook.conditions import VOCABULARY
from saniwa.rulebook.effects import EFFECTS, build_conditional_effect, read_effect
from saniwa.rulebook.finding_collector import RulebookFindings
from saniwa.rulebook.predicates import make_case
from saniwa.world.actions import Use
from saniwa.world.effects import (
    BringEffect,
    DismissEffect,
    Effect,
    FlagEffect,
    RemoveEffect,
    SetEffect,
)
from saniwa.world.model import Id
from tests.fakes.kitchen_world import make_kitchen
from tests.fakes.worlds import PLAYER

SOUP = Use(actor_id=PLAYER, target_id=Id("soup"), manner="stir")
CARROT = Id("carrot")


def _parse_effect(value: Any) -> tuple[dict[str, Any] | None, list[tuple[str, str]]]:
    notes = RulebookFindings()
    read = read_effect(value, (), notes, VOCABULARY)
    return read, [(f.code, f.where.path) for f in notes.build_report().findings]


def _build_effects(value: Any, action: Use = SOUP) -> list[Effect]:
    read, findings = _parse_effect(value)
    assert [] == findings
    assert read is not None
    return [
        *build_conditional_effect(read, VOCABULARY).compute_effects(
            make_case(action, make_kitchen())
        )
    ]


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ({"remove": "target"}, {"op": "remove", "role": "target"}),
        (
            {"bring": {"role": "target", "attribute": "ingredients"}},
            {"op": "bring", "role": "target", "attribute": "ingredients"},
        ),
        ({"flag": "done"}, {"op": "flag", "name": "done", "value": True}),
        (
            {"set": {"role": "tool", "facts": {"a": 1}}, "when": {"held": "tool"}},
            {
                "op": "set",
                "role": "tool",
                "facts": {"a": 1},
                "when": {"op": "held", "role": "tool"},
            },
        ),
    ],
)
def test_the_short_form_and_the_full_one_are_the_same(
    short: dict[str, Any], full: dict[str, Any]
) -> None:
    """The short form of an effect is read as its full form."""
    assert (full, []) == _parse_effect(short)
    assert (full, []) == _parse_effect(full)


@pytest.mark.parametrize(
    ("effect", "code", "path"),
    [
        (3, "RULE_BAD_FIELD", ""),
        ({}, "RULE_BAD_FIELD", ""),
        ({"remove": "target", "bring": "tool"}, "RULE_BAD_FIELD", ""),
        ({"destroy": "target"}, "RULE_UNKNOWN_EFFECT", ""),
        ({"remove": "victim"}, "RULE_UNKNOWN_ROLE", "remove"),
        ({"remove": {"role": "target", "x": 1}}, "RULE_UNKNOWN_FIELD", "remove.x"),
        ({"set": {"role": "target"}}, "RULE_BAD_FIELD", "set"),
        ({"set": {"role": "target", "facts": {}}}, "RULE_BAD_FIELD", "set.facts"),
        (
            {"set": {"role": "target", "facts": {"locked": False}}},
            "RULE_BAD_FIELD",
            "set.facts.locked",
        ),
        (
            {"set": {"role": "target", "facts": {"edible": "yes"}}},
            "RULE_BAD_FIELD",
            "set.facts.edible",
        ),
        ({"flag": {"name": 3}}, "RULE_BAD_FIELD", "flag.name"),
        ({"flag": "lit", "when": "daylight"}, "RULE_UNKNOWN_PREDICATE", "when"),
    ],
)
def test_what_is_wrong_with_an_effect_is_found_in_its_place(
    effect: Any, code: str, path: str
) -> None:
    """Each mistake has a code and a path, and the effect is dropped."""
    assert (None, [(code, path)]) == _parse_effect(effect)


def test_an_effect_is_about_the_entity_in_its_role() -> None:
    """An effect applies to the entity in its role; an empty role gives no effect."""
    facts: dict[str, Any] = {"stirred": True}

    assert [SetEffect(entity_id=Id("soup"), facts=facts)] == _build_effects(
        {"set": {"role": "target", "facts": facts}}
    )
    assert [] == _build_effects({"set": {"role": "tool", "facts": facts}})
    assert [] == _build_effects({"remove": "tool"})


def test_a_list_of_ids_is_gone_through_in_order() -> None:
    """Ids of a list are used in order and once each; missing and invalid ones are skipped."""
    listed = {"role": "target", "attribute": "ingredients"}

    assert [DismissEffect(entity_id=CARROT), DismissEffect(entity_id=Id("leek"))] == _build_effects(
        {"dismiss": listed}
    )
    assert [] == _build_effects({"remove": {"role": "actor", "attribute": "ingredients"}})
    assert [BringEffect(entity_id=CARROT)] == _build_effects(
        {"bring": {"role": "target", "attribute": "garnish"}}
    )


def test_an_effect_counts_where_its_condition_holds() -> None:
    """An effect applies if its condition holds, or has none."""
    held = {"remove": "target", "when": {"held": "target"}}

    assert [] == _build_effects(held)
    assert [RemoveEffect(entity_id=CARROT)] == _build_effects(
        held, Use(actor_id=PLAYER, target_id=CARROT, manner="stir")
    )
    assert [FlagEffect(name="lit")] == _build_effects({"flag": "lit"})


def test_there_are_five_of_them() -> None:
    """There are exactly five effects."""
    assert ("set", "remove", "bring", "dismiss", "flag") == EFFECTS
