import msgspec

from saniwa.experiment.analysis_records import CellNumbers
from saniwa.experiment.experiment_comparison import collect_values, match_cells
from tests.fakes.reports import make_trial

_CELL = make_trial("A", 1).numbers[0]


def _make_cells(seeds: range, answers: str = "") -> list[CellNumbers]:
    return [
        msgspec.structs.replace(
            _CELL, seed=seed, stall_mean=seed / 10, answers=answers or f"said {seed}"
        )
        for seed in seeds
    ]


def test_many_shared_blocks_are_compared_block_by_block() -> None:
    """Blocks that only one experiment has are left out of the difference."""
    cells = match_cells(_make_cells(range(4)), _make_cells(range(1, 5)))

    assert (True, [("house", n) for n in (1, 2, 3)]) == (cells.paired, [*cells.first])
    assert [0.0, 0.0, 0.0] == collect_values(cells, "stall_mean").differences
    assert 2 == cells.alone


def test_few_shared_blocks_make_no_pairs() -> None:
    """Pairing four blocks of ten would discard the other six."""
    cells = match_cells(_make_cells(range(10)), _make_cells(range(6, 16)))
    values = collect_values(cells, "stall_mean")

    assert (False, 10, 10) == (values.paired, len(values.first), len(values.second))
    assert [] == values.differences


def test_blocks_that_are_all_alike_count_once() -> None:
    """Identical blocks are folded across both sides if paired, otherwise on each side."""
    same, other = _make_cells(range(5), "same"), _make_cells(range(5))

    assert 1 == len(match_cells(same, same).first)
    assert 4 == match_cells(same, same).folded
    assert 5 == len(match_cells(same, other).first)
    apart = match_cells(same, _make_cells(range(10, 15)))
    assert (1, 5, 4) == (len(apart.first), len(apart.second), apart.folded)


def test_draws_that_fell_the_same_way_all_count() -> None:
    """If seeds change at least one answer, equal answers are not copies."""
    cells = [*_make_cells(range(4), "same"), *_make_cells(range(4, 5), "other")]
    later = _make_cells(range(10, 15))

    assert (5, 0) == (len(match_cells(cells, cells).first), match_cells(cells, cells).folded)
    assert 5 == len(match_cells(cells, later).first)


def test_without_partners_every_scenario_keeps_its_weight() -> None:
    """A scenario's copies stay if another scenario has none, so that the mean does not shift."""
    shed = [msgspec.structs.replace(c, scenario="shed") for c in _make_cells(range(5), "s")]
    later = _make_cells(range(20, 30))
    mixed = match_cells([*_make_cells(range(5)), *shed], later)
    deaf = match_cells([*_make_cells(range(5), "same"), *shed], later)

    assert (10, 2) == (len(mixed.first), len(deaf.first))


def test_cells_without_an_answer_are_no_copies() -> None:
    """Cells that broke down before the first answer are not folded."""
    silent = [msgspec.structs.replace(each, answers="") for each in _make_cells(range(3))]

    assert 3 == len(match_cells(silent, silent).first)


def test_what_has_no_value_has_no_partner() -> None:
    """If a rate is undefined on one side, the block is left out of that metric."""
    first, second = _make_cells(range(2)), _make_cells(range(2))
    second[0] = msgspec.structs.replace(second[0], turns=0)
    values = collect_values(match_cells(first, second), "impossible_rate")

    assert (1, 1) == (len(values.first), len(values.second))
