import pytest

from saniwa.experiment.cell_player import make_transcript_line
from saniwa.scenario.loader import load_scenario
from tests.fakes.experiments import HOUSE, play_cell_of, render_answer

WORLD = load_scenario(HOUSE).world


@pytest.mark.parametrize(
    ("gm", "text"), [(False, "*take the beans* Now. *take the cup*"), (True, "*take the cup* Now.")]
)
def test_what_the_others_take_a_turn_to_have_been(gm: bool, text: str) -> None:
    """The turn is passed on as it was said; with a game master, only with what was carried out."""
    answer = render_answer("*take the beans* Now. *take the cup*")
    (passage,) = play_cell_of("A", answer).passages
    line = make_transcript_line("Ann", passage.turn, passage.final, WORLD, gm=gm)

    assert ("Ann", text) == (line.who, line.text)
