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
    """A thing in reach has its own name; one elsewhere has the speaker's words."""
    put = Put(actor_id=PLAYER, target_id=Id("key"), destination_id=Id("chest"))
    claim = {"type": "put", "target": "key", "destination": " my box "}

    assert {"destination_id": "my box"} == _find_words(put, claim)


def test_a_way_out_is_in_reach() -> None:
    """An adjacent place has its own name; another one has the speaker's words."""
    claim = {"type": "move", "target": "there"}

    assert {} == _find_words(Move(actor_id=PLAYER, target_id=Id("shed")), claim)
    far = Move(actor_id=PLAYER, target_id=Id("moon"))
    assert {"target_id": "there"} == _find_words(far, claim)


def test_claims_without_words_have_none() -> None:
    """A claim with ids, "all" or another type gives no words for the roles."""
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
    """Each action is paired with the claim it came from."""
    turn = speak("xyzzy. take the key. use it on the well", make_courtyard()).turn
    used, claim = turn.normalized_actions[-1], list_action_claims(turn)[-1]

    assert isinstance(used, Use)
    assert turn.parsed_actions[2] == claim
