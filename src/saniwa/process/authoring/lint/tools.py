"""Names of tools that no tool can have: a rule that never holds protects nothing."""

from saniwa.core.quoted import quoted
from saniwa.process.authoring.draft import Draft, Placed, numbered
from saniwa.process.authoring.page import Page
from saniwa.process.definition import EVERYBODY, State, ToolPermissions


def look(page: Page, draft: Draft) -> None:
    """Note names with a parenthesis, or with a star that is not at their end."""
    for state in draft.states:
        permissions = state.part.tool_permissions
        if permissions is not None:
            _look_at(page, state, permissions)


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
