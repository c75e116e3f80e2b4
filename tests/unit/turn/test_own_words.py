from saniwa.turn.narration import find_own_words, is_pronoun
from saniwa.turn.record import list_action_claims
from saniwa.world.actions import Action, Move, Put, Take, Use
from saniwa.world.model import Id
from tests.fakes.turns import speak
from tests.fakes.worlds import PLAYER, make_courtyard

RING = Take(actor_id=PLAYER, target_id=Id("ring"))


def _find_words(action: Action, claim: object) -> dict[str, str]:
    return find_own_words(action, claim, make_courtyard())


def test_only_what_is_not_in_reach_has_words() -> None:
    """The key lies here and has its name; the chest is elsewhere and is what was said."""
    put = Put(actor_id=PLAYER, target_id=Id("key"), destination_id=Id("chest"))
    claim = {"type": "put", "target": "key", "destination": " my box "}

    assert {"destination_id": "my box"} == _find_words(put, claim)


def test_a_way_out_is_in_reach() -> None:
    """Places next door are known by name; others are what was said."""
    claim = {"type": "move", "target": "there"}

    assert {} == _find_words(Move(actor_id=PLAYER, target_id=Id("shed")), claim)
    far = Move(actor_id=PLAYER, target_id=Id("moon"))
    assert {"target_id": "there"} == _find_words(far, claim)


def test_claims_without_words_have_none() -> None:
    """Ids, "all", odd claims and claims of another type say nothing of the roles."""
    others: list[object] = [
        {"type": "take", "targetId": "ring"},
        {"type": "take", "target": "all"},
        {"type": "use", "target": "ring"},
        {"type": "take", "target": 7},
        {"type": "take", "target": "x" * 61},
        None,
    ]
    assert [{}] * len(others) == [_find_words(RING, claim) for claim in others]
    assert {"target_id": "it"} == _find_words(RING, {"type": "take", "target": "it"})
    assert is_pronoun("It")


def test_every_action_finds_its_claim() -> None:
    """Claims are paired with the actions they became."""
    turn = speak("xyzzy. take the key. use it on the well", make_courtyard()).turn
    used, claim = turn.normalized_actions[-1], list_action_claims(turn)[-1]

    assert isinstance(used, Use)
    assert turn.parsed_actions[2] == claim
