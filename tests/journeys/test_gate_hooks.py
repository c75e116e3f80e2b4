"""The hooks of agents' hosts, with calls as the hosts send them.

`hook_payloads.json` has the fields that recordings of Claude Code, Codex and Cursor show, and
that the source of VS Code writes; the values are invented. There was no recording for the
result of an MCP tool in Claude Code and Codex, nor for Cursor's `stop`: those follow the
documentation. The fields under `session` are in every call of a host, even where a host
leaves one out.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.journeys.gate_terminal import GateTerminal, walk_to_decide

_PAYLOADS = json.loads(Path(__file__).with_name("hook_payloads.json").read_text())
_HOSTS = sorted(_PAYLOADS)
_PATIENCE = """\
process_id: patience
version: "1"
name: Patience
states:
  - name: waiting
    prompt: Wait.
    tool_permissions: {allowed: [Read, "*(npm *)"], ask: ["*(npm publish)", Write], denied: ["*(rm *)"]}
  - {name: pleased, is_final: true}
events:
  - {name: please, allowed_roles: [agent]}
transitions:
  - {from: waiting, event: please, to: pleased}
"""


@pytest.fixture
def terminal(tmp_path: Path) -> GateTerminal:
    """A folder whose gate has a process with rules about tools."""
    desk = GateTerminal(tmp_path)
    desk.define("patience", _PATIENCE)
    return desk


def _make_payload(host: str, hook: str, **more: object) -> dict[str, Any]:
    payload: dict[str, Any] = {**_PAYLOADS[host]["session"], **_PAYLOADS[host][hook], **more}
    return payload


def _call(desk: GateTerminal, host: str, hook: str, run_id: str = "", **more: object) -> Any:
    """Call a hook as its host does; returns the answer."""
    text = json.dumps(_make_payload(host, hook, **more)).replace("RUN", run_id)
    answered = desk.run_command("hook", hook, "--host", host, stdin=text)
    assert (0, "") == (answered.code, answered.err)
    return answered.document


def _create(desk: GateTerminal) -> str:
    run_id: str = desk.run_command("create-run", "--process", "patience", "--json").document[
        "run_id"
    ]
    return run_id


def _read_permission(host: str, answer: dict[str, Any]) -> str | None:
    found: str | None = (
        answer.get("permission")
        if host == "cursor"
        else answer.get("hookSpecificOutput", {}).get("permissionDecision")
    )
    return found


@pytest.mark.parametrize("host", _HOSTS)
@pytest.mark.parametrize(
    ("command", "expected"),
    [("npm test", "allow"), ("npm publish", "ask"), ("rm x", "deny"), ("make", "deny")],
)
def test_each_host_is_answered_in_its_words(
    terminal: GateTerminal, host: str, command: str, expected: str
) -> None:
    """Codex accepts only `deny`; Cursor asks in a second hook, which it calls for a shell."""
    terminal.begin("patience")
    answer = _call(terminal, host, "pre-tool-use", tool_input={"command": command})
    exceptions = {("codex", "allow"): None, ("codex", "ask"): "deny", ("cursor", "ask"): "allow"}

    assert exceptions.get((host, expected), expected) == _read_permission(host, answer)


def test_cursor_asks_before_a_command_and_an_mcp_tool(terminal: GateTerminal) -> None:
    """Cursor's hooks for these two can ask; the one for every tool denies instead."""
    terminal.begin("patience")
    shell = {"hook_event_name": "beforeShellExecution", "tool_name": "", "command": "npm publish"}
    tool = {"hook_event_name": "beforeMCPExecution", "tool_name": "x", "tool_input": '{"a": 1}'}

    asked = _call(terminal, "cursor", "pre-tool-use", **shell)
    other = _call(terminal, "cursor", "pre-tool-use", **tool)
    write = _call(terminal, "cursor", "pre-tool-use", tool_name="Write", tool_input={"path": "a"})
    own = _call(terminal, "cursor", "pre-tool-use", **tool | {"tool_name": "emit_event"})

    assert "ask" == asked["permission"]
    assert "needs a person's approval" in asked["user_message"]
    assert "deny" == other["permission"]
    assert "deny" == write["permission"]
    assert "cursor cannot ask for it here" in write["agent_message"]
    assert {"permission": "allow"} == own


@pytest.mark.parametrize("host", _HOSTS)
def test_a_session_has_the_run_it_worked_on(terminal: GateTerminal, host: str) -> None:
    """The rules of a run apply to the sessions that worked on it, and to no others."""
    worked, _ = _create(terminal), terminal.begin("exploration")
    before = _call(terminal, host, "pre-tool-use", tool_input={"command": "rm x"})
    _call(terminal, host, "post-tool-use", worked)
    after = _call(terminal, host, "pre-tool-use", tool_input={"command": "rm x"})
    name = {"cursor": "conversation_id"}.get(host, "session_id")
    others = _call(
        terminal, host, "pre-tool-use", tool_input={"command": "rm x"}, **{name: "another"}
    )

    unstated = "allow" if host == "cursor" else None
    assert (unstated, "deny", unstated) == tuple(
        _read_permission(host, each) for each in (before, after, others)
    )


@pytest.mark.parametrize("host", _HOSTS)
def test_an_agent_is_reported_once_that_its_run_is_not_finished(
    terminal: GateTerminal, host: str
) -> None:
    """An agent is kept from stopping once; the second time, or without a run, it may stop."""
    without = _call(terminal, host, "stop")
    run_id = _create(terminal)
    _call(terminal, host, "post-tool-use", run_id)
    kept = _call(terminal, host, "stop")
    again = _call(terminal, host, "stop", stop_hook_active=True, loop_count=1)
    reason = kept.get("followup_message") or kept.get("hookSpecificOutput", kept).get("reason")

    assert ({}, {}) == (without, again)
    assert reason.startswith("The run is not finished. The gate's run is in state 'waiting'")
    assert "may send  please" in reason
    assert reason.endswith("\n\nWait.")


def test_an_agent_that_never_used_the_gate_is_kept_at_the_run_a_person_started(
    terminal: GateTerminal,
) -> None:
    """A run that a person made the current one keeps every session that has no other run."""
    run_id = terminal.begin("patience")

    kept = _call(terminal, "claude-code", "stop")
    assert run_id in kept["reason"]
    assert {} == _call(terminal, "claude-code", "stop", stop_hook_active=True)


def test_an_agent_that_was_stopped_is_not_kept(terminal: GateTerminal) -> None:
    """An agent that a person stopped in Cursor is not kept."""
    _call(terminal, "cursor", "post-tool-use", _create(terminal))

    assert {} == _call(terminal, "cursor", "stop", status="aborted")


def test_a_run_that_has_ended_or_waits_for_a_person_keeps_no_agent(terminal: GateTerminal) -> None:
    """An agent whose run has ended or waits for a person is not kept."""
    ended = _create(terminal)
    _call(terminal, "claude-code", "post-tool-use", ended)
    terminal.run_command("emit", ended, "please", "--expected-revision", "1", "--key", "k")
    waiting = walk_to_decide(terminal)
    _call(terminal, "vscode", "post-tool-use", waiting)

    assert {} == _call(terminal, "claude-code", "stop")
    assert {} == _call(terminal, "vscode", "stop")
    assert {} == _call(terminal, "claude-code", "session-start")


@pytest.mark.parametrize("host", _HOSTS)
def test_a_session_that_continues_learns_where_its_run_is(
    terminal: GateTerminal, host: str
) -> None:
    """A session that starts or continues gets the state of its run, if it has one."""
    nothing = _call(terminal, host, "session-start")
    _call(terminal, host, "post-tool-use", _create(terminal))
    answer = _call(terminal, host, "session-start")
    text = answer.get("additional_context") or answer["hookSpecificOutput"]["additionalContext"]

    assert "additionalContext" not in nothing.get("hookSpecificOutput", {})
    assert text.startswith("The gate's run is in state 'waiting':\n")
    assert {"cursor": {"STATE_GATE_SESSION": _PAYLOADS["cursor"]["session"]["session_id"]}}.get(
        host
    ) == answer.get("env")


def test_the_shells_of_a_session_know_its_run(terminal: GateTerminal) -> None:
    """Claude Code's shells get the session's id, so that commands use the session's run."""
    first = _create(terminal)
    other = terminal.begin("patience")
    _call(terminal, "claude-code", "post-tool-use", first)
    file = terminal.folder / "variables.sh"
    payload = json.dumps(_make_payload("claude-code", "session-start"))
    terminal.run_command("hook", "session-start", stdin=payload, CLAUDE_ENV_FILE=str(file))
    name, _, session = file.read_text().removeprefix("export ").strip().partition("=")
    mine = terminal.run_command("state", "--json", **{name: session}).document["run_id"]
    begun = terminal.run_command(
        "create-run", "--process", "patience", "--write-config", "--json", **{name: session}
    ).document["run_id"]
    later = terminal.run_command("state", "--json", **{name: session}).document["run_id"]

    assert (first, begun) == (mine, later)
    assert other != begun


def test_looking_at_another_run_does_not_change_the_sessions(terminal: GateTerminal) -> None:
    """Creating a run or sending it an event binds a session to it, reading it does not."""
    first, second = _create(terminal), _create(terminal)
    look = {"tool_name": "mcp__saniwa__get_state", "tool_input": {"run_id": "RUN"}}
    _call(terminal, "claude-code", "post-tool-use", first, **look)
    _call(terminal, "claude-code", "post-tool-use", second, **look)
    reason = _call(terminal, "claude-code", "stop")["reason"]

    assert first in reason
    assert second not in reason


def test_a_run_that_is_not_the_gates_is_not_bound(terminal: GateTerminal) -> None:
    """A run id that the gate does not know is not bound to the session."""
    stranger = "run-019471a2-7c8d-7000-8000-000000000001"
    _call(terminal, "claude-code", "post-tool-use", stranger)

    assert not (terminal.folder / ".state_gate" / "sessions").exists()


@pytest.mark.parametrize("hook", ["stop", "session-start"])
def test_a_project_without_a_gate_stays_without_one(tmp_path: Path, hook: str) -> None:
    """Hooks that are installed everywhere create no files in a project without a gate."""
    desk = GateTerminal(tmp_path)
    answer = _call(desk, "claude-code", hook)

    assert ({}, []) == (answer, list(tmp_path.iterdir()))


_OWN_TOOLS = {
    "claude-code": "mcp__saniwa__{}",
    "codex": "mcp__saniwa__{}",
    "cursor": "MCP:{}",
    "vscode": "mcp_saniwa_{}",
}


@pytest.mark.parametrize("host", _HOSTS)
@pytest.mark.parametrize("flags", [(), ("--fail-closed",)])
def test_the_gates_own_tools_are_always_allowed(
    terminal: GateTerminal, host: str, flags: tuple[str, ...]
) -> None:
    """The gate's own tools are allowed before a run and in every state; Codex has no `allow`."""
    terminal.run_command("install", host, *flags)
    name = _OWN_TOOLS[host]
    before = _call_with(terminal, host, *flags, tool_name=name.format("create_run"))
    terminal.begin("patience")
    after = _call_with(terminal, host, *flags, tool_name=name.format("emit_event"))

    assert [{"codex": None}.get(host, "allow")] * 2 == [
        _read_permission(host, each) for each in (before, after)
    ]


def _call_with(desk: GateTerminal, host: str, *flags: str, **more: object) -> Any:
    text = json.dumps(_make_payload(host, "pre-tool-use", **more))
    return desk.run_command("hook", "pre-tool-use", "--host", host, *flags, stdin=text).document


@pytest.mark.parametrize("host", ["claude-code", "vscode"])
@pytest.mark.parametrize("tool", ["emit_event", "__emit_event", "delete_everything"])
def test_only_the_installed_servers_tools_are_allowed(
    terminal: GateTerminal, host: str, tool: str
) -> None:
    """Tools of another server of that name, or that the gate does not have, are not allowed."""
    name = _OWN_TOOLS[host].format(tool)
    absent = _call_with(terminal, host, tool_name=name)
    theirs = {"command": "something", "args": ["--saniwa"]}
    for path, key in ((".mcp.json", "mcpServers"), (".vscode/mcp.json", "servers")):
        file = terminal.folder / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({key: {"saniwa": theirs}}))
    other = _call_with(terminal, host, tool_name=name)
    file.with_name("mcp.json").write_text("{")
    broken = _call_with(terminal, host, tool_name=name)

    assert ({}, {}, {}) == (absent, other, broken)


def test_a_rule_of_the_state_is_before_the_gates_own_tools(terminal: GateTerminal) -> None:
    """A rule of the state takes precedence over the permission for the gate's own tools."""
    asks = _PATIENCE.replace("denied: [", "denied: [mcp__saniwa__create_run, ")
    asks = asks.replace("Write]", "mcp__saniwa__emit_event]")
    terminal.define("careful", asks.replace("process_id: patience", "process_id: careful"))
    terminal.run_command("install", "claude-code")
    terminal.begin("careful")

    assert ["ask", "deny", "allow"] == [
        _read_permission("claude-code", _call_with(terminal, "claude-code", tool_name=name))
        for name in map(_OWN_TOOLS["claude-code"].format, ("emit_event", "create_run", "review"))
    ]


@pytest.mark.parametrize("host", _HOSTS)
def test_a_call_may_begin_with_a_byte_order_mark(terminal: GateTerminal, host: str) -> None:
    """A call may start with a byte order mark, as Cursor's calls do on Windows."""
    terminal.begin("patience")
    text = "\ufeff" + json.dumps(
        _make_payload(host, "pre-tool-use", tool_input={"command": "rm x"})
    )
    answer = terminal.run_command("hook", "pre-tool-use", "--host", host, stdin=text).document

    assert "deny" == _read_permission(host, answer)


@pytest.mark.parametrize("hook", ["pre-tool-use", "post-tool-use", "stop", "session-start"])
@pytest.mark.parametrize("text", ["", "{", "[]", '{"session_id": 5}'])
def test_what_is_not_a_call_is_refused(terminal: GateTerminal, hook: str, text: str) -> None:
    """An invalid call exits with status 3, because 2 would block every tool."""
    answered = terminal.run_command("hook", hook, stdin=text)

    assert 3 == answered.code
    assert "standard input is no" in answered.err


def test_cursor_is_answered_in_its_words_by_the_hooks_of_claude_code(
    terminal: GateTerminal,
) -> None:
    """Cursor's calls to Claude Code's hooks are answered in Cursor's form."""
    terminal.begin("patience")
    said = [
        terminal.run_command(
            *("hook", "pre-tool-use", "--host", "claude-code"),
            stdin=json.dumps(_make_payload("cursor", "pre-tool-use", tool_input={"command": each})),
        ).document["permission"]
        for each in ("npm test", "rm x")
    ]

    assert ["allow", "deny"] == said


def test_the_documented_form_of_vs_code_names_the_session_too(terminal: GateTerminal) -> None:
    """A call of VS Code may have `sessionId`, as documented, or `session_id`, as in its source."""
    _call(terminal, "vscode", "post-tool-use", _create(terminal))
    call = _make_payload("vscode", "stop")
    call["sessionId"], call["hookEventName"] = call.pop("session_id"), call.pop("hook_event_name")
    answer = terminal.run_command("hook", "stop", "--host", "vscode", stdin=json.dumps(call))

    assert "block" == answer.document["hookSpecificOutput"]["decision"]
