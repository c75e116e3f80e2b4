from typing import Any

import msgspec
import pytest

from saniwa.turn.claim_resolution import ResolvedClaim, resolve_claim
from saniwa.turn.record import Clarification, Rejection, SpokenWords
from saniwa.world.actions import Action, Give, Introduce, Lock, Take, Unlock, Use
from saniwa.world.fingerprint import build_world
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
    """Wire ids, their snake_case form and spoken words give the same action."""
    expected = ResolvedClaim(Take(actor_id=ANNA, target_id=Id("tin")))

    assert expected == resolve_claim(claim, 0, SPOKEN, make_pantry())


def test_ids_are_taken_as_they_are() -> None:
    """An id is never looked up as a name."""
    answer = resolve_claim(
        {"type": "take", "targetId": "Bread and Butter"}, 0, SPOKEN, make_pantry()
    )

    assert ResolvedClaim(Take(actor_id=ANNA, target_id=Id("Bread and Butter"))) == answer


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
    """A claim without a required part becomes a question, not a rejection."""
    answer = resolve_claim(claim, 0, SPOKEN, make_pantry())

    assert isinstance(answer, Clarification)
    assert ("MISSING_REFERENCE", field) == (answer.code, answer.field)


def test_the_fitting_key_in_hand_is_filled_in() -> None:
    """Locking and unlocking without a tool use the fitting key, if it is held."""
    world = make_pantry()
    lock = resolve_claim({"type": "lock", "target": "hall door"}, 0, SPOKEN, world)
    other = SpokenWords(actor_id=Id("bert"), text="")
    none = resolve_claim({"type": "unlock", "target": "hall door"}, 0, other, world)

    door, key = Id("hall-door"), Id("hall-key")
    assert ResolvedClaim(Lock(actor_id=ANNA, target_id=door, tool_id=key)) == lock
    assert ResolvedClaim(Unlock(actor_id=Id("bert"), target_id=door)) == none


def test_of_several_keys_the_one_that_fits_is_meant() -> None:
    """Of several keys the one that fits the named door is used."""
    claim = {"type": "unlock", "target": "cellar door", "tool": "key"}
    by_id = {"type": "unlock", "targetId": "cellar-door", "tool": "key"}
    unclear = {"type": "unlock", "target": "door", "tool": "key"}
    world = make_pantry()

    expected = ResolvedClaim(
        Unlock(actor_id=ANNA, target_id=Id("cellar-door"), tool_id=Id("cellar-key"))
    )
    assert expected == resolve_claim(claim, 0, SPOKEN, world)
    assert expected == resolve_claim(by_id, 0, SPOKEN, world)
    assert isinstance(resolve_claim(unclear, 0, SPOKEN, world), Clarification)


def test_a_key_used_on_its_lock_unlocks_it() -> None:
    """Using the key on the door, or the door with the key, unlocks it."""
    world = make_pantry()
    door, key = Id("hall-door"), Id("hall-key")
    expected = ResolvedClaim(Unlock(actor_id=ANNA, target_id=door, tool_id=key))
    claims = [
        {"type": "use", "target": "hall door", "tool": "hall key"},
        {"type": "use", "target": "hall key", "tool": "hall door"},
    ]

    assert [expected] * 2 == [resolve_claim(c, 0, SPOKEN, world) for c in claims]


@pytest.mark.parametrize(
    "action",
    [
        Use(actor_id=ANNA, target_id=Id("hall-door"), tool_id=Id("hall-key")),
        Unlock(actor_id=ANNA, target_id=Id("hall-door")),
    ],
)
def test_an_action_given_by_ids_is_meant_as_it_is(action: Action) -> None:
    """An action given by ids is taken literally, and nothing is filled in."""
    claim = msgspec.to_builtins(action)

    assert ResolvedClaim(action) == resolve_claim(claim, 0, SPOKEN, make_pantry())


def test_a_key_used_on_what_is_not_locked_is_only_used() -> None:
    """A key used on something that is not locked is only used."""
    world = speak_all(make_pantry(), "unlock the hall door")
    claim = {"type": "use", "targetId": "hall-door", "toolId": "hall-key"}

    expected = Use(actor_id=ANNA, target_id=Id("hall-door"), tool_id=Id("hall-key"))
    assert ResolvedClaim(expected) == resolve_claim(claim, 0, SPOKEN, world)


def test_putting_something_into_what_only_can_be_used_is_using_it() -> None:
    """Putting something into a thing that can only be used means using it on that thing."""
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
    assert ResolvedClaim(expected) == resolve_claim(claim, 0, SPOKEN, world)


def test_a_claim_of_the_wrong_shape_is_rejected_at_its_place() -> None:
    """A rejection has the index of its claim."""
    answer = resolve_claim({"type": "fly"}, 3, SPOKEN, make_pantry())

    assert isinstance(answer, Rejection)
    assert (3, "UNKNOWN_TYPE") == (answer.index, answer.code)


def test_two_that_fit_are_a_question_with_both() -> None:
    """If two entities match, a question offers both."""
    answer = resolve_claim({"type": "take", "target": "copper coin"}, 0, SPOKEN, make_pantry())

    assert isinstance(answer, Clarification)
    assert "AMBIGUOUS_REFERENCE" == answer.code
    assert ["coin-1", "coin-2"] == [option.id for option in answer.options]


def test_an_introduced_person_is_known_or_new() -> None:
    """A known name introduces the known entity; a new one is kept as spoken."""
    words = SpokenWords(actor_id=HANA, text="")
    known = resolve_claim({"type": "introduce", "target": "庭師"}, 0, words, make_house())
    new = resolve_claim({"type": "introduce", "target": " 旅人 "}, 0, words, make_house())

    assert ResolvedClaim(Introduce(actor_id=HANA, target_id=Id("庭師"))) == known
    assert ResolvedClaim(Introduce(actor_id=HANA, target_id=Id("旅人"))) == new


def test_a_tool_for_anything_but_a_lock_is_asked_about() -> None:
    """A missing tool for anything but a lock is asked for."""
    claim = {"type": "use", "target": "shelf", "tool": "key"}
    answer = resolve_claim(claim, 0, SPOKEN, make_pantry())

    assert isinstance(answer, Clarification)
    assert "toolId" == answer.field


def test_what_only_one_entity_can_be_is_not_asked() -> None:
    """A missing role with one candidate is filled in; with several, it is asked for."""
    player = SpokenWords(actor_id=PLAYER, text="")
    world = speak_all(make_courtyard(), "take key")

    done = resolve_claim({"type": "give"}, 0, player, world)
    assert (
        ResolvedClaim(Give(actor_id=PLAYER, target_id=Id("key"), recipient_id=Id("keeper"))) == done
    )
    assert isinstance(resolve_claim({"type": "use"}, 0, player, world), Clarification)
