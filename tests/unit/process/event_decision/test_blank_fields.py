from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.documents.document_tree import DEEPEST
from saniwa.process import evidence_intake
from saniwa.process.evidence_intake import is_blank, list_fields

_NOTHING = st.recursive(
    st.none() | st.text("\u200b\u0301 \u3164", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
_SOMETHING = st.booleans() | st.integers() | st.just("\u200bx")


@pytest.mark.parametrize(
    "letters",
    [
        "\u0000\u001b\u007f",
        " \u00a0\u2003\u3000",
        "\u2028\u2029",
        "\u200b\u200e\u2060\ufeff\u00ad\U000e0041",
        "\u115f\u1160\u3164\uffa0",
        "\u034f\u17b4\u17b5",
        "\u180b\u180c\u180d\u180e\u180f",
        "\ufe00\ufe0f\U000e0100",
        "\u2800",
        "\u0301\u0308",
        "\u20dd",
        "\uffff\u2065\ue000",
        "\U0001d159",
    ],
)
def test_letters_without_ink_say_nothing(letters: str) -> None:
    """A text of invisible characters is blank."""
    assert [True] * len(letters) == [is_blank(letter) for letter in letters]
    assert is_blank(letters)
    assert not is_blank(letters + "x")


@pytest.mark.parametrize("text", ["e\u0301", "が", "👍\ufe0f", "0", ".", "क\u094d"])
def test_a_letter_with_marks_is_seen(text: str) -> None:
    """A character with a combining mark is not blank."""
    assert not is_blank(text)


@given(_NOTHING)
def test_nothing_in_nothing_is_nothing(content: Any) -> None:
    """Nested empty values are blank, and have no fields."""
    assert is_blank(content)
    assert () == list_fields({"a": content})


@given(_NOTHING, _SOMETHING)
def test_one_answer_is_enough(content: Any, answer: Any) -> None:
    """One value such as 0 or false among empty ones is not blank."""
    assert not is_blank([content, {"a": [answer]}, content])
    assert "a" in list_fields({"a": [content, answer]})


def test_nothing_is_seen_as_deep_as_a_document_goes() -> None:
    """The deepest allowed document of empty values is blank; checking a deeper one ends too."""
    content: list[Any] = []
    for _ in range(DEEPEST):
        content = [content]
    deepest = content
    for _ in range(5_000):
        content = [content]

    assert is_blank(deepest)
    assert not is_blank(content)


def test_nothing_is_looked_into_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work grows with the document, not with the number of paths through it."""
    looked: list[str] = []
    seen = evidence_intake._is_invisible

    def note_unseen(letter: str) -> bool:
        looked.append(letter)
        return seen(letter)

    monkeypatch.setattr(evidence_intake, "_is_invisible", note_unseen)
    plain: dict[str, Any] = {"n": ["\u200b"] * 500, "z": 1}
    for _ in range(15):
        plain = {"a": plain}

    assert 16 == len(list_fields(plain))
    assert 500 == len(looked)
