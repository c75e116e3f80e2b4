import pytest

from saniwa.experiment.playing.transcript import line_of
from saniwa.scenario.load import load
from tests.fakes.experiments import HOUSE, played, say

WORLD = load(HOUSE).world


@pytest.mark.parametrize(
    ("gm", "text"),
    [
        (False, "*take the beans* Now. *take the cup*"),
        (True, "*take the cup* Now."),
    ],
)
def test_what_the_others_take_a_turn_to_have_been(gm: bool, text: str) -> None:
    """Everything as it was said; with a game master, what came true."""
    answer = say("*take the beans* Now. *take the cup*")
    (passage,) = played("A", answer).passages
    line = line_of("Ann", passage.turn, passage.final, WORLD, gm=gm)

    assert ("Ann", text) == (line.who, line.text)
