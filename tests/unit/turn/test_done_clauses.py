"""A clause about what was done before is checked against the world."""

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
        ("after taking the steel key", NOTHING),
        ("once you have the steel key", NOTHING),
        ("after opening the drawer", NOTHING),
        ("after unlocking the safe", NOTHING),
        ("after eating the sandwich", NOTHING),
    ],
)
def test_what_is_already_so_is_no_condition(clause: str, expected: list[str]) -> None:
    """The rusty key is held; the steel key, the drawer and the safe are untouched."""
    claims = parse(f"{clause}, go east", PLAYER, load_house("workshop_en"))

    assert expected == [claim["type"] for claim in claims]
