"""The shipped cooking book, craft by craft; `tests/strangers` compares it whole."""

from typing import Any

import pytest
from msgspec.structs import replace

from saniwa.rulebook.judge import judge
from saniwa.rulebook.verdict import Verdict
from saniwa.world.actions import Eat, Introduce, Use
from saniwa.world.apply import apply_action
from saniwa.world.effects import BringEffect, DismissEffect, SetEffect
from saniwa.world.model import Id, World
from tests.fakes.books import COOKING, STRICT
from tests.fakes.kitchen import kitchen
from tests.fakes.worlds import PLAYER

CARROT = Id("carrot")


def _with(thing: str, world: World | None = None, **fields: Any) -> World:
    world = world or kitchen()
    changed = replace(world.entities[Id(thing)], **fields)
    return replace(world, entities=world.entities.set(changed.id, changed))


def _use(manner: str, target: str, tool: str | None = None) -> Use:
    named = Id(tool) if tool else None
    return Use(actor_id=PLAYER, target_id=Id(target), tool_id=named, manner=manner)


def _judged(action: Use, world: World | None = None) -> Verdict:
    return judge(action, world or kitchen(), COOKING)


def _cooked(world: World, tool: str = "stove") -> World:
    action = _use("cook", "carrot", tool)
    verdict = _judged(action, world)
    assert verdict.success, verdict
    return apply_action(action, world, verdict.effects).world


@pytest.mark.parametrize(
    ("action", "check"),
    [
        (_use("cook", "dragon", "stove"), "cook.exists"),
        (_use("cook", "carrot"), "cook.tool_given"),
        (_use("cook", "carrot", "dragon"), "cook.tool_exists"),
        (_use("cook", "soup", "stove"), "cook.in_scope"),
        (_use("cook", "leek", "stove"), "cook.held"),
        (_use("cook", "carrot", "knife"), "cook.heat"),
        (_use("cook", "knife", "stove"), "cook.cookable"),
        (_use("slice", "carrot", "stove"), "slice.tool_held"),
        (_use("chop", "knife", "carrot"), "chop.sharp"),
        (_use("dice", "knife", "knife"), "dice.uncut"),
        (_use("prepare", "carrot"), "prepare.recipe"),
        (_use("prepare", "soup", "knife"), "prepare.alone"),
        (_use("prepare", "salad"), "prepare.ingredients"),
        (_use("boil", "carrot", "stove"), "use.manner"),
    ],
)
def test_a_craft_is_refused_by_the_check_that_fails_first(action: Use, check: str) -> None:
    """Existence, what it is done with, scope, hands, kind: each has its name."""
    verdict = _judged(action)

    assert (False, check) == (verdict.success, verdict.check)
    assert verdict.message


def test_cooking_makes_food_edible_and_cooking_it_again_burns_it() -> None:
    """How it was cooked is remembered; what is burned cannot be cooked any more."""
    hard = _with("carrot", edible=False, attributes={"needs_cooking": True})
    once = _cooked(hard)
    twice = _cooked(once)

    assert once.entities[CARROT].edible
    assert {"cooked": True, "fried": True} == once.entities[CARROT].attributes
    assert not twice.entities[CARROT].edible
    assert {"burned": True, "fried": True} == twice.entities[CARROT].attributes
    assert "cook.cookable" == _judged(_use("cook", "carrot", "stove"), twice).check


def test_what_is_raw_and_cooked_at_once_burns() -> None:
    """The two do not come about together: it was cooked, so it burns."""
    both = _with("carrot", attributes={"raw": True, "cooked": True})
    burned = _cooked(both).entities[CARROT]

    assert {"raw": True, "burned": True} == burned.attributes
    assert not burned.edible


def test_a_meal_is_made_once_and_where_it_is_made() -> None:
    """Its ingredients go off stage, and are not gone from the world."""
    ready = _with("leek", place=PLAYER)
    made = _judged(_use("prepare", "salad"), ready)
    elsewhere = _with("salad", ready, attributes={"ingredients": ["carrot"], "made_in": "yard"})  # fmt: skip

    assert made.success
    kinds = (DismissEffect, DismissEffect, BringEffect, SetEffect)
    assert kinds == tuple(map(type, made.effects))
    assert "prepare.place" == _judged(_use("prepare", "salad"), elsewhere).check
    on_stage = _with("salad", ready, place=Id("kitchen"))
    assert "prepare.unmade" == _judged(_use("prepare", "salad"), on_stage).check


def test_what_is_drinkable_can_be_drunk_up() -> None:
    """Eating and drinking are one action; neither is for what is neither."""
    eat = Eat(actor_id=PLAYER, target_id=CARROT)
    milk = _with("carrot", edible=False, attributes={"drinkable": True})
    stone = _with("carrot", edible=False)

    assert judge(eat, milk, COOKING).success
    assert "eat.edible" == judge(eat, stone, COOKING).check


def test_what_has_to_be_made_is_not_brought_in() -> None:
    """Not even by the protagonist, who may do so by the strict book."""
    soup = Introduce(actor_id=PLAYER, target_id=Id("soup"))

    assert judge(soup, kitchen(), STRICT).success
    assert "introduce.authorised" == judge(soup, kitchen(), COOKING).check
