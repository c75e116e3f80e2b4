import sys
from types import FrameType
from typing import Any

import pytest

from saniwa.integrations.textworld.entities import GameProse, extract_prose


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("", ""),
        ("A hall. It is cold!", "A hall. It is cold!"),
        ("A hall.\n\n It is\ncold.", "A hall. It is cold."),
        ("no full stop", "no full stop"),
    ],
)
def test_plain_text_is_kept_whole(text: str, kept: str) -> None:
    """Text without conditions is kept, with normalised spaces."""
    assert GameProse(kept, whole=True) == extract_prose(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("A hall. You see [if c is open]an open[else]a closed[end if] box. Go on.", "A hall. Go on."),
        ("It is old. [if open]One can see in.[else]It is shut.[end if] It is red.", "It is old. It is red."),
        ("You see [a list of things in c]. Well.", "Well."),
        ("[if a]x [if b]y[end if] z.[end if]Done.", "Done."),
        ("Before. [if a]never ended. More.", "Before."),
        ("Stray [end if] mark. After.", "After."),
        ("Odd ] one. Fine.", "Fine."),
        ("Open [ one. Fine.", "Fine."),
    ],
)  # fmt: skip
def test_sentences_under_a_condition_are_left_out(text: str, kept: str) -> None:
    """Sentences with a condition are left out, and others are kept."""
    assert kept == extract_prose(text).text


@pytest.mark.parametrize("piece", ["[if a]", "[", "]", ".", "a", "[end if]", "[a", "[a]"])
def test_nested_brackets_are_read_in_linear_time(piece: str) -> None:
    """Nested brackets are read in linear time."""
    short, long = (_count_steps(piece * count) for count in (500, 1_000))

    assert long <= 2 * short


def _count_steps(text: str) -> int:
    """The number of executed lines for reading a text."""
    steps = 0

    def count_line(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal steps
        steps += event == "line" and frame.f_globals["__name__"] == extract_prose.__module__
        return count_line

    before = sys.gettrace()
    sys.settrace(count_line)
    try:
        extract_prose(text)
    finally:
        sys.settrace(before)
    assert steps > 0
    return steps


def test_unfinished_conditions_are_read_to_the_end() -> None:
    """A text whose conditions never end or begin is read to its end."""
    assert GameProse("", whole=False) == extract_prose("[if a]" * 100_000)
    assert GameProse("", whole=False) == extract_prose("[" * 100_000)
    assert GameProse("A.", whole=False) == extract_prose("A." + "[a" * 100_000)
