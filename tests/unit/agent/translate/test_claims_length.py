from saniwa.agent.translate.asking import LONGEST_ANSWER
from saniwa.agent.translate.claims import claims_in
from saniwa.turn.rough import Lexicon
from tests.fakes.worlds import PLAYER, garden


def test_an_answer_that_does_not_end_is_not_read() -> None:
    """Whatever stands at its beginning: nobody looks for it among so many letters."""
    lexicon = Lexicon.of(garden(), PLAYER)
    answer = '{"claims": [{"type": "look"}]}'
    longest = answer + " " * (LONGEST_ANSWER - len(answer))

    assert ({"type": "look"},) == claims_in(longest, "look", lexicon)
    (lost,) = claims_in(longest + " ", "look", lexicon)
    assert ("unrecognised", "answer too long") == (lost["type"], lost["problem"])
