import pytest

from tests.fakes.definitions import find_in_changed, put, read_changed


@pytest.mark.parametrize("field", ["allowed", "ask", "denied"])
@pytest.mark.parametrize(
    "name", ["Bash()", "Bash(", "Bash)", "mcp__*__write(a)", "mcp__*__write", "* ", "*x"]
)
def test_a_name_no_tool_can_have_is_refused(field: str, name: str) -> None:
    """A name that no tool can have is refused."""
    named = put({field: ["Read", name]}, "states", 0, "toolPermissions")

    place = f"states[0].toolPermissions.{field}[1]"
    assert [("PATTERN_UNUSABLE", place)] == find_in_changed(named)


def test_a_name_its_beginning_and_an_argument_are_fine() -> None:
    """A tool name may end with a star, or have an argument in parentheses."""
    named = {"allowed": ["Read", "mcp__*", "*", "Edit(src/*)"], "denied": ["Bash(rm *)"]}

    assert [] == find_in_changed(put(named, "states", 0, "tool_permissions"))


def test_the_hint_for_a_rule_without_an_argument_names_its_tool() -> None:
    """The hint for empty parentheses names the tool."""
    read = read_changed(put({"ask": ["Bash()"]}, "states", 0, "tool_permissions"))

    assert ["write what 'Bash' is used for, or the tool alone"] == [
        each.hint for each in read.report.findings
    ]


@pytest.mark.parametrize("name", ["emit_event", "mcp__saniwa__emit_event", "mcp__*", "emit_*", "*"])
def test_a_rule_that_keeps_an_agent_from_sending_events_is_a_warning(name: str) -> None:
    """A rule that stops an agent from sending events is a warning."""
    denied = put({"denied": ["Bash", name]}, "states", 0, "tool_permissions")

    place = "states[0].tool_permissions.denied[1]"
    assert [("OWN_TOOL_DENIED", place)] == find_in_changed(denied)


@pytest.mark.parametrize(
    ("state", "name"), [(0, "mcp__files__*"), (0, "get_state"), (0, "Bash*"), (1, "*")]
)
def test_a_rule_that_leaves_the_agent_its_events_is_fine(state: int, name: str) -> None:
    """A rule is accepted if it leaves the agent its events, or if the state is a reviewer's."""
    denied = put({"denied": [name]}, "states", state, "tool_permissions")

    assert [] == find_in_changed(denied)
