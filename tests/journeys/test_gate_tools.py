"""The hooks that ask the gate about tools: permissions of a state, and the gate's own files."""

import json
import re
from pathlib import Path

import pytest

from tests.journeys.gate_terminal import UNTIMED_PROCESS, GateTerminal


@pytest.fixture
def terminal(tmp_path: Path) -> GateTerminal:
    """A gate in an empty folder."""
    return GateTerminal(tmp_path)


def _ask_hook(desk: GateTerminal, tool: str, **more: object) -> dict[str, str] | None:
    """The hook's answer about a tool; None if it decides nothing."""
    call = json.dumps({"tool_name": tool, **more})
    answered = desk.run_command("hook", "pre-tool-use", stdin=call)
    assert 0 == answered.code, answered.err
    said: dict[str, str] | None = answered.document.get("hookSpecificOutput")
    return said


def test_a_tool_is_allowed_denied_or_asked_about(terminal: GateTerminal) -> None:
    """The state's permissions decide; the gate's own tools need none."""
    terminal.define("patience", UNTIMED_PROCESS)
    terminal.begin("patience")
    own = "mcp__saniwa__emit_event"
    tools = ("Bash", "EditFile", "Read", "Write", own)
    said = {tool: _ask_hook(terminal, tool) or {} for tool in tools}

    assert {"Bash": "deny", "EditFile": "ask", "Read": "allow", "Write": "deny", own: None} == {
        tool: told.get("permissionDecision") for tool, told in said.items()
    }
    assert "in state 'waiting'" in said["Bash"]["permissionDecisionReason"]


@pytest.mark.parametrize("process", ["", "exploration"])
def test_the_hook_decides_nothing_where_nothing_is_stated(
    terminal: GateTerminal, process: str
) -> None:
    """Without a run, or without permissions in its state, the host decides."""
    if process:
        terminal.begin(process)
    call = {"tool_name": "Bash", "tool_input": {"command": "rm -rf /"}}
    answered = terminal.run_command("hook", "pre-tool-use", stdin=json.dumps(call))

    assert (0, "{}\n") == (answered.code, answered.out)


@pytest.mark.parametrize("process", ["", "exploration"])
@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        ("Edit", {"file_path": ".state_gate/people.json"}),
        ("Bash", {"command": "rm -rf .state_gate"}),
    ],
)
def test_the_hook_denies_writing_the_gates_own_files(
    terminal: GateTerminal, process: str, tool: str, asked: dict[str, str]
) -> None:
    """Writing the gate's own files is denied in every state, and without a run."""
    if process:
        terminal.begin(process)
    said = _ask_hook(terminal, tool, tool_input=asked, cwd=str(terminal.folder))

    assert said is not None
    assert "deny" == said["permissionDecision"]
    assert "belongs to the gate" in said["permissionDecisionReason"]


def test_an_empty_allowed_list_denies_every_tool_but_the_gates(terminal: GateTerminal) -> None:
    """`allowed: []` means that no tool is allowed."""
    permissions = "tool_permissions: {allowed: []}"
    text = re.sub(r"tool_permissions: {.*}}", permissions + "}", UNTIMED_PROCESS)
    terminal.define("patience", text)
    terminal.begin("patience")
    said = _ask_hook(terminal, "Read")

    assert said is not None
    assert "deny" == said["permissionDecision"]
    assert _ask_hook(terminal, "mcp__saniwa__get_state") is None


def test_after_an_event_the_new_state_says_what_to_do(terminal: GateTerminal) -> None:
    """The prompt of the state is given after an event was sent, and only then."""
    terminal.define("patience", UNTIMED_PROCESS)
    terminal.begin("patience")
    sent = {"tool_name": "Bash", "tool_input": {"command": "saniwa gate emit please"}}
    told = terminal.run_command("hook", "post-tool-use", stdin=json.dumps(sent)).document
    other = terminal.run_command("hook", "post-tool-use", stdin='{"tool_name": "Read"}').document

    assert {
        "hookEventName": "PostToolUse",
        "additionalContext": "waiting, revision 1: Wait.",
    } == told["hookSpecificOutput"]
    assert {} == other


def test_a_gate_that_cannot_be_read_denies_where_it_was_configured_to(
    terminal: GateTerminal,
) -> None:
    """A damaged configuration is an error; with `--fail-closed` it also denies the tool."""
    config = terminal.folder / ".state_gate" / "state-gate.json"
    config.parent.mkdir()
    config.write_text("{")
    call = '{"tool_name": "Read"}'
    open_ = terminal.run_command("hook", "pre-tool-use", stdin=call)
    closed = terminal.run_command("hook", "pre-tool-use", "--fail-closed", stdin=call)
    nonsense = terminal.run_command("hook", "pre-tool-use", stdin="{")

    assert 3 == open_.code
    assert "[STORE_UNREADABLE]" in open_.err
    assert "deny" == closed.document["hookSpecificOutput"]["permissionDecision"]
    assert 3 == nonsense.code
