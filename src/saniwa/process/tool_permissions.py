"""Whether an agent may use a tool in a state.

Only the state's author decides about tools; nothing here enforces the answer.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from saniwa.core.text import quote_value
from saniwa.process.definition import WILDCARD, StateDefinition

PermissionAnswer = Literal["allow", "deny", "ask"]
"""The possible answers about a tool."""
GATE_TOOLS = frozenset(
    {
        "get_state",
        "list_events",
        "emit_event",
        "list_processes",
        "create_run",
        "list_runs",
        "get_history",
        "review",
        "verify",
    }
)
"""The gate's own tools, as its MCP server names them."""
_MCP_PREFIX = "mcp__"


class ToolPermission(NamedTuple):
    """The answer about one tool."""

    answer: PermissionAnswer | None
    """Whether it may be used; None where the process has no rule about it."""
    reason: str = ""
    """Why not, or why a person has to be asked."""


def check_tool_permission(state: StateDefinition, tool: str) -> ToolPermission:
    """Whether a tool may be used in a state: denied before ask before allowed.

    Decides only what the state's author wrote. Without an `allowed` list, a tool in
    neither `denied` nor `ask` gets no decision. The gate's own tools are not bound by
    the `allowed` list, because a run that no agent can send an event to never ends.
    """
    named = state.tool_permissions
    if named is None:
        return ToolPermission(None)
    here = f"in state {quote_value(state.name)}"
    if is_tool_named(tool, named.denied):
        return ToolPermission("deny", f"{quote_value(tool)} is not to be used {here}")
    if is_tool_named(tool, named.ask):
        return ToolPermission("ask", f"{quote_value(tool)} needs a person's word {here}")
    if named.allowed is None:
        return ToolPermission(None)
    if is_tool_named(tool, named.allowed):
        return ToolPermission("allow")
    if is_gate_tool(tool):
        return ToolPermission(None)
    allowed = ", ".join(named.allowed[:20]) or "none is allowed"
    return ToolPermission("deny", f"{quote_value(tool)} is not among the tools {here}: {allowed}")


def is_gate_tool(tool: str) -> bool:
    """Whether a tool is one of the gate's, with or without `mcp__SERVER__`."""
    prefix, _, name = tool.rpartition("__")
    return name in GATE_TOOLS and (not prefix or prefix.startswith(_MCP_PREFIX))


def is_tool_named(tool: str, names: Iterable[str]) -> bool:
    """Whether a tool is named; a name that ends in `*` matches as a prefix."""
    return any(
        tool.startswith(name[:-1]) if name.endswith(WILDCARD) else tool == name for name in names
    )
