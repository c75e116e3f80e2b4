"""Layout decides before any word: what is struck out or is under a heading is not asked."""

import pytest

from saniwa.language.en.headings import is_english_choice, read_english_heading
from saniwa.language.layout import read_layout


def _join_remaining(text: str) -> str:
    """The lines that are left, joined with a slash."""
    left = read_layout(text, read_english_heading, is_english_choice).text
    return " / ".join(line.strip() for line in left.split("\n") if line.strip())


@pytest.mark.parametrize(
    "text",
    [
        "I won't:\n- open the tin\n- take the egg",
        "The sign says:\nOpen the tin.",
        "Pim's duties:\n1. open the tin",
        "1. open the tin\n2. wait\nWhich one?",
        "A) open the tin B) wait",
        "~~open the tin~~",
        "// open the tin",
        "open the tin ❌",
        "- [ ] open the tin",
        "for later: open the tin",
    ],
)
def test_what_the_layout_withholds_is_left_out(text: str) -> None:
    """A heading, a choice, a stroke or a cross withholds what belongs to it."""
    assert _join_remaining(text) == ""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Action:\n- open the tin\n- take the egg", "Action: / - open the tin / - take the egg"),
        ("1. open the tin\n2. take the egg", "1. open the tin / 2. take the egg"),
        ("~~open the tin~~ take the egg", "take the egg"),
        ("I won't:\n- open the tin\nTake the egg.", "Take the egg."),
        ("> open the tin", "> open the tin"),
        ("> open the tin\nIt is stuck.", "It is stuck."),
        ("What now?\n- open the tin\n- wait", "What now?"),
        ("once more: open the tin", "once more: open the tin"),
        ("take:\n- the egg", "take: / - the egg"),
    ],
)
def test_what_is_asked_for_remains(text: str, left: str) -> None:
    """Only what the layout withholds is left out; the rest remains."""
    assert _join_remaining(text) == left
