import json

from hypothesis import given
from hypothesis import strategies as st

from saniwa.mcp.shown import LONGEST, plain, shown


@given(st.text())
def test_whatever_is_shown_is_seen_and_stays_on_its_line(text: str) -> None:
    """No letter ends a line, hides another, or turns the direction."""
    assert plain(text).isprintable()
    assert shown({text: [text]}).isprintable()


@given(st.text(alphabet='aあ茶 "\\'))
def test_short_text_is_shown_as_json(text: str) -> None:
    """In its own letters, Japanese included."""
    assert text == json.loads(shown(text))


def test_what_is_long_is_cut() -> None:
    """A text never becomes longer than a reader bears."""
    assert LONGEST == len(shown("x" * 10_000_000))
    assert shown(["x"] * 1_000).endswith("…")
