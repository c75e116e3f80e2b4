from pathlib import Path

import msgspec
import pytest

from saniwa.experiment.analysis_records import HEADLINE_METRICS
from saniwa.experiment.metrics import METRICS, compute_metric, compute_percentile
from tests.fakes.cell_numbers import make_numbers

COUNTED = make_numbers(
    generation_calls=16,
    first_try_valid=6,
    impossible_first=5,
    impossible=2,
    first_turns=3,
    acting_first_turns=2,
    first_turn_valid=2,
    invented=9,
    invented_first=4,
    retries=6,
    retried_turns=4,
    retry_successes=3,
    silent_corrections=1,
    give_ups=1,
    stall_mean=0.25,
    stall_events=2,
    stall_recoveries=1,
    format_breaks=3,
    breaks_by_type={"TRAILING_GARBAGE": 4},
    repairs_by_method={"STRIP": 3},
    unread=5,
    addressing_violations=1,
    goal_reached=True,
    actions=8,
    refused_actions=6,
    invented_actions=4,
    kept_actions=5,
    refused_kept_actions=1,
    milestones=4,
    milestones_passed=3,
    latency_ms=tuple(range(0, 1100, 100)),
    input_tokens=90,
    output_tokens=10,
    cost=20_000,
    hard_denied=2,
)
EXPECTED = {
    "impossible_deed_rate": 0.75,
    "final_impossible_deed_rate": 0.2,
    "invented_deed_rate": 0.5,
    "deeds_per_turn": 0.8,
    "milestone_rate": 0.75,
    "impossible_rate": 0.2,
    "first_try_validity": 0.6,
    "impossible_first_rate": 0.5,
    "first_turn_validity": 0.5,
    "invented_rate": 0.4,
    "avg_retry_steps_extra": 0.6,
    "retried_rate": 0.4,
    "retry_success_rate": 0.5,
    "silent_correction_rate": 0.25,
    "give_up_rate": 0.1,
    "stall_mean": 0.25,
    "stall_event_rate": 0.2,
    "stall_recovery_rate": 0.5,
    "format_break_rate": 0.3,
    "repair_rate": 0.75,
    "unread_rate": 0.5,
    "addressing_rate": 0.1,
    "goal_reached": 1.0,
    "latency_p50": 500.0,
    "latency_p95": 950.0,
    "tokens_per_turn": 10.0,
    "cost_per_turn": 0.002,
    "hard_denied": 2.0,
    "crash": 0.0,
}


@pytest.mark.parametrize("name", [metric.name for metric in METRICS])
def test_a_metric_is_reckoned_as_its_page_says(name: str) -> None:
    """Each metric is the share or mean of counts that the reference describes."""
    assert compute_metric(name, COUNTED) == pytest.approx(EXPECTED[name])


def test_every_metric_has_a_name_of_its_own_and_the_first_ones_exist() -> None:
    """Names are unique, and the headline metrics exist."""
    names = [metric.name for metric in METRICS]

    assert sorted(EXPECTED) == sorted(names)
    assert set() == set(HEADLINE_METRICS) - set(names)


def test_the_page_of_metrics_shows_them_all() -> None:
    """The reference has a line for every metric, in the same order and words."""
    page = Path(__file__).parents[4] / "docs" / "reference" / "metrics.md"
    lines = [f"| `{m.name}` | {m.label} | {m.unit} | {m.better} | {m.about} |\n" for m in METRICS]

    assert "".join(lines) in page.read_text(encoding="utf-8")


def test_nothing_to_count_is_none_and_not_nought() -> None:
    """A cell without turns has no rates, only the metrics counted in whole cells."""
    empty = make_numbers(
        turns=0, generation_calls=0, actions=0, kept_actions=0, first_try_valid=0, latency_ms=()
    )

    found = {m.name for m in METRICS if compute_metric(m.name, empty) is not None}

    assert {"hard_denied", "crash"} == found


@pytest.mark.parametrize(
    "name",
    [
        "impossible_deed_rate",
        "final_impossible_deed_rate",
        "invented_deed_rate",
        "impossible_rate",
        "impossible_first_rate",
        "first_try_validity",
        "first_turn_validity",
        "invented_rate",
        "give_up_rate",
        "retried_rate",
        "avg_retry_steps_extra",
    ],
)
def test_a_model_that_does_nothing_has_no_rate_of_deeds(name: str) -> None:
    """Ten turns of speech only have no rate of impossible actions, as no action was tried."""
    mute = make_numbers(actions=0, kept_actions=0)

    assert compute_metric(name, mute) is None
    assert 0.0 == compute_metric("deeds_per_turn", mute)


@pytest.mark.parametrize(
    "name", ["retry_success_rate", "silent_correction_rate", "stall_recovery_rate"]
)
def test_a_share_of_nothing_is_none(name: str) -> None:
    """Without retries or stalls, their success rates are None."""
    assert compute_metric(name, make_numbers()) is None


def test_an_unknown_price_makes_the_cost_unknown() -> None:
    """One answer without a price makes the cost unknown."""
    assert compute_metric("cost_per_turn", msgspec.structs.replace(COUNTED, unpriced=1)) is None


def test_what_is_paid_for_a_lost_turn_is_no_retry() -> None:
    """The answers of a turn that ended in an error are calls but not retries."""
    lost = make_numbers(generation_calls=13, success=False)

    assert 0.0 == compute_metric("avg_retry_steps_extra", lost)


def test_a_crash_is_reported() -> None:
    """A cell that ended in an error is a crash."""
    assert 1.0 == compute_metric("crash", make_numbers(success=False))


def test_a_percentile_of_one_value_is_that_value() -> None:
    """A single measurement is its own median; with none there is no median."""
    assert 7.0 == compute_percentile((7,), 95)
    assert compute_percentile((), 50) is None
