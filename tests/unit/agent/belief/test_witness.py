import msgspec

from saniwa.agent.belief.attempts import Attempt
from saniwa.agent.belief.mind import opening_mind
from saniwa.agent.belief.notebook import Notebook
from saniwa.agent.belief.witness import witness
from saniwa.rulebook.verdict import Verdict
from saniwa.world.action import Move
from saniwa.world.model import Id
from tests.fakes.playroom import ANNE, SALLY, playroom
from tests.fakes.turns import speak


def test_a_place_somebody_leaves_for_is_known_by_name() -> None:
    """Though no way leads there that one knew of: it was seen to be gone to."""
    before = playroom()
    cellar = Id("cellar")
    anne = msgspec.structs.replace(before.entities[ANNE], place=cellar)
    after = msgspec.structs.replace(before, entities=before.entities.set(ANNE, anne))
    allowed = Verdict(success=True, reason_code="OK", message="")
    action = Move(target_id=cellar, actor_id=ANNE)
    notes = Notebook(opening_mind(before, SALLY), 1)
    turn, _ = speak("wait", before, ANNE)
    witness(notes, Attempt(action, allowed, {}, before, after), turn)

    assert (cellar, "inferred") == (notes.beliefs[ANNE].place, notes.beliefs[ANNE].how)
    assert "Cellar" == notes.places[cellar].name
