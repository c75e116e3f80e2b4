"""`saniwa agent run` at a gate: a tool's output is recognised, and forging it fails."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from saniwa.app.gate.gate_opening import open_gate
from saniwa.app.workspace import Workspace, WorkspacePlaces
from saniwa.mcp.gate_tools import GateTools
from saniwa.mcp.tool import list_tools, parse_arguments
from saniwa.store.json_lines_file import JsonLinesFile
from tests.fakes.gate_callers import GateClient
from tests.fakes.tool_agent import make_call, write_tool_agent
from tests.journeys.gate_terminal import CommandAnswer, answer_of

_PROCESS = """
process_id: measured
version: "1.0.0"
name: Measured
initial_state: open
states:
  - {name: open}
  - {name: measured, is_final: true}
events: [{name: submit, allowed_roles: [agent]}]
transitions: [{from: open, event: submit, to: measured, guard: has_measurement}]
guards:
  has_measurement:
    type: artifact
    artifact_type: measurement
    condition: has_fields
    required_fields: [lines]
    made_by: tool
artifacts: [{type: measurement}]
roles: [{name: agent, allowed_events: "*"}]
"""
_COUNT = "import json; print(json.dumps({'lines': len(open('text.txt').readlines())}))"
_COMMANDS = {
    "measure": {"command": [sys.executable, "-c", _COUNT]},
    "fail": {"command": [sys.executable, "-c", "print('{\"lines\": 9}'); raise SystemExit(1)"]},
    "flood": {"command": [sys.executable, "-c", _COUNT + "; print(' ' * 99)"], "maxOutput": 50},
}
_MEASURED = '{"lines": 2}\n'
_TYPED = '{"lines": 9}\n'


def _submit(**claim: Any) -> str:
    """An answer that submits one measurement as a tool's output."""
    artifact = {"type": "measurement", "path": "measurement.json", "made_by": "tool", **claim}
    action = {"type": "submit", "event": "submit", "artifacts": [artifact]}
    return f"```action\n{json.dumps(action)}\n```"


def _prepare(folder: Path, answers: list[Any]) -> None:
    processes = folder / ".state_gate" / "processes"
    processes.mkdir(parents=True)
    (processes / "measured.yaml").write_text(_PROCESS)
    (folder / "workspace").mkdir()
    (folder / "workspace" / "text.txt").write_text("one\ntwo\n")
    write_tool_agent(
        folder / ".agent" / "hands",
        answers,
        commands=_COMMANDS,
        actions={"enabled": True, "types": ["submit"]},
    )


def _run(folder: Path, *words: str) -> CommandAnswer:
    return answer_of(folder, "agent", "run", "hands", *words)


def _read_state(folder: Path) -> dict[str, Any]:
    state: dict[str, Any] = json.loads(answer_of(folder, "gate", "state", "last", "--json").out)
    return state


def test_the_output_of_a_command_is_evidence_made_by_a_tool(tmp_path: Path) -> None:
    """The gate takes the bytes that the command printed, and names the call."""
    _prepare(tmp_path, [make_call("measure"), _submit(call="measure")])

    done = _run(tmp_path, "--process", "measured")
    (piece,) = _read_state(tmp_path)["artifacts"]
    review = answer_of(tmp_path, "gate", "review", "last")

    assert 0 == done.code, done.out + done.err
    assert "tool" == piece["made_by"]
    (written,) = tmp_path.rglob("measurement.json")
    assert _MEASURED == written.read_text()
    assert ":1:tool-1, as its journal says" in review.out


def test_a_result_counts_after_a_restart(tmp_path: Path) -> None:
    """A resumed agent finds the results of its earlier calls in its journal."""
    missing = {"text": "not canned", "when": "there is no such question"}
    _prepare(tmp_path, [make_call("measure"), missing])
    answers = tmp_path / ".agent" / "hands" / "answers.json"

    stopped = _run(tmp_path, "--process", "measured")
    answers.write_text(json.dumps([make_call("measure"), _submit(call="measure")]))
    done = _run(tmp_path, "--resume")

    assert 0 != stopped.code
    assert 0 == done.code, done.out + done.err
    assert "measured" == _read_state(tmp_path)["current_state"]


@pytest.mark.parametrize(
    ("calls", "claim"),
    [
        ([make_call("measure")], {"call": "measure", "content": _TYPED}),
        ([make_call("fail")], {"call": "fail", "content": _TYPED}),
        ([make_call("flood")], {"call": "flood", "content": _MEASURED}),
        ([make_call("nothing")], {"call": "nothing", "content": _TYPED}),
        ([], {"call": "measure", "content": _TYPED}),
        ([], {"call": "", "content": _TYPED}),
        (
            [make_call("Write", path="m.json", content=_TYPED), make_call("Read", path="m.json")],
            {"call": "Read", "content": _TYPED},
        ),
        ([make_call("Write", path="m.json", content=_TYPED)], {"call": "Write", "content": _TYPED}),
    ],
    ids=["typed", "failed", "cut", "unknown", "not-called", "unnamed", "read", "written"],
)
def test_what_no_tool_made_is_refused(
    calls: list[Any], claim: dict[str, Any], tmp_path: Path
) -> None:
    """Neither text that an agent types nor a file of its own is accepted as a tool's output."""
    _prepare(tmp_path, [*calls, _submit(**claim)])

    ended = _run(tmp_path, "--process", "measured")

    assert "no journal has a tool call" in ended.err
    assert "open" == _read_state(tmp_path)["current_state"]


def test_no_other_door_takes_a_call_of_an_agents_journal(tmp_path: Path) -> None:
    """A gate without the agent's journal refuses even the right call with the right bytes."""
    _prepare(tmp_path, [make_call("measure"), "I hand in nothing."])
    _run(tmp_path, "--process", "measured")
    (journal,) = (tmp_path / ".agent" / "hands" / "logs").glob("agent-*.jsonl")
    call = f"{journal.stem}:1:tool-1"
    claim = {"type": "measurement", "made_by": "tool", "call": call, "content": _MEASURED}

    with open_gate(tmp_path / ".state_gate") as gate:
        sent = gate.emit_event(
            run_id=next(iter(gate.list_runs())),
            event_name="submit",
            expected_revision=1,
            idempotency_key="k",
            artifacts=[claim],
        )

    assert f"no journal has a tool call '{call}'" in str(sent)
    assert "open" == _read_state(tmp_path)["current_state"]


@pytest.mark.parametrize("resumed", [False, True])
def test_a_recording_attests_nothing(resumed: bool, tmp_path: Path) -> None:
    """A replay runs no tool, so it cannot submit a tool's output."""
    _prepare(tmp_path, [make_call("measure"), _submit(call="measure")])
    recorded = _run(tmp_path, "--process", "measured", "--record", "tape.jsonl")

    tape = tmp_path / "tape.jsonl"
    if resumed:
        # Only the first answer and the result; the rest comes from the model.
        tape.write_text("".join(tape.read_text().splitlines(keepends=True)[:2]))
    played = _run(tmp_path, "--process", "measured", "--replay", "tape.jsonl")
    if resumed:
        answers = tmp_path / ".agent" / "hands" / "answers.json"
        played = _run(tmp_path, "--resume", "--model", f"canned:{answers}")

    assert 0 == recorded.code, recorded.err
    assert "no journal has a tool call" in played.err
    assert "open" == _read_state(tmp_path)["current_state"]


def _verify_everywhere(folder: Path) -> list[dict[str, Any]]:
    """The answers of `verify` at the terminal, over HTTP, over MCP and in the library."""
    place = folder / ".state_gate"
    (shown,) = json.loads(answer_of(folder, "gate", "verify", "last", "--json").out)["runs"]
    run_id = shown["run_id"]
    workspace = Workspace(WorkspacePlaces(store=str(folder / "s.sqlite"), gate=str(place)))
    client = GateClient(workspace, run=run_id)
    over_http = client.client.post(client.locate("/verify")).json()
    with open_gate(place) as gate:
        tool = next(t for t in list_tools(GateTools(gate, lambda: "")) if t.name == "verify")
        reply = tool.call(parse_arguments(tool.takes, {"run_id": run_id}))
        report, evidence = gate.verify(run_id), gate.list_origins(run_id)
    library = {
        "passed": report.has_passed,
        "findings": [each.to_document() for each in report.findings],
        "evidence": msgspec.to_builtins(evidence),
    }
    return [shown, over_http, msgspec.to_builtins(reply.shape), library]


def _find_journal(folder: Path) -> Path:
    (journal,) = (folder / ".agent" / "hands" / "logs").glob("agent-*.jsonl")
    return journal


def _rewrite(journal: Path, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> None:
    """Write a journal again with valid seals, each entry changed or dropped."""
    entries = [change(each) for each in JsonLinesFile(journal).read_entries()]
    journal.unlink()
    lines = JsonLinesFile(journal)
    for entry in filter(None, entries):
        lines.append(entry)
    lines.close()


def _drop_call(entry: dict[str, Any]) -> dict[str, Any] | None:
    return None if entry["event"] == "toolFinished" else entry


def _drop_start(entry: dict[str, Any]) -> dict[str, Any] | None:
    return None if entry["event"] == "toolStarted" else entry


def _change_result(entry: dict[str, Any]) -> dict[str, Any]:
    if entry["event"] == "toolFinished":
        entry["output"]["text"] = entry["output"]["text"].replace("2", "9")
    return entry


def _change_run(entry: dict[str, Any]) -> dict[str, Any]:
    if entry["event"] == "initialized":
        entry["about"]["run"] = "run-00000000-0000-7000-8000-000000000000"
    return entry


def _make_replay(entry: dict[str, Any]) -> dict[str, Any]:
    if entry["event"] == "initialized":
        entry["about"]["model"] = {"replay": "tape.jsonl"}
    return entry


def test_verify_looks_a_tool_call_up_again_at_every_door(tmp_path: Path) -> None:
    """If the journal has the call with this result for this run, every interface says attested."""
    _prepare(tmp_path, [make_call("measure"), _submit(call="measure")])
    assert 0 == _run(tmp_path, "--process", "measured").code

    shown = answer_of(tmp_path, "gate", "verify", "last")

    assert "attested  measurement.json  made by tool: is the result of 'agent-" in shown.out
    for answer in _verify_everywhere(tmp_path):
        assert (True, 0) == (answer["passed"], len(answer["findings"]))
        assert ["attested"] == [each["standing"] for each in answer["evidence"]]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (_drop_call, "a journal without a result of"),
        (_drop_start, "a journal without a result of"),
        (_change_result, "had a different result"),
        (_change_run, "belongs to another run"),
        (_make_replay, "comes from a recording"),
    ],
)
def test_a_journal_that_says_something_else_contradicts_the_evidence(
    change: Callable[[dict[str, Any]], dict[str, Any] | None], why: str, tmp_path: Path
) -> None:
    """If the journal contradicts the evidence, `verify` fails and the review says why."""
    _prepare(tmp_path, [make_call("measure"), _submit(call="measure")])
    assert 0 == _run(tmp_path, "--process", "measured").code
    _rewrite(_find_journal(tmp_path), change)

    for answer in _verify_everywhere(tmp_path):
        assert not answer["passed"]
        (found,) = answer["findings"]
        assert "TOOL_CALL_CONTRADICTED" == found["code"]
        assert why in found["message"]
        assert ["contradicted"] == [each["standing"] for each in answer["evidence"]]
    assert 1 == answer_of(tmp_path, "gate", "verify", "last").code
    assert why in answer_of(tmp_path, "gate", "review", "last").out


def test_a_journal_with_a_broken_line_contradicts_the_evidence(tmp_path: Path) -> None:
    """A journal with a line whose seal does not fit is not trusted."""
    _prepare(tmp_path, [make_call("measure"), _submit(call="measure")])
    _run(tmp_path, "--process", "measured")
    journal = _find_journal(tmp_path)
    journal.write_text(journal.read_text().replace("toolFinished", "toolfinished"))

    told = answer_of(tmp_path, "gate", "verify", "last")

    assert 1 == told.code
    assert "has a journal that cannot be trusted" in told.out + told.err


@pytest.mark.parametrize("how", ["gone", "link", "fifo", "folder"])
def test_a_tools_work_without_its_journal_is_claimed(how: str, tmp_path: Path) -> None:
    """Without its journal as a regular file of the project, a tool's output is only a claim."""
    _prepare(tmp_path, [make_call("measure"), _submit(call="measure")])
    _run(tmp_path, "--process", "measured")
    journal = _find_journal(tmp_path)
    kept = journal.rename(tmp_path / "elsewhere.jsonl")
    if how == "link":
        journal.symlink_to(kept)
    elif how == "fifo":
        os.mkfifo(journal)
    elif how == "folder":
        journal.mkdir()

    for answer in _verify_everywhere(tmp_path):
        assert answer["passed"]
        assert ["EVIDENCE_CLAIMED"] == [each["code"] for each in answer["findings"]]
        (piece,) = answer["evidence"]
        assert ("claimed", False) == (piece["standing"], piece["is_attested"])
