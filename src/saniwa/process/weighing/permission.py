"""Whether an agent may use a tool in a state, as the state's author says."""

from typing import Literal, NamedTuple

from saniwa.core.quoted import quoted
from saniwa.process.definition import EVERYBODY, State

Answer = Literal["allow", "deny", "ask"]
"""All that can be said about a tool."""


class Permission(NamedTuple):
    """What is said about one tool."""

    answer: Answer
    """Whether it may be used."""
    reason: str = ""
    """Why not, or why somebody has to be asked."""


def permission(state: State, tool: str) -> Permission:
    """Whether a tool may be used in a state: denied before asked before allowed."""
    named = state.tool_permissions
    if named is None:
        return Permission("allow")
    here = f"in state {quoted(state.name)}"
    if _among(tool, named.denied):
        return Permission("deny", f"{quoted(tool)} is not to be used {here}")
    if _among(tool, named.ask):
        return Permission("ask", f"{quoted(tool)} needs a person's word {here}")
    if named.allowed and not _among(tool, named.allowed):
        told = ", ".join(named.allowed[:20])
        return Permission(
            "deny", f"{quoted(tool)} is not among the tools {here}: {told}"
        )
    return Permission("allow")


def _among(tool: str, names: tuple[str, ...]) -> bool:
    """Whether a tool is named; a name that ends in `*` stands for all that begin so."""
    return any(
        tool.startswith(name[:-1]) if name.endswith(EVERYBODY) else tool == name
        for name in names
    )
