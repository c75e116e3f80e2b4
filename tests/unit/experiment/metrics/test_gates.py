from typing import Any

import msgspec
import pytest

from saniwa.experiment.analysis_records import CellNumbers, GateCheck
from saniwa.experiment.metrics import judge_gates
from tests.fakes.cell_numbers import make_numbers
from tests.fakes.experiments import make_plan

_RETRIED = make_numbers(retries=1, retried_turns=1, retry_successes=1, silent_corrections=1)


def judge_checks(*cells: CellNumbers) -> dict[str, GateCheck]:
    """Return the lines of both gates for condition D."""
    return {c.name: c for gate in judge_gates(make_plan("D"), cells) for c in gate.checks}


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("give_up_rate", {"turns": 1000, "give_ups": 99}, {"give_ups": 1}),
        ("avg_retry_steps_extra", {"turns": 100, "retries": 49}, {"retries": 5}),
        ("hard_denied", {}, {"hard_denied": 1}),
        ("crash", {}, {"success": False}),
        (
            "retry_success_rate",
            {"retries": 100, "retry_successes": 81},
            {"retries": 10, "retry_successes": 8},
        ),
        (
            "silent_correction_rate",
            {"retried_turns": 100, "silent_corrections": 51},
            {"retried_turns": 2, "silent_corrections": 1},
        ),
    ],
)
def test_a_limit_holds_up_to_its_border(
    name: str, inside: dict[str, Any], outside: dict[str, Any]
) -> None:
    """A value just within a limit passes; one equal to it does not."""
    assert judge_checks(make_numbers(**inside))[name].passed
    assert not judge_checks(make_numbers(**outside))[name].passed


def test_only_conditions_with_a_game_master_have_gates() -> None:
    """Both gates are judged for C and D, in order of name; the first is blocking."""
    cells = [make_numbers(letter) for letter in "ABCD"]

    found = judge_gates(make_plan(), cells)

    assert [
        ("C", "Gate-3A", True),
        ("C", "Gate-3B", False),
        ("D", "Gate-3A", True),
        ("D", "Gate-3B", False),
    ] == [(v.condition, v.gate, v.blocking) for v in found]


def test_a_gate_passes_when_all_its_lines_do() -> None:
    """A failed check fails its own gate and not the other."""
    a, b = judge_gates(make_plan("D"), [msgspec.structs.replace(_RETRIED, hard_denied=1)])

    assert (False, True) == (a.passed, b.passed)


def test_all_turns_of_a_condition_are_looked_at_together() -> None:
    """A gate's rate is over all turns, each with the same weight."""
    cells = [make_numbers(seed=0, turns=90), make_numbers(seed=1, give_ups=5)]

    assert 0.05 == judge_checks(*cells)["give_up_rate"].value


def test_nothing_to_retry_neither_passes_nor_fails() -> None:
    """Without a retry, the check on retries has no result."""
    found = judge_checks(make_numbers())["retry_success_rate"]
    _, advice = judge_gates(make_plan("D"), [make_numbers()])

    assert (None, False, False) == (found.value, found.passed, found.judged)
    assert (False, False) == (advice.passed, advice.judged)


def test_a_model_that_does_nothing_passes_no_gate() -> None:
    """If no action was tried, there is nothing to refuse and so nothing to judge."""
    mute = make_numbers(actions=0, kept_actions=0)

    found = judge_gates(make_plan("D"), [mute])

    assert [(False, False, 0.0)] * 2 == [
        (gate.passed, gate.judged, gate.deeds_per_turn) for gate in found
    ]
    assert ["hard_denied", "crash"] == [check.name for check in found[0].checks if check.judged]


def test_a_line_that_fails_fails_a_gate_with_nothing_else_to_count() -> None:
    """A crash before the first action is a failure, not missing evidence."""
    found, _ = judge_gates(make_plan("D"), [make_numbers(actions=0, kept_actions=0, success=False)])

    assert (False, True) == (found.passed, found.judged)


def test_a_gate_without_turns_is_not_passed() -> None:
    """A condition that was never run has not passed."""
    assert [False, False] == [gate.passed for gate in judge_gates(make_plan("D"), [])]
    assert {(None, False)} == {(c.value, c.passed) for c in judge_checks().values()}


def test_a_condition_without_a_cell_has_nothing_to_judge() -> None:
    """If there are no cells, both gates say so; a cell that crashed at once is judged."""
    crashed = make_numbers(turns=0, actions=0, kept_actions=0, latency_ms=(), success=False)

    assert [False, False] == [gate.judged for gate in judge_gates(make_plan("D"), [])]
    assert [True, False] == [gate.judged for gate in judge_gates(make_plan("D"), [crashed])]
    assert ["crash"] == [
        check.name
        for check in judge_gates(make_plan("D"), [crashed])[0].checks
        if check.judged and not check.passed
    ]


def test_every_crashed_cell_is_counted() -> None:
    """Crashes are given as a number of cells."""
    cells = [make_numbers(seed=n, success=n > 1) for n in range(4)]

    assert 2.0 == judge_checks(*cells)["crash"].value
