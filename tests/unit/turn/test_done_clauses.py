"""A clause about an earlier action is checked against the world."""

import pytest

from saniwa.language.parse import parse
from tests.hearing.score import PLAYER, load_house

MOVES = ["move"]
NOTHING = ["unrecognised"]


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("after taking the rusty key", MOVES),
        ("having got the rusty key", MOVES),
        ("once you have the rusty key", MOVES),
        ("now that I've picked up the rusty key", MOVES),
        ("if you can get your hands on the rusty key", MOVES),
        ("with the rusty key", MOVES),
        ("once you get around to doing that", MOVES),
        ("after closing the drawer", MOVES),
        ("once you have the steel key", NOTHING),
        ("after Otto opens the drawer", NOTHING),
        ("after eating the sandwich or the hat", NOTHING),
        ("after taking the steel key", ["take", *MOVES]),
        ("after opening the drawer", ["open", *MOVES]),
        ("after unlocking the safe", ["unlock", *MOVES]),
        ("having eaten the sandwich", ["eat", *MOVES]),
        ("before you go up, take the steel key and", ["take", *MOVES, *MOVES]),
    ],
)
def test_what_is_already_so_is_no_condition(clause: str, expected: list[str]) -> None:
    """An action that such a clause mentions and that is not done yet is claimed too.

    The rusty key is held; the steel key, the drawer and the safe are untouched.
    """
    claims = parse(f"{clause}, go east", PLAYER, load_house("workshop_en"))

    assert expected == [claim["type"] for claim in claims]
