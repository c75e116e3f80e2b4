import pytest

from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.metrics import METRICS, compute_metric, count_outcome
from saniwa.experiment.turn_filter import find_metric_basis, is_turn_counted
from tests.fakes.experiments import make_plan, play_outcomes, prepare_plan, render_answer

_SAID = (
    render_answer("*take the lamp*"),
    render_answer("*take the lamp* Sorry."),
    render_answer("*take the cup*"),
    "Output: *take the unicorn*",
    render_answer("*smile* Hm."),
    render_answer("Hm."),
)
_PLAYED = play_outcomes(prepare_plan(make_plan(max_turns=5)), lambda cell: _SAID[cell.number % 3 :])
_SHARES = (
    "first_try_validity",
    "first_turn_validity",
    "retried_rate",
    "silent_correction_rate",
    "give_up_rate",
    "stall_event_rate",
    "stall_recovery_rate",
    "format_break_rate",
    "addressing_rate",
)


def _count_turns(metric: str, outcome: CellOutcome) -> tuple[int, int]:
    """Count the turns a metric counts, and those it looks at."""
    seen = [is_turn_counted(metric, outcome, each) for each in outcome.passages]
    return seen.count(True), len(seen) - seen.count(None)


@pytest.mark.parametrize("metric", _SHARES)
def test_a_share_of_turns_is_the_turns_it_counts(metric: str) -> None:
    """A link from a metric leads to as many turns as the metric counts."""
    told = [compute_metric(metric, count_outcome(each)) for each in _PLAYED]
    found = [_count_turns(metric, each) for each in _PLAYED]

    assert told == [part / whole if whole else None for part, whole in found]


@pytest.mark.parametrize(
    ("metric", "field"),
    [
        ("impossible_rate", "impossible"),
        ("impossible_first_rate", "impossible_first"),
        ("invented_rate", "invented_first"),
        ("avg_retry_steps_extra", "retries"),
        ("retry_success_rate", "retry_successes"),
        ("unread_rate", "unread"),
        ("hard_denied", "hard_denied"),
    ],
)
def test_a_count_has_turns_where_there_are_any(metric: str, field: str) -> None:
    """One turn may hold several of the counted events; with none, there is no link."""
    told = [getattr(count_outcome(each), field) > 0 for each in _PLAYED]

    assert told == [_count_turns(metric, each)[0] > 0 for each in _PLAYED]


def test_figures_of_every_turn_are_behind_all_of_them() -> None:
    """A median is not made of particular turns, so all are linked."""
    first = _PLAYED[0]

    assert "all turns" == find_metric_basis("latency_p50")
    assert (len(first.passages), len(first.passages)) == _count_turns("latency_p50", first)


def test_figures_of_whole_cells_have_no_turns() -> None:
    """A crash belongs to a run, not to a turn."""
    assert ["cells", "cells"] == [find_metric_basis("crash"), find_metric_basis("goal_reached")]
    assert (0, 0) == _count_turns("crash", _PLAYED[0])


def test_every_metric_says_what_is_behind_it() -> None:
    """Metrics on repairs look only at broken formats."""
    kinds = {each.name: find_metric_basis(each.name) for each in METRICS}
    repaired = [_count_turns("repair_rate", each) for each in _PLAYED]

    assert {"turns", "all turns", "cells"} == set(kinds.values())
    assert any(whole for _, whole in repaired)
    assert all(part <= whole for part, whole in repaired)
