from math import inf, nan

import msgspec
import pytest

from saniwa.experiment.statistics.design import build_tables
from tests.fakes.cell_numbers import make_numbers
from tests.fakes.experiments import make_plan


def test_values_stand_under_metric_condition_and_block() -> None:
    """Each value is in its block's place, whatever the order of the cells."""
    cells = [make_numbers("D", 1, stall_mean=0.5), make_numbers("A", 0, stall_mean=0.25)]

    found = build_tables(make_plan("AD"), cells).tested

    assert {"A": {0: 0.25}, "D": {1: 0.5}} == found.rows["stall_mean"]
    assert 2 == found.blocks
    assert found == build_tables(make_plan("AD"), cells[::-1]).tested


@pytest.mark.parametrize("score", [nan, inf, -inf, 1e16])
def test_what_is_not_a_measurement_is_left_out(score: float) -> None:
    """An undefined rate, NaN, an infinite value and an absurdly large one are left out."""
    found = build_tables(make_plan("A"), [make_numbers("A", stall_mean=score)]).tested

    assert {"A": {}} == found.rows["stall_mean"]
    assert {"A": {}} == found.rows["repair_rate"]


def test_cells_of_no_condition_are_left_out() -> None:
    """A cell whose condition is not in the plan is not analysed."""
    assert 0 == build_tables(make_plan("A"), [make_numbers("Z")]).tested.blocks


def test_blocks_that_are_all_alike_count_once() -> None:
    """A scenario in which no seed changes an answer is one block in the tests."""
    cells = [make_numbers(c, n, answers=c) for c in "AD" for n in range(6)]
    other = [msgspec.structs.replace(c, scenario="shed") for c in cells[:1]]

    found = build_tables(make_plan("AD"), cells)

    assert (1, 5) == (found.tested.blocks, found.tested.folded)
    assert (6, 0) == (found.whole.blocks, found.whole.folded)
    assert 2 == build_tables(make_plan("AD"), cells + other).tested.blocks


def test_draws_that_fell_the_same_way_all_count() -> None:
    """If seeds change anything, equal answers are not copies."""
    cells = [make_numbers(c, n, answers=f"{c}{n % 2}") for c in "AD" for n in range(6)]

    found = build_tables(make_plan("AD"), cells).tested

    assert (6, 0) == (found.blocks, found.folded)


def test_a_gap_does_not_make_copies_count() -> None:
    """A missing or broken-off run does not show that seeds change anything."""
    cells = [make_numbers(c, n, answers=c) for c in "AD" for n in range(6)]
    cells[0] = make_numbers("A", 0, answers="half", success=False)

    found = build_tables(make_plan("AD"), cells[:-1]).tested

    assert (1, 5) == (found.blocks, found.folded)
    assert ["A", "D"] == [c for c, row in found.rows["stall_mean"].items() if row]


def test_one_other_answer_keeps_a_block() -> None:
    """A different answer in one condition makes it another observation."""
    cells = [make_numbers(c, n, answers=c) for c in "AD" for n in range(2)]
    cells[-1] = make_numbers("D", 1, answers="other")

    found = build_tables(make_plan("AD"), cells).tested

    assert (2, 0) == (found.blocks, found.folded)


def test_blocks_without_answers_are_not_folded() -> None:
    """Cells that crashed before the first answer are not copies of each other."""
    cells = [make_numbers("A", n, answers="", success=False) for n in range(3)]

    assert 3 == build_tables(make_plan("A"), cells).tested.blocks


def test_what_is_nought_by_definition_has_no_place() -> None:
    """Without a game master nothing can be retried or given up."""
    found = build_tables(make_plan("AD"), [make_numbers("A"), make_numbers("D")]).tested

    assert {"D": {0: 0.0}} == found.rows["give_up_rate"]


def test_blocks_come_in_order() -> None:
    """Values are in the order of their blocks, not of the cells."""
    found = build_tables(make_plan("A"), [make_numbers("A", seed) for seed in (2, 0, 1)]).tested

    assert [0, 1, 2] == list(found.rows["stall_mean"]["A"])
