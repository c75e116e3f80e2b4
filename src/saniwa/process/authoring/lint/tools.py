"""Rules about tools that never hold, and rules that keep an agent from the gate itself."""

from saniwa.core.quoted import quoted
from saniwa.process.authoring.draft import Draft, Placed, numbered
from saniwa.process.authoring.lint.approval import AGENT
from saniwa.process.authoring.page import Page
from saniwa.process.definition import (
    DECISIONS,
    EVERYBODY,
    State,
    ToolPermissions,
)
from saniwa.process.weighing.permission import is_own_tool

_EMIT = "emit_event"
"""The tool without which no agent moves a run."""
_ANY_SERVER = "mcp__"


def look(page: Page, draft: Draft) -> None:
    """Note names no tool can have, and states whose agent may not send its events."""
    sent_by_agents = {
        placed.part.name
        for placed in draft.events
        if not {AGENT, EVERYBODY}.isdisjoint(placed.part.allowed_roles)
        and placed.part.name not in DECISIONS
    }
    left_by_agents = {
        way.part.source for way in draft.transitions if way.part.event in sent_by_agents
    }
    for state in draft.states:
        permissions = state.part.tool_permissions
        if permissions is not None:
            _look_at(page, state, permissions)
            if state.part.name in left_by_agents:
                _look_for_emit(page, state, permissions)


def _look_for_emit(
    page: Page, state: Placed[State], permissions: ToolPermissions
) -> None:
    for nth, name in numbered(permissions.denied):
        if _covers_emit(name):
            page.warn(
                "OWN_TOOL_DENIED",
                f"an agent sends events from state {quoted(state.part.name)}, and "
                f"{quoted(name)} denies it {quoted(_EMIT)}",
                state.at("tool_permissions.denied", nth),
                hint="deny the other tools by their names, or write 'allowed', which "
                "does not bind the gate's own tools",
            )


def _covers_emit(name: str) -> bool:
    """Whether a rule denies the gate's tool under every server's name, or by its own.

    `mcp__files__*` may be any server's tools, so it is left to its author.
    """
    if not name.endswith(EVERYBODY):
        return is_own_tool(name) and name.endswith(_EMIT)
    prefix = name[:-1]
    return _EMIT.startswith(prefix) or _ANY_SERVER.startswith(prefix)


def _look_at(page: Page, state: Placed[State], permissions: ToolPermissions) -> None:
    for field, names in (
        ("allowed", permissions.allowed or ()),
        ("ask", permissions.ask),
        ("denied", permissions.denied),
    ):
        for nth, name in numbered(names):
            cure = _cure_of(name)
            if cure:
                page.error(
                    "PATTERN_UNUSABLE",
                    f"no tool is ever called {quoted(name)}",
                    state.at(f"tool_permissions.{field}", nth),
                    hint=cure,
                )


def _cure_of(name: str) -> str:
    tool = name.partition("(")[0].strip()
    if tool != name.strip() or ")" in name:
        told = "what a tool is used for is not looked at"
        return f"write the tool alone, {quoted(tool)}: {told}" if tool else told
    if EVERYBODY in name[:-1]:
        return "a '*' stands only at the end, for all tools that begin so"
    return "" if name == name.strip() else "take the blanks at its ends out"
