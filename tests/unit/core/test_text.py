from typing import Any

import pytest

from saniwa.core.text import LONGEST_QUOTE, quote_value, truncate


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("it's", '"it\'s"'),
        (7, "7"),
        (None, "None"),
        ([1, "a", {"b": True}], "[1, 'a', {'b': True}]"),
        ((1,), "[1]"),
        ({}, "{}"),
        ([1, 2, 3, 4, 5, 6], "[1, 2, 3, 4, …]"),
        ([[[[1]]]], "[[[[…]]]]"),
        ([[[{}]]], "[[[{}]]]"),
        ({1, 2}, "a set"),
    ],
)
def test_values_are_quoted_as_they_are_written(value: Any, expected: str) -> None:
    """A small value is shown whole, a large or deep one by its beginning."""
    assert expected == quote_value(value)


@pytest.mark.parametrize("value", ["x" * 10_000, {"k" * 10_000: "v" * 10_000}, ["é" * 59] * 100])
def test_no_quotation_is_long(value: Any) -> None:
    """Any value is quoted in a few characters, cut with an ellipsis."""
    assert LONGEST_QUOTE >= len(quote_value(value))
    assert "…" in quote_value(value)


def test_a_huge_number_is_reported_by_its_size() -> None:
    """A huge number is described by its size."""
    assert "a number of 40001 bits" == quote_value(1 << 40_000)


def test_no_depth_is_too_deep() -> None:
    """A value nested beyond any stack can be quoted."""
    deep: list[Any] = []
    for _ in range(200_000):
        deep = [deep]

    assert "[[[[…]]]]" == quote_value(deep)


@pytest.mark.parametrize(
    ("text", "longest", "expected"),
    [
        ("key", 3, "key"),
        ("keys", 3, "ke…"),
        ("", 0, ""),
        ("key", 0, ""),
        ("key", 1, "…"),
        ("e\u0301a\u0301b", 4, "e\u0301…"),
        ("ab\u200dcd", 4, "a…"),
    ],
)
def test_a_text_is_cut_between_characters(text: str, longest: int, expected: str) -> None:
    """A combined character is never split."""
    assert expected == truncate(text, longest)


def test_endless_accents_are_cut_all_the_same() -> None:
    """A text of combining characters only is cut at the limit."""
    assert 50 == len(truncate("a" + "\u0301" * 1000, 50))
