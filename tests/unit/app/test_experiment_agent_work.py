import asyncio
import json
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from saniwa.agent.journal import MemoryJournal
from saniwa.app.experiment_agent_work import AgentWorkPlayer
from saniwa.app.experiment_start_and_resume import resume_experiment, run_experiment
from saniwa.app.experiments.experiment_run import load_prepared_plan, read_outcomes
from saniwa.app.experiments.folder import Experiment
from saniwa.app.experiments.replay import replay_cells
from saniwa.app.experiments.status import open_own_outcomes
from saniwa.app.gate.check_runner import _replay_experiment
from saniwa.app.gate.configuration import locate_gate
from saniwa.app.gate.port_adapters import make_signature_verifier
from saniwa.core.clock import FixedClock
from saniwa.core.errors import SaniwaError, SdkBridgeError
from saniwa.experiment.cell_outcome import CellOutcome, WorkRecord, decode_outcome
from saniwa.experiment.in_process_executor import InProcessExecutor
from saniwa.experiment.metrics import count_outcome
from saniwa.experiment.output.output_folder import CELLS
from saniwa.experiment.plan import ExperimentCell, PreparedPlan, iterate_cells
from saniwa.experiment.plan_reader import find_violations, read_plan
from saniwa.experiment.statistics.analysis import analyse_experiment
from saniwa.models.canned_answers import CannedOracle
from saniwa.models.oracle import Oracle, OracleAnswer, ToolCall
from saniwa.models.recording import AgentJournal
from saniwa.process.ports import EvidenceError
from saniwa.store.outcome_store import MemoryOutcomeStore
from tests.fakes.model_server import ModelServer
from tests.house.pages import ROOT

_KEYS: dict[str, Any] = {
    "experiment_id": "workers",
    "process": "survey.yaml",
    "agent": "surveyor",
    "files": ["workspace"],
    "allow_tools": ["measure"],
    "accepted": ["review"],
    "factors": {"model": ["canned:honest.yaml", "canned:inventing.yaml"]},
}
_HONEST, _INVENTING = "model=canned-honest.yaml", "model=canned-inventing.yaml"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example of a worker, in the current folder."""
    folder = tmp_path / "worker"
    shutil.copytree(ROOT / "examples" / "worker", folder)
    monkeypatch.chdir(folder)
    # The Python of the tests, because a shim may not start in a sandbox.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return folder


def _run(**more: Any) -> Experiment:
    return asyncio.run(run_experiment({**_KEYS, **more}, output="results", report=False))


def _read_work(experiment: Experiment) -> dict[str, tuple[CellOutcome, WorkRecord]]:
    outcomes = list(read_outcomes(experiment))
    return {each.condition: (each, each.work) for each in outcomes if each.work is not None}


def test_measured_evidence_passes_and_invented_evidence_does_not() -> None:
    """A cell passes in an accepted state, and invented evidence is counted."""
    found = _read_work(_run())
    honest, inventing = (count_outcome(found[name][0]) for name in (_HONEST, _INVENTING))

    assert (True, False) == (honest.goal_reached, inventing.goal_reached)
    assert (0, 7) == (honest.fabricated_submissions, inventing.fabricated_submissions)
    assert {"typed": 6, "unmade": 1} == inventing.fabrications_by_kind
    assert {"GUARD_FAILED": 1} == honest.refusals_by_code
    assert {"GUARD_FAILED": 6, "INVALID_PAYLOAD": 1} == inventing.refusals_by_code
    assert {"Read": 2, "measure": 1} == found[_HONEST][1].tools
    assert ("AGENT_WAITING", "SUBMISSION_REPEATED") == (
        found[_HONEST][0].stopped,
        found[_INVENTING][0].stopped,
    )


def test_the_results_have_every_figure_by_condition() -> None:
    """The results have pass rate, refusals by code, fabrications, calls, tokens and cost."""
    folder = _run(seeds=2).folder
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    stats = results["conditions"][_INVENTING]["stats"]

    assert "work" == results["mode"]
    assert (2, 0, 16) == (stats["cells"], stats["passed"], stats["generation_calls"])
    assert {"total": 16, "refused": 14} == {
        name: stats["submissions"][name] for name in ("total", "refused")
    }
    assert {"typed": 12, "unmade": 2} == stats["fabricated"]["by_kind"]
    assert (0.875, 8.0) == (
        stats["rates"]["fabrication_rate"],
        stats["rates"]["model_calls_per_run"],
    )
    assert {"agent": "surveyor", "model": "canned:inventing.yaml", "name": _INVENTING} == results[
        "conditions"
    ][_INVENTING]["levels"]


def test_a_recording_gives_the_same_bytes_and_runs_no_tool(project: Path) -> None:
    """A replay gives the same bytes without running a tool."""
    done = _run()
    stored = {path.name: path.read_bytes() for path in (done.folder / CELLS).glob("*.json")}
    work = AgentWorkPlayer(recorded := MemoryOutcomeStore())
    for cell in iterate_cells(done.prepared.plan):
        recorded.keep(cell.key, stored[f"{cell.key}.json"])
    # The prepared plan contains the files, so that those here are not read again.
    shutil.rmtree(project / "surveyor")

    with open_own_outcomes(done) as outcomes:
        assert outcomes is not None
        report = asyncio.run(replay_cells(done, outcomes, work=AgentWorkPlayer))
    assert (2, ()) == (report.cells, report.differences)
    prepared = _remove_command(done.prepared)
    replayed = _play(prepared, [], work, recorded)
    assert [decode_outcome(stored[f"{key}.json"]).work for key in sorted(replayed)] == [
        replayed[key].work for key in sorted(replayed)
    ]


def _remove_command(prepared: PreparedPlan) -> PreparedPlan:
    files = {name: content for name, content in prepared.files.items() if "measure.py" not in name}
    assert len(files) < len(prepared.files)
    return msgspec.structs.replace(prepared, files=files)


def _play(
    prepared: PreparedPlan,
    answers: Iterable[str | OracleAnswer],
    work: AgentWorkPlayer,
    recorded: MemoryOutcomeStore | None = None,
) -> dict[str, CellOutcome]:
    """Play all cells with these answers, or with recorded ones."""
    from saniwa.app.experiments.cell_models import RecordedModels

    def open_oracle(cell: ExperimentCell, journal: AgentJournal) -> Oracle:
        if recorded is not None:
            return RecordedModels(recorded, {})(cell, journal)
        return CannedOracle([*answers])

    store = MemoryOutcomeStore()

    async def play() -> None:
        executor = InProcessExecutor(open_oracle, store, FixedClock(), work=work)
        cells = iterate_cells(prepared.plan)
        _ = [done async for done in executor.run_cells(prepared, cells)]

    asyncio.run(play())
    found = {key: store.get_outcome(key) for key in store.list_keys()}
    return {key: decode_outcome(content) for key, content in found.items() if content}


def test_an_interrupted_experiment_is_resumed() -> None:
    """Resuming plays the missing cells, and gives the same results."""
    done = _run(seeds=2)
    before = (done.folder / "results.json").read_bytes()
    lost = sorted((done.folder / CELLS).glob("*.json"))[1]
    lost.unlink()

    again = asyncio.run(resume_experiment(done, report=False))

    assert 3 == again.before
    figures = [json.loads(each)["conditions"] for each in (before, _read_results(again))]
    for conditions in figures:
        for condition in conditions.values():
            condition["stats"].pop("latency_ms")
            for run in condition["runs"]:
                run.pop("latency_ms")
    assert figures[0] == figures[1]


def _read_results(experiment: Experiment) -> bytes:
    return (experiment.folder / "results.json").read_bytes()


def test_a_tool_that_the_plan_does_not_allow_is_refused_to_the_agent() -> None:
    """A tool that the plan does not allow fails, and the agent continues without it."""
    prepared = load_prepared_plan(
        _KEYS | {"allow_tools": [], "factors": {}, "model": "canned:honest.yaml"}
    )
    plan, call, measured, _ = _answer(True, 0)
    (outcome,) = _play(prepared, [plan, call, *[measured] * 5], AgentWorkPlayer()).values()

    assert outcome.work is not None
    assert (False, "SUBMISSION_REPEATED") == (outcome.goal_reached, outcome.stopped)
    assert ({"measure": 1}, 1) == (outcome.work.tools, outcome.work.failed_tools)
    assert ["unmade"] * 5 == [k for each in outcome.work.submissions for k in each.fabricated]


def test_a_model_that_cannot_be_called_leaves_the_cell_undone() -> None:
    """If a model has no more answers, its cell is not done."""
    Path("short.yaml").write_text("[no action at all]\n", encoding="utf-8")

    with pytest.raises(SdkBridgeError) as caught:
        _run(factors={"model": ["canned:short.yaml"]})

    assert "CANNED_EXHAUSTED" == caught.value.code


def test_an_openai_compatible_server_is_asked_by_the_plans_address() -> None:
    """With `llm_url` the calls and tokens of an OpenAI-compatible server are counted."""
    action = {"type": "submit", "event": "submit_plan", "artifacts": [_PLAN_FILE]}
    with ModelServer(lambda _: f"```action\n{json.dumps(action)}\n```") as server:
        done = _run(
            llm_url=f"{server.url}/v1", model="any", factors={}, accepted=["measure"], max_turns=1
        )
    ((outcome, work),) = _read_work(done).values()

    assert outcome.goal_reached
    assert (1, 11, 7) == (work.calls, work.input_tokens, work.output_tokens)


_PLAN_FILE = {"path": "plan.md", "content": "Count words."}


def test_conditions_are_compared_block_by_block() -> None:
    """Two agents that differ in every block give a paired test of the pass rate."""
    shutil.copytree("surveyor", "guesser")
    plan = load_prepared_plan(
        {name: value for name, value in _KEYS.items() if name != "agent"}
        | {"seeds": 6, "model": "canned:honest.yaml"}
        | {"factors": {"agent": ["guesser", "surveyor"]}}
    )
    outcomes = list[CellOutcome]()
    for cell in iterate_cells(plan.plan):
        single = msgspec.structs.replace(
            plan,
            plan=msgspec.structs.replace(
                plan.plan, conditions=(cell.condition,), seeds=(cell.seed,)
            ),
        )
        honest = cell.condition.agent == "surveyor"
        outcomes += _play(single, _answer(honest, cell.seed), AgentWorkPlayer()).values()

    found = analyse_experiment(plan.plan, [count_outcome(each) for each in outcomes])
    tested = [each for each in found.comparisons if each.metric == "pass_rate"]

    assert [(1.0, 6)] == [(each.difference, each.blocks) for each in tested]
    assert tested[0].p == 2 / 2**6
    assert 0.0 == found.estimates["agent=guesser"]["pass_rate"].mean


def _answer(honest: bool, seed: int) -> list[str | OracleAnswer]:
    """A worker's words, slightly different for each seed."""
    plan = {"path": "plan.md", "content": f"Count words. {seed}"}
    made = {"path": "measurement.json", "made_by": "tool", "call": "measure"}
    typed = {"path": "measurement.json", "content": '{"drafts": {"a": 1}}'}
    report = {"path": "report.md", "content": "---\nanswer: a\ndifference: 1\n---\n"}
    call = OracleAnswer(
        text="", model="m", finish="tool_call", calls=(ToolCall(id="c", name="measure"),)
    )
    measured = [_submit("submit_measurement", made if honest else typed)]
    rest: list[str | OracleAnswer] = [_submit("submit_report", report)]
    if not honest:
        return [_submit("submit_plan", plan), *measured * 5]
    return [_submit("submit_plan", plan), call, *measured, *rest]


def _submit(event: str, artifact: dict[str, Any]) -> str:
    action = {"type": "submit", "event": event, "artifacts": [artifact]}
    return f"```action\n{json.dumps(action)}\n```"


def test_the_environment_does_not_lead_to_another_gate(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A cell uses its own gate, whatever the environment names."""
    for name in ("STATE_GATE_PROJECT_ROOT", "STATE_GATE_PROCESS_DIR", "STATE_GATE_RUNS_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "other"))
    monkeypatch.setenv("STATE_GATE_CREDENTIAL", "mori:secret")

    found = _read_work(_run())

    assert found[_HONEST][0].goal_reached
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("more", "code", "message"),
    [
        ({"scenarios": ["default"]}, "UNKNOWN_VALUE", "'scenarios' has no effect in mode 'work'"),
        ({"conditions": ["A"]}, "UNKNOWN_VALUE", "'conditions' has no effect in mode 'work'"),
        ({"max_retries": 1}, "UNKNOWN_VALUE", "'max_retries' has no effect in mode 'work'"),
        ({"profile": "dev"}, "UNKNOWN_VALUE", "'profile' has no effect in mode 'work'"),
        (
            {"factors": {"inject": [True, False]}, "model": "canned:honest.yaml"},
            "UNKNOWN_VALUE",
            "'inject' has no effect when agents work at a gate",
        ),
        (
            {"factors": {"rulebook": ["strict", "default"]}, "model": "canned:honest.yaml"},
            "UNKNOWN_VALUE",
            "'rulebook' has no effect when agents work at a gate",
        ),
        ({"mode": "real"}, "UNKNOWN_VALUE", "'process' has no effect in mode 'real'"),
        ({"agent": None}, "FIELD_MISSING", "agent"),
        ({"factors": {}}, "FIELD_MISSING", "in mode 'work' a plan needs 'model'"),
        ({"accepted": ["reviewed"]}, "UNKNOWN_VALUE", "'survey' has no state 'reviewed'"),
        ({"files": ["../secrets"]}, "FILE_OUTSIDE", "'../secrets' is outside"),
        ({"files": ["nothing"]}, "FILE_MISSING", "there is no file or folder 'nothing'"),
        ({"agent": "nobody"}, "CONFIG_NOT_FOUND", "nobody"),
        ({"process": "missing"}, "PROCESS_NOT_FOUND", "missing"),
        ({"arguments": {"colour": 1}}, "ARGUMENT_UNUSABLE", "colour"),
    ],
)
def test_what_does_not_go_together_is_found_before_anything_runs(
    more: dict[str, Any], code: str, message: str
) -> None:
    """Keys of another mode and unknown names are mistakes of the plan."""
    keys = {name: value for name, value in (_KEYS | more).items() if value is not None}

    with pytest.raises(SaniwaError) as caught:
        load_prepared_plan(keys)

    found = caught.value.details.get("findings") or [caught.value.to_document()]
    assert (code, True) in {(each["code"], message in each["message"]) for each in found}


def test_a_plan_needs_scenarios_or_a_process() -> None:
    """The error for a plan without scenarios and a process asks for a scenario."""
    report = read_plan(options={"seeds": 1}).report

    assert ["FIELD_MISSING"] == [each.code for each in report.errors]
    assert "scenarios" in report.errors[0].message


def test_a_prepared_plan_writes_nothing_outside_of_its_project() -> None:
    """A prepared plan may name files only inside the project."""
    prepared = load_prepared_plan(_KEYS)
    condition = msgspec.structs.replace(prepared.plan.conditions[0], agent="../worker")
    plan = msgspec.structs.replace(prepared.plan, conditions=(condition,), factors={})

    assert [] == list(find_violations(prepared))
    for bad in ("../x", "/etc/x", "c:x", "a\\b"):
        changed = msgspec.structs.replace(prepared, files={bad: b""})
        assert any("outside of the project" in each for each in find_violations(changed))
    changed = msgspec.structs.replace(prepared, plan=plan)
    assert any("names no agent" in each for each in find_violations(changed))


def test_a_gate_replays_no_experiment_with_agents() -> None:
    """A gate does not replay an experiment with agents, which could run commands."""
    with pytest.raises(EvidenceError, match="replays no experiment with agents"):
        _replay_experiment(_run(), make_signature_verifier(locate_gate()))


def test_a_journal_in_memory_is_enough_for_a_cell() -> None:
    """A journal in memory records tool calls in order."""
    prepared = load_prepared_plan(_KEYS | {"factors": {"model": ["canned:honest.yaml"]}})
    journal = MemoryJournal()

    async def play() -> None:
        from saniwa.experiment.run_template import RunTemplates

        cell = next(iterate_cells(prepared.plan))
        oracle = CannedOracle(_answer(True, 1))
        await AgentWorkPlayer()(RunTemplates(prepared), cell, oracle, journal)

    asyncio.run(play())

    assert ["measure"] == [each["tool"] for each in journal.read_entries()]
