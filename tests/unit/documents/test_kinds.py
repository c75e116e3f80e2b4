from typing import Any

import pytest

from saniwa.documents.record_reader import (
    AMOUNT,
    COUNT,
    FLAG,
    LIST,
    LONGEST_TEXT,
    MAPPING,
    MOST_COUNTED,
    TEXT,
    WHOLE,
    WORD,
    WORDS,
    ValueKind,
    describe_type,
    is_number,
    is_whole,
)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (True, "true or false"),
        ("a", "text"),
        (1, "a number"),
        (1.5, "a fraction"),
        ([], "a list"),
        ({}, "a mapping"),
        (None, "nothing"),
    ],
)
def test_types_have_plain_names(value: Any, name: str) -> None:
    """Types of JSON values have plain names in messages."""
    assert name == describe_type(value)


def test_true_is_no_number_and_neither_is_infinity() -> None:
    """Booleans and infinity are not numbers."""
    assert [True, False, False] == [is_whole(each) for each in (3, True, 3.0)]
    assert [True, False, False] == [is_number(each) for each in (3.5, False, float("inf"))]


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (TEXT, "", "a" * (LONGEST_TEXT + 1)),
        (WORDS, "a", "  "),
        (WORD, "a.b-c", "a b"),
        (COUNT, MOST_COUNTED, 0),
        (AMOUNT, 0, -1),
        (WHOLE, -(2**63) + 1, 2**63),
        (FLAG, False, 0),
        (MAPPING, {}, []),
        (LIST, [], ()),
    ],
)
def test_a_shape_ends_where_it_says(kind: ValueKind, good: Any, bad: Any) -> None:
    """The limits of each shape are exact."""
    assert kind.fits(good)
    assert not kind.fits(bad)
