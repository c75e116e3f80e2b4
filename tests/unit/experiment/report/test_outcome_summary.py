from dataclasses import replace

import msgspec
import pytest

from saniwa.experiment.report.outcome_summary import MAX_STEPS, make_labels, summarize_outcomes
from tests.fakes.experiments import make_plan, play_cell_of, render_answer
from tests.fakes.reports import make_trial

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


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("A+prompt=厳しい版", "A+prompt=厳しい版"),
        ("A+prompt=né", "A+prompt=né"),
        ("A+prompt=とても厳しい長い版", "no. 1"),
        ("A+prompt=מחמיר", "no. 1"),
        ("A+prompt=ne\u0301", "no. 1"),
    ],
)
def test_a_name_that_can_be_placed_is_its_own_label(name: str, label: str) -> None:
    """Names in plots are replaced only if they are too wide, combined or from right to left."""
    material = make_trial("A", 1).material
    (condition,) = material.plan.conditions
    named = msgspec.structs.replace(condition, name=name)
    plan = msgspec.structs.replace(material.plan, conditions=(named,))
    prepared = msgspec.structs.replace(material.prepared, plan=plan)

    assert {name: label} == make_labels(replace(material, prepared=prepared))
