"""Whether an agent may use a tool in a state.

Only the state's author decides about tools; nothing here enforces the answer.
"""

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from saniwa.core.text import quote_value
from saniwa.process.definition import WILDCARD, StateDefinition
from saniwa.process.tool_rules import CallArguments, is_call_allowed, parse_tool_rule

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
        "wait_for_change",
    }
)
"""The gate's own tools, as its MCP server names them."""
_MCP_NAME = re.compile(r"(?:mcp__.*__|MCP:|mcp_saniwa_)(.*)").fullmatch
"""A tool of an MCP server, as Claude Code and Codex, Cursor, and VS Code name it."""


class ToolPermission(NamedTuple):
    """The answer about one tool."""

    answer: PermissionAnswer | None
    """Whether it may be used; None where the process has no rule about it."""
    reason: str = ""
    """Why not, or why a person has to be asked."""


def check_tool_permission(
    state: StateDefinition, tool: str, arguments: CallArguments | None = None
) -> ToolPermission:
    """Whether a tool may be used in a state: denied before ask before allowed.

    Decides only what the state's author wrote. Without an `allowed` list, a tool in
    neither `denied` nor `ask` gets no decision. The gate's own tools are not bound by
    the `allowed` list, because a run that no agent can send an event to never ends.
    Without the arguments of the call, rules about arguments forbid and never allow.
    """
    named = state.tool_permissions
    if named is None:
        return ToolPermission(None)
    here = f"in state {quote_value(state.name)}"
    rule = _find_forbidding(named.denied, tool, arguments)
    if rule:
        return ToolPermission("deny", f"{quote_value(rule)} must not be used {here}")
    rule = _find_forbidding(named.ask, tool, arguments)
    if rule:
        return ToolPermission("ask", f"{quote_value(rule)} needs a person's approval {here}")
    if named.allowed is None:
        return ToolPermission(None)
    if is_call_allowed(named.allowed, tool, arguments):
        return ToolPermission("allow")
    if is_gate_tool(tool):
        return ToolPermission(None)
    allowed = ", ".join(named.allowed[:20]) or "no tool is allowed"
    return ToolPermission(
        "deny", f"{quote_value(tool)} is not one of the tools allowed {here}: {allowed}"
    )


def _find_forbidding(rules: Iterable[str], tool: str, arguments: CallArguments | None) -> str:
    """Return the tool, or the rule about its arguments, that a list of rules forbids."""
    for each in rules:
        rule = parse_tool_rule(each)
        if rule.is_broken_by(tool, arguments):
            return tool if rule.argument is None else each
    return ""


def names_tool(state: StateDefinition, tool: str) -> bool:
    """Whether a rule of a state names a tool, whatever its arguments."""
    named = state.tool_permissions
    rules = () if named is None else (*(named.allowed or ()), *named.ask, *named.denied)
    return any(parse_tool_rule(each).is_about(tool) for each in rules)


def is_gate_tool(tool: str) -> bool:
    """Whether a tool is one of the gate's, as itself or as a host names an MCP tool."""
    found = _MCP_NAME(tool)
    return (tool if found is None else found[1]) in GATE_TOOLS


def is_tool_named(tool: str, names: Iterable[str]) -> bool:
    """Whether a tool is named; a name that ends in `*` matches as a prefix."""
    return any(
        tool.startswith(name[:-1]) if name.endswith(WILDCARD) else tool == name for name in names
    )
