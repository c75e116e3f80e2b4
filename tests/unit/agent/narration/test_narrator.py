import asyncio

import pytest

from saniwa.agent.narration.narrator import ModelNarrator
from saniwa.core.errors import SdkConnectionError
from saniwa.models.metering import CallBudget
from saniwa.models.oracle import FinishReason, OracleAnswer
from saniwa.turn.record import Narration
from saniwa.world.model import Id
from tests.fakes.answering_bridge import AnsweringBridge
from tests.fakes.turns import speak
from tests.fakes.worlds import PLAYER, make_courtyard

GOOD = "You take the brass key from the bench."
BAD = "You take the brass key. A dragon lands."
WORSE = "The groundskeeper takes the brass key."


def _narrate_words(
    bridge: AnsweringBridge, calls: int = 2, viewer: Id = PLAYER, words: str = "take the key"
) -> Narration:
    before = make_courtyard()
    turn, after = speak(words, before)
    narrating = ModelNarrator(bridge).narrate(turn, before, after, viewer, CallBudget(calls))
    return asyncio.run(narrating)


def test_words_that_are_true_are_described() -> None:
    """A narration without flags is used after one attempt."""
    told = _narrate_words(AnsweringBridge(GOOD))

    assert Narration(by="model", text=GOOD, model="written") == told


def test_a_flagged_narration_is_tried_again() -> None:
    """A flagged narration is tried once more, and the flags are kept."""
    bridge = AnsweringBridge(BAD, GOOD)
    told = _narrate_words(bridge)

    assert ("model", GOOD, 2) == (told.by, told.text, told.attempts)
    assert ["unknown"] == [flag.kind for flag in told.flags]
    assert "a dragon lands" in bridge.asked[1][0]


def test_two_flagged_narrations_leave_the_plain_one() -> None:
    """After two flagged narrations the plain one is used, with all flags."""
    told = _narrate_words(AnsweringBridge(BAD, WORSE, GOOD))

    assert ("plain", "", 2) == (told.by, told.text, told.attempts)
    assert {"unknown", "contradiction"} == {flag.kind for flag in told.flags}


def test_there_is_no_third_attempt() -> None:
    """There is no third attempt, however many calls are left."""
    bridge = AnsweringBridge(BAD)

    assert 2 == _narrate_words(bridge, calls=9).attempts == len(bridge.asked)


def test_an_unreachable_model_gets_no_second_attempt() -> None:
    """If the model cannot be reached, there is no second attempt."""
    bridge = AnsweringBridge(SdkConnectionError("SDK_CONNECTION", "gone"), GOOD)

    assert 1 == _narrate_words(bridge).attempts == len(bridge.asked)


def test_without_a_second_call_there_is_no_second_attempt() -> None:
    """Without another call in the turn's budget there is no second attempt."""
    told = _narrate_words(AnsweringBridge(BAD, GOOD), calls=1)

    assert ("plain", 1) == (told.by, told.attempts)


def test_without_a_call_the_model_is_not_asked() -> None:
    """Without a call in the budget the model is not called."""
    bridge = AnsweringBridge(GOOD)

    assert Narration(by="plain", attempts=0) == _narrate_words(bridge, calls=0)
    assert [] == bridge.asked


def test_nothing_to_tell_costs_no_call() -> None:
    """A turn that the viewer does not perceive calls no model."""
    before = make_courtyard()
    away = speak("go east", before, Id("keeper")).world
    turn, after = speak("take the key", away)
    bridge = AnsweringBridge(GOOD)
    narrating = ModelNarrator(bridge).narrate(turn, away, after, Id("keeper"), CallBudget())

    assert Narration(by="plain", attempts=0, viewer=Id("keeper")) == asyncio.run(narrating)
    assert [] == bridge.asked


def test_a_model_that_cannot_be_asked_is_noted() -> None:
    """If the model cannot be reached, the plain narration is used with the error's code."""
    lost = SdkConnectionError("SDK_CONNECTION", "the key is sk-123", recoverable=True)
    bridge = AnsweringBridge(BAD, lost)
    told = _narrate_words(bridge)

    assert ("plain", "SDK_CONNECTION", 2) == (told.by, told.error, told.attempts)
    assert ["unknown"] == [flag.kind for flag in told.flags]
    assert "sk-123" not in repr(told)


@pytest.mark.parametrize(
    ("text", "kind"), [("", "empty"), ("\x00\x1b", "empty"), ("x " * 500_000, "too long")]
)
def test_nothing_and_too_much_are_flagged(text: str, kind: str) -> None:
    """An empty and a very long answer are flagged, and the plain narration is used."""
    told = _narrate_words(AnsweringBridge(text))

    assert {kind} == {flag.kind for flag in told.flags}
    assert len(told.flags[0].words) <= 80


def test_control_characters_never_reach_a_host() -> None:
    """Control characters are removed from the narration."""
    told = _narrate_words(AnsweringBridge("\x1b[2JYou take the brass key.\u202e"))

    assert "\x1b" not in told.text
    assert "\u202e" not in told.text


@pytest.mark.parametrize(
    ("finish", "code"), [("refused", "MODEL_REFUSED"), ("filtered", "MODEL_FILTERED")]
)
def test_a_refusal_is_noted_and_not_asked_for_again(finish: FinishReason, code: str) -> None:
    """A refused answer is not retried, and its code is recorded."""
    bridge = AnsweringBridge(OracleAnswer(text=GOOD, finish=finish), GOOD)
    told = _narrate_words(bridge)

    assert ("plain", code, 1) == (told.by, told.error, len(bridge.asked))


@pytest.mark.parametrize(("finish", "kind"), [("length", "too long"), ("tool_call", "empty")])
def test_a_narration_that_is_not_whole_is_not_described(finish: FinishReason, kind: str) -> None:
    """An incomplete narration is flagged and tried once more."""
    told = _narrate_words(AnsweringBridge(OracleAnswer(text=GOOD, finish=finish), GOOD))

    assert ("model", [kind], 2) == (told.by, [flag.kind for flag in told.flags], told.attempts)
    assert f"finish: {finish}" in told.flags[0].message
