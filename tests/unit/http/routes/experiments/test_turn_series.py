from collections import Counter

from saniwa.app.operations.experiment_results import build_turn_series, compute_percentiles
from saniwa.experiment.report.material import OutcomeSummary, StepTallies


def test_steps_tell_which_turns_they_hold() -> None:
    """In long runs several turns share a step; codes that never came are left out."""
    course = StepTallies(
        turns=Counter({0: 4, 1: 2}),
        refused=Counter({(0, "NOT_OWNED"): 3}),
        stall=Counter({0: 1000, 1: 0}),
    )
    gathered = OutcomeSummary(
        courses={"D": course}, width=2, samples=(), cells=2, crashes=Counter()
    )
    first, second = build_turn_series(gathered, "D").steps

    assert (0, 1, 4, {"NOT_OWNED": 3}, 0.25) == (
        first.first,
        first.last,
        first.turns,
        first.refused,
        first.stall,
    )
    assert (2, 3, {}, 0.0) == (second.first, second.last, second.refused, second.stall)


def test_a_spread_tells_what_most_stayed_within() -> None:
    """Between neighbours in proportion; one alone is all of it."""
    spread, single = compute_percentiles(range(101)), compute_percentiles([7])

    assert spread is not None
    assert single is not None
    assert (5, 25, 50, 75, 95, 100) == (
        spread.p5,
        spread.p25,
        spread.p50,
        spread.p75,
        spread.p95,
        spread.most,
    )
    assert {7} == {single.p5, single.p50, single.p95, single.most}


def test_where_nothing_took_time_there_is_no_spread() -> None:
    """Nothing to count is no zero."""
    assert compute_percentiles(()) is None
