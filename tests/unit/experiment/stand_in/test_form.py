"""Well-formed and broken answers."""

from typing import get_args

from saniwa.experiment.stand_in.character import AnswerDraft, garble_answer, write_answer
from saniwa.turn.model_reply import BreakType, read_reply
from tests.fakes.standins import make_chances

_NOT_IN_THE_TEXT = {"NONE", "TRUNCATED", "REFUSED", "FILTERED", "STRAY_TOOL_CALL"}
"""No break, and the types that come from the provider's finish reason."""
DRAFT = AnswerDraft("Hm.", "take the cup", "Mine.")


def test_a_good_answer_has_the_two_lines_that_were_asked_for() -> None:
    """Nothing needs repair."""
    reply = read_reply(write_answer(DRAFT))

    assert "NONE" == reply.break_type
    assert ("Hm.", ("take the cup",), "Mine.") == (reply.thought, reply.actions, reply.speech)


def test_the_form_is_broken_in_every_way_there_is() -> None:
    """Every kind of break that the parser knows is produced, and no other."""
    met = {read_reply(garble_answer(DRAFT, "en", luck)).break_type for luck in make_chances(200)}

    assert {*get_args(BreakType)} - _NOT_IN_THE_TEXT == met


def test_a_broken_answer_without_a_deed_is_broken_as_well() -> None:
    """An answer without an action has no asterisk to drop, so it is broken in another way."""
    talk = AnswerDraft("うん。", "", "そうだね。")

    breaks = [read_reply(garble_answer(talk, "ja", luck)).break_type for luck in make_chances(200)]

    assert {*get_args(BreakType)} - _NOT_IN_THE_TEXT - {"UNCLOSED_MARK"} == {*breaks}
    assert breaks.count("LEADING_GARBAGE") > breaks.count("EMPTY_REPLY")
