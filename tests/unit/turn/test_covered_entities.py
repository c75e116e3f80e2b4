"""A thing hidden under another one is revealed when that is searched or moved."""

import pytest

from saniwa.scenario.loader import load_scenario
from saniwa.turn.narration import narrate
from saniwa.world.actions import Use
from saniwa.world.apply import apply_action
from saniwa.world.effects import SetEffect
from saniwa.world.model import Id, World
from saniwa.world.snapshot import find_broken_invariants, restore_world, take_snapshot
from tests.fakes.scenarios import list_codes, make_flat
from tests.fakes.turns import speak


def _make_room() -> World:
    return load_scenario(
        {
            "name": "room",
            "language": "en",
            "locations": {"room": {}},
            "props": {
                "rug": {"location": "room"},
                "coin": {"location": "rug", "hidden": True},
                "cake": {"location": "room", "edible": True},
                "ring": {"location": "cake", "hidden": True},
            },
            "characters": {"you": {"location": "room"}},
        }
    ).world


@pytest.mark.parametrize("text", ["search the rug", "look under the rug", "take the rug"])
def test_what_is_under_an_item_is_found(text: str) -> None:
    """A revealed thing is where its cover was, and the narration mentions it."""
    world = _make_room()
    turn, after = speak(text, world)

    assert ("room", False) == (after.entities[Id("coin")].place, after.entities[Id("coin")].hidden)
    assert () == find_broken_invariants(after)
    assert "You find a coin." in narrate(turn, world, after)[0].text
    assert speak("take the coin", after).turn.applied_actions


@pytest.mark.parametrize("text", ["search the room", "take the coin", "search the cake", "look"])
def test_nothing_else_finds_it(text: str) -> None:
    """Looking around, searching elsewhere and knowing its name do not reveal it."""
    after = speak(text, _make_room()).world

    assert ("rug", True) == (after.entities[Id("coin")].place, after.entities[Id("coin")].hidden)


def test_a_ring_in_a_cake_outlives_the_cake() -> None:
    """Eating a thing reveals what was hidden in it."""
    after = speak("take the cake and eat it", _make_room()).world

    assert Id("cake") not in after.entities
    assert not after.entities[Id("ring")].hidden
    assert () == find_broken_invariants(after)


def test_a_craft_that_reveals_an_item_puts_it_next_to_its_cover() -> None:
    """A thing revealed by a craft is next to its cover."""
    shown = SetEffect(entity_id=Id("coin"), facts={"hidden": False})
    deed = Use(actor_id=Id("you"), target_id=Id("rug"), manner="shake")
    after = apply_action(deed, _make_room(), (shown,)).world

    assert "room" == after.entities[Id("coin")].place
    assert () == find_broken_invariants(after)


def test_a_world_with_covered_entities_restores() -> None:
    """A snapshot keeps what a thing is hidden under."""
    assert _make_room() == restore_world(take_snapshot(_make_room()))


@pytest.mark.parametrize(
    ("pea", "code"),
    [
        ({"location": "cup"}, ["NOT_A_HOLDER"]),
        ({"location": "cup", "hidden": True}, []),
        ({"location": "gate", "hidden": True}, ["NOT_A_HOLDER"]),
    ],
)
def test_an_item_that_holds_nothing_has_only_hidden_items_under_it(
    pea: dict[str, object], code: list[str]
) -> None:
    """Only a hidden thing may be under an item, and not under a door."""
    gate = {"kind": "door", "connects": ["hall", "kitchen"]}
    document = make_flat(props={"cup": {"location": "hall"}, "pea": pea, "gate": gate})

    assert code == [each for each in list_codes(document) if each == "NOT_A_HOLDER"]
