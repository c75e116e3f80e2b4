import pytest
from msgspec.structs import replace

from saniwa.rulebook.loader import get_default_rulebook
from saniwa.runs.rehearsal import RehearsalResult, rehearse_walkthrough
from saniwa.world.model import Goal, Id
from tests.fakes.worlds import PLAYER, make_courtyard

_WORLD = replace(make_courtyard(), goal=Goal(location=Id("shed"), actor=PLAYER))


@pytest.mark.parametrize(
    ("lines", "rehearsed"),
    [
        (["look", "go east", "go west"], RehearsalResult(True, 2)),
        (["look"], RehearsalResult(False, 1)),
        ([], RehearsalResult(False, 0)),
        (["look", "go north", "go east"], RehearsalResult(False, 2, "LOCKED")),
    ],
)
def test_a_walkthrough_is_played_until_it_wins_or_stumbles(
    lines: list[str], rehearsed: RehearsalResult
) -> None:
    """A walkthrough is played until the goal, or a line without effect."""
    assert rehearsed == rehearse_walkthrough(_WORLD, get_default_rulebook(), PLAYER, lines)
