import pytest

from tests.fakes.definitions import found_changed, put, read_changed


@pytest.mark.parametrize("field", ["allowed", "ask", "denied"])
@pytest.mark.parametrize("name", ["Bash(rm *)", "Bash(", "mcp__*__write", "* ", "*x"])
def test_a_name_no_tool_can_have_is_refused(field: str, name: str) -> None:
    """A rule that never holds would protect nothing, and nobody would know."""
    named = put({field: ["Read", name]}, "states", 0, "toolPermissions")

    place = f"states[0].toolPermissions.{field}[1]"
    assert [("PATTERN_UNUSABLE", place)] == found_changed(named)


def test_a_name_and_the_beginning_of_names_are_fine() -> None:
    """A star at the end stands for all that begin so."""
    named = {"allowed": ["Read", "mcp__*", "*"], "denied": ["Bash"]}

    assert [] == found_changed(put(named, "states", 0, "tool_permissions"))


def test_the_cure_names_the_tool_without_what_it_is_used_for() -> None:
    """An author who thinks in commands is told that only tools count."""
    read = read_changed(put({"ask": ["Bash(rm:*)"]}, "states", 0, "tool_permissions"))

    assert [
        "write the tool alone, 'Bash': what a tool is used for is not looked at"
    ] == [each.hint for each in read.report.findings]
