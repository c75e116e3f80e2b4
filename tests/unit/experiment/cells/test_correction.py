import msgspec
import pytest

from saniwa.experiment.answer_assessment import (
    explain_second_refusal,
    find_fail_reason,
    is_silent_correction,
)
from saniwa.experiment.cell_outcome import AnswerAttempt, Intent


def _attempt(target: str, code: str = "", speech: str = "", broken: str = "NONE") -> AnswerAttempt:
    deed = Intent(intent="GET", type="take", target=target, allowed=not code, deny_code=code)
    return AnswerAttempt(
        number=0, seed=0, raw_output="", speech=speech, intents=(deed,), break_type=broken
    )


MISSING = _attempt("beans", "MISSING_OBJECT")


@pytest.mark.parametrize(
    ("speech", "silent"),
    [("ここにあるよ", True), ("ごめん、間違えた", False), ("Sorry about that", False)],
)
def test_a_correction_is_silent_without_an_apology(speech: str, silent: bool) -> None:
    """A different action after a refusal, without an apology, is a silent correction."""
    final = _attempt("cup", speech=speech)

    assert silent is is_silent_correction((MISSING, final), give_up=False)


@pytest.mark.parametrize(
    ("attempts", "give_up"),
    [
        ((MISSING,), False),
        ((MISSING, MISSING), True),
        ((MISSING, _attempt("beans")), False),
        ((MISSING, _attempt("cup")), True),
    ],
)
def test_what_is_no_silent_correction(attempts: tuple[AnswerAttempt, ...], give_up: bool) -> None:
    """A first answer, a repeated action and a give-up are not silent corrections."""
    assert False is is_silent_correction(attempts, give_up=give_up)


@pytest.mark.parametrize(
    ("again", "reason"),
    [
        (_attempt("cup"), ""),
        (MISSING, "FAIL_NO_ACTION_CHANGE"),
        (_attempt("tea", "MISSING_OBJECT", broken="TRAILING_GARBAGE"), "FAIL_FORMAT_BREAK"),
        (_attempt("tea", "MISSING_OBJECT"), "FAIL_STILL_MISSING_OBJECT"),
        (_attempt("tea", "NOT_OWNED"), "FAIL_NEW_ERROR_INTRODUCED"),
    ],
)
def test_why_a_retry_did_not_help(again: AnswerAttempt, reason: str) -> None:
    """The first reason that applies is given."""
    assert reason == explain_second_refusal(MISSING, again)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("NOT_OWNED", "FAIL_STILL_NOT_OWNED"),
        ("WRONG_LOCATION", "FAIL_STILL_WRONG_LOCATION"),
        ("OUT_OF_SCOPE", "FAIL_STILL_NAV_ERROR"),
        ("INVALID_STATE", "FAIL_STILL_NAV_ERROR"),
        ("AMBIGUOUS_ACTION", "FAIL_OTHER"),
    ],
)
def test_the_same_error_has_a_name(code: str, reason: str) -> None:
    """A retry refused with the same code on another target is the same error."""
    assert reason == explain_second_refusal(_attempt("a", code), _attempt("b", code))


def test_other_words_are_no_other_deed() -> None:
    """Saying something else but doing the same thing is not a correction."""
    aloud = (Intent(intent="SAY", type="speak", target=words) for words in ("Now.", "Still."))
    before, again = (
        msgspec.structs.replace(MISSING, intents=(*MISSING.intents, said)) for said in aloud
    )

    assert "FAIL_NO_ACTION_CHANGE" == explain_second_refusal(before, again)


@pytest.mark.parametrize(
    ("attempts", "reason"),
    [((MISSING,), ""), ((MISSING, MISSING), "FAIL_GIVE_UP"), ((MISSING, _attempt("cup")), "")],
)
def test_retries_that_did_not_help_are_a_give_up(
    attempts: tuple[AnswerAttempt, ...], reason: str
) -> None:
    """A turn whose retries all failed is a give-up, whatever else was wrong."""
    assert reason == find_fail_reason(attempts)
