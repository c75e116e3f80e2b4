import msgspec

from saniwa.experiment.report.material import MAX_STEPS, summarize_outcomes
from tests.fakes.experiments import make_plan, play_cell_of, render_answer

SWORD = render_answer("*take the sword* Mine!")


def test_refusals_of_first_answers_are_counted_by_turn_and_code() -> None:
    """Each refused intent of a first attempt counts once, in its turn."""
    made = make_plan("D", max_turns=2)
    outcome = play_cell_of("D", SWORD, render_answer("*take the cup* So."), SWORD, made=made)
    course = summarize_outcomes(made, [outcome]).courses["D"]

    assert {0: 1, 1: 1} == course.turns
    assert {(0, "MISSING_OBJECT"): 1, (1, "MISSING_OBJECT"): 1} == course.refused


def test_many_turns_share_a_step() -> None:
    """However long the runs are, a line over turns has a limited number of points."""
    made = make_plan("A", max_turns=3_000)
    outcome = play_cell_of("A", SWORD)
    late = msgspec.structs.replace(outcome.passages[0], number=2_999)
    outcome = msgspec.structs.replace(outcome, passages=(*outcome.passages, late))
    found = summarize_outcomes(made, [outcome])

    assert 100 == found.width
    assert {0: 1, MAX_STEPS - 1: 1} == found.courses["A"].turns


def test_crashes_are_counted_by_code() -> None:
    """Cells that ended in an error are counted by code."""
    crashed = msgspec.structs.replace(play_cell_of("A", SWORD), error="SDK_BROKEN")

    assert {"SDK_BROKEN": 1} == summarize_outcomes(make_plan("A"), [crashed]).crashes
