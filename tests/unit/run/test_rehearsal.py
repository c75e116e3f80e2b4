import pytest
from msgspec.structs import replace

from saniwa.rulebook.load import default_book
from saniwa.run.rehearsal import Rehearsed, rehearse
from saniwa.world.model import Goal, Id
from tests.fakes.worlds import PLAYER, garden

_WORLD = replace(garden(), goal=Goal(location=Id("shed"), actor=PLAYER))


@pytest.mark.parametrize(
    ("lines", "rehearsed"),
    [
        (["look", "go east", "go west"], Rehearsed(True, 2)),
        (["look"], Rehearsed(False, 1)),
        ([], Rehearsed(False, 0)),
        (["look", "go north", "go east"], Rehearsed(False, 2, "LOCKED")),
    ],
)
def test_a_walkthrough_is_played_until_it_wins_or_stumbles(
    lines: list[str], rehearsed: Rehearsed
) -> None:
    """What comes after the goal, or after a line that does nothing, is not played."""
    assert rehearsed == rehearse(_WORLD, default_book(), PLAYER, lines)
