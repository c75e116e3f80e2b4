"""Attacks on the paths of file tools, and on the arguments of commands."""

import asyncio
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.definition import CommandSettings
from saniwa.agent.tools.commands import CommandTool, fill_command, find_shell_script
from saniwa.agent.tools.files import (
    LARGEST_FILE,
    EditFileTool,
    ListFilesTool,
    ReadFileTool,
    SearchFilesTool,
    WorkspaceFiles,
    WriteFileTool,
)
from saniwa.agent.tools.tool import LONGEST_OUTPUT, AgentTool, ToolCallError
from saniwa.models.oracle import ToolOutput

_SECRET = "the secret"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A workspace next to a secret, with links to it."""
    work = tmp_path / "work"
    (work / "inner").mkdir(parents=True)
    (work / ".git").mkdir()
    (work / ".env").write_text(_SECRET)
    (work / ".git" / "config").write_text(_SECRET)
    (work / "notes.md").write_text("plain")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.md").write_text(_SECRET)
    (work / "link.md").symlink_to(tmp_path / "outside" / "secret.md")
    (work / "inner" / "away").symlink_to(tmp_path / "outside")
    (work / "inner" / "loop").symlink_to(work)
    os.mkfifo(work / "pipe")
    return work


def _run(tool: AgentTool, arguments: Mapping[str, Any]) -> ToolOutput:
    return asyncio.run(tool.run(arguments))


_OUTSIDE = [
    "../outside/secret.md",
    "inner/../../outside/secret.md",
    "link.md",
    "inner/away/secret.md",
    "inner/loop/notes.md",
    ".env",
    ".git/config",
    "inner/.hidden",
    "./.env",
    "pipe",
    "inner",
    "",
    ".",
    "/etc/passwd",
    "~/secret",
    "C:\\secret",
    "a\\b",
    "a\0b",
    "a\nb",
    "x" * 5000,
    "a/" * 400,
]


@pytest.mark.parametrize("path", _OUTSIDE)
def test_no_path_leads_out_of_the_workspace(path: str, top: Path, tmp_path: Path) -> None:
    """No path can be read or written outside the workspace."""
    files = WorkspaceFiles(top)
    before = {p: p.read_bytes() for p in tmp_path.rglob("*.md") if p.is_file()}

    with pytest.raises(ToolCallError):
        _run(ReadFileTool(files), {"path": path})
    with pytest.raises(ToolCallError):
        _run(EditFileTool(files), {"path": path, "old": "secret", "new": "x"})
    if path not in ("link.md", "~/secret"):
        with pytest.raises(ToolCallError):
            _run(WriteFileTool(files), {"path": path, "content": "mine"})

    assert before == {p: p.read_bytes() for p in before}
    assert _SECRET == (tmp_path / "outside" / "secret.md").read_text()


def test_lists_and_searches_stay_inside(top: Path) -> None:
    """Links and hidden files are neither listed nor searched."""
    files = WorkspaceFiles(top)

    assert "notes.md" == _run(ListFilesTool(files), {}).text
    assert "nothing found" == _run(SearchFilesTool(files), {"text": "secret"}).text
    with pytest.raises(ToolCallError):
        _run(ListFilesTool(files), {"path": "inner/away"})


@pytest.mark.parametrize("path", ["agents/guide/agent.json", "agents/guide/deep/agent.json"])
def test_a_protected_folder_is_refused_by_its_identity(path: str, top: Path) -> None:
    """A protected folder, such as the agent's own definition, is refused by its identity."""
    (top / "agents" / "guide").mkdir(parents=True)
    (top / "agents" / "guide" / "agent.json").write_text("{}")
    files = WorkspaceFiles(top, (top / "inner" / "loop" / "agents" / "guide",))

    for tool in (ReadFileTool(files), WriteFileTool(files)):
        with pytest.raises(ToolCallError, match="protected"):
            _run(tool, {"path": path, "content": "x"})
    assert "notes.md" == _run(ListFilesTool(files), {}).text


def test_a_link_is_not_swapped_in_between(top: Path, tmp_path: Path) -> None:
    """Writing to a link replaces the link, not its target."""
    with pytest.raises(ToolCallError):
        _run(WriteFileTool(WorkspaceFiles(top)), {"path": "link.md", "content": "mine"})

    assert _SECRET == (tmp_path / "outside" / "secret.md").read_text()


def test_sizes_are_bounded(top: Path) -> None:
    """A file over the size limit is neither read nor written, and a long one is read in parts."""
    files = WorkspaceFiles(top)
    (top / "large.txt").write_bytes(b"x" * (LARGEST_FILE + 1))
    (top / "long.txt").write_text("x" * (LONGEST_OUTPUT + 5))

    with pytest.raises(ToolCallError, match="bytes"):
        _run(ReadFileTool(files), {"path": "large.txt"})
    with pytest.raises(ToolCallError, match="bytes"):
        _run(WriteFileTool(files), {"path": "a", "content": "x" * (LARGEST_FILE + 1)})
    assert (
        "[5 more characters: offset 20000]" in _run(ReadFileTool(files), {"path": "long.txt"}).text
    )
    assert "xxxxx" == _run(ReadFileTool(files), {"path": "long.txt", "offset": 20000}).text


def test_a_file_that_is_not_text_stays_as_it_is(top: Path) -> None:
    """A file that is not UTF-8 cannot be edited."""
    (top / "image.png").write_bytes(b"\x89PNG\xff old \xfe")

    with pytest.raises(ToolCallError, match="UTF-8"):
        _run(EditFileTool(WorkspaceFiles(top)), {"path": "image.png", "old": "old", "new": "new"})

    assert b"\x89PNG\xff old \xfe" == (top / "image.png").read_bytes()


def test_the_mode_of_a_file_survives_an_edit(top: Path) -> None:
    """An edited file keeps its mode."""
    (top / "run.sh").write_text("echo one")
    (top / "run.sh").chmod(0o755)

    _run(EditFileTool(WorkspaceFiles(top)), {"path": "run.sh", "old": "one", "new": "two"})

    assert 0o755 == (top / "run.sh").stat().st_mode & 0o777


_SHOW = (
    "import json, os, sys;"
    " print(json.dumps([sys.argv[1:], sorted(os.environ), os.getcwd(), sys.stdin.read()]))"
)


def _make_command(top: Path, *words: str, **more: Any) -> CommandTool:
    settings = CommandSettings(command=(sys.executable, *words), **more)
    return CommandTool("order", settings, top)


@pytest.mark.parametrize("value", ["; rm -rf /", "$(id)", "`id`", "a b", "* ?", "'\"", "${HOME}"])
def test_a_value_is_one_argument_and_no_shell_reads_it(value: str, top: Path) -> None:
    """A value is passed as one argument, without a shell."""
    output = _run(_make_command(top, "-c", _SHOW, "{value}"), {"value": value})

    import json

    assert [value] == json.loads(output.text.partition("\n")[2])[0]


def test_a_command_gets_a_small_environment(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command gets only the environment variables that its author names."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    monkeypatch.setenv("MY_SETTING", "on")

    output = _run(_make_command(top, "-c", _SHOW, environment=("MY_SETTING",)), {})

    assert "OPENAI_API_KEY" not in output.text
    assert "MY_SETTING" in output.text
    assert str(top) in output.text


def test_a_value_does_not_become_an_option() -> None:
    """A value that is a whole argument may not begin with a hyphen."""
    with pytest.raises(ToolCallError):
        fill_command(("rm", "{path}"), {"path": "-rf"})

    assert ["grep", "--text=-x"] == fill_command(("grep", "--text={text}"), {"text": "-x"})
    assert ["ls"] == fill_command(("ls", "{path}"), {})


@pytest.mark.parametrize("value", ["a\0b", "x" * 10_001, ["a"], {"a": 1}])
def test_what_cannot_be_an_argument_is_refused(value: Any) -> None:
    """Only texts and numbers of limited size are accepted as values."""
    with pytest.raises(ToolCallError):
        fill_command(("echo", "{value}"), {"value": value})


def test_a_command_is_stopped_with_everything_it_started(top: Path) -> None:
    """At its time limit a command ends with its child processes, and the output is kept."""
    child = "import time; time.sleep(600)"
    script = f"import subprocess, sys; print('begun', flush=True); subprocess.run([sys.executable, '-c', {child!r}])"

    output = _run(_make_command(top, "-c", script, timeout_seconds=1.0), {})

    assert output.failed
    assert output.text.startswith("stopped after 1 seconds\nbegun")
    assert output.details["timedOut"]


def test_output_is_bounded(top: Path) -> None:
    """The output is limited, with the number of omitted bytes."""
    output = _run(_make_command(top, "-c", "print('x' * 1_000_000)", max_output=10), {})

    assert "exit code 0\nxxxxxxxxxx\n[999991 more bytes are not shown]" == output.text


def test_an_exit_code_says_whether_it_succeeded(top: Path) -> None:
    """A command with another exit status than 0 has failed."""
    output = _run(_make_command(top, "-c", "raise SystemExit(3)"), {})

    assert (True, 3) == (output.failed, output.details["exitCode"])


def test_a_program_that_does_not_exist_is_a_failed_call(top: Path) -> None:
    """A program that does not exist is a failed call."""
    with pytest.raises(ToolCallError, match="cannot be started"):
        _run(CommandTool("order", CommandSettings(command=("no-such-program",)), top), {})


@pytest.mark.parametrize(
    ("command", "is_unsafe"),
    [
        (("sh", "-c", "wc {file}"), True),
        (("/bin/bash", "-lc", "wc {file}"), True),
        (("sh", "-c", 'wc "$1"', "sh", "{file}"), False),
        (("wc", "-c", "{file}"), False),
    ],
)
def test_a_shell_script_takes_no_values(command: tuple[str, ...], is_unsafe: bool) -> None:
    """A value inside a shell script is refused."""
    assert is_unsafe == bool(find_shell_script(command))
