"""The shipped cooking book, craft by craft; `tests/strangers` compares all of it."""

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
from tests.fakes.kitchen_world import make_kitchen
from tests.fakes.worlds import PLAYER

CARROT = Id("carrot")


def _change_entity(thing: str, world: World | None = None, **fields: Any) -> World:
    world = world or make_kitchen()
    changed = replace(world.entities[Id(thing)], **fields)
    return replace(world, entities=world.entities.set(changed.id, changed))


def _make_use(manner: str, target: str, tool: str | None = None) -> Use:
    named = Id(tool) if tool else None
    return Use(actor_id=PLAYER, target_id=Id(target), tool_id=named, manner=manner)


def _judge_use(action: Use, world: World | None = None) -> Verdict:
    return judge(action, world or make_kitchen(), COOKING)


def _cook_carrot(world: World, tool: str = "stove") -> World:
    action = _make_use("cook", "carrot", tool)
    verdict = _judge_use(action, world)
    assert verdict.success, verdict
    return apply_action(action, world, verdict.effects).world


@pytest.mark.parametrize(
    ("action", "check"),
    [
        (_make_use("cook", "dragon", "stove"), "cook.exists"),
        (_make_use("cook", "carrot"), "cook.tool_given"),
        (_make_use("cook", "carrot", "dragon"), "cook.tool_exists"),
        (_make_use("cook", "soup", "stove"), "cook.in_scope"),
        (_make_use("cook", "leek", "stove"), "cook.held"),
        (_make_use("cook", "carrot", "knife"), "cook.heat"),
        (_make_use("cook", "knife", "stove"), "cook.cookable"),
        (_make_use("slice", "carrot", "stove"), "slice.tool_held"),
        (_make_use("chop", "knife", "carrot"), "chop.sharp"),
        (_make_use("dice", "knife", "knife"), "dice.uncut"),
        (_make_use("prepare", "carrot"), "prepare.recipe"),
        (_make_use("prepare", "soup", "knife"), "prepare.alone"),
        (_make_use("prepare", "salad"), "prepare.ingredients"),
        (_make_use("boil", "carrot", "stove"), "use.manner"),
    ],
)
def test_a_craft_is_refused_by_the_check_that_fails_first(action: Use, check: str) -> None:
    """The first check that fails is named: existence, tool, scope, hands, kind."""
    verdict = _judge_use(action)

    assert (False, check) == (verdict.success, verdict.check)
    assert verdict.message


def test_cooking_makes_food_edible_and_cooking_it_again_burns_it() -> None:
    """Cooking makes food edible; cooking it again burns it."""
    hard = _change_entity("carrot", edible=False, attributes={"needs_cooking": True})
    once = _cook_carrot(hard)
    twice = _cook_carrot(once)

    assert once.entities[CARROT].edible
    assert {"cooked": True, "fried": True} == once.entities[CARROT].attributes
    assert not twice.entities[CARROT].edible
    assert {"burned": True, "fried": True} == twice.entities[CARROT].attributes
    assert "cook.cookable" == _judge_use(_make_use("cook", "carrot", "stove"), twice).check


def test_what_is_raw_and_cooked_at_once_burns() -> None:
    """Food that is both raw and cooked burns when cooked."""
    both = _change_entity("carrot", attributes={"raw": True, "cooked": True})
    burned = _cook_carrot(both).entities[CARROT]

    assert {"raw": True, "burned": True} == burned.attributes
    assert not burned.edible


def test_a_meal_is_made_once_and_where_it_is_made() -> None:
    """A meal is made once and in its place; its ingredients go off stage."""
    ready = _change_entity("leek", place=PLAYER)
    made = _judge_use(_make_use("prepare", "salad"), ready)
    elsewhere = _change_entity("salad", ready, attributes={"ingredients": ["carrot"], "made_in": "yard"})  # fmt: skip

    assert made.success
    kinds = (DismissEffect, DismissEffect, BringEffect, SetEffect)
    assert kinds == tuple(map(type, made.effects))
    assert "prepare.place" == _judge_use(_make_use("prepare", "salad"), elsewhere).check
    on_stage = _change_entity("salad", ready, place=Id("kitchen"))
    assert "prepare.unmade" == _judge_use(_make_use("prepare", "salad"), on_stage).check


def test_what_is_drinkable_can_be_drunk_up() -> None:
    """Drinkable things can be eaten up too; a thing that is neither cannot."""
    eat = Eat(actor_id=PLAYER, target_id=CARROT)
    milk = _change_entity("carrot", edible=False, attributes={"drinkable": True})
    stone = _change_entity("carrot", edible=False)

    assert judge(eat, milk, COOKING).success
    assert "eat.edible" == judge(eat, stone, COOKING).check


def test_what_has_to_be_made_is_not_brought_in() -> None:
    """A meal that has to be made cannot be introduced, not even by the protagonist."""
    soup = Introduce(actor_id=PLAYER, target_id=Id("soup"))

    assert judge(soup, make_kitchen(), STRICT).success
    assert "introduce.authorised" == judge(soup, make_kitchen(), COOKING).check
