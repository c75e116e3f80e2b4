from typing import Any

import pytest

from saniwa.world.model import Entity, Id
from tests.fakes.scenarios import build_world, list_codes, make_flat


def _build_entity(**said: Any) -> Entity:
    document = make_flat(props={"it": {"location": "hall"} | said, "key": {"location": "hall"}})
    return build_world(document).entities[Id("it")]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({}, "takeable open"),
        ({"kind": "item", "takeable": False}, "open"),
        ({"kind": "supporter"}, "open"),
        ({"kind": "fixture"}, "open"),
        ({"kind": "fixture", "takeable": True}, "takeable open"),
        ({"kind": "container"}, "openable"),
        ({"kind": "container", "open": True}, "openable open"),
        ({"kind": "container", "openable": False}, "open"),
        ({"kind": "container", "locked": True}, "openable lockable locked"),
        ({"kind": "container", "required_key": "key"}, "openable lockable"),
        ({"kind": "container", "lockable": True, "open": True}, "openable open lockable"),
        ({"locked": True, "required_key": "key"}, "takeable openable lockable locked"),
        ({"open": False}, "takeable openable"),
        ({"edible": True, "hidden": True}, "takeable open edible hidden"),
    ],
)
def test_what_is_left_unsaid_follows_from_the_kind(said: dict[str, Any], expected: str) -> None:
    """Defaults follow from the kind: items can be taken, containers are closed."""
    made = _build_entity(**said)
    fields = ("takeable", "openable", "open", "lockable", "locked", "edible", "hidden")

    assert expected.split() == [name for name in fields if getattr(made, name)]


def test_everything_said_of_an_item_is_in_the_world() -> None:
    """Name, description, state, hint, aliases and attributes of an item are in the world."""
    made = _build_entity(
        name="it self",
        description="Odd.",
        state="dusty",
        hint="No.",
        aliases=["thing"],
        attributes={"n": 1},
    )

    assert ("it self", "Odd.", ("dusty",), "No.", ("thing",), {"n": 1}) == (
        made.name,
        made.description,
        made.state,
        made.hint,
        made.aliases,
        made.attributes,
    )


def test_everything_said_of_a_character_is_in_the_world() -> None:
    """Status, goals and description of a character are in the world; the first one is played."""
    made = build_world(
        make_flat(
            characters={
                "Ben": {"location": "hall", "name": "Benjamin", "aliases": ["B"]},
                "Ann": {"location": "hall", "status": ["awake", "cold"], "goals": ["tea"], "description": "Tall.", "agent": "ann.json", "attributes": {"age": 7}},
            }
        )
    )  # fmt: skip
    ann = made.entities[Id("Ann")]

    assert (("awake", "cold"), ("tea",), "Tall.", {"age": 7}) == (
        ann.status,
        ann.goals,
        ann.description,
        ann.attributes,
    )
    assert ("Benjamin", ("B",)) == (made.entities[Id("Ben")].name, made.entities[Id("Ben")].aliases)
    assert "Ben" == made.protagonist


def test_the_author_may_choose_the_protagonist_and_the_order() -> None:
    """`protagonist` and `turn_order` name characters."""
    people = {"Ann": {"location": "hall"}, "Ben": {"location": "hall"}}
    made = build_world(make_flat(characters=people, protagonist="Ben", turn_order=["Ben", "Ann"]))

    assert ("Ben", ("Ben", "Ann")) == (made.protagonist, made.turn_order)
    assert ["NAME_UNKNOWN"] == list_codes(make_flat(protagonist="Anne"))
    assert ["NAME_UNKNOWN"] == list_codes(make_flat(turn_order=["Ann", "hall"]))


def test_aliases_reach_whatever_they_name() -> None:
    """`prop_aliases` adds aliases to things, places and people."""
    made = build_world(
        make_flat(
            props={"cup": {"location": "hall", "name": "blue cup", "aliases": ["mug"]}},
            prop_aliases={"beaker": "blue cup", "lobby": "hall", "her": "Ann", "mug": "cup"},
        )
    )  # fmt: skip

    assert ("mug", "beaker") == made.entities[Id("cup")].aliases
    assert ("lobby",) == made.locations[Id("hall")].aliases
    assert ("her",) == made.entities[Id("Ann")].aliases
    assert ["NAME_UNKNOWN"] == list_codes(make_flat(prop_aliases={"beaker": "cup"}))


def test_flags_are_set_as_written() -> None:
    """`flags` sets the flags of the opening world."""
    assert {"rain": True} == dict(build_world(make_flat(flags={"rain": True})).flags)
    assert ["WRONG_TYPE"] == list_codes(make_flat(flags={"rain": "yes"}))


@pytest.mark.parametrize(
    ("more", "label"),
    [
        ({}, "朝"),
        ({"time_of_day": "morning"}, "朝"),
        ({"time_of_day": "afternoon"}, "昼"),
        ({"time_of_day": "evening"}, "夕方"),
        ({"time_of_day": "night"}, "夜"),
        ({"time_of_day": "夜"}, "夜"),
        ({"time_of_day": "night", "language": "ja"}, "夜"),
        ({"time_of_day": "night", "language": "en"}, "night"),
        ({"language": "en"}, "morning"),
    ],
)
def test_the_hour_has_its_published_label(more: dict[str, str], label: str) -> None:
    """The four hours have published labels, with the English word only in an English story."""
    assert label == build_world(make_flat(**more)).time.label


def test_another_hour_is_shown_as_it_is_with_a_warning() -> None:
    """Another hour is kept as written, with a warning."""
    document = make_flat(time_of_day="midnight")

    assert ["UNKNOWN_VALUE"] == list_codes(document)
    assert "midnight" == build_world(document).time.label


def test_a_story_speaks_the_language_of_its_names() -> None:
    """A story is Japanese if the author says so or its places and people have Japanese names."""
    rooms: dict[str, Any] = {"台所": {}}

    assert "en" == build_world(make_flat()).language
    assert "ja" == build_world(make_flat(language="ja")).language
    assert (
        "ja"
        == build_world(
            make_flat(locations=rooms, characters={"Ann": {"location": "台所"}})
        ).language
    )
    assert ["UNKNOWN_VALUE"] == list_codes(make_flat(language="tlh"))
