from typing import get_args

import pytest

from saniwa.rulebook.loader import load_shipped_book
from saniwa.rulebook.verdict import (
    REASON_CODES,
    REASON_WORDS,
    REASONS,
    ReasonCode,
    find_reason_code,
)

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
    """Each of a game master's eight deny codes means one of the eight reasons."""
    assert DENIALS == {word: find_reason_code(word) for word in DENIALS}


def test_every_code_means_itself_but_ok() -> None:
    """A check may fail with any reason code except OK."""
    refusals = set(get_args(ReasonCode)) - {"OK"}

    assert {code: code for code in refusals} == {c: find_reason_code(c) for c in refusals}
    assert find_reason_code("OK") is None


def test_every_code_has_its_words_listed() -> None:
    """Every code is listed, and no word is listed under two codes."""
    words = [word for finer in REASON_WORDS.values() for word in finer]

    assert REASON_CODES == set(REASON_WORDS)
    assert sorted(set(words)) == sorted(words)
    assert set(words) | REASON_CODES - {"OK"} == set(REASONS)


@pytest.mark.parametrize("name", ["default", "strict"])
def test_shipped_books_fail_with_known_words(name: str) -> None:
    """Every reason in a shipped book is in the table."""
    used = {c["failReason"] for r in load_shipped_book(name)["rules"] for c in r["checks"]}

    assert used <= set(REASONS)


def test_a_books_own_word_counts_where_the_table_is_silent() -> None:
    """A book's own words count only where the table has none."""
    own: dict[str, ReasonCode] = {"too_dark": "NOT_PRESENT", "fixed": "UNKNOWN"}

    assert "NOT_PRESENT" == find_reason_code("too_dark", own)
    assert "INVALID_TARGET" == find_reason_code("fixed", own)
    assert find_reason_code("too_dark") is None
