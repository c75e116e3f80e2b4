import pytest

from saniwa.process.definition import StateDefinition, ToolPermissions
from saniwa.process.tool_permissions import GATE_TOOLS, ToolPermission, check_tool_permission

_NAMED = ToolPermissions(
    allowed=("Read", "mcp__gate__*", "Bash"), ask=("Bash", "Edit"), denied=("Bash",)
)


def _make_state(permissions: ToolPermissions | None) -> StateDefinition:
    return StateDefinition(name="draft", tool_permissions=permissions)


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
    """`denied` comes before `ask`, which comes before `allowed`; names must match exactly."""
    assert expected == check_tool_permission(_make_state(_NAMED), tool).answer


@pytest.mark.parametrize(
    "stated", [None, ToolPermissions(), ToolPermissions(ask=("Edit",), denied=("Cat",))]
)
def test_a_tool_the_process_does_not_mention_gets_no_decision(
    stated: ToolPermissions | None,
) -> None:
    """Without an `allowed` list, other tools get no decision."""
    assert ToolPermission(None) == check_tool_permission(_make_state(stated), "Bash")


def test_a_denied_tool_is_denied_with_its_state() -> None:
    """The reason names the tool and the state."""
    state = _make_state(ToolPermissions(denied=("Bash",)))

    assert ToolPermission("deny", "'Bash' must not be used in state 'draft'") == (
        check_tool_permission(state, "Bash")
    )


def test_an_empty_allowed_list_allows_no_tool() -> None:
    """An empty `allowed` list allows no tool."""
    denied = check_tool_permission(_make_state(ToolPermissions(allowed=())), "Read")

    assert ToolPermission(
        "deny", "'Read' is not one of the tools allowed in state 'draft': no tool is allowed"
    ) == (denied)


@pytest.mark.parametrize("prefix", ["", "mcp__saniwa__", "mcp__my_gate__"])
@pytest.mark.parametrize("allowed", [(), ("Read",)])
def test_an_allowed_list_does_not_bind_the_gates_own_tools(
    prefix: str, allowed: tuple[str, ...]
) -> None:
    """An `allowed` list does not apply to the gate's own tools."""
    state = _make_state(ToolPermissions(allowed=allowed))

    assert [ToolPermission(None)] * len(GATE_TOOLS) == [
        check_tool_permission(state, prefix + tool) for tool in sorted(GATE_TOOLS)
    ]


@pytest.mark.parametrize("tool", ["my__emit_event", "xmcp__gate__verify", "emit_event2"])
def test_a_tool_with_a_similar_name_is_not_the_gates(tool: str) -> None:
    """Only `mcp__SERVER__` may come before the name of a gate's tool."""
    assert "deny" == check_tool_permission(_make_state(ToolPermissions(allowed=())), tool).answer


def test_a_star_alone_means_every_tool() -> None:
    """`*` in `denied` denies every tool."""
    assert (
        "deny" == check_tool_permission(_make_state(ToolPermissions(denied=("*",))), "Read").answer
    )
