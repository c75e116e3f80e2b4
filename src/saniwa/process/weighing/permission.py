"""Whether an agent may use a tool in a state, as the state's author says."""

from typing import Literal, NamedTuple

from saniwa.core.quoted import quoted
from saniwa.process.definition import EVERYBODY, State

Answer = Literal["allow", "deny", "ask"]
"""All that can be said about a tool."""
OWN_TOOLS = frozenset(
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
_MCP = "mcp__"


class Permission(NamedTuple):
    """What is said about one tool."""

    answer: Answer | None
    """Whether it may be used; None where the process states nothing about it."""
    reason: str = ""
    """Why not, or why somebody has to be asked."""


def permission(state: State, tool: str) -> Permission:
    """Whether a tool may be used in a state: denied before asked before allowed.

    Decides only what the state's author wrote. Without an `allowed` list a tool that is
    neither denied nor asked about gets no decision. The gate's own tools are not bound
    by the `allowed` list, because a run that nobody can send an event to never ends.
    """
    named = state.tool_permissions
    if named is None:
        return Permission(None)
    here = f"in state {quoted(state.name)}"
    if _among(tool, named.denied):
        return Permission("deny", f"{quoted(tool)} is not to be used {here}")
    if _among(tool, named.ask):
        return Permission("ask", f"{quoted(tool)} needs a person's word {here}")
    if named.allowed is None:
        return Permission(None)
    if _among(tool, named.allowed):
        return Permission("allow")
    if is_own_tool(tool):
        return Permission(None)
    told = ", ".join(named.allowed[:20]) or "none is allowed"
    return Permission("deny", f"{quoted(tool)} is not among the tools {here}: {told}")


def is_own_tool(tool: str) -> bool:
    """Whether a tool is one of the gate's, with or without `mcp__SERVER__` before it."""
    prefix, _, name = tool.rpartition("__")
    return name in OWN_TOOLS and (not prefix or prefix.startswith(_MCP))


def _among(tool: str, names: tuple[str, ...]) -> bool:
    """Whether a tool is named; a name that ends in `*` stands for all that begin so."""
    return any(
        tool.startswith(name[:-1]) if name.endswith(EVERYBODY) else tool == name
        for name in names
    )
