from typing import Any

import pytest

from saniwa.documents.document import make_document
from saniwa.integrations.textworld.importer import ImportedGame, import_game
from tests.fakes.textworld import make_quest, make_tiny_game, parse_proposition

_MEAL = (
    "out(meal_0, RECIPE)",
    "cooking_location(r_0, RECIPE)",
    "edible(meal_0)",
    "ingredient_1(f_0)",
    "ingredient_2(f_1)",
    "in(f_0, I)",
    "at(f_1, r_0)",
    "edible(f_0)",
    "raw(f_0)",
    "uncut(f_0)",
    "inedible(f_1)",
    "needs_cooking(f_1)",
    "at(stove_0, r_0)",
    "at(toaster_0, r_1)",
    "at(oven_0, r_0)",
    "closed(oven_0)",
    "in(o_0, I)",
    "sharp(o_0)",
    "base(f_0, ingredient_7)",
    "sliced(ingredient_7)",
)
_HANDS = ("used(slot_0)", "used(slot_1)", "free(slot_2)")


def _import_meal(*facts: str, without: tuple[str, ...] = (), **more: Any) -> ImportedGame:
    said = [fact for fact in _MEAL if fact not in without]
    return import_game(make_document(make_tiny_game(*said, *facts, **more)), "game")


def _list_errors(*facts: str, **more: Any) -> list[str]:
    return [f.message for f in _import_meal(*facts, **more).report.errors]


def _read_props() -> dict[str, Any]:
    scenario = _import_meal().scenario
    assert scenario is not None
    assert "cooking" == scenario["rulebook"]
    props: dict[str, Any] = scenario["props"]
    return props


@pytest.mark.parametrize(
    ("thing", "facts"),
    [
        ("f_0", {"edible": True, "attributes": {"raw": True, "uncut": True}}),
        ("f_1", {"attributes": {"needs_cooking": True}}),
        ("o_0", {"attributes": {"sharp": True}}),
        ("stove_0", {"kind": "supporter", "attributes": {"heat": "fried"}}),
        ("oven_0", {"kind": "container", "open": False, "attributes": {"heat": "roasted"}}),
        ("toaster_0", {"kind": "fixture", "attributes": {"heat": "grilled"}}),
        (
            "meal_0",
            {
                "location": None,
                "edible": True,
                "attributes": {"ingredients": ["f_0", "f_1"], "made_in": "r_0"},
            },
        ),
    ],
)
def test_facts_of_a_kitchen_are_facts_of_items(thing: str, facts: dict[str, Any]) -> None:
    """Predicates become attributes of things, a recipe one of its meal, heat one of a stove."""
    made = _read_props()[thing]

    assert facts == {key: made.get(key) for key in facts}
    assert "edible" in facts or "edible" not in made


def test_notions_are_no_items() -> None:
    """Ingredients, the recipe and hands do not become items."""
    assert {"f_0", "f_1", "o_0", "stove_0", "oven_0", "toaster_0", "meal_0"} == set(_read_props())


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (("consumed(f_0)",), "'f_0' has been eaten before the game begins"),
        (("inedible(f_0)",), "'f_0' must be either edible or inedible"),
        (("at(f_2, r_0)",), "'f_2' must be either edible or inedible"),
        (
            ("out(meal_1, RECIPE)", "edible(meal_1)"),
            "a game must have one meal, and one place to make it",
        ),
        (("ingredient_1(f_1)",), "two things are 'ingredient_1'"),
        (("ingredient_4(f_1)",), "the ingredients of 'meal_0' are not counted from 1 on"),
    ],
)
def test_what_cannot_be_reported_is_named(facts: tuple[str, ...], message: str) -> None:
    """A game that would play differently is refused with the reason."""
    assert message in _list_errors(*facts)


def test_hands_hold_as_many_items_as_the_game_has_room_for() -> None:
    """The number of hands becomes an attribute of the player."""
    scenario = _import_meal(*_HANDS).scenario

    assert scenario is not None
    assert {"hands": 3} == scenario["characters"]["P"]["attributes"]


@pytest.mark.parametrize("facts", [("used(slot_0)", "free(slot_1)"), (*_HANDS, "free(slot_0)")])
def test_hands_that_are_miscounted_are_reported(facts: tuple[str, ...]) -> None:
    """A game is refused if the things held at first do not match the used hands."""
    assert any("things are held at first, and" in told for told in _list_errors(*facts))


def test_a_meal_of_four_with_counted_hands_is_refused() -> None:
    """A meal of four with counted hands is refused, because TextWorld's rule for it is wrong."""
    four = ("ingredient_3(f_2)", "ingredient_4(f_3)", "edible(f_2)", "edible(f_3)")
    placed = ("at(f_2, r_0)", "at(f_3, r_0)")

    assert [] == _list_errors(*four, *placed)
    told = _list_errors(*four, *placed, *_HANDS)
    assert ["a meal of 4 ingredients leaves one hand too few in the rules of this game"] == told


def test_a_quest_asks_for_how_food_is() -> None:
    """Cooked, cut and eaten food become facts of milestones."""
    asked = [make_quest("sliced(f_0)", fails=("burned(f_0)", "consumed(f_1)"))]
    scenario = _import_meal(quests=asked).scenario

    assert scenario is not None
    stones = scenario["clear_condition"]["milestones"]
    assert [
        {"entity": "f_0", "attribute": "sliced"},
        {"entity": "f_0", "attribute": "burned"},
        {"entity": "f_1", "condition": "gone"},
    ] == [stone["facts"][0] for stone in stones]


def test_the_type_of_a_constant_is_its_name() -> None:
    """The fake game names the type of the recipe as TextWorld does."""
    told = parse_proposition("out(meal_0, RECIPE)")["arguments"]

    assert [("meal_0", "meal"), ("RECIPE", "RECIPE")] == [
        (each["name"], each["type"]) for each in told
    ]
