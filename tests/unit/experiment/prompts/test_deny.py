from typing import get_args

import pytest

from saniwa.experiment.answer_intents import DENY_CODES, IntentName, find_deny_code, name_intent
from saniwa.rulebook.verdict import REASON_WORDS, REASONS, Verdict
from saniwa.world.actions import ACTIONS


@pytest.mark.parametrize("word", sorted(REASONS))
def test_every_refusal_has_a_game_masters_word(word: str) -> None:
    """Every refusal of a rulebook has a game master's code."""
    verdict = Verdict(success=False, reason_code=REASONS[word], message="no", fail_reason=word)

    assert find_deny_code(verdict) in DENY_CODES


@pytest.mark.parametrize("code", DENY_CODES)
def test_a_game_masters_word_means_itself(code: str) -> None:
    """A rulebook may fail with one of the eight codes directly."""
    reason = next(key for key, words in REASON_WORDS.items() if code in words)
    verdict = Verdict(success=False, reason_code=reason, message="no", fail_reason=code)

    assert code == find_deny_code(verdict)


@pytest.mark.parametrize(
    ("word", "code"),
    [
        ("target_not_found", "MISSING_OBJECT"),
        ("not_in_scope", "WRONG_LOCATION"),
        ("door_locked", "INVALID_STATE"),
        ("closed", "INVALID_STATE"),
        ("not_held", "NOT_OWNED"),
        ("already_open", "CONTRADICTS_WORLD"),
        ("no_exit", "OUT_OF_SCOPE"),
        ("not_your_turn", "RATE_LIMITED"),
    ],
)
def test_refusals_are_distinguished(word: str, code: str) -> None:
    """The more specific word of a rule decides."""
    verdict = Verdict(success=False, reason_code=REASONS[word], message="no", fail_reason=word)

    assert code == find_deny_code(verdict)


def test_what_may_happen_has_no_word() -> None:
    """A verdict that allows the action has no code."""
    assert "" == find_deny_code(Verdict(success=True, reason_code="OK", message=""))


@pytest.mark.parametrize("kind", sorted(ACTIONS))
def test_every_action_is_some_intent(kind: str) -> None:
    """Every action maps to one of the nine intents."""
    assert name_intent(kind) in get_args(IntentName)


def test_a_question_is_asked() -> None:
    """Speech ending in a question mark is an ask."""
    assert ["ASK", "ASK", "SAY"] == [
        name_intent("speak", words) for words in ("Why?", "なぜ？", "So.")
    ]
