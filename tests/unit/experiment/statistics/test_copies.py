import msgspec

from saniwa.experiment.analysis_records import CellNumbers
from saniwa.experiment.statistics.design import BlockCells, find_distinct_blocks
from tests.fakes.cell_numbers import make_numbers


def _make_block(*cells: CellNumbers) -> BlockCells:
    return {cell.condition: cell for cell in cells}


def test_of_copies_the_first_that_lacks_least_counts() -> None:
    """A complete block is chosen before one with a gap or a broken-off run."""
    a, d = make_numbers("A", answers="a"), make_numbers("D", answers="d")
    broken = make_numbers("D", answers="half", success=False)

    found = find_distinct_blocks(
        [
            _make_block(a),
            _make_block(a, broken),
            _make_block(a, d),
            _make_block(a, d),
            _make_block(d),
        ]
    )

    assert [2] == found


def test_what_was_answered_once_is_no_copy() -> None:
    """Two conditions played once each in two blocks are not copies."""
    assert [0, 1] == find_distinct_blocks(
        [_make_block(make_numbers("A")), _make_block(make_numbers("D", 1))]
    )


def test_runs_that_all_broke_off_are_distinguished_by_what_they_said() -> None:
    """If no run reached its end, different answers are different observations."""
    cells = [make_numbers("A", n, answers=f"{n}", success=False) for n in range(3)]

    assert [0, 1, 2] == find_distinct_blocks([_make_block(cell) for cell in cells])


def test_answers_that_another_scenario_gave_count_once() -> None:
    """If a model ignores the scenario, its repeated answers count once."""
    said = [make_numbers("A", n, answers=f"{n}") for n in range(3)]
    shed = [msgspec.structs.replace(cell, scenario="shed") for cell in said]
    other = make_numbers("A", 3, scenario="shed", answers="other")

    found = find_distinct_blocks([_make_block(cell) for cell in (*said, *shed, other)])

    assert [0, 1, 2, 6] == found


def test_blocks_without_answers_repeat_no_scenario() -> None:
    """Runs that crashed before the first answer are not copies."""
    cells = [make_numbers("A", scenario=name, answers="") for name in ("house", "shed")]

    assert [0, 1] == find_distinct_blocks([_make_block(cell) for cell in cells])


def test_no_blocks_have_no_copies() -> None:
    """Without blocks there is nothing to leave out."""
    assert [] == find_distinct_blocks([])
