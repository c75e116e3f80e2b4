from collections import Counter

from saniwa.app.operations.experiment_results import build_turn_series, compute_percentiles
from saniwa.experiment.report.outcome_summary import OutcomeSummary, StepTallies


def test_steps_tell_which_turns_they_hold() -> None:
    """Long runs are grouped into steps of several turns; unused codes are left out."""
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


def test_a_spread_says_what_most_stayed_within() -> None:
    """Percentiles are interpolated; a single value is all of them."""
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
    """Without values there are no percentiles."""
    assert compute_percentiles(()) is None
