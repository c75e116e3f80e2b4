import json

from hypothesis import given
from hypothesis import strategies as st

from saniwa.mcp.gate_tool_records import LONGEST_VALUE, escape_unprintable, render_value


@given(st.text())
def test_whatever_is_shown_is_seen_and_stays_on_its_line(text: str) -> None:
    """Every character is printable, so that no text ends its line or hides another."""
    assert escape_unprintable(text).isprintable()
    assert render_value({text: [text]}).isprintable()


@given(st.text(alphabet='aあ茶 "\\'))
def test_short_text_is_shown_as_json(text: str) -> None:
    """A short text is shown as JSON with its own characters."""
    assert text == json.loads(render_value(text))


def test_what_is_long_is_cut() -> None:
    """A long text is cut."""
    assert LONGEST_VALUE == len(render_value("x" * 10_000_000))
    assert render_value(["x"] * 1_000).endswith("…")
