import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.process.definition_part_readers import LONGEST_DURATION, parse_duration
from saniwa.process.diagram import render_duration


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("500ms", 500),
        ("3s", 3_000),
        ("48h", 172_800_000),
        ("1h30m", 5_400_000),
        ("1d 2h", 93_600_000),
        ("30m1h", 5_400_000),
        ("3660d", LONGEST_DURATION),
    ],
)
def test_times_are_read_as_people_write_them(text: str, milliseconds: int) -> None:
    """A duration is numbers with units, in any order, each unit once."""
    assert milliseconds == parse_duration(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "48",
        "h",
        "0s",
        "-1h",
        "1.5h",
        "1h1h",
        "1w",
        "3661d",
        "1h later",
        "١h",
        "9" * 20 + "ms",
        "1h" * 1000,
    ],
)
def test_what_is_not_a_time_is_none(text: str) -> None:
    """An empty or invalid duration, and one over ten years, gives None."""
    assert parse_duration(text) is None


@given(st.integers(1, LONGEST_DURATION))
def test_a_time_is_shown_as_it_could_have_been_written(milliseconds: int) -> None:
    """A rendered duration can be parsed again."""
    assert milliseconds == parse_duration(render_duration(milliseconds))
