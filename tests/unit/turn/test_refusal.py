import msgspec

from saniwa.rulebook.verdict import Verdict
from saniwa.turn.description import NarrationLine
from saniwa.turn.narration import RefusalNarrator, render_refusal
from saniwa.turn.record import Rejection
from saniwa.world.actions import Take
from saniwa.world.model import Id
from tests.fakes.worlds import PLAYER, make_courtyard

TAKE = Take(actor_id=PLAYER, target_id=Id("ring"))
CLAIM = {"type": "take", "target": "the ring"}
REFUSED = Verdict(success=False, reason_code="NOT_PRESENT", message="Not here.")


def _render_changed(**changed: str) -> str:
    verdict = msgspec.structs.replace(REFUSED, **changed)
    return render_refusal(TAKE, verdict, CLAIM, make_courtyard())


def test_the_speakers_words_go_with_what_is_not_there() -> None:
    """The speaker's words are placed at the end of the sentence, or after it."""
    assert "Not here: “the ring”." == _render_changed()
    assert "Where? (“the ring”)" == _render_changed(message="Where?")
    assert "I see no “the ring”." == _render_changed(message="I see no “the ring”.")
    assert "Locked." == _render_changed(message="Locked.", reason_code="LOCKED")


def test_nothing_is_described_twice() -> None:
    """A repeated line is omitted, and so is a repeated hint."""
    refusals, world = RefusalNarrator(), make_courtyard()
    first = Rejection(index=0, code="BAD_FIELD", message="No.", hint="try")
    second = msgspec.structs.replace(first, message="Neither.")

    assert [NarrationLine(text="No. (try)")] == refusals.narrate_refusal(first, "No.", world)
    assert [] == refusals.narrate_refusal(first, "No.", world)
    assert [NarrationLine(text="Neither.")] == refusals.narrate_refusal(second, "Neither.", world)
