"""`saniwa gate hook`: answer the hooks of an agent's host, in the form that it reads.

The forms of calls and answers are those of the hosts' documentation;
`docs/guide/coding-agents.md` has its dates.
"""

import os
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
import msgspec

from saniwa.app.gate.configuration import SESSION_VARIABLE
from saniwa.cli.command_definition import define_command
from saniwa.cli.gate.options import GateConnection, connect_gate
from saniwa.cli.render import print_json, show_text
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import SaniwaError, StoreError

if TYPE_CHECKING:
    from saniwa.process.run_view import RunState
    from saniwa.process.tool_permissions import CallArguments, PermissionAnswer, ToolPermission


HookHost = Literal["claude-code", "codex", "cursor", "vscode"]
"""The programs whose hooks are understood."""

_CURSOR_SHELL = "Shell"
_CURSOR_MCP = "MCP:"
_OWN_TOOL_PREFIXES = {"claude-code": "mcp__saniwa__", "vscode": "mcp_saniwa_"}
"""How a host names the tools of the installed server; the others heed no `allow`."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""What Cursor writes before a call on Windows."""


class HookCall(msgspec.Struct, kw_only=True):
    """The call of a hook, with the fields of every host that matter here."""

    tool_name: str = ""
    """The tool, for hooks before and after a tool is used."""
    tool_input: Any = None
    """Its arguments."""
    tool_response: Any = None
    """Its result."""
    tool_output: Any = None
    """Its result, as Cursor calls it."""
    command: str | None = None
    """The shell command, for Cursor's hook before a command."""
    cwd: str | None = None
    """The agent's current folder."""
    session_id: str | None = None
    """The session."""
    documented_session: str | None = msgspec.field(name="sessionId", default=None)
    """The session, as the documentation of VS Code names it."""
    conversation_id: str | None = None
    """The session, for Cursor."""
    hook_event_name: str = ""
    """The hook's name; Cursor has several before a tool is used."""
    cursor_version: str | None = None
    """The version of Cursor, which also runs the hooks in Claude Code's settings."""
    stop_hook_active: bool = False
    """Whether the agent works only because a stop hook kept it from stopping."""
    loop_count: int = 0
    """How often it did, for Cursor."""
    status: str = "completed"
    """How the agent came to its end, for Cursor."""

    @property
    def session(self) -> str:
        """The id of the host's session; empty if the host sends none."""
        # Older versions of Cursor send `session_id` only at the start; both are the same.
        return self.conversation_id or self.session_id or self.documented_session or ""

    @property
    def result(self) -> Any:
        """What the tool answered."""
        return self.tool_output if self.tool_response is None else self.tool_response

    @property
    def is_forced(self) -> bool:
        """Whether the agent was already kept from stopping, or did not end by itself."""
        return self.stop_hook_active or self.loop_count > 0 or self.status != "completed"


def get_calling_host(host: HookHost, call: HookCall) -> HookHost:
    """Return the host that made a call; its settings may name another."""
    return "cursor" if call.cursor_version else host


def parse_call(content: bytes) -> HookCall:
    """Return the call of a hook; Cursor's calls of a shell or MCP name their tool.

    Raises:
        ValueError: It is no call.
        RecursionError: It is nested too deeply.
    """
    call = msgspec.json.decode(content.removeprefix(_BYTE_ORDER_MARK), type=HookCall)
    match call.hook_event_name:
        case "beforeShellExecution":
            call.tool_name, call.tool_input = _CURSOR_SHELL, {"command": call.command or ""}
        case "beforeMCPExecution":
            call.tool_name = f"{_CURSOR_MCP}{call.tool_name}"
            if isinstance(call.tool_input, str):
                call.tool_input = msgspec.json.decode(call.tool_input or "null")
    return call


def find_own_tool(host: HookHost, name: str) -> str:
    """Return the name of a tool of the server that `gate install` names; empty for others."""
    prefix = _OWN_TOOL_PREFIXES.get(host)
    return name.removeprefix(prefix) if prefix and name.startswith(prefix) else ""


def render_permission(
    host: HookHost, call: HookCall, permission: "ToolPermission"
) -> dict[str, Any]:
    """Return the answer about a tool; no decision is an empty one, except for Cursor.

    Cursor takes an answer without a permission for a failure of the hook, and asks its
    user as usual whatever a hook allows. Codex takes only `deny`. A host that cannot ask
    its user would let the tool through: there a tool that needs a person is denied.
    """
    answer, reason = permission
    if answer == "ask" and not _can_ask(host, call):
        if _is_asked_later(host, call):
            answer, reason = None, ""
        else:
            answer, reason = "deny", f"{reason}, and {host} cannot ask for it here"
    if host == "cursor":
        why = {"user_message": reason, "agent_message": reason} if reason else {}
        return {"permission": answer or "allow"} | why
    if answer is None or (host == "codex" and answer == "allow"):
        return {}
    why = {"permissionDecisionReason": reason} if reason else {}
    return _render_output("PreToolUse", permissionDecision=answer, **why)


def _can_ask(host: HookHost, call: HookCall) -> bool:
    if host == "cursor":
        return call.hook_event_name.startswith("before")
    return host != "codex"


def _is_asked_later(host: HookHost, call: HookCall) -> bool:
    """Whether another hook of the host, which can ask, is called for the same tool."""
    return host == "cursor" and call.tool_name.startswith((_CURSOR_SHELL, _CURSOR_MCP))


def render_context(host: HookHost, event: str, text: str, session: str = "") -> dict[str, Any]:
    """Return text for the agent's context; for Cursor also the session, for its shells."""
    if host == "cursor":
        variables = {"env": {SESSION_VARIABLE: session}} if session else {}
        return ({"additional_context": text} if text else {}) | variables
    return _render_output(event, additionalContext=text) if text else {}


def render_stop(host: HookHost, reason: str) -> dict[str, Any]:
    """Return the answer that keeps an agent from stopping, and tells it why."""
    if host == "cursor":
        return {"followup_message": reason}
    if host == "vscode":
        return _render_output("Stop", decision="block", reason=reason)
    return {"decision": "block", "reason": reason}


def _render_output(event: str, **fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {"hookEventName": event} | fields}


warm_decoders(HookCall)


_MAX_INPUT_BYTES = 50_000_000
_NO_RUN = "No run is selected in {}; start one: saniwa gate create-run --write-config"
_BINDING_TOOLS = ("create_run", "emit_event", "get_state")
"""The gate's tools that are used on the run an agent works on."""
_BINDING_COMMANDS = ("gate create-run", "gate emit", "gate state")
_RUN_ID = re.compile(r"run-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class _UnreadableCallError(click.ClickException):
    """What a host sent is no call; hosts take this status as no objection, unlike 2."""

    exit_code = 3


@define_command("gate hook pre-tool-use")
def pre_tool_use(fail_closed: bool, place: str | None, host: HookHost = "claude-code") -> None:
    """Decide whether a tool may be used now: allow, deny or ask; {} if the process does not say.

    Writing the gate's own files is denied in every state.

    \b
    Example:
      echo '{"tool_name": "Bash"}' | saniwa gate hook pre-tool-use
    """
    try:
        call = _read_tool_call()
        host = get_calling_host(host, call)
        permission = _decide_permission(place, call, host, fail_closed=fail_closed)
    except Exception as problem:  # with --fail-closed no error may allow the tool
        if not fail_closed:
            raise
        _deny(host, problem)
        return
    print_json(render_permission(host, call, permission))


@define_command("gate hook post-tool-use")
def post_tool_use(place: str | None, host: HookHost = "claude-code") -> None:
    """After an event was sent, print what to do in the new state.

    From then on, the session is bound to that run.

    \b
    Example:
      echo '{"tool_name": "emit_event"}' | saniwa gate hook post-tool-use
    """
    call = _read_tool_call()
    text = ""
    if _is_gate_use(call, _BINDING_TOOLS, _BINDING_COMMANDS):
        with connect_gate(place, None) as connection:
            run_id = _bind_run(connection, call)
            if run_id and _is_gate_use(call, ("emit_event",), ("gate emit",)):
                text = _format_prompt(connection.gate.get_state(run_id))
    print_json(render_context(get_calling_host(host, call), "PostToolUse", text))


@define_command("gate hook stop")
def stop(place: str | None, host: HookHost = "claude-code") -> None:
    """Keep an agent from stopping while its run waits for it, once in each turn.

    Answers {} if there is no run, if the run has ended or waits for a person, or if the
    agent was already kept from stopping in this turn. A session without its own run has
    the run that `create-run --write-config` named.

    \b
    Example:
      echo '{"session_id": "abc", "stop_hook_active": false}' | saniwa gate hook stop
    """
    from saniwa.app.gate.configuration import find_default_run

    call, reason = _read_call(), ""
    if not call.is_forced:
        with connect_gate(place, None) as connection:
            view = _get_view(connection, find_default_run(connection.places, call.session))
            if view is not None and _waits_for_agent(connection, view):
                reason = f"The run is not finished. {_format_run(connection, view)}"
    print_json(render_stop(get_calling_host(host, call), reason) if reason else {})


@define_command("gate hook session-start")
def session_start(place: str | None, host: HookHost = "claude-code") -> None:
    """Print the state of the session's run when the session starts, resumes or was compacted.

    \b
    Example:
      echo '{"session_id": "abc", "source": "compact"}' | saniwa gate hook session-start
    """
    from saniwa.app.gate.configuration import find_default_run

    call = _read_call()
    with connect_gate(place, None) as connection:
        view = _get_view(connection, find_default_run(connection.places, call.session))
        text = _format_run(connection, view) if view is not None and not view.is_final else ""
    _export_session(call.session)
    print_json(render_context(get_calling_host(host, call), "SessionStart", text, call.session))


def _export_session(session: str) -> None:
    """Name the session to the shells of Claude Code, which reads this file for them."""
    from saniwa.app.gate.configuration import SESSION_VARIABLE

    file = os.environ.get("CLAUDE_ENV_FILE")
    if file and session:
        with Path(file).open("a", encoding="utf-8") as stream:
            stream.write(f"export {SESSION_VARIABLE}={shlex.quote(session)}\n")


def _deny(host: HookHost, problem: Exception) -> None:
    from saniwa.process.tool_permissions import ToolPermission

    reason = f"the gate could not answer: {type(problem).__name__}: {problem}"
    if isinstance(problem, click.ClickException):
        reason = problem.format_message()
    elif isinstance(problem, SaniwaError):
        reason = str(problem)
    # Printed first: writing to standard error may fail if no process reads it.
    print_json(render_permission(host, HookCall(), ToolPermission("deny", reason)))
    show_text(reason, err=True)


def _read_call() -> HookCall:
    content = sys.stdin.buffer.read(_MAX_INPUT_BYTES)
    try:
        return parse_call(content)
    except (ValueError, RecursionError) as problem:
        message = f"standard input is not a hook call: {problem}"
        raise _UnreadableCallError(message) from problem


def _read_tool_call() -> HookCall:
    call = _read_call()
    if not call.tool_name:
        raise _UnreadableCallError("standard input is not a tool call: it has no tool_name")
    return call


def _is_gate_use(call: HookCall, tools: tuple[str, ...], commands: tuple[str, ...]) -> bool:
    """Whether a call uses one of the gate's tools, or one of its commands in a shell."""
    return call.tool_name.endswith(tools) or any(each in _get_command(call) for each in commands)


def _get_command(call: HookCall) -> str:
    asked = call.tool_input
    return str(asked.get("command", "")) if isinstance(asked, dict) else ""


def _decide_permission(
    place: str | None, call: HookCall, host: HookHost, *, fail_closed: bool
) -> "ToolPermission":
    from saniwa.app.gate.configuration import find_default_run, locate_gate
    from saniwa.app.gate.file_protection import find_protected_file
    from saniwa.process.tool_permissions import ToolPermission, is_gate_tool

    folder = call.cwd or ""
    found = find_protected_file(locate_gate(place), call.tool_name, call.tool_input, folder)
    if found is not None:
        return ToolPermission("deny", found.reason)
    unstated = ToolPermission(_answer_own_tool(call, host))
    with connect_gate(place, None) as connection:
        run_id = find_default_run(connection.places, call.session)
        if not run_id:
            if fail_closed and not is_gate_tool(call.tool_name):
                raise click.UsageError(_NO_RUN.format(connection.places.config))
            return unstated
        stated = connection.gate.check_tool_permission(
            connection.find_run(run_id), call.tool_name, _read_arguments(connection, call)
        )
        return unstated if stated.answer is None else stated


def _answer_own_tool(call: HookCall, host: HookHost) -> "PermissionAnswer | None":
    """Allow a tool of the gate's server, if the host's settings have it as it was installed."""
    from saniwa.app.gate.agent_host_settings import has_installed_server
    from saniwa.process.tool_permissions import GATE_TOOLS

    if find_own_tool(host, call.tool_name) not in GATE_TOOLS:
        return None
    # Claude Code starts hooks in the folder the agent is in, and names the project here.
    project = Path(os.environ.get("CLAUDE_PROJECT_DIR") or ".")
    return "allow" if has_installed_server(project, host) else None


def _read_arguments(connection: GateConnection, call: HookCall) -> "CallArguments | None":
    from saniwa.process.tool_permissions import CallArguments

    if not isinstance(call.tool_input, dict):
        return None
    project = str(connection.places.project.absolute())
    return CallArguments(call.tool_input, call.cwd or project, project)


def _bind_run(connection: GateConnection, call: HookCall) -> str:
    """Return the run that a call was about, which is from now on that of its session."""
    from saniwa.app.gate.configuration import bind_session, find_default_run, read_session_run

    known = read_session_run(connection.places, call.session)
    looks = _is_gate_use(call, ("get_state",), ("gate state",))
    if known and looks:
        return known  # Looking at another run is no change of work.
    named = _find_named_run(connection, call) or find_default_run(connection.places, call.session)
    if named and named != known:
        bind_session(connection.places, named, call.session)
    return named


def _find_named_run(connection: GateConnection, call: HookCall) -> str:
    """Return the run whose id a call or its result names first, if the gate has it."""
    asked = call.tool_input.get("run_id") if isinstance(call.tool_input, dict) else None
    texts = (str(asked or ""), _get_command(call), msgspec.json.encode(call.result).decode())
    for text in texts:
        found = _RUN_ID.search(text)
        if found is not None and found[0] in connection.gate.list_runs():
            return found[0]
    return ""


def _get_view(connection: GateConnection, run_id: str) -> "RunState | None":
    if not run_id:
        return None
    try:
        return connection.gate.get_state(connection.find_run(run_id))
    except StoreError as problem:
        if problem.code != "RUN_NOT_FOUND":
            raise
        return None


def _waits_for_agent(connection: GateConnection, view: "RunState") -> bool:
    """Whether an agent has something to do in a run, before a person decides."""
    from saniwa.process.definition import APPROVE

    if view.is_final or not view.allowed_events:
        return False
    ways = (
        way
        for event in connection.gate.list_events(view.run_id, include_blocked=True)
        if event.event_name == APPROVE
        for way in event.transitions
    )
    return all(way.guard_status == "unsatisfied" for way in ways)


def _format_prompt(view: "RunState") -> str:
    where = f"{view.current_state}, revision {view.revision}"
    return f"{where}: {view.current_state_prompt}".rstrip(": ")


def _format_run(connection: GateConnection, view: "RunState") -> str:
    """Format where a run is and what is next, for a model."""
    from saniwa.cli.gate.inspection import list_state_rows
    from saniwa.core.translations import open_translator

    told = list_state_rows(connection, view, open_translator("en", "process"))
    rows = "\n".join(f"  {name:<9} {text}" for name, text in told)
    do = view.current_state_prompt.strip()
    return f"The gate's run is in state {view.current_state!r}:\n{rows}" + (
        f"\n\n{do}" if do else ""
    )
