"""Check the tool names in the permissions of states."""

from saniwa.core.text import quote_value
from saniwa.documents.finding_collector import Findings
from saniwa.process.definition import DECISIONS, WILDCARD, StateDefinition, ToolPermissions
from saniwa.process.draft import PlacedPart, ProcessDraft, enumerate_names
from saniwa.process.lint.roles import AGENT_ROLE
from saniwa.process.tool_permissions import is_gate_tool

_EMIT_TOOL = "emit_event"
"""The tool an agent needs to move a run."""


_MCP_PREFIX = "mcp__"


def check_tools(page: Findings, draft: ProcessDraft) -> None:
    """Report impossible tool names, and states whose agent may not send its events."""
    sent_by_agents = {
        placed.part.name
        for placed in draft.events
        if not {AGENT_ROLE, WILDCARD}.isdisjoint(placed.part.allowed_roles)
        and placed.part.name not in DECISIONS
    }
    left_by_agents = {
        way.part.source for way in draft.transitions if way.part.event in sent_by_agents
    }
    for state in draft.states:
        permissions = state.part.tool_permissions
        if permissions is not None:
            _check_tool_names(page, state, permissions)
            if state.part.name in left_by_agents:
                _check_emit_tool(page, state, permissions)


def _check_emit_tool(
    page: Findings, state: PlacedPart[StateDefinition], permissions: ToolPermissions
) -> None:
    for nth, name in enumerate_names(permissions.denied):
        if _covers_emit(name):
            page.report(
                "OWN_TOOL_DENIED",
                state.find_path("tool_permissions.denied", nth),
                name=state.part.name,
                name2=name,
                emit_tool=_EMIT_TOOL,
            )


def _covers_emit(name: str) -> bool:
    """Whether a rule denies the gate's tool under every server's name, or by its own.

    `mcp__files__*` may be any server's tools, so that is the author's choice.
    """
    if not name.endswith(WILDCARD):
        return is_gate_tool(name) and name.endswith(_EMIT_TOOL)
    prefix = name[:-1]
    return _EMIT_TOOL.startswith(prefix) or _MCP_PREFIX.startswith(prefix)


def _check_tool_names(
    page: Findings, state: PlacedPart[StateDefinition], permissions: ToolPermissions
) -> None:
    for field, names in (
        ("allowed", permissions.allowed or ()),
        ("ask", permissions.ask),
        ("denied", permissions.denied),
    ):
        for nth, name in enumerate_names(names):
            cure = _suggest_tool_name(name)
            if cure:
                message = f"no tool is ever called {quote_value(name)}"
                path = state.find_path(f"tool_permissions.{field}", nth)
                page.add_error("PATTERN_UNUSABLE", message, path, hint=cure)


def _suggest_tool_name(name: str) -> str:
    tool = name.partition("(")[0].strip()
    if tool != name.strip() or ")" in name:
        reason = "what a tool is used for is not looked at"
        return f"write the tool alone, {quote_value(tool)}: {reason}" if tool else reason
    if WILDCARD in name[:-1]:
        return "a '*' stands only at the end, for all tools that begin so"
    return "" if name == name.strip() else "take the blanks at its ends out"
