import msgspec

from saniwa.agent.mind.mind import MindEditor
from saniwa.agent.mind.perception import build_opening_mind, witness_attempt
from saniwa.rulebook.verdict import Verdict
from saniwa.turn.play import TurnAttempt
from saniwa.world.actions import Move
from saniwa.world.model import Id
from tests.fakes.playroom_world import ANNE, SALLY, make_playroom
from tests.fakes.turns import speak


def test_a_place_a_character_leaves_for_is_known_by_name() -> None:
    """The name of the place a character leaves for is learned, even without a known exit to it."""
    before = make_playroom()
    cellar = Id("cellar")
    anne = msgspec.structs.replace(before.entities[ANNE], place=cellar)
    after = msgspec.structs.replace(before, entities=before.entities.set(ANNE, anne))
    allowed = Verdict(success=True, reason_code="OK", message="")
    action = Move(target_id=cellar, actor_id=ANNE)
    notes = MindEditor(build_opening_mind(before, SALLY), 1)
    turn, _ = speak("wait", before, ANNE)
    witness_attempt(notes, TurnAttempt(action, allowed, {}, before, after), turn)

    assert (cellar, "inferred") == (notes.beliefs[ANNE].place, notes.beliefs[ANNE].how)
    assert "Cellar" == notes.places[cellar].name
