import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from saniwa.app.experiment_gate_evidence import ExperimentSubmitter
from saniwa.app.gate.gate_opening import open_gate
from saniwa.core.errors import ExperimentError, ProcessError
from saniwa.experiment.output import output_folder
from saniwa.experiment.output.results import build_run_meta
from saniwa.experiment.plan import PreparedPlan
from saniwa.process.event_record import EventRecord
from tests.fakes.experiments import make_plan, prepare_plan


@pytest.fixture(autouse=True)
def _enter_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gates are opened in an empty folder without environment variables."""
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.delenv("SANIWA_GATE", raising=False)
    for name in [name for name in os.environ if name.startswith("STATE_GATE_")]:
        monkeypatch.delenv(name)


def _write_experiment(made: PreparedPlan, folder: str = "results/trial_1", **meta: Any) -> Path:
    """The folder of a finished experiment."""
    path = Path(folder)
    path.mkdir(parents=True, exist_ok=True)
    told = {"run_meta": build_run_meta(made) | meta}
    (path / output_folder.RUN_META).write_text(json.dumps(told), encoding="utf-8")
    (path / output_folder.REPORT).write_text("# Report\n", encoding="utf-8")
    return path


def _list_events(run_id: str) -> list[tuple[str, str]]:
    """The events in the log, with the states they led to."""
    with open_gate() as gate:
        entries = list(gate.read_history(run_id))
    return [(e.event, e.state) for e in entries if isinstance(e, EventRecord)]


_STATES = ["frame", "experiment", "observe", "synthesize"]


def test_an_experiment_brings_its_evidence_one_after_the_other() -> None:
    """The plan, run_meta and report move the run to the state that needs a conclusion."""
    made = prepare_plan()
    folder = _write_experiment(made)
    submitter = ExperimentSubmitter()
    run_id = submitter.open_run(made, folder)
    submitter.submit_results(folder)
    submitter.submit_report(folder)

    events = ["submit_plan", "submit_results", "submit_report"]
    assert events == [event for event, _ in _list_events(run_id)][1:]
    assert _STATES == [state for _, state in _list_events(run_id)]
    with open_gate() as gate:
        standing = gate.log.load_run(run_id)
    assert ["plan", "report", "run_meta"] == sorted(standing.artifacts)
    assert made.fingerprint == standing.variables["fingerprint"]
    assert "results/trial_1" == standing.opening.folder


@pytest.mark.parametrize("done", range(4))
def test_whatever_was_killed_hands_in_nothing_twice(done: int) -> None:
    """A restarted submitter submits only what is missing."""
    made = prepare_plan()
    folder = _write_experiment(made)
    first = ExperimentSubmitter()
    steps: tuple[Callable[[ExperimentSubmitter], object], ...] = (
        lambda submitter: submitter.open_run(made, folder),
        lambda submitter: submitter.submit_results(folder),
        lambda submitter: submitter.submit_report(folder),
    )
    for step in steps[:done]:
        step(first)
    again = ExperimentSubmitter()
    run_id = again.open_run(made, folder)
    for step in (*steps, *steps[1:]):
        step(again)

    assert _STATES == [state for _, state in _list_events(run_id)]
    with open_gate() as gate:
        assert [run_id] == list(gate.list_runs())


def test_a_run_whose_plan_was_never_submitted_is_continued() -> None:
    """If a submitter was killed before submitting the plan, the next one uses the same run."""
    made = prepare_plan()
    folder = _write_experiment(made)
    about = {"experiment_id": "trial", "fingerprint": made.fingerprint, "folder": folder.name}
    with open_gate() as gate:
        run_id = gate.create_run("experiment", about, folder="results/trial_1").run_id

    assert run_id == ExperimentSubmitter().open_run(made, folder)
    assert ["frame", "experiment"] == [state for _, state in _list_events(run_id)]


def test_each_experiment_has_a_run_of_its_own() -> None:
    """Another plan, or the same plan in another folder, has its own run."""
    one, other = prepare_plan(), prepare_plan(make_plan("AD"))
    runs = [
        ExperimentSubmitter().open_run(one, _write_experiment(one, "results/trial_1")),
        ExperimentSubmitter().open_run(one, _write_experiment(one, "results/trial_2")),
        ExperimentSubmitter().open_run(other, _write_experiment(other, "results/trial_1")),
    ]

    assert 3 == len(set(runs))


def test_what_is_outside_the_project_is_submitted_whole(tmp_path: Path) -> None:
    """Evidence outside the project is submitted inline."""
    made = prepare_plan()
    folder = _write_experiment(made, str(tmp_path / "elsewhere" / "trial_1"))
    submitter = ExperimentSubmitter()
    run_id = submitter.open_run(made, folder)
    submitter.submit_results(folder)
    submitter.submit_report(folder)

    with open_gate() as gate:
        standing = gate.log.load_run(run_id)
    assert "synthesize" == standing.state
    assert {"inline"} == {each.form for each in standing.list_artifacts()}


def test_the_plan_is_evidence_with_all_a_reader_looks_for() -> None:
    """The submitted plan has its defaults written out."""
    made = prepare_plan()
    run_id = ExperimentSubmitter().open_run(made, _write_experiment(made))

    with open_gate() as gate:
        (handed,) = gate.log.load_run(run_id).artifacts["plan"].values()
    told = {name: handed.content[name] for name in ("experiment_id", "scenarios", "seeds")}
    assert {"experiment_id": "trial", "scenarios": ["house"], "seeds": [0]} == told
    assert ["A", "B", "C", "D"] == [c["name"] for c in handed.content["conditions"]]


def test_a_run_meta_that_is_not_sound_is_refused() -> None:
    """An invalid run_meta is refused with the gate's reason."""
    made = prepare_plan()
    folder = _write_experiment(made, scenarios={})
    submitter = ExperimentSubmitter()
    submitter.open_run(made, folder)

    with pytest.raises(ProcessError) as raised:
        submitter.submit_results(folder)

    assert raised.value.code in ("INVALID_PAYLOAD", "GUARD_FAILED")
    assert "the gate refuses 'submit_results'" in raised.value.message


def test_results_that_are_not_written_yet_are_no_evidence(tmp_path: Path) -> None:
    """Results that do not exist yet are refused, inside and outside the project."""
    made = prepare_plan()
    inside, outside = Path("results/none"), tmp_path / "none"
    near, far = ExperimentSubmitter(), ExperimentSubmitter()
    for submitter, folder in ((near, inside), (far, outside)):
        folder.mkdir(parents=True)
        submitter.open_run(made, folder)

    with pytest.raises(ProcessError):
        near.submit_results(inside)
    with pytest.raises(ExperimentError) as raised:
        far.submit_results(outside)
    assert "EXPERIMENT_NOT_FOUND" == raised.value.code
    assert str(tmp_path) not in str(raised.value)


def test_what_comes_next_is_said_with_its_command() -> None:
    """The next command is shown: before the report the state, after it what to submit."""
    made = prepare_plan()
    folder = _write_experiment(made)
    submitter = ExperimentSubmitter()
    run_id = submitter.open_run(made, folder)
    early = submitter.describe_next_step()
    submitter.submit_results(folder)
    submitter.submit_report(folder)

    assert early.endswith(f"is in state 'experiment': saniwa gate state {run_id}")
    assert (
        f"the gate's run {run_id} is in state 'synthesize': write synthesis.md in "
        f"results/trial_1, then saniwa gate emit {run_id} submit_synthesis "
        "--expected-revision 4 --key synthesis-4 --artifact synthesis.md"
    ) == submitter.describe_next_step()
