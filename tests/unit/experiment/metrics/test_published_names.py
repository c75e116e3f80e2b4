from saniwa.experiment.answer_intents import DENY_CODES
from saniwa.experiment.output.results import build_stats
from tests.fakes.cell_numbers import make_numbers


def test_the_keys_others_know_are_published() -> None:
    """The stats of a condition have every key that earlier results had."""
    cells = [
        make_numbers(
            seed=0,
            retries=2,
            impossible=1,
            impossible_by_code={"NOT_OWNED": 1},
            interventions={"deny": 1, "world_delta": 2},
            stall_events=2,
            stall_recoveries=1,
            addressing_violations=1,
            hard_denied=1,
            latency_ms=(100,) * 10,
        ),
        make_numbers(seed=1, success=False, latency_ms=(200,) * 10),
    ]

    found = build_stats(cells)

    breakdown = dict.fromkeys(DENY_CODES, 0) | {"NOT_OWNED": 1}
    assert {
        "turns": 20,
        "success": 1,
        "retries_total": 2,
        "addressing_violations": 1,
        "impossible_actions": {"total": 1, "breakdown": breakdown},
        "stall_events": 2,
        "stall_recoveries": 1,
        "gm_interventions": {"count": 3, "triggers": {"deny": 1, "world_delta": 2}},
        "gm_denied_count": 1,
        "latency_ms": {"p50": 150.0, "p95": 200.0},
    } == {key: found[key] for key in list(found)[:10]}


def test_rates_are_those_of_all_turns_together() -> None:
    """A published rate is over all retries, not a mean of the cells' rates."""
    cells = [
        make_numbers(seed=0, retries=1, retry_successes=1),
        make_numbers(seed=1, retries=3, retry_successes=0),
    ]

    assert 0.25 == build_stats(cells)["rates"]["retry_success_rate"]


def test_goals_are_counted_where_there_are_any() -> None:
    """Scenarios without a goal are not counted among those that missed it."""
    cells = [make_numbers(goal_reached=True), make_numbers(goal_reached=False), make_numbers()]

    assert {"reached": 1, "cells": 2} == build_stats(cells)["goals"]


def test_the_order_of_cells_makes_no_difference() -> None:
    """The order of the cells does not change the published numbers."""
    cells = [make_numbers(seed=n, latency_ms=(n, 7 * n % 5)) for n in range(6)]

    assert build_stats(cells) == build_stats(cells[::-1])


def test_no_cells_are_published_as_nothing() -> None:
    """A condition that was never run has zero counts and no latency."""
    found = build_stats([])

    assert (0, {"p50": None, "p95": None}) == (found["turns"], found["latency_ms"])
