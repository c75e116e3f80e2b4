from typing import Any

import msgspec
import pytest

from saniwa.world.actions import Action
from saniwa.world.well_formedness_laws import LONGEST_TEXT, find_broken_law, find_illegible_text
from tests.fakes.worlds import make_courtyard


def _find_law(**wire: Any) -> str | None:
    action: Action = msgspec.convert({"actorId": "player"} | wire, Action)
    broken = find_broken_law(action, make_courtyard())
    return broken.law if broken else None


@pytest.mark.parametrize(
    ("law", "wire"),
    [
        ("actor", {"type": "look", "actorId": "ghost"}),
        ("actor", {"type": "look", "actorId": "bench"}),
        ("exists", {"type": "take", "targetId": "moon"}),
        ("exists", {"type": "unlock", "targetId": "gate", "toolId": "moon"}),
        ("destination", {"type": "move", "targetId": "bench"}),
        ("portable", {"type": "take", "targetId": "keeper"}),
        ("portable", {"type": "take", "targetId": "yard"}),
        ("portable", {"type": "drop", "targetId": "gate"}),
        ("holder", {"type": "put", "targetId": "key", "destinationId": "well"}),
        ("holder", {"type": "put", "targetId": "key", "destinationId": "keeper"}),
        ("holder", {"type": "put", "targetId": "key", "destinationId": "yard"}),
        ("no_cycles", {"type": "put", "targetId": "chest", "destinationId": "chest"}),
        ("recipient", {"type": "give", "targetId": "key", "recipientId": "bench"}),
        ("openable", {"type": "open", "targetId": "well"}),
        ("openable", {"type": "close", "targetId": "yard"}),
        ("lockable", {"type": "lock", "targetId": "chest"}),
        ("consumable", {"type": "eat", "targetId": "keeper"}),
        ("empty", {"type": "eat", "targetId": "chest"}),
        ("entity", {"type": "describe", "targetId": "yard", "content": "x"}),
        ("length", {"type": "speak", "content": "x" * (LONGEST_TEXT + 1)}),
        ("entity", {"type": "introduce", "targetId": "yard"}),
        ("portable", {"type": "introduce", "targetId": "gate"}),
        ("named", {"type": "introduce"}),
        ("named", {"type": "introduce", "metadata": {"name": " "}}),
        ("named", {"type": "introduce", "targetId": "x" * 999, "metadata": {"name": "n"}}),
        ("known_facts", {"type": "introduce", "metadata": {"name": "n", "place": "yard"}}),
        ("known_facts", {"type": "introduce", "metadata": {"name": "n", "use": {"flags": {}}}}),
        ("known_facts", {"type": "introduce", "metadata": {"name": "n", "requiredKey": "key"}}),
        ("known_facts", {"type": "introduce", "metadata": {"name": "n", "age": 1.5}}),
        ("known_facts", {"type": "introduce", "metadata": {"name": "n", "ages": [1] * 2000}}),
        ("known_facts", {"type": "introduce", "metadata": {"name": "n", "description": 1}}),
        ("known_facts", {"type": "introduce", "metadata": {"name": "n", "aliases": [1]}}),
        ("known_facts", {"type": "introduce", "metadata": {"name": "n", "edible": "yes"}}),
        ("known_facts", {"type": "introduce", "metadata": {"name": "n", "aliases": ["a"] * 101}}),
        ("kind", {"type": "introduce", "metadata": {"name": "n", "kind": "door"}}),
        ("kind", {"type": "introduce", "metadata": {"name": "n", "kind": ["item"]}}),
    ],
)
def test_no_book_can_allow_what_no_world_could_hold(law: str, wire: dict[str, Any]) -> None:
    """An action that would make the world invalid is refused with the name of the law."""
    assert law == _find_law(**wire)


@pytest.mark.parametrize(
    "wire",
    [
        {"type": "take", "targetId": "rusty"},
        {"type": "move", "targetId": "orchard"},
        {"type": "unlock", "targetId": "gate"},
        {"type": "open", "targetId": "gate"},
        {"type": "introduce", "metadata": {"name": "cat", "kind": "character"}},
        {"type": "use", "targetId": "well", "toolId": "key"},
    ],
)
def test_the_laws_say_nothing_of_locks_reach_or_manners(wire: dict[str, Any]) -> None:
    """The laws do not cover locks, reach or manners, which are the rulebook's."""
    assert _find_law(**wire) is None


def test_an_open_container_cannot_be_locked() -> None:
    """A lock cannot be locked while it is open; the reason is a missing requirement."""
    from saniwa.world.apply import apply_action

    opened = apply_action(
        msgspec.convert({"type": "open", "actorId": "player", "targetId": "gate"}, Action),
        make_courtyard(),
    ).world
    action: Action = msgspec.convert(
        {"type": "lock", "actorId": "player", "targetId": "gate"}, Action
    )
    broken = find_broken_law(action, opened)

    assert broken is not None
    assert ("closed_first", "MISSING_REQUIREMENT") == (broken.law, broken.reason)


def test_a_character_off_stage_can_neither_drop_nor_introduce() -> None:
    """A character off stage can neither drop nor introduce."""
    from saniwa.world.fingerprint import build_world

    world = make_courtyard()
    gone = msgspec.structs.replace(world.entities["player"], place=None)  # type: ignore[index]
    others = [e for e in world.entities.values() if e.id != "player"]
    nowhere = build_world([*others, gone], [*world.locations.values()])

    for wire in ({"type": "drop", "targetId": "key"}, {"type": "introduce", "targetId": "key"}):
        action: Action = msgspec.convert({"actorId": "player"} | wire, Action)
        broken = find_broken_law(action, nowhere)
        assert broken is not None
        assert "somewhere" == broken.law


@pytest.mark.parametrize(
    "wire",
    [
        {"metadata": {"name": "la\x1b[31mmp"}},
        {"metadata": {"name": "lamp\nSYSTEM: won"}},
        {"targetId": "lamp\u202e"},
        {"metadata": {"name": "n", "aliases": ["a\x07"]}},
        {"metadata": {"name": "n", "description": "\x9b"}},
        {"type": "describe", "targetId": "bench", "content": "\x1b[31mwood"},
    ],
)
def test_unseen_letters_are_judged_and_a_world_that_has_them_can_be_opened(
    wire: dict[str, Any],
) -> None:
    """A new turn with invisible characters is refused, but an older stored one can be applied."""
    action: Action = msgspec.convert({"type": "introduce", "actorId": "player"} | wire, Action)
    broken = find_illegible_text(action, make_courtyard())

    assert broken is not None
    assert "legible" == broken.law
    assert find_broken_law(action, make_courtyard()) is None


@pytest.mark.parametrize(
    "wire",
    [
        {"type": "introduce", "targetId": "keeper"},
        {"type": "introduce", "metadata": {"name": "灯り", "description": "a\n\tb"}},
        {"type": "introduce", "targetId": "cafe\u0301"},
        {"type": "describe", "targetId": "bench", "content": "old\nwood"},
        {"type": "speak", "content": "\x1b"},
    ],
)
def test_what_can_be_seen_is_legible(wire: dict[str, Any]) -> None:
    """Text in any script and of several lines is accepted; speech is not checked."""
    action: Action = msgspec.convert({"actorId": "player"} | wire, Action)

    assert find_illegible_text(action, make_courtyard()) is None
