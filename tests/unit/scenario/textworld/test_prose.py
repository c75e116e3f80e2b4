import time

import pytest

from saniwa.scenario.textworld.prose import Prose, prose


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
    """Only spaces and line ends are made even."""
    assert Prose(kept, whole=True) == prose(text)


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
    """What may cease to be so is not told, and its neighbours are."""
    assert kept == prose(text).text


def test_long_nonsense_takes_no_longer_than_it_is() -> None:
    """Brackets and dots without end are read in one go."""
    begun = time.perf_counter()
    for piece in ("[if a]", "[", "]", ".", "a", "[end if]", "[a"):
        prose(piece * 200_000)

    assert time.perf_counter() - begun < 20
