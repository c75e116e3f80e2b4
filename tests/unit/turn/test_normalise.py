from typing import Any

import msgspec
import pytest

from saniwa.turn.normalise import NormalisedClaim, normalise
from saniwa.turn.record import Clarification, Rejection, SpokenWords
from saniwa.world.actions import Action, Give, Introduce, Lock, Take, Unlock, Use
from saniwa.world.canonical import build_world
from saniwa.world.model import Entity, Id, Location
from tests.fakes.japanese_house import HANA, make_house
from tests.fakes.pantry_world import ANNA, make_pantry
from tests.fakes.turns import speak_all
from tests.fakes.worlds import PLAYER, make_courtyard

SPOKEN = SpokenWords(actor_id=ANNA, text="")


@pytest.mark.parametrize(
    "claim",
    [
        {"type": "take", "targetId": "tin"},
        {"type": "take", "target_id": "tin"},
        {"type": "take", "target": "bread and butter"},
        {"type": "take", "target": "tin", "actorId": "anna", "sourceId": None},
    ],
)
def test_ids_and_words_lead_to_the_same_action(claim: dict[str, Any]) -> None:
    """Wire ids, their snake_case and spoken words are three spellings of one claim."""
    expected = NormalisedClaim(Take(actor_id=ANNA, target_id=Id("tin")))

    assert expected == normalise(claim, 0, SPOKEN, make_pantry())


def test_ids_are_taken_as_they_are() -> None:
    """An id is never looked up by name."""
    answer = normalise({"type": "take", "targetId": "Bread and Butter"}, 0, SPOKEN, make_pantry())

    assert NormalisedClaim(Take(actor_id=ANNA, target_id=Id("Bread and Butter"))) == answer


@pytest.mark.parametrize(
    ("claim", "field"),
    [
        ({"type": "take"}, "targetId"),
        ({"type": "take", "target": "  "}, "targetId"),
        ({"type": "put", "targetId": "apple"}, "destinationId"),
        ({"type": "speak"}, "content"),
        ({"type": "describe", "targetId": "tin"}, "content"),
        ({"type": "move"}, "targetId"),
        ({"type": "take", "target": "it"}, "targetId"),
    ],
)
def test_what_is_missing_is_asked_for(claim: dict[str, Any], field: str) -> None:
    """A claim without what it needs becomes a question, not a rejection."""
    answer = normalise(claim, 0, SPOKEN, make_pantry())

    assert isinstance(answer, Clarification)
    assert ("MISSING_REFERENCE", field) == (answer.code, answer.field)


def test_the_fitting_key_in_hand_is_filled_in() -> None:
    """Locking and unlocking without a tool use the key that fits, if it is held."""
    world = make_pantry()
    lock = normalise({"type": "lock", "target": "hall door"}, 0, SPOKEN, world)
    other = SpokenWords(actor_id=Id("bert"), text="")
    none = normalise({"type": "unlock", "target": "hall door"}, 0, other, world)

    door, key = Id("hall-door"), Id("hall-key")
    assert NormalisedClaim(Lock(actor_id=ANNA, target_id=door, tool_id=key)) == lock
    assert NormalisedClaim(Unlock(actor_id=Id("bert"), target_id=door)) == none


def test_of_several_keys_the_one_that_fits_is_meant() -> None:
    """The key to a door that was named needs no further word."""
    claim = {"type": "unlock", "target": "cellar door", "tool": "key"}
    by_id = {"type": "unlock", "targetId": "cellar-door", "tool": "key"}
    unclear = {"type": "unlock", "target": "door", "tool": "key"}
    world = make_pantry()

    expected = NormalisedClaim(
        Unlock(actor_id=ANNA, target_id=Id("cellar-door"), tool_id=Id("cellar-key"))
    )
    assert expected == normalise(claim, 0, SPOKEN, world)
    assert expected == normalise(by_id, 0, SPOKEN, world)
    assert isinstance(normalise(unclear, 0, SPOKEN, world), Clarification)


def test_a_key_used_on_its_lock_unlocks_it() -> None:
    """Using the key on the door, or the door with the key, is unlocking it."""
    world = make_pantry()
    door, key = Id("hall-door"), Id("hall-key")
    expected = NormalisedClaim(Unlock(actor_id=ANNA, target_id=door, tool_id=key))
    claims = [
        {"type": "use", "target": "hall door", "tool": "hall key"},
        {"type": "use", "target": "hall key", "tool": "hall door"},
    ]

    assert [expected] * 2 == [normalise(c, 0, SPOKEN, world) for c in claims]


@pytest.mark.parametrize(
    "action",
    [
        Use(actor_id=ANNA, target_id=Id("hall-door"), tool_id=Id("hall-key")),
        Unlock(actor_id=ANNA, target_id=Id("hall-door")),
    ],
)
def test_an_action_given_by_ids_is_meant_as_it_is(action: Action) -> None:
    """Nothing is filled in or read otherwise where nobody spoke."""
    claim = msgspec.to_builtins(action)

    assert NormalisedClaim(action) == normalise(claim, 0, SPOKEN, make_pantry())


def test_a_key_used_on_what_is_not_locked_is_only_used() -> None:
    """Nobody locks a door by accident."""
    world = speak_all(make_pantry(), "unlock the hall door")
    claim = {"type": "use", "targetId": "hall-door", "toolId": "hall-key"}

    expected = Use(actor_id=ANNA, target_id=Id("hall-door"), tool_id=Id("hall-key"))
    assert NormalisedClaim(expected) == normalise(claim, 0, SPOKEN, world)


def test_putting_something_into_what_only_can_be_used_is_using_it() -> None:
    """Oil put into a lamp is used on it, where the author made the lamp usable."""
    room = Id("room")
    world = build_world(
        [
            Entity(id=ANNA, name="Anna", kind="character", place=room),
            Entity(id=Id("oil"), name="oil", takeable=True, place=ANNA),
            Entity(
                id=Id("lamp"), name="lamp", kind="fixture", place=room,
                attributes={"use": {"state": ["lit"]}},
            ),
        ],
        [Location(id=room, name="Room")],
    )  # fmt: skip
    claim = {"type": "put", "target": "oil", "destination": "lamp"}

    expected = Use(actor_id=ANNA, target_id=Id("lamp"), tool_id=Id("oil"))
    assert NormalisedClaim(expected) == normalise(claim, 0, SPOKEN, world)


def test_a_claim_of_the_wrong_shape_is_rejected_at_its_place() -> None:
    """The rejection says which of the claims it was."""
    answer = normalise({"type": "fly"}, 3, SPOKEN, make_pantry())

    assert isinstance(answer, Rejection)
    assert (3, "UNKNOWN_TYPE") == (answer.index, answer.code)


def test_two_that_fit_are_a_question_with_both() -> None:
    """Ambiguity is never settled by chance."""
    answer = normalise({"type": "take", "target": "copper coin"}, 0, SPOKEN, make_pantry())

    assert isinstance(answer, Clarification)
    assert "AMBIGUOUS_REFERENCE" == answer.code
    assert ["coin-1", "coin-2"] == [option.id for option in answer.options]


def test_an_introduced_person_is_known_or_new() -> None:
    """A known name brings its bearer in; a new one is kept as spoken."""
    words = SpokenWords(actor_id=HANA, text="")
    known = normalise({"type": "introduce", "target": "庭師"}, 0, words, make_house())
    new = normalise({"type": "introduce", "target": " 旅人 "}, 0, words, make_house())

    assert NormalisedClaim(Introduce(actor_id=HANA, target_id=Id("庭師"))) == known
    assert NormalisedClaim(Introduce(actor_id=HANA, target_id=Id("旅人"))) == new


def test_a_tool_for_anything_but_a_lock_is_asked_about() -> None:
    """No key fits what is only used."""
    claim = {"type": "use", "target": "shelf", "tool": "key"}
    answer = normalise(claim, 0, SPOKEN, make_pantry())

    assert isinstance(answer, Clarification)
    assert "toolId" == answer.field


def test_what_only_one_entity_can_be_is_not_asked() -> None:
    """Roles left out are filled while each has one candidate; else the first is asked."""
    player = SpokenWords(actor_id=PLAYER, text="")
    world = speak_all(make_courtyard(), "take key")

    done = normalise({"type": "give"}, 0, player, world)
    assert (
        NormalisedClaim(Give(actor_id=PLAYER, target_id=Id("key"), recipient_id=Id("keeper")))
        == done
    )
    assert isinstance(normalise({"type": "use"}, 0, player, world), Clarification)
