"""What a cooking game says of food, heat, the recipe and hands, as facts of things."""

from collections.abc import Iterable, Mapping
from typing import Any

from saniwa.scenario.code import Code
from saniwa.scenario.page import Page
from saniwa.scenario.textworld.dialect import (
    COOKING,
    HEAT,
    MOST_INGREDIENTS,
    OWN,
    STRICT,
    Dialect,
)
from saniwa.scenario.textworld.entity import Entity
from saniwa.scenario.textworld.form import PLAYER
from saniwa.scenario.textworld.proposition import Proposition

_MISCOUNTED = 4
_EATEN = ("eaten", "consumed", "used")
Facts = dict[str, dict[str, Any]]
"""More keys of things, by id."""


def read_food(
    page: Page,
    so: list[Proposition],
    entities: Mapping[str, Entity],
    dialect: Dialect,
) -> Facts:
    """What is edible, how food is cooked and cut, and what the meal is made of."""
    for one in so:
        if one.name in _EATEN and one.about[0] in entities and _is_food(one, entities):
            message = f"{one.about[0]!r} has been eaten before the game begins"
            page.error(Code.GAME_UNSUPPORTED, message, one.path)
    foods = [e for e in entities.values() if e.type in COOKING.kindred["f"]]
    if dialect is STRICT:
        return {food.id: {"edible": True} for food in foods}
    own = _own(so, entities)
    for meal, facts in _recipes(page, so).items():
        own.setdefault(meal, {}).update(facts)
    edible = _edible(page, so, foods)
    return {
        id: ({"edible": True} if id in edible else {})
        | ({"attributes": own[id]} if own.get(id) else {})
        for id in {*edible, *own}
    }


def _is_food(one: Proposition, entities: Mapping[str, Entity]) -> bool:
    return entities[one.about[0]].type in COOKING.kindred["f"]


def _own(so: Iterable[Proposition], entities: Mapping[str, Entity]) -> Facts:
    """The author's own facts of each thing; those of ingredients are only words."""
    own: Facts = {
        e.id: {"heat": HEAT[e.type]} for e in entities.values() if e.type in HEAT
    }
    for one in so:
        thing = entities.get(one.about[0])
        if one.name in OWN and thing is not None and thing.type in COOKING.kinds:
            own.setdefault(thing.id, {})[one.name] = True
    return own


def _edible(page: Page, so: Iterable[Proposition], foods: list[Entity]) -> set[str]:
    edible = {one.about[0] for one in so if one.name == "edible"}
    inedible = {one.about[0] for one in so if one.name == "inedible"}
    for food in foods:
        if (food.id in edible) == (food.id in inedible):
            message = f"{food.id!r} must be either edible or inedible"
            page.error(Code.STATE_CONTRADICTION, message, food.path)
    return edible


def _recipes(page: Page, so: list[Proposition]) -> Facts:
    """For each meal the ingredients, in order, and the place where it is made."""
    meals = [one for one in so if one.name == "out"]
    places = [one.about[0] for one in so if one.name == "cooking_location"]
    if not meals:
        return {}
    if len(meals) > 1 or len(places) != 1:
        message = "a game must have one meal, and one place to make it"
        page.error(Code.GAME_UNSUPPORTED, message, meals[-1].path)
        return {}
    ingredients = _ingredients(page, so, meals[0])
    return {meals[0].about[0]: {"ingredients": ingredients, "made_in": places[0]}}


def _ingredients(page: Page, so: list[Proposition], meal: Proposition) -> list[str]:
    found: dict[str, str] = {}
    for one in so:
        if one.name.startswith("ingredient_") and (
            found.setdefault(one.name, one.about[0]) != one.about[0]
        ):
            message = f"two things are {one.name!r}"
            page.error(Code.GAME_UNSUPPORTED, message, one.path)
    names = [f"ingredient_{n}" for n in range(1, MOST_INGREDIENTS + 1)]
    wanted = names[: len(found)]
    if not found or {*wanted} != {*found}:
        message = f"the ingredients of {meal.about[0]!r} are not counted from 1 on"
        page.error(Code.GAME_UNSUPPORTED, message, meal.path)
        return []
    return [found[name] for name in wanted]


def read_hands(
    page: Page,
    so: list[Proposition],
    entities: Mapping[str, Entity],
    places: Mapping[str, str],
) -> dict[str, Any]:
    """How much hands hold, where the game counts it; the player's keys."""
    slots = {e.id: e for e in entities.values() if e.type == "slot"}
    if not slots:
        return {}
    used = {one.about[0] for one in so if one.name == "used"} & slots.keys()
    free = {one.about[0] for one in so if one.name == "free"} & slots.keys()
    held = sum(place == PLAYER for place in places.values())
    if used & free or used | free != slots.keys() or len(used) != held:
        message = f"{held} things are held at first, and {len(used)} hands are used"
        hint = "make the game with another seed, or without '--drop'"
        path = next(iter(slots.values())).path
        page.error(Code.GAME_UNSUPPORTED, message, path, hint=hint)
    _check_count(page, so)
    return {"attributes": {"hands": len(slots)}}


def _check_count(page: Page, so: list[Proposition]) -> None:
    """TextWorld's rule for a meal of four frees two hands where three are free."""
    parts = {one.name: one for one in so if one.name.startswith("ingredient_")}
    if len(parts) == _MISCOUNTED:
        message = (
            f"a meal of {_MISCOUNTED} ingredients leaves one hand too few in the rules "
            "of this game"
        )
        hint = "make a game with another number of ingredients, or without '--drop'"
        path = parts[max(parts)].path
        page.error(Code.GAME_UNSUPPORTED, message, path, hint=hint)
