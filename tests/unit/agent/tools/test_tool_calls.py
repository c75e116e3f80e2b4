"""An agent with tools: what restricts a call, and that each runs once."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.journal import render_entry
from saniwa.agent.layer_contracts import AgentResult
from saniwa.agent.tools.tool import ApprovalDecision, decide_permission
from saniwa.app.gate.configuration import locate_gate
from saniwa.app.gate.gate_opening import make_gate_port, open_gate
from saniwa.process.tool_permissions import ToolPermission
from tests.fakes.nightly import choose_cases
from tests.fakes.tool_agent import FirmApprover, make_call, run_tool_agent, write_tool_agent
from tests.house.pages import ROOT

_THREE = [
    make_call("Write", path="notes/plan.md", content="one"),
    make_call("append", line="first"),
    make_call("Edit", path="notes/plan.md", old="one", new="two"),
    make_call("append", line="second"),
    "It is done.",
]


def _list_entries(folder: Path, event: str) -> list[dict[str, Any]]:
    lines = (folder.parent / "agent-1.jsonl").read_text().splitlines()
    return [entry for entry in map(json.loads, lines) if entry["event"] == event]


def _list_outputs(folder: Path) -> list[str]:
    return [entry["output"]["text"] for entry in _list_entries(folder, "toolFinished")]


def _run_one(tmp_path: Path, call: dict[str, Any], **more: Any) -> tuple[AgentResult, list[str]]:
    run = {key: more.pop(key) for key in ("approver", "port") if key in more}
    folder = write_tool_agent(tmp_path / "hands", [call, "Done."], **more)
    result = run_tool_agent(folder, tmp_path / "work", **run)
    return result, _list_outputs(folder)


def test_tools_run_in_order_until_the_model_answers(tmp_path: Path) -> None:
    """Tools run in order until an answer without calls."""
    folder = write_tool_agent(tmp_path / "hands", _THREE)

    result = run_tool_agent(folder, tmp_path / "work")

    assert result.success
    assert 1 == result.total_iterations
    assert ("It is done.",) == result.summaries[0].assistant_responses
    assert ("Write", "append", "Edit", "append") == result.summaries[0].tools_used
    assert (5, 4) == (result.usage.calls, result.usage.tool_calls)
    assert "two" == (tmp_path / "work" / "notes" / "plan.md").read_text()
    assert "first\nsecond\n" == (tmp_path / "work" / "effects.txt").read_text()


def test_a_model_receives_the_results(tmp_path: Path) -> None:
    """The result of a tool is sent to the model."""
    answers = [
        make_call("append", line="x"),
        {"text": "It was added.", "when": "exit code 0\nadded"},
        {"text": "Nothing came back."},
    ]
    folder = write_tool_agent(tmp_path / "hands", answers)

    result = run_tool_agent(folder, tmp_path / "work")

    assert ("It was added.",) == result.summaries[0].assistant_responses


def test_a_tool_that_is_not_allowed_is_not_there(tmp_path: Path) -> None:
    """A tool that `allowedTools` does not name is neither offered nor run."""
    _, outputs = _run_one(tmp_path, make_call("append", line="x"), allowed=("Read",))

    assert ["there is no tool 'append'; there are: Read"] == outputs
    assert not (tmp_path / "work" / "effects.txt").exists()


@pytest.mark.parametrize(
    ("mode", "effect", "answer"),
    [
        ("", "read", "allow"),
        ("", "edit", "ask"),
        ("", "execute", "ask"),
        ("plan", "read", "allow"),
        ("plan", "edit", "deny"),
        ("plan", "execute", "deny"),
        ("acceptEdits", "edit", "allow"),
        ("acceptEdits", "execute", "ask"),
        ("bypassPermissions", "execute", "allow"),
    ],
)
def test_the_permission_mode_decides_by_effect(mode: str, effect: Any, answer: str) -> None:
    """Reading is always allowed; whether a change is depends on the permission mode."""
    assert answer == decide_permission(mode, effect, ToolPermission(None)).answer


@pytest.mark.parametrize("mode", ["", "plan", "acceptEdits", "bypassPermissions"])
@pytest.mark.parametrize("effect", ["read", "edit", "execute"])
def test_a_state_takes_away_and_never_grants(mode: str, effect: Any) -> None:
    """A state's denial or question applies in every mode, and its permission adds none."""
    without = decide_permission(mode, effect, ToolPermission(None))

    for answer in ("deny", "ask"):
        assert answer == decide_permission(mode, effect, ToolPermission(answer)).answer
    assert without == decide_permission(mode, effect, ToolPermission("allow"))


def test_a_person_is_asked_and_can_refuse(tmp_path: Path) -> None:
    """A call that a person refuses does not run, and the model gets the reason."""
    approver = FirmApprover(ApprovalDecision("skip", "too early"))

    result, outputs = _run_one(tmp_path, make_call("append", line="x"), mode="", approver=approver)

    assert result.success
    assert ["a person refused it: too early"] == outputs
    assert ["append"] == [request.call.name for request in approver.asked]
    assert not (tmp_path / "work" / "effects.txt").exists()


def test_without_a_person_the_agent_stops_and_continues_later(tmp_path: Path) -> None:
    """Without a person the agent stops, and asks again when it is resumed."""
    folder = write_tool_agent(tmp_path / "hands", [make_call("append", line="x"), "Done."], mode="")

    stopped = run_tool_agent(folder, tmp_path / "work")
    agreed = FirmApprover(ApprovalDecision("run"))
    result = run_tool_agent(folder, tmp_path / "work", resume=True, approver=agreed)

    assert stopped.error is not None
    assert ("TOOL_APPROVAL_NEEDED", True) == (stopped.error.code, stopped.error.recoverable)
    assert result.success
    assert "x\n" == (tmp_path / "work" / "effects.txt").read_text()


_PROCESS = """
process_id: guarded
version: "1.0.0"
name: Guarded
initial_state: open
states:
  - {name: open, tool_permissions: {denied: [append], ask: [Write]}}
  - {name: closed, is_final: true}
events: [{name: close, allowed_roles: [agent]}]
transitions: [{from: open, event: close, to: closed}]
roles: [{name: agent, allowed_events: "*"}]
"""


def test_the_state_of_the_gate_binds_every_call(tmp_path: Path) -> None:
    """A tool that the current state denies does not run, whatever the agent allows."""
    place = tmp_path / ".state_gate"
    (place / "processes").mkdir(parents=True)
    (place / "processes" / "guarded.yaml").write_text(_PROCESS)
    approver = FirmApprover(ApprovalDecision("run"))
    calls = [
        make_call("append", line="x"),
        make_call("Write", path="a.md", content="a"),
        make_call("get_state"),
        make_call("get_history"),
        make_call("read_evidence"),
        "Done.",
    ]
    folder = write_tool_agent(tmp_path / "hands", calls)
    with open_gate(place) as gate:
        run_id = gate.create_run("guarded").run_id
        port = make_gate_port(gate, locate_gate(place), run_id, wait=False)

        run_tool_agent(folder, tmp_path / "work", port=port, approver=approver)

    outputs = _list_outputs(folder)
    assert "not allowed: 'append' must not be used in state 'open'" == outputs[0]
    assert not (tmp_path / "work" / "effects.txt").exists()
    assert ["Write"] == [request.call.name for request in approver.asked]
    assert "state:\nopen" in outputs[2]
    assert '"event":"created"' in outputs[3]
    assert "there is no evidence yet" == outputs[4]


def test_a_rule_about_arguments_binds_the_calls_it_fits(tmp_path: Path) -> None:
    """A rule with arguments applies to matching calls only; paths are relative to the workspace."""
    place = tmp_path / ".state_gate"
    (place / "processes").mkdir(parents=True)
    rules = _PROCESS.replace("denied: [append], ask: [Write]", 'denied: ["Write(secret/*)"]')
    (place / "processes" / "guarded.yaml").write_text(rules)
    calls = [
        make_call("Write", path="./secret/a.md", content="a"),
        make_call("Write", path="a.md", content="a"),
        "Done.",
    ]
    folder = write_tool_agent(tmp_path / "hands", calls)
    with open_gate(place) as gate:
        run_id = gate.create_run("guarded").run_id
        port = make_gate_port(gate, locate_gate(place), run_id, wait=False)

        run_tool_agent(folder, tmp_path / "work", port=port)

    first = _list_outputs(folder)[0]
    assert "not allowed: 'Write(secret/*)' must not be used in state 'open'" == first
    assert not (tmp_path / "work" / "secret").exists()
    assert "a" == (tmp_path / "work" / "a.md").read_text()


def test_calls_are_counted_and_limited(tmp_path: Path) -> None:
    """A call over the limit does not run."""
    folder = write_tool_agent(tmp_path / "hands", [*_THREE], limits={"maxToolCalls": 1})

    result = run_tool_agent(folder, tmp_path / "work")

    assert result.error is not None
    assert "BUDGET_SPENT" == result.error.code
    assert ["toolStarted"] == [e["event"] for e in _list_entries(folder, "toolStarted")]


def test_arguments_that_do_not_fit_run_nothing(tmp_path: Path) -> None:
    """A call with wrong arguments does not run, and the model gets the reason."""
    _, outputs = _run_one(tmp_path, make_call("append", lines="x"))

    assert "the arguments do not fit" in outputs[0]
    assert not (tmp_path / "work" / "effects.txt").exists()


def test_an_action_is_handled_by_a_tool(tmp_path: Path) -> None:
    """`actions.handlers` names the tool of an action, whose success a check can see."""
    actions = {"enabled": True, "types": [], "handlers": {"note": "append"}}
    block = '```action\n{"type": "note", "line": "by hand"}\n```'
    folder = write_tool_agent(tmp_path / "hands", [block], allowed=("append",), actions=actions)

    result = run_tool_agent(folder, tmp_path / "work")

    assert ["note", True] == [
        result.summaries[0].action_results[0].type,
        result.summaries[0].action_results[0].success,
    ]
    assert "by hand\n" == (tmp_path / "work" / "effects.txt").read_text()


@pytest.mark.parametrize("left", choose_cases(range(2, 24), *range(2, 24, 3)))
def test_an_agent_killed_anywhere_runs_each_call_once(left: int, tmp_path: Path) -> None:
    """Killed with -9 before any entry and resumed, an agent repeats and loses no finished call.

    Only a command that may have run needs a person's approval.
    """
    folder = write_tool_agent(tmp_path / "hands", _THREE)
    work = tmp_path / "work"
    program = [sys.executable, "-m", "tests.fakes.tool_agent", str(folder), str(work), str(left)]
    killed = subprocess.run(program, cwd=ROOT, check=False)
    effects = work / "effects.txt"
    before = effects.read_text().splitlines() if effects.exists() else []
    last = json.loads((tmp_path / "agent-1.jsonl").read_text().splitlines()[-1])

    unsure = last["event"] == "toolStarted" and last["tool"] == "append"
    approver = FirmApprover(ApprovalDecision("skip"))
    result = run_tool_agent(folder, work, resume=True, approver=approver)

    assert killed.returncode in (-9, 0)
    assert unsure == bool(approver.asked)
    assert before == ["first", "second"][: len(before)]
    assert ["first", "second"] == effects.read_text().splitlines()
    assert "two" == (work / "notes" / "plan.md").read_text()
    assert result.success
    assert 4 == result.usage.tool_calls
    attempts = [entry["attempt"] for entry in _list_entries(folder, "toolFinished")]
    assert [f"agent-1:1:tool-{n}" for n in (1, 2, 3, 4)] == attempts


@pytest.mark.parametrize("left", choose_cases(range(4, 16), *range(4, 16, 3)))
def test_an_agent_killed_during_its_answer_loses_no_part(left: int, tmp_path: Path) -> None:
    """Parts of a long answer that had arrived are not requested again, and their tool runs once."""
    cut = [{"text": "It is ", "finish": "length"}, make_call("append", line="x")]
    more = [{"text": "all ", "finish": "length"}, "done."]
    folder = write_tool_agent(tmp_path / "hands", [*cut, *more])
    work = tmp_path / "work"
    program = [sys.executable, "-m", "tests.fakes.tool_agent", str(folder), str(work), str(left)]
    killed = subprocess.run(program, cwd=ROOT, check=False)

    result = run_tool_agent(
        folder, work, resume=True, approver=FirmApprover(ApprovalDecision("skip"))
    )

    assert killed.returncode in (-9, 0)
    assert (True, ("all done.",)) == (result.success, result.summaries[0].assistant_responses)
    assert ["x"] == (work / "effects.txt").read_text().splitlines()
    assert 4 == result.usage.calls


_SUICIDE = "import os, signal; open('effects.txt', 'a').write('x'); os.kill(os.getppid(), 9)"


def test_a_command_that_may_have_run_is_not_run_again_unasked(tmp_path: Path) -> None:
    """An agent killed during a command stops when resumed, and names the command."""
    # In its sandbox a command cannot end the agent.
    command = {"command": [sys.executable, "-c", _SUICIDE], "sandbox": False}
    folder = write_tool_agent(
        tmp_path / "hands", [make_call("strike"), "Done."], commands={"strike": command}
    )
    work = tmp_path / "work"
    program = [sys.executable, "-m", "tests.fakes.tool_agent", str(folder), str(work), "-1"]
    killed = subprocess.run(program, cwd=ROOT, check=False)

    stopped = run_tool_agent(folder, work, resume=True)
    again = FirmApprover(ApprovalDecision("skip"))
    result = run_tool_agent(folder, work, resume=True, approver=again)

    assert -9 == killed.returncode
    assert stopped.error is not None
    assert ("TOOL_UNCERTAIN", True) == (stopped.error.code, stopped.error.recoverable)
    assert "'strike'" in stopped.error.message
    assert result.success
    assert [True] == [request.may_have_run for request in again.asked]
    assert "x" == (work / "effects.txt").read_text()
    (decided,) = _list_entries(folder, "toolDecided")
    assert ["  strike: ann says it counts as done"] == render_entry({**decided, "by": "ann"})


def test_no_person_is_asked_about_a_call_that_cannot_run(tmp_path: Path) -> None:
    """A call with invalid arguments fails without asking a person."""
    approver = FirmApprover(ApprovalDecision("run"))

    result, outputs = _run_one(tmp_path, make_call("append", line="-x"), mode="", approver=approver)

    assert result.success
    assert ["'-x' starts with a hyphen, like an option"] == outputs
    assert [] == approver.asked


def test_a_replay_repeats_the_run_without_touching_anything(tmp_path: Path) -> None:
    """A replay gives the same journal and runs no tool."""
    folder = write_tool_agent(tmp_path / "hands", _THREE)
    tape, journal = tmp_path / "tape.jsonl", tmp_path / "agent-1.jsonl"

    run_tool_agent(folder, tmp_path / "work", record=tape)
    first = journal.read_text()
    journal.unlink()
    result = run_tool_agent(folder, tmp_path / "elsewhere", replay=tape)

    assert result.success
    assert first == journal.read_text()
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("kept", range(3, 17))
def test_a_replay_continues_where_it_stopped(kept: int, tmp_path: Path) -> None:
    """After a cut at any entry, a resumed replay uses each recorded result once."""
    folder = write_tool_agent(tmp_path / "hands", _THREE)
    tape, journal = tmp_path / "tape.jsonl", tmp_path / "agent-1.jsonl"
    run_tool_agent(folder, tmp_path / "work", record=tape)
    journal.unlink()
    whole = run_tool_agent(folder, tmp_path / "elsewhere", replay=tape)
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:kept]))

    result = run_tool_agent(folder, tmp_path / "elsewhere", replay=tape, resume=True)

    assert whole == result


def test_a_block_that_names_no_tool_is_shown_as_a_call() -> None:
    """A block without a tool's name is shown as a failed call."""
    entry = {"event": "toolFinished", "tool": "", "output": {"failed": True, "text": "unreadable"}}

    assert ["  a tool call: failed: unreadable"] == render_entry(entry)
