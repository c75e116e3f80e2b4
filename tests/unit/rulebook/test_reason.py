from typing import get_args

import pytest

from saniwa.rulebook.load import shipped
from saniwa.rulebook.reason import CODES, REASONS, WORDS, reason_code
from saniwa.rulebook.verdict import ReasonCode

DENIALS = {
    "MISSING_OBJECT": "NOT_FOUND",
    "WRONG_LOCATION": "NOT_PRESENT",
    "NOT_OWNED": "MISSING_REQUIREMENT",
    "INVALID_STATE": "LOCKED",
    "OUT_OF_SCOPE": "INVALID_TARGET",
    "CONTRADICTS_WORLD": "INVALID_TARGET",
    "AMBIGUOUS_ACTION": "UNKNOWN",
    "RATE_LIMITED": "OUT_OF_TURN",
}


def test_every_game_master_code_has_a_reason() -> None:
    """The eight deny codes of a game master each mean one of our eight."""
    assert DENIALS == {word: reason_code(word) for word in DENIALS}


def test_every_code_stands_for_itself_but_ok() -> None:
    """A check may fail with any code as it is; passing is no way to fail."""
    refusals = set(get_args(ReasonCode)) - {"OK"}

    assert {code: code for code in refusals} == {c: reason_code(c) for c in refusals}
    assert reason_code("OK") is None


def test_every_code_has_its_words_listed() -> None:
    """The table is total: each code is a heading, and no word stands under two."""
    words = [word for finer in WORDS.values() for word in finer]

    assert CODES == set(WORDS)
    assert sorted(set(words)) == sorted(words)
    assert set(words) | CODES - {"OK"} == set(REASONS)


@pytest.mark.parametrize("name", ["default", "strict"])
def test_shipped_books_fail_with_known_words(name: str) -> None:
    """Every reason in a shipped book is in the one table."""
    used = {c["failReason"] for r in shipped(name)["rules"] for c in r["checks"]}

    assert used <= set(REASONS)


def test_a_books_own_word_counts_where_the_table_is_silent() -> None:
    """A book's words come after the table's, never in their place."""
    own: dict[str, ReasonCode] = {"too_dark": "NOT_PRESENT", "fixed": "UNKNOWN"}

    assert "NOT_PRESENT" == reason_code("too_dark", own)
    assert "INVALID_TARGET" == reason_code("fixed", own)
    assert reason_code("too_dark") is None
