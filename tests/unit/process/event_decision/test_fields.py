from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.process.evidence_intake import (
    DEEPEST_FIELD,
    LONGEST_FIELD_NAME,
    MOST_FIELDS,
    list_fields,
)

_PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=20,
)


def test_names_lead_inwards_and_are_sorted() -> None:
    """Nested fields have names with dots, sorted by name."""
    plain = {"title": "x", "meta": {"author": "a", "year": 1}}

    assert ("meta", "meta.author", "meta.year", "title") == list_fields(plain)


@pytest.mark.parametrize(
    "nothing", [None, "", "\n\t", "\u2800", "\u115f", [], {}, [None], {"b": [""]}]
)
def test_what_is_null_or_blank_is_not_said(nothing: Any) -> None:
    """A field that is null or blank does not count."""
    assert ("b",) == list_fields({"a": nothing, "b": 0})


@pytest.mark.parametrize("value", [0, False, 0.0, "x", [0], {"b": 1}])
def test_what_is_not_blank_is_said(value: Any) -> None:
    """A field with 0 or false counts."""
    assert "a" in list_fields({"a": value})


def test_a_list_is_one_value() -> None:
    """A list is one field, whatever its length."""
    plain = {"a": [{"b": 1}] * 5_000, "z": 1}

    assert ("a", "z") == list_fields(plain)


@pytest.mark.parametrize("plain", [None, 1, "title", ["title"], [{"title": 1}]])
def test_what_is_not_a_mapping_says_nothing_by_name(plain: Any) -> None:
    """Only a mapping has fields."""
    assert () == list_fields(plain)


def test_the_names_nearest_to_the_top_come_first() -> None:
    """Of too many fields, the outer ones are kept."""
    inner = {f"k{n:05}": 1 for n in range(5_000)}

    names = list_fields({"deep": inner, "title": "x"})

    assert MOST_FIELDS == len(names)
    assert {"deep", "title"} <= set(names)


def test_a_name_leads_only_so_far() -> None:
    """The number of steps of a name is limited."""
    plain: dict[str, Any] = {"a": 1}
    for _ in range(5_000):
        plain = {"a": plain}

    names = list_fields(plain)

    assert DEEPEST_FIELD == len(names)
    assert DEEPEST_FIELD == max(name.count(".") + 1 for name in names)


def test_a_name_has_only_so_many_letters() -> None:
    """A key that is too long is left out, with everything inside it."""
    longest = "x" * LONGEST_FIELD_NAME

    assert (longest,) == list_fields({longest: {"a": 1}, longest + "x": 1, "": 1})


@given(_PLAIN)
def test_names_are_sorted_single_and_bounded(plain: Any) -> None:
    """The names of any document are sorted, unique and limited in length."""
    names = list_fields(plain)

    assert tuple(sorted(set(names))) == names
    assert all(0 < len(name) <= LONGEST_FIELD_NAME for name in names)


def test_a_name_with_a_dot_is_no_way_inwards() -> None:
    """A key with a dot is not read as a path."""
    assert ("who",) == list_fields({"who.name": "x", "who": {"na.me": 1}})
