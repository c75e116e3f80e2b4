from saniwa.experiment.metrics import pool_numbers
from tests.fakes.cell_numbers import make_numbers


def test_counts_and_tallies_are_added() -> None:
    """Counts are added, and so are tallies, word by word."""
    first = make_numbers(give_ups=1, fail_reasons={"FAIL_OTHER": 1}, latency_ms=(1, 2))
    second = make_numbers(
        give_ups=2, fail_reasons={"FAIL_OTHER": 2, "FAIL_GIVE_UP": 1}, latency_ms=(3,)
    )

    found = pool_numbers([first, second])

    assert (20, 3, (1, 2, 3)) == (found.turns, found.give_ups, found.latency_ms)
    assert {"FAIL_GIVE_UP": 1, "FAIL_OTHER": 3} == found.fail_reasons


def test_a_mean_score_weighs_every_turn_the_same() -> None:
    """A long cell counts for more in the mean than a short one."""
    found = pool_numbers(
        [make_numbers(turns=30, stall_mean=0.2), make_numbers(turns=10, stall_mean=0.6)]
    )

    assert 0.3 == found.stall_mean


def test_names_are_kept_once() -> None:
    """An object invented in two cells is listed once."""
    cells = [make_numbers(invented_names=("b", "a")), make_numbers(invented_names=("b",))]

    assert ("a", "b") == pool_numbers(cells).invented_names


def test_no_cells_are_no_success() -> None:
    """Pooled cells are a success if all of them are; no cells are not."""
    assert (True, False, False) == (
        pool_numbers([make_numbers()]).success,
        pool_numbers([make_numbers(), make_numbers(success=False)]).success,
        pool_numbers([]).success,
    )
