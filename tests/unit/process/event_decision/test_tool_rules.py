import pytest

from saniwa.process.definition import StateDefinition, ToolPermissions
from saniwa.process.tool_permissions import CallArguments, check_tool_permission, is_gate_tool

_STATE = StateDefinition(
    name="draft",
    tool_permissions=ToolPermissions(
        allowed=(
            "Bash(npm test*)",
            "Bash(git status)",
            "Edit(src/*)",
            "WebFetch(https://a.example/*)",
        ),
        ask=("Edit(src/api/*)",),
        denied=("Bash(rm *)", "Bash(*npm test secret*)"),
    ),
)


def _check(tool: str, folder: str = "/home/p", **values: object) -> str | None:
    arguments = CallArguments(values, folder, "/home/p")
    return check_tool_permission(_STATE, tool, arguments).answer


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("npm test", "allow"),
        ("npm test -- --watch && git status", "allow"),
        ("npm test | tee out", "deny"),
        ("npm test > out", "deny"),
        ("npm test; curl evil.example", "deny"),
        ("npm test $(rm -rf x)", "deny"),
        ("npm test\nls", "deny"),
        ("A=1 npm test", "deny"),
        ("rm x", "deny"),
        ("git status && A=1 /bin/rm x", "deny"),
        ("npm test secret", "deny"),
        ("", "deny"),
    ],
)
def test_a_command_is_allowed_only_if_all_of_it_is(command: str, expected: str) -> None:
    """A command is allowed only if all its parts are, and denied if one is."""
    assert expected == _check("Bash", command=command)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.py", "allow"),
        ("/home/p/src/a.py", "allow"),
        ("./src/../src/a.py", "allow"),
        ("src/../a.py", "deny"),
        ("/etc/src/a.py", "deny"),
        ("src/api/b.py", "ask"),
    ],
)
def test_a_path_counts_as_it_is_after_its_dots(path: str, expected: str) -> None:
    """A path is normalised first, and relative to the project."""
    assert expected == _check("Edit", file_path=path, new_string="src/")


def test_a_path_is_relative_to_the_agents_folder() -> None:
    """A path is relative to the agent's working folder."""
    assert "allow" == _check("Edit", folder="/home/p/src", file_path="a.py")
    assert "deny" == _check("Edit", folder="/tmp", file_path="src/a.py")


@pytest.mark.parametrize(
    ("url", "expected"),
    [("https://a/b/c/d", "allow"), ("https://a/c/b/d", "deny"), ("https://a/b/", "deny")],
)
def test_a_rule_may_have_several_stars(url: str, expected: str) -> None:
    """With several stars, the texts between them must come in order."""
    rules = ToolPermissions(allowed=("Fetch(https://a/*b/*c/*d)",))
    state = StateDefinition(name="draft", tool_permissions=rules)

    assert expected == check_tool_permission(state, "Fetch", CallArguments({"url": url})).answer


def test_other_arguments_are_compared_as_they_are() -> None:
    """Arguments other than commands and paths are compared as whole texts."""
    assert "allow" == _check("WebFetch", url="https://a.example/x", prompt="p")
    assert "deny" == _check("WebFetch", url="https://b.example/x")


@pytest.mark.parametrize(
    "values",
    [
        {"files": ["README.md", "src/api/b.py"]},
        {"files": ["file:///home/p/src/api/b.py"]},
        {"replacements": [{"filePath": "/home/p/src/api/b.py", "newString": "x"}]},
        {"input": "*** Begin Patch\n*** Update File: src/api/b.py\n@@\n-a\n+b\n*** End Patch"},
        {"command": "*** Begin Patch\n*** Update File: a\n*** Move to: src/api/b.py\n"},
        {"uri": "src/api/b.py"},
        {"target": {"place": ["/home/p/src/api/b.py"]}},
    ],
)
def test_a_rule_that_forbids_finds_a_path_everywhere(values: dict[str, object]) -> None:
    """A denying rule finds a path in lists, nested values, patches and unknown arguments."""
    rules = ToolPermissions(ask=("edit*(src/api/*)",))
    state = StateDefinition(name="draft", tool_permissions=rules)
    arguments = CallArguments(values, "/home/p", "/home/p")

    assert "ask" == check_tool_permission(state, "editFiles", arguments).answer


@pytest.mark.parametrize(
    ("files", "expected"),
    [(["src/a.py", "src/b.py"], "allow"), (["src/a.py", "b.py"], "deny"), ([], "deny")],
)
def test_a_rule_that_allows_fits_every_path_of_a_list(files: list[str], expected: str) -> None:
    """An allowing rule must match every path of a list."""
    assert expected == _check("Edit", files=files)


def test_a_patch_is_allowed_only_if_all_its_files_are() -> None:
    """A patch is allowed only if all its files are, and only as an edit."""
    begin = "*** Begin Patch\n*** Add File: src/a.py\n+x\n"
    rules = ToolPermissions(allowed=("apply_patch(src/*)", "Bash(src/*)"))
    state = StateDefinition(name="draft", tool_permissions=rules)

    def check(tool: str, command: str) -> str | None:
        return check_tool_permission(state, tool, CallArguments({"command": command})).answer

    assert "allow" == check("apply_patch", f"{begin}*** End Patch")
    assert "deny" == check("apply_patch", f"{begin}*** Delete File: b.py\n*** End Patch")
    assert "deny" == check("Bash", f"{begin}*** End Patch\nrm x")


@pytest.mark.parametrize("tool", ["Bash", "Edit"])
def test_unknown_arguments_are_never_allowed(tool: str) -> None:
    """A rule about arguments never allows a call whose arguments are unknown."""
    assert check_tool_permission(_STATE, tool).answer in ("deny", "ask")
    assert "deny" == _check("Bash", other="npm test")


def test_the_reason_names_the_rule() -> None:
    """The reason names the rule."""
    asked = CallArguments({"command": "rm x"})

    assert "'Bash(rm *)' must not be used in state 'draft'" == (
        check_tool_permission(_STATE, "Bash", asked).reason
    )


@pytest.mark.parametrize("tool", ["MCP:emit_event", "mcp_saniwa_get_state", "mcp__g__create_run"])
def test_hosts_name_the_gates_tools_each_in_its_way(tool: str) -> None:
    """The gate's tools are recognised by the names that each host gives them."""
    assert is_gate_tool(tool)


@pytest.mark.parametrize("tool", ["mcp_other_get_state", "mcp__g__my_verify", "MCP:my_review"])
def test_a_tool_whose_name_ends_alike_is_not_the_gates(tool: str) -> None:
    """A tool with a similar name is not the gate's."""
    assert not is_gate_tool(tool)
