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
from saniwa.experiment.analysis_records import Analysis, CellNumbers, GateCheck, GateVerdict
from saniwa.experiment.metrics import count_outcome
from saniwa.experiment.output.results import CellResult
from saniwa.experiment.report.outcome_summary import summarize_outcomes
from tests.fakes.experiments import make_plan, play_cell_of, prepare_plan, render_answer

_GOOD = count_outcome(play_cell_of("D", render_answer("*take the cup*")))
_CRASHED = count_outcome(play_cell_of("D", SdkBridgeError("BRIDGE_REFUSED", "no")))


def _make_experiment(letters: str = "D", **more: Any) -> Experiment:
    return Experiment(Path("results/x"), prepare_plan(make_plan(letters, **more)))


def _make_verdicts(passed: bool) -> tuple[GateVerdict, ...]:
    check = GateCheck(name="give_up_rate", value=0.2, limit="< 0.10", passed=passed)
    verdict = GateVerdict(
        gate="Gate-3A", condition="D", blocking=True, passed=passed, checks=(check,)
    )
    return (verdict,)


_WHOLE = Analysis(estimates={}, comparisons=(), effects=(), gates=(), method="")


def _make_status(
    numbers: tuple[CellNumbers, ...],
    analysis: Analysis | None = None,
    gates: tuple[GateVerdict, ...] = (),
) -> ExperimentStatus:
    experiment = _make_experiment("".join(sorted({each.condition for each in numbers})))
    cells = tuple(CellResult(each, "", "", "") for each in numbers)
    gathered = summarize_outcomes(experiment.prepared.plan, ())
    return ExperimentStatus(experiment, cells, gathered, gates, analysis, None)


@pytest.mark.parametrize(
    ("profile", "recommended", "passed", "numbers", "expected"),
    [
        ("", False, False, _GOOD, 0),
        ("gate", False, False, _GOOD, 1),
        ("gate", True, False, _GOOD, 0),
        ("gate", False, True, _GOOD, 0),
        ("", False, True, _CRASHED, 1),
        ("gate", True, False, _CRASHED, 1),
    ],
)
def test_what_an_experiment_leaves_with(
    profile: str, recommended: bool, passed: bool, numbers: Any, expected: int
) -> None:
    """The exit status is 1 if a cell failed, or if Gate-3A failed and its profile was named."""
    written = _make_status((numbers,), None, _make_verdicts(passed))
    experiment = _make_experiment(profile=profile)
    prepared = msgspec.structs.replace(experiment.prepared, is_profile_recommended=recommended)

    assert expected == choose_exit_code(experiment._replace(prepared=prepared), written)


def test_means_leave_out_what_could_not_be_counted() -> None:
    """A rate without any cases is left out of the means, not counted as 0."""
    means = compute_means(_make_status((_GOOD,), None))

    assert (0.0, 1.0, None) == (
        means["D"]["impossible_deed_rate"],
        means["D"]["first_try_validity"],
        means["D"]["retry_success_rate"],
    )


def test_what_only_a_game_master_does_is_counted_only_with_one() -> None:
    """Give-ups have no value in a condition without a game master, as in the report."""
    alone = count_outcome(play_cell_of("B", render_answer("*take the cup*")))
    means = compute_means(_make_status((alone, _GOOD), None))

    assert (None, 0.0) == (means["B"]["give_up_rate"], means["D"]["give_up_rate"])


def test_the_end_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    """The summary has a row per condition, the reasons of a failed gate, and the report's path."""
    show_results(
        _make_experiment(profile="gate"), _make_status((_GOOD,), _WHOLE, _make_verdicts(False))
    )
    told = capsys.readouterr().out

    assert "\nD: both.\ncondition  cells  actions a turn  " in told
    assert "1.00" in told
    assert "\nlimits (see the report): Gate-3A not passed by D\n" in told
    assert (
        "exit status 1: the profile 'gate' requires Gate-3A to pass, but it did not: "
        "D (give-ups 0.2 (0/1), must be < 0.10)\n"
    ) in told
    assert told.endswith("report: results/x/report.html\n")


def test_too_few_blocks_are_warned_about_after_a_run_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A finished experiment with too few blocks is warned about in the words of a dry run."""
    show_results(_make_experiment("AB", seeds=(0, 1)), _make_status((_GOOD,), None))
    few = capsys.readouterr().err
    show_results(_make_experiment("AB", seeds=tuple(range(8))), _make_status((_GOOD,), None))

    assert "note: 2 blocks of scenario and seed are too few to show an effect" in few
    assert "too few" not in capsys.readouterr().err


@pytest.mark.parametrize(("seeds", "finished"), [((0,), True), ((0, 1, 2), False)])
def test_an_unfinished_experiment_is_reported_as_one(
    capsys: pytest.CaptureFixture[str], seeds: tuple[int, ...], finished: bool
) -> None:
    """Before the figures it says how many runs are done; a failed gate names how to continue."""
    experiment = _make_experiment(seeds=seeds, profile="gate")
    show_results(experiment, _make_status((_GOOD,), None, _make_verdicts(False)))
    told = capsys.readouterr().out

    assert finished != told.startswith(f"Not finished: 1 of {len(seeds)} runs are done")
    assert finished != ("this can still change; continue with: saniwa experiment resume" in told)


def test_cells_are_counted_and_only_shares_are_hundredths(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The number of cells is that of finished cells, and only shares are percentages."""
    refused = count_outcome(play_cell_of("A", render_answer("*take the lamp* *take the moon*")))
    show_results(_make_experiment(seeds=(0, 1, 2)), _make_status((refused,), None))
    row = capsys.readouterr().out.split("\n")[4].split()

    assert ["A", "1", "2.00", "100.0"] == row[:4]


def test_the_end_for_machines() -> None:
    """The JSON output has the same figures by name."""
    written = _make_status((_GOOD, _CRASHED), None, _make_verdicts(True))
    told = build_results_document(_make_experiment(), written)

    assert (False, 2, 1) == (told["ok"], told["cells"], told["crashed"])
    assert "Gate-3A" == told["gates"][0].gate


def test_a_gate_that_judged_nothing_is_not_said_to_have_failed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A gate without cells to judge is not reported as failed."""
    (verdict,) = _make_verdicts(passed=False)
    nothing = msgspec.structs.replace(verdict, judged=False)
    show_results(_make_experiment(), _make_status((_GOOD,), None, (nothing,)))
    told = capsys.readouterr().out

    assert "limits (see the report): Gate-3A nothing to judge\n" in told
    assert "not passed" not in told


def test_a_passed_gate_has_a_line_too(capsys: pytest.CaptureFixture[str]) -> None:
    """A passed gate has a line too."""
    show_results(_make_experiment(), _make_status((_GOOD,), _WHOLE, _make_verdicts(True)))

    assert "limits (see the report): Gate-3A passed\n" in capsys.readouterr().out


def test_a_column_with_nothing_to_count_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """A metric that no condition has is not in the table."""
    show_results(_make_experiment(), _make_status((_GOOD,), None))
    notice, _, head, *_ = capsys.readouterr().out.split("\n")

    assert "Simulation: these numbers describe stand-ins, not a language model." == notice
    assert ("impossible actions" in head, "milestones" in head) == (True, False)
