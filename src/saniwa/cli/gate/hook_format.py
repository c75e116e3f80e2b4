"""How each agent's host writes the call of a hook, and reads the answer.

The forms are those of the hosts' documentation; `docs/guide/coding-agents.md` has its dates.
Nothing is decided here.
"""

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from saniwa.app.gate.configuration import SESSION_VARIABLE
from saniwa.core.json_values import warm_decoders

if TYPE_CHECKING:
    from saniwa.process.tool_permissions import ToolPermission

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
