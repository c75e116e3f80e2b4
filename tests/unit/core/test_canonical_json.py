import hashlib
import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.canonical_json import compute_short_hash, encode_canonical_json
from saniwa.core.errors import SchemaValidationError

_TEXT = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=8)
_NUMBERS = st.integers(1 - 2**53, 2**53 - 1)
_DOCUMENTS = st.recursive(
    st.none() | st.booleans() | _NUMBERS | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)


def test_keys_are_sorted_at_every_depth() -> None:
    """Canonical JSON has its keys in order, without spaces."""
    document = {"z": 1, "a": {"y": 2, "b": 3}, "m": 3}

    assert b'{"a":{"b":3,"y":2},"m":3,"z":1}' == encode_canonical_json(document)


def test_lists_are_sorted_by_id_then_name_then_text() -> None:
    """The order in which an author lists things makes no difference."""
    document = {
        "a": [{"id": "2"}, {"id": "1"}],
        "b": [{"name": "い"}, {"name": "あ"}],
        "c": ["b", "a"],
        "d": [[2], [1]],
    }

    expected = '{"a":[{"id":"1"},{"id":"2"}],"b":[{"name":"あ"},{"name":"い"}],"c":["a","b"],"d":[[1],[2]]}'
    assert expected == encode_canonical_json(document).decode()


@pytest.mark.parametrize(
    "document",
    [[{"name": "a", "x": 1}, {"name": "a", "x": 2}], [1, "1"], [[1], "[1]"], {"🍎": [2, 1]}],
)
def test_there_is_one_text_whatever_the_order(document: Any) -> None:
    """Things with equal ids or names are sorted by the rest of their values."""
    turned = document[::-1] if isinstance(document, list) else {"🍎": [1, 2]}

    assert encode_canonical_json(document) == encode_canonical_json(turned)


def test_a_short_hash_is_the_first_16_digits_of_sha256() -> None:
    """A short hash is the start of the SHA-256, so that anyone can check it."""
    expected = hashlib.sha256('{"名":"鍵"}'.encode()).hexdigest()[:16]

    assert expected == compute_short_hash({"名": "鍵"})


@pytest.mark.parametrize(
    "document", [1.5, float("nan"), 2**53 + 1, {1: 2}, {"a": object()}, "\ud800", {"\ud800": 1}]
)
def test_what_has_no_single_text_has_no_hash(document: object) -> None:
    """A value that two programs could print differently is refused."""
    with pytest.raises(SchemaValidationError) as caught:
        compute_short_hash(document)

    assert "HASH_COMPUTATION_ERROR" == caught.value.code.value


def test_a_document_nested_too_deep_is_an_error_and_no_crash() -> None:
    """Nesting beyond the limit is refused before the stack runs out."""
    document: list[object] = []
    for _ in range(100_000):
        document = [document]

    with pytest.raises(SchemaValidationError):
        encode_canonical_json(document)


@given(_DOCUMENTS)
def test_key_order_never_matters(document: object) -> None:
    """The same document typed in another order has the same canonical text."""
    shuffled = json.loads(json.dumps(document), object_pairs_hook=lambda p: dict(reversed(p)))

    assert encode_canonical_json(document) == encode_canonical_json(shuffled)


@given(st.dictionaries(_TEXT, _NUMBERS | _TEXT | st.booleans() | st.none(), max_size=6))
def test_without_lists_we_agree_with_the_published_canonical_form(
    document: dict[str, object],
) -> None:
    """For objects of scalars, the canonical text is that of RFC 8785."""
    assert rfc8785.dumps(document) == encode_canonical_json(document)  # type: ignore[arg-type]
