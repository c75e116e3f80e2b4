from typing import Any

import pytest

from saniwa.world.model import Goal, Id
from tests.fakes.scenarios import Plain, build_world, list_codes, make_flat

_CUP = {"cup": {"location": "hall", "name": "blue cup"}}
_GOAL_HALL: dict[str, Plain] = {
    "kitchen": {"exits": ["hall"]},
    "hall": {"exits": ["kitchen"], "is_goal": True},
}


@pytest.mark.parametrize(
    ("condition", "goal"),
    [
        ({"type": "reach_location", "target": "hall"}, Goal(location=Id("hall"), actor=Id("Ann"))),
        ({"type": "hold_object", "target": "blue cup"}, Goal(holding=Id("cup"), actor=Id("Ann"))),
        ({"type": "set_flag", "target": "done"}, Goal(flag="done", actor=Id("Ann"))),
        ({"type": "reach_location", "target": "hall", "actor": None}, Goal(location=Id("hall"))),
        ({"type": "reach_location", "target": "hall", "actor": "Ben"}, Goal(location=Id("hall"), actor=Id("Ben"))),
        ({"location": "hall", "holding": "cup", "flag": "done"}, Goal(location=Id("hall"), holding=Id("cup"), flag="done", actor=Id("Ann"))),
    ],
)  # fmt: skip
def test_a_clear_condition_is_a_goal(condition: Any, goal: Goal) -> None:
    """`type` and `target` say what must be true, `actor` for whom."""
    people = {"Ann": {"location": "kitchen"}, "Ben": {"location": "kitchen"}}
    document = make_flat(
        characters=people, props=_CUP, clear_condition=condition, flags={"done": True}
    )

    assert [] == list_codes(document)
    assert goal == build_world(document).goal


def test_a_goal_place_is_a_goal_by_itself() -> None:
    """`is_goal` alone makes a goal for the protagonist."""
    made = build_world(make_flat(locations=_GOAL_HALL))

    assert Goal(location=Id("hall"), actor=Id("Ann")) == made.goal
    assert made.locations[Id("hall")].is_goal


def test_no_word_of_a_goal_is_no_goal() -> None:
    """A scenario without a goal is valid."""
    assert build_world(make_flat()).goal is None


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ({}, "FIELD_MISSING"),
        ({"type": "reach_location"}, "FIELD_MISSING"),
        ({"type": "reach_locations", "target": "hall"}, "UNKNOWN_VALUE"),
        ({"type": "reach_location", "target": "hal"}, "NAME_UNKNOWN"),
        ({"type": "hold_object", "target": "cap"}, "NAME_UNKNOWN"),
        ({"type": "reach_location", "target": "hall", "actor": "Bob"}, "NAME_UNKNOWN"),
        ({"type": "reach_location", "target": "hall", "who": "Ann"}, "UNKNOWN_KEY"),
        ({"type": 1, "target": "hall"}, "WRONG_TYPE"),
    ],
)
def test_a_goal_must_be_one_that_can_be_meant(condition: Any, code: str) -> None:
    """Unknown types, names and keys of a goal are mistakes."""
    assert code in list_codes(make_flat(props=_CUP, clear_condition=condition))


def test_two_goal_places_need_a_clear_condition() -> None:
    """Two goal places need a clear condition."""
    both = {k: v | {"is_goal": True} for k, v in _GOAL_HALL.items()}
    condition = {"type": "reach_location", "target": "hall"}

    assert ["GOAL_AMBIGUOUS"] == list_codes(make_flat(locations=both))
    assert [] == list_codes(make_flat(locations=both, clear_condition=condition))


def test_a_goal_may_have_its_own_last_words() -> None:
    """A goal's message is a text, or one per language, of which the story's language is used."""
    end = {"type": "reach_location", "target": "hall"}
    told = {"en": "Home.", "ja": "ただいま。"}

    assert "Home." == _read_goal_message(make_flat(clear_condition=end | {"message": "Home."}))
    assert "Home." == _read_goal_message(make_flat(clear_condition=end | {"message": told}))
    assert "ただいま。" == _read_goal_message(
        make_flat(clear_condition=end | {"message": told}, language="ja")
    )
    assert "" == _read_goal_message(make_flat(clear_condition=end))


def _read_goal_message(document: Plain) -> str:
    goal = build_world(document).goal
    assert goal is not None
    return goal.message


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (3, "WRONG_TYPE"),
        ({"en": 3}, "WRONG_TYPE"),
        ({"eng": "Home."}, "UNKNOWN_KEY"),
        ({"ja": "ただいま。"}, "FIELD_MISSING"),
        ("a\x1b[2J", "TEXT_UNUSABLE"),
    ],
)
def test_last_words_must_be_ones_that_can_be_reported(message: Any, code: str) -> None:
    """A message that the story's language lacks is a mistake."""
    end = {"type": "reach_location", "target": "hall", "message": message}

    assert [code] == list_codes(make_flat(clear_condition=end))
