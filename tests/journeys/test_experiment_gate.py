"""An experiment at the gate, as commands: evidence, refusals, a decision, crashes."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.nightly import choose_cases
from tests.journeys.gate_terminal import CommandAnswer, GateTerminal, answer_of, make_environment

_SMALL = ("--scenario", "coffee_trap", "--profile", "dev", "--max-turns", "2")
_STRIKES = (1, 5, 11, 12, 13, 14, 15, 17, 18, 22, 26)
_STATES = ["frame", "experiment", "observe", "synthesize"]
_SYNTHESIS = "---\nclaim: telling helps\nconfidence: low\n---\nOne run.\n"

_KILLED = """
import os, runpy, signal, sys

left = int(sys.argv[1])
sys.argv = ["saniwa", *sys.argv[2:]]


def strike(event, arguments):
    global left
    if event in ("open", "os.rename", "os.link", "os.mkdir", "os.remove"):
        if ".state_gate" in str(arguments[0]):
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


sys.addaudithook(strike)
runpy.run_module("saniwa", run_name="__main__")
"""
"""A coordinator that is killed the nth time it uses the gate's files."""


def _run_experiment(folder: Path, *words: str, strike: int = 0) -> CommandAnswer:
    if not strike:
        return answer_of(folder, "experiment", *words)
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(strike), "experiment", *words],
        cwd=folder,
        env=make_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return CommandAnswer(done.returncode, done.stdout.decode(), done.stderr.decode())


def _find_result(folder: Path) -> Path:
    (found,) = (folder / "results").iterdir()
    return found


def _list_events(desk: GateTerminal) -> list[dict[str, Any]]:
    """Every event of the last run, oldest first."""
    lines = desk.run_command("history", "last", "--json").out.split("\n")
    told = [json.loads(line) for line in lines if line]
    return [each for each in told if each["kind"] == "event"]


@pytest.fixture
def terminal(tmp_path: Path) -> GateTerminal:
    """A folder with one experiment whose evidence is submitted."""
    done = _run_experiment(tmp_path, "run", *_SMALL, "--gate")
    assert 0 == done.code, done.err
    return GateTerminal(tmp_path)


def _send(desk: GateTerminal, event: str, revision: int, *more: str) -> CommandAnswer:
    numbers = ("--expected-revision", str(revision), "--key", f"{event}-{revision}")
    return desk.run_command("emit", "last", event, *numbers, "--json", *more)


def _decide(desk: GateTerminal, credential: str) -> CommandAnswer:
    digest = desk.run_command("review", "last", "--json").document["digest"]
    return desk.run_command(
        *("approve", "last", "--digest", digest, "--reason", "read it", "--json"),
        *("--credential-file", credential),
    )


def _to_decide(desk: GateTerminal) -> None:
    """Write the synthesis and the decision next to the results, and submit them."""
    folder = _find_result(desk.folder)
    (folder / "synthesis.md").write_text(_SYNTHESIS)
    (folder / "decision.md").write_text("Tell them.\n")
    sent = _send(desk, "submit_synthesis", 4, "--artifact", "synthesis.md")
    assert 0 == sent.code, sent.out
    sent = _send(desk, "submit_decision", 5, "--artifact", "decision.md")
    assert 0 == sent.code, sent.out


def test_an_experiment_is_decided_on_all_its_evidence(terminal: GateTerminal) -> None:
    """With plan, run_meta, report, synthesis and decision a reviewer can approve."""
    _to_decide(terminal)
    decided = _decide(terminal, terminal.add_reviewer())

    assert 0 == decided.code, decided.out
    state = terminal.run_command("state", "last", "--json").document
    assert "done" == state["current_state"]
    handed = {a["type"] for each in _list_events(terminal) for a in each.get("artifacts", ())}
    found = {"replayed", "one_experiment", "scenarios_planned", "conditions_listed"}
    found |= {"seeds_listed", "rules_own"}
    assert {"plan", "run_meta", "report", "synthesis", "decision"} | found == handed


def test_nothing_is_decided_before_the_evidence_is_there(terminal: GateTerminal) -> None:
    """A decision without synthesis or decision document, or by an agent, is refused."""
    reviewer = terminal.add_reviewer()
    early = _decide(terminal, reviewer)
    bare = _send(terminal, "submit_synthesis", 4)
    _send(terminal, "submit_synthesis", 4, "--inline", 'synthesis={"claim": "a", "confidence": "low"}')  # fmt: skip
    undecided = _decide(terminal, reviewer)
    agent = _send(terminal, "approve", 5)

    assert "INVALID_EVENT" == early.refusal
    assert "GUARD_FAILED" == bare.refusal
    assert "GUARD_FAILED" == undecided.refusal
    assert "FORBIDDEN" == agent.refusal


@pytest.mark.parametrize("name", ["REPORT.md", "run_meta.json"])
def test_a_decision_needs_the_report_and_the_results_still(
    terminal: GateTerminal, name: str
) -> None:
    """A decision is refused if the report or the results are missing by then."""
    _to_decide(terminal)
    (_find_result(terminal.folder) / name).unlink()

    assert "APPROVAL_STALE" == _decide(terminal, terminal.add_reviewer()).refusal


def test_no_state_can_be_passed_without_its_evidence(tmp_path: Path) -> None:
    """A run that is created by hand needs the evidence of every state."""
    desk = GateTerminal(tmp_path)
    desk.begin("experiment")
    meta = {"run_meta": {"scenarios": {"a": {"scenario_id": "a", "scenario_hash": "0" * 16, "world_hash": "0" * 16, "validation_passed": True}}}}  # fmt: skip
    unsound: Any = {"run_meta": {"scenarios": {}}}
    plan = {"experiment_id": "a", "scenarios": ["a"], "conditions": ["D"], "seeds": [0]}
    plan["fingerprint"] = "0" * 16

    assert "GUARD_FAILED" == desk.emit("submit_plan", 1).refusal
    vague = desk.emit("submit_plan", 1, "--inline", 'plan={"question": "why"}')
    assert "GUARD_FAILED" == vague.refusal
    assert 0 == desk.emit("submit_plan", 1, "--inline", f"plan={json.dumps(plan)}").code
    assert "GUARD_FAILED" == desk.emit("submit_results", 2).refusal
    wrong = desk.emit("submit_results", 2, "--inline", f"run_meta={json.dumps(unsound)}")
    assert "INVALID_PAYLOAD" == wrong.refusal
    right = desk.emit("submit_results", 2, "--inline", f"run_meta={json.dumps(meta)}")
    assert 0 == right.code, right.out
    assert "GUARD_FAILED" == desk.emit("submit_report", 3).refusal
    assert "INVALID_EVENT" == desk.emit("override_guard", 3).refusal


def test_after_a_rejection_the_evidence_is_submitted_again(terminal: GateTerminal) -> None:
    """After a rejection the experiment waits for its results, and `resume` submits them again."""
    _to_decide(terminal)
    digest = terminal.run_command("review", "last", "--json").document["digest"]
    back = terminal.run_command(
        *("reject", "last", "--digest", digest, "--reason", "too small"),
        *("--credential-file", terminal.add_reviewer()),
    )
    again = _run_experiment(terminal.folder, "resume", str(_find_result(terminal.folder)), "--gate")

    assert (0, 0) == (back.code, again.code)
    rest = ["experiment", "observe", "synthesize"]
    assert rest == [each["state"] for each in _list_events(terminal)][-3:]


def test_the_next_command_is_said_and_does_what_it_says(tmp_path: Path) -> None:
    """The next command that is printed can be typed as it is."""
    said = _run_experiment(tmp_path, "run", *_SMALL, "--gate").err
    (line,) = [each for each in said.split("\n") if "is in state 'synthesize'" in each]
    (_find_result(tmp_path) / "synthesis.md").write_text(_SYNTHESIS)
    command = line.partition(", then saniwa gate ")[2].split(" ")

    assert 0 == GateTerminal(tmp_path).run_command(*command).code
    assert "decide" == _list_events(GateTerminal(tmp_path))[-1]["state"]


@pytest.mark.slow
@pytest.mark.parametrize("strike", choose_cases(_STRIKES, 1, 12, 15, 22))
def test_killed_at_the_gate_and_resumed_each_event_occurs_once(tmp_path: Path, strike: int) -> None:
    """Wherever a coordinator is killed, the next one sends each missing event once."""
    killed = _run_experiment(tmp_path, "run", *_SMALL, "--gate", strike=strike)
    assert -signal.SIGKILL == killed.code
    folder = str(_find_result(tmp_path))
    for _ in range(2):
        resumed = _run_experiment(tmp_path, "resume", folder, "--gate")
        assert 0 == resumed.code, resumed.err

    desk = GateTerminal(tmp_path)
    assert 1 == desk.run_command("runs", "--json").out.count('"run_id"')
    assert _STATES == [each["state"] for each in _list_events(desk)]
    assert 0 == desk.run_command("verify", "last").code
    assert folder == str(_find_result(tmp_path))
