import msgspec

from saniwa.rulebook.verdict import Verdict
from saniwa.turn.refusal import Refusals, in_own_words
from saniwa.turn.sight import Line
from saniwa.turn.trace import Rejection
from saniwa.world.action import Take
from saniwa.world.model import Id
from tests.fakes.worlds import PLAYER, garden

TAKE = Take(actor_id=PLAYER, target_id=Id("ring"))
CLAIM = {"type": "take", "target": "the ring"}
REFUSED = Verdict(success=False, reason_code="NOT_PRESENT", message="Not here.")


def _told(**changed: str) -> str:
    verdict = msgspec.structs.replace(REFUSED, **changed)
    return in_own_words(TAKE, verdict, CLAIM, garden())


def test_the_speakers_words_go_with_what_is_not_there() -> None:
    """A sentence ends with the words; one that ends otherwise has them beside it."""
    assert "Not here: “the ring”." == _told()
    assert "Where? (“the ring”)" == _told(message="Where?")
    assert "I see no “the ring”." == _told(message="I see no “the ring”.")
    assert "Locked." == _told(message="Locked.", reason_code="LOCKED")


def test_nothing_is_told_twice() -> None:
    """The same line is left out, the same hint is left off."""
    refusals, world = Refusals(), garden()
    first = Rejection(index=0, code="BAD_FIELD", message="No.", hint="try")
    second = msgspec.structs.replace(first, message="Neither.")

    assert [Line(text="No. (try)")] == refusals.told(first, "No.", world)
    assert [] == refusals.told(first, "No.", world)
    assert [Line(text="Neither.")] == refusals.told(second, "Neither.", world)
