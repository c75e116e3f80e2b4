"""The starter prompts of the first engine, in a world like its own."""

import pytest

from saniwa.scenario.loader import load_scenario
from saniwa.turn.play import TurnOutcome
from saniwa.world.model import Id, World
from tests.fakes.japanese_house import make_house
from tests.fakes.turns import speak, speak_all
from tests.unit.turn.mood_lines import list_deeds


def _make_start() -> World:
    return load_scenario(
        {
            "name": "start",
            "language": "en",
            "locations": {
                "room_offstage": {"name": "offstage"},
                "room_start": {"name": "plain room", "exits": [{"to": "room_exit", "door": "door_1"}]},
                "room_exit": {"name": "exit", "exits": ["room_start"]},
            },
            "props": {
                "door_1": {"name": "door", "kind": "door", "locked": True, "required_key": "key_1"},
                "key_1": {"name": "key", "location": "room_start"},
            },
            "characters": {
                "player": {"name": "you", "location": "room_start"},
                "groundskeeper": {"location": "room_start"},
            },
        }
    ).world  # fmt: skip


def _assert_done(outcome: TurnOutcome, *deeds: str) -> None:
    turn = outcome.turn
    assert (deeds, (), None) == (list_deeds(turn), turn.rejections, turn.clarification)
    assert all(verdict.success for verdict in turn.validation_results)


def test_each_starter_prompt_is_understood_and_judged() -> None:
    """Looking and taking work, the locked door refuses, and the key opens it."""
    world = _make_start()
    for text, deed in (("look around", "look"), ("take key", "take"), ("open door", "open"),
                       ("move to exit", "move")):  # fmt: skip
        outcome = speak(text, world)
        _assert_done(outcome, deed)
        world = outcome.world

    assert "room_exit" == world.entities[Id("player")].place


def test_starter_prompts_that_the_world_forbids_change_nothing() -> None:
    """Without the key the door stays locked, and the character does not pass it."""
    world = speak_all(_make_start(), "take key")
    outcome = speak("give key to groundskeeper", world)

    _assert_done(outcome, "give")
    for text in ("open door", "move to exit"):
        turn, after = speak(text, outcome.world)
        assert ["LOCKED"] == [verdict.reason_code for verdict in turn.validation_results]
        assert outcome.world == after


@pytest.mark.parametrize(
    ("text", "deed"),
    [
        ("use key door", "unlock"),
        ("use key_1 door_1", "unlock"),
        ("use key on door", "unlock"),
        ("use door key", "unlock"),
    ],
)
def test_a_key_is_used_on_a_door_in_the_short_form(text: str, deed: str) -> None:
    """“Use KEY DOOR” unlocks the door, by names or ids, in either order."""
    _assert_done(speak(text, speak_all(_make_start(), "take key")), deed)


@pytest.mark.parametrize("text", ["move room_exit", "move to room_exit", "move exit", "go exit"])
def test_a_place_is_moved_to_by_its_id_or_name(text: str) -> None:
    """“Move PLACE_ID” goes to the place, with or without “to”."""
    world = speak_all(_make_start(), "take key", "open door")
    _assert_done(speak(text, world), "move")


@pytest.mark.parametrize(
    ("text", "afterwards"),
    [
        ("introduce a red cat named Tom", "take Tom"),
        ("introduce a red cat named Tom", "take the cat"),
        ("introduce a red cat named Tom", "take the red cat"),
        ("introduce Tom, a red cat with white paws", "take the red cat"),
        ("introduce a red cat called “Tom” to the scene", "take Tom"),
        ("introduce Tom", "take Tom"),
    ],
)
def test_a_character_introduced_in_words_has_a_name_that_can_be_used(
    text: str, afterwards: str
) -> None:
    """An introduced name keeps its capitals, and the description is a name too."""
    first = speak(text, _make_start())
    _assert_done(first, "introduce")

    assert "Tom" == first.world.entities[Id("Tom")].name
    _assert_done(speak("look at Tom", first.world), "inspect")
    taken = speak(afterwards, first.world)
    _assert_done(taken, "take")
    assert "player" == taken.world.entities[Id("Tom")].place


def test_two_are_introduced_in_one_sentence() -> None:
    """Two characters introduced in one sentence get their own names."""
    outcome = speak("introduce a cat named Tom and a dog named Rex", _make_start())

    _assert_done(outcome, "introduce", "introduce")
    assert {"Tom", "Rex"} <= set(outcome.world.entities)


def test_a_character_is_described_in_words() -> None:
    """“Describe John as tall” sets John's description."""
    world = speak_all(_make_start(), "introduce John")
    outcome = speak("describe John as tall, with a beard and a hat", world)

    _assert_done(outcome, "describe")
    assert "tall, with a beard and a hat" == outcome.world.entities[Id("John")].description


def test_japanese_words_introduce_and_describe_as_well() -> None:
    """トムという赤い猫 can be referred to as トム and as 猫."""
    world = make_house()
    for text, deed in (("トムという赤い猫を登場させる", "introduce"), ("トムを見る", "inspect"),
                       ("猫を取る", "take"), ("庭師を背が高いと描写する", "describe")):  # fmt: skip
        outcome = speak(text, world)
        _assert_done(outcome, deed)
        world = outcome.world

    assert "背が高い" == world.entities[Id("庭師")].description


@pytest.mark.parametrize("text", ["introduce myself", "introduce Tom to the groundskeeper"])
def test_manners_between_people_introduce_no_character(text: str) -> None:
    """Introducing people to each other adds no character."""
    world = _make_start()

    assert () == list_deeds(speak(text, world).turn)
