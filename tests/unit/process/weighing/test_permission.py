import pytest

from saniwa.process.definition import State, ToolPermissions
from saniwa.process.weighing.permission import Permission, permission

_NAMED = ToolPermissions(
    allowed=("Read", "mcp__gate__*", "Bash"), ask=("Bash", "Edit"), denied=("Bash",)
)


def _state(permissions: ToolPermissions | None) -> State:
    return State(name="draft", tool_permissions=permissions)


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("Read", "allow"),
        ("mcp__gate__emit_event", "allow"),
        ("Edit", "ask"),
        ("Bash", "deny"),
        ("Write", "deny"),
        ("read", "deny"),
        ("", "deny"),
    ],
)
def test_denied_comes_before_asked_before_allowed(tool: str, expected: str) -> None:
    """A list of what is allowed denies everything else; names count letter for letter."""
    assert expected == permission(_state(_NAMED), tool).answer


def test_a_state_that_says_nothing_allows_everything() -> None:
    """Where nobody named a tool, every tool may be used."""
    assert Permission("allow") == permission(_state(None), "Bash")
    assert Permission("allow") == permission(_state(ToolPermissions()), "Bash")


def test_only_what_is_denied_is_denied() -> None:
    """Without a list of what is allowed, everything else is."""
    state = _state(ToolPermissions(denied=("Bash",)))

    assert "allow" == permission(state, "Read").answer
    assert Permission("deny", "'Bash' is not to be used in state 'draft'") == (
        permission(state, "Bash")
    )


def test_a_star_alone_stands_for_every_tool() -> None:
    """`*` among those denied denies all of them."""
    assert "deny" == permission(_state(ToolPermissions(denied=("*",))), "Read").answer
