from pathlib import Path
from typing import Any

import msgspec
import pytest

from saniwa.app.experiments.folder import Experiment
from saniwa.app.experiments.status import ExperimentStatus
from saniwa.cli.experiment.render import (
    build_results_document,
    choose_exit_code,
    compute_means,
    show_results,
)
from saniwa.core.errors import SdkBridgeError
from saniwa.experiment.metrics.analysis_records import Analysis, CellNumbers, GateCheck, GateVerdict
from saniwa.experiment.metrics.counts import count_outcome
from saniwa.experiment.output.results import CellResult
from saniwa.experiment.report.material import summarize_outcomes
from tests.fakes.experiments import plan, played, prepared, say

_GOOD = count_outcome(played("D", say("*take the cup*")))
_CRASHED = count_outcome(played("D", SdkBridgeError("BRIDGE_REFUSED", "no")))


def _experiment(**more: Any) -> Experiment:
    return Experiment(Path("results/x"), prepared(plan("D", **more)))


def _gates(passed: bool) -> tuple[GateVerdict, ...]:
    check = GateCheck(name="give_up_rate", value=0.2, limit="< 0.10", passed=passed)
    verdict = GateVerdict(
        gate="Gate-3A", condition="D", blocking=True, passed=passed, checks=(check,)
    )
    return (verdict,)


_WHOLE = Analysis(estimates={}, comparisons=(), effects=(), gates=(), method="")


def _status(
    numbers: tuple[CellNumbers, ...],
    analysis: Analysis | None = None,
    gates: tuple[GateVerdict, ...] = (),
) -> ExperimentStatus:
    experiment = _experiment()
    cells = tuple(CellResult(each, "", "", "") for each in numbers)
    gathered = summarize_outcomes(experiment.prepared.plan, ())
    return ExperimentStatus(experiment, cells, gathered, gates, analysis, None)


@pytest.mark.parametrize(
    ("profile", "passed", "numbers", "expected"),
    [
        ("", False, _GOOD, 0),
        ("gate", False, _GOOD, 1),
        ("gate", True, _GOOD, 0),
        ("", True, _CRASHED, 1),
    ],
)
def test_what_an_experiment_leaves_with(
    profile: str, passed: bool, numbers: Any, expected: int
) -> None:
    """1 for a cell that ended with an error, and for the profile gate not passing 3A."""
    written = _status((numbers,), None, _gates(passed))

    assert expected == choose_exit_code(_experiment(profile=profile), written)


def test_means_leave_out_what_nobody_could_count() -> None:
    """A rate of nothing is no rate, not nought."""
    means = compute_means(_status((_GOOD,), None))

    assert (0.0, 1.0, None) == (
        means["D"]["impossible_deed_rate"],
        means["D"]["first_try_validity"],
        means["D"]["retry_success_rate"],
    )


def test_the_end_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each condition, what was not passed and why, where the report is."""
    show_results(_experiment(), _status((_GOOD,), _WHOLE, _gates(False)))
    told = capsys.readouterr().out

    assert "1.00 a turn" in told
    assert "Gate-3A not passed in D: give_up_rate 0.2 (must be < 0.10)" in told
    assert told.endswith("report: results/x/report.html\n")


def test_cells_are_counted_and_only_shares_are_hundredths(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The table tells how many cells there are, not how many were planned."""
    refused = count_outcome(played("A", say("*take the lamp* *take the moon*")))
    show_results(_experiment(seeds=(0, 1, 2)), _status((refused,), None))
    row = capsys.readouterr().out.split("\n")[1].split()

    assert ["A", "1", "2.00", "a", "turn", "100.0", "%"] == row[:7]


def test_the_end_for_machines() -> None:
    """The same figures, by name."""
    written = _status((_GOOD, _CRASHED), None, _gates(True))
    told = build_results_document(_experiment(), written)

    assert (False, 2, 1) == (told["ok"], told["cells"], told["crashed"])
    assert "Gate-3A" == told["gates"][0].gate


def test_a_gate_that_judged_nothing_is_not_said_to_have_failed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Where no cell of a condition was played there is nothing to judge."""
    (verdict,) = _gates(passed=False)
    nothing = msgspec.structs.replace(verdict, judged=False)
    show_results(_experiment(), _status((_GOOD,), None, (nothing,)))
    told = capsys.readouterr().out

    assert "Gate-3A: nothing to judge in D" in told
    assert "not passed" not in told
