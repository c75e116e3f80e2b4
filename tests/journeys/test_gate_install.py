"""Settings of agents' hosts, written to and removed from a user's project."""

import json
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from saniwa.app.gate.agent_host_settings import load_host_settings
from saniwa.documents.json_edit import parse_json_parts
from tests.journeys.gate_terminal import GateTerminal, answer_of, make_environment

_HOSTS = sorted(load_host_settings())
_OWN = {
    ".claude/settings.json": (
        '{\n\t"model": "opus", "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": '
        '[{"type": "command", "command": "mine --host claude-code"}]}]}\n}'
    ),
    ".mcp.json": '{"mcpServers": {"files": {"command": "x"}}}\n',
    ".codex/config.toml": 'model = "gpt-5"\n\n[mcp_servers.other]\ncommand = "x"\n',
    ".codex/hooks.json": '{"hooks": {}, "note": "äöü"}',
    ".cursor/hooks.json": '{"version": 1, "hooks": {"stop": [{"command": "mine"}]}}\n',
    ".cursor/mcp.json": "{}\n",
    ".github/hooks/saniwa.json": '{"hooks": {"Stop": [{"type": "command", "command": "mine"}]}}',
    ".vscode/mcp.json": (
        '{\n  // mine\n  "servers": {\n    "files": {"command": "x"}, // "yes"\n  },\n}\n'
    ),
}


@pytest.fixture
def terminal(tmp_path: Path) -> GateTerminal:
    """A folder without settings."""
    return GateTerminal(tmp_path)


def _write_own(folder: Path) -> None:
    for name, text in _OWN.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())


def _read_all(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in files}


def _install(desk: GateTerminal, host: str, *more: str, command: str = "install") -> Any:
    done = desk.run_command(command, host, "--json", *more)
    assert (0, "") == (done.code, done.err), done.out
    return done.document


@pytest.mark.parametrize("host", _HOSTS)
def test_a_project_without_settings_gets_them_and_loses_them(
    terminal: GateTerminal, host: str
) -> None:
    """Uninstalling removes everything that was installed, including empty folders."""
    done = _install(terminal, host)
    written = _read_all(terminal.folder)
    _install(terminal, host, command="uninstall")

    assert {each["path"] for each in done["files"]} == set(written)
    assert ["create", "create"] == [each["action"] for each in done["files"]]
    assert [] == list(terminal.folder.iterdir())


@pytest.mark.parametrize("host", _HOSTS)
def test_what_the_user_has_stays_byte_for_byte(terminal: GateTerminal, host: str) -> None:
    """The user's settings stay the same byte for byte, including comments and line ends."""
    _write_own(terminal.folder)
    before = _read_all(terminal.folder)
    _install(terminal, host)
    during = _read_all(terminal.folder)
    _install(terminal, host, command="uninstall")
    after = _read_all(terminal.folder)
    # An empty object counts as missing.
    gone = {".codex": ".codex/hooks.json", ".cursor": ".cursor/mcp.json"}.get(f".{host}", "")

    assert before != during
    assert {k: v for k, v in before.items() if k != gone} == {
        k: v for k, v in after.items() if k != gone
    }
    if gone:
        assert parse_json_parts(after.get(gone, "{}")).value in ({}, {"note": "äöü"})


@pytest.mark.parametrize("host", _HOSTS)
def test_installing_again_changes_nothing(terminal: GateTerminal, host: str) -> None:
    """Installing again with other options replaces the earlier settings."""
    _write_own(terminal.folder)
    _install(terminal, host)
    first = _read_all(terminal.folder)
    again = _install(terminal, host)
    second = _read_all(terminal.folder)
    _install(terminal, host, "--command", "/opt/my tools/saniwa", "--fail-closed")
    third = _read_all(terminal.folder)
    _install(terminal, host)

    assert first == second
    assert {"keep"} == {each["action"] for each in again["files"]}
    assert first != third
    assert [text.count("hook stop") for text in first.values()] == [
        text.count("hook stop") for text in third.values()
    ]
    assert {k: sorted(v) for k, v in first.items()} == {
        k: sorted(v) for k, v in _read_all(terminal.folder).items()
    }


@pytest.mark.parametrize(
    ("host", "path", "expected"),
    [
        ("claude-code", ".claude/settings.json", {"onFailure": "block"}),
        ("cursor", ".cursor/hooks.json", {"failClosed": True}),
    ],
)
def test_a_hook_that_does_not_answer_stops_the_tool_where_the_host_can(
    terminal: GateTerminal, host: str, path: str, expected: dict[str, Any]
) -> None:
    """With `--fail-closed`, only the hook before a tool stops the tool when it fails."""
    _install(terminal, host)
    before = _list_hooks(json.loads(_read_all(terminal.folder)[path]))
    _install(terminal, host, "--fail-closed")
    after = _list_hooks(json.loads(_read_all(terminal.folder)[path]))

    assert not any(expected.items() <= hook.items() for hook in before)
    assert [expected.items() <= hook.items() for hook in after] == [
        "pre-tool-use" in hook["command"] for hook in after
    ]


def test_what_cannot_start_is_reported_with_its_cure(terminal: GateTerminal) -> None:
    """A program that cannot start is a warning of `install`, and an error of `--check`."""
    absent = ("--command", "./nothing/saniwa")
    warned = terminal.run_command("install", "claude-code", *absent)
    checked = terminal.run_command("install", "claude-code", "--check", *absent)
    assert (0, 1) == (warned.code, checked.code)
    assert "./nothing/saniwa is not found" in warned.err
    assert "./nothing/saniwa is not found" in checked.out

    broken = terminal.folder / "saniwa"
    broken.write_text("#!/bin/sh\n[ $1 = gate ] || { echo no extra >&2; exit 3; }\n")
    broken.chmod(0o755)
    warned = terminal.run_command("install", "claude-code", "--command", "./saniwa")
    assert "the server 'saniwa' does not start: no extra" in warned.err


def test_an_installation_is_tested(terminal: GateTerminal) -> None:
    """`--check` writes nothing, and passes only where the settings are and everything starts."""
    before = terminal.run_command("install", "claude-code", "--check")
    assert "not installed; run: saniwa gate install claude-code\n" == before.out
    assert [] == list(terminal.folder.iterdir())
    _install(terminal, "claude-code")
    after = terminal.run_command("install", "claude-code", "--check", "--json")
    assert (1, 0) == (before.code, after.code), after.out
    assert {"host": "claude-code", "problems": []} == after.document


_PROGRAM = Path(sys.executable).with_name("saniwa")


def _run_with_path(desk: GateTerminal, path: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [_PROGRAM, "gate", "install", "claude-code", *words],
        cwd=desk.folder,
        env=make_environment() | {"PATH": path},
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("path", ["/usr/bin:/bin", f"{_PROGRAM.parent}:/usr/bin:/bin"])
def test_a_program_that_a_host_does_not_find_is_written_with_its_path(
    terminal: GateTerminal, path: str
) -> None:
    """The settings name the absolute path, also while the virtual environment is active."""
    done = _run_with_path(terminal, path)
    assert (0, "") == (done.returncode, done.stderr)
    server = json.loads(_read_all(terminal.folder)[".mcp.json"])["mcpServers"]["saniwa"]
    assert str(_PROGRAM) == server["command"]


def test_a_check_starts_what_is_installed_as_a_host_would(terminal: GateTerminal) -> None:
    """A bare name that only an active environment finds fails; any form that works passes."""
    active = f"{_PROGRAM.parent}:/usr/bin:/bin"
    _run_with_path(terminal, active, "--command", "saniwa")
    fragile = _run_with_path(terminal, active, "--check")
    assert (1, True) == (
        fragile.returncode,
        "saniwa is not found without a virtual environment; install again" in fragile.stdout,
    )

    elsewhere = terminal.folder / "bin"
    elsewhere.mkdir()
    (elsewhere / "saniwa").symlink_to(_PROGRAM)
    for words, path in ((("--command", "saniwa"), f"{elsewhere}:{active}"), ((), active)):
        _run_with_path(terminal, path, *words)
        checked = _run_with_path(terminal, f"{elsewhere}:{active}", "--check")
        assert (0, "") == (checked.returncode, checked.stderr), checked.stdout
    _run_with_path(terminal, active, "--fail-closed")
    assert 0 == _run_with_path(terminal, active, "--check").returncode


def _list_hooks(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return [each for inner in value for each in _list_hooks(inner)]
    if not isinstance(value, dict):
        return []
    inner = [each for held in value.values() for each in _list_hooks(held)]
    return [value, *inner] if "gate hook" in str(value.get("command")) else inner


def _list_commands(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["command"]] if "gate hook" in str(value.get("command")) else []
        return own + [each for inner in value.values() for each in _list_commands(inner)]
    return (
        [each for inner in value for each in _list_commands(inner)]
        if isinstance(value, list)
        else []
    )


@pytest.mark.parametrize("host", _HOSTS)
def test_the_written_commands_answer(terminal: GateTerminal, host: str) -> None:
    """Each installed command takes a call, and the hook before a tool protects the gate."""
    hooks = _install(terminal, host)["files"][0]["path"]
    document = json.loads((terminal.folder / hooks).read_text())
    place = str(terminal.folder)
    answers = {}
    for command in _list_commands(document):
        words = shlex.split(command.replace("$CLAUDE_PROJECT_DIR", place))
        call = '{"tool_name": "Write", "tool_input": {"path": ".state_gate/people.json"}}'
        assert ("saniwa", "gate") == (Path(words[0]).name, words[1])
        answers[words[3]] = terminal.run_command(*words[2:], stdin=call)

    assert {"pre-tool-use", "post-tool-use", "stop", "session-start"} == set(answers)
    assert {0} == {each.code for each in answers.values()}
    assert "deny" in answers["pre-tool-use"].out


@pytest.mark.parametrize("host", _HOSTS)
def test_a_server_of_the_users_own_is_left_alone(terminal: GateTerminal, host: str) -> None:
    """A server that the user has written is kept, and reported."""
    file = load_host_settings()[host].files[1]
    place, entry = terminal.folder / file.path, file.entries[0]
    place.parent.mkdir(exist_ok=True)
    text = json.dumps({entry.path[0]: {"saniwa": {"command": "saniwa", "args": None}}})
    if place.suffix == ".toml":
        text = '[mcp_servers.saniwa]\ncommand = "saniwa"\nargs = ["mcp"]\n'
    place.write_text(text)
    kept = _install(terminal, host)["files"][1]["kept"]
    _install(terminal, host, command="uninstall")

    assert [f"{entry.path[0]}.saniwa"] == kept
    assert text == place.read_text()


def test_a_dry_run_shows_the_change_and_makes_none(terminal: GateTerminal) -> None:
    """A dry run shows the change as a diff, and writes nothing."""
    shown = terminal.run_command("install", "claude-code", "--dry-run").out

    assert "would create .mcp.json: mcpServers.saniwa" in shown
    assert '  +    "saniwa": {' in shown
    assert [] == list(terminal.folder.iterdir())


def test_a_hook_that_the_user_added_stays(terminal: GateTerminal) -> None:
    """A hook that the user has added to a group stays when the group is uninstalled."""
    _install(terminal, "claude-code")
    place = terminal.folder / ".claude" / "settings.json"
    settings = json.loads(place.read_text())
    settings["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "mine"})
    place.write_text(json.dumps(settings))
    _install(terminal, "claude-code", command="uninstall")

    assert {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}} == (
        json.loads(place.read_text())
    )


@pytest.mark.parametrize(
    ("host", "name", "text"),
    [
        ("claude-code", ".mcp.json", "{"),
        ("claude-code", ".mcp.json", '{"mcpServers": [1]}'),
        ("claude-code", ".claude/settings.json", '{"hooks": {"Stop": 5}}'),
        ("codex", ".codex/config.toml", "= 5"),
        ("cursor", ".cursor/mcp.json", "\udcff"),
    ],
)
def test_a_file_that_cannot_be_understood_stops_everything(
    terminal: GateTerminal, host: str, name: str, text: str
) -> None:
    """If one settings file cannot be parsed, no file is written."""
    place = terminal.folder / name
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = {path: path.stat().st_mtime_ns for path in terminal.folder.rglob("*")}
    done = terminal.run_command("install", host)

    assert 3 == done.code
    assert "[STORE_UNREADABLE]" in done.err
    assert name.rpartition("/")[2] in done.err
    assert before == {path: path.stat().st_mtime_ns for path in terminal.folder.rglob("*")}


def test_an_address_of_a_database_is_not_written(terminal: GateTerminal) -> None:
    """The address of a database is not written, because it may hold a password."""
    refused = terminal.run_command("install", "cursor", "--dir", "postgresql://u:hush@h/d")
    open_ = terminal.run_command("install", "cursor", SANIWA_GATE="postgresql://u:hush@h/d")

    assert 2 == refused.code
    assert 0 == open_.code
    assert "hush" not in refused.err + "".join(_read_all(terminal.folder).values())
    assert "--dir" not in "".join(_read_all(terminal.folder).values())


def test_the_servers_settings_are_what_each_host_reads(terminal: GateTerminal) -> None:
    """The settings for each host's server are valid, and serve only the gate of the project."""
    for host in _HOSTS:
        _install(terminal, host)
    read = {name: text for name, text in _read_all(terminal.folder).items() if "mcp" in text}
    codex = tomllib.loads(read[".codex/config.toml"])["mcp_servers"]["saniwa"]
    vscode = json.loads(read[".vscode/mcp.json"])["servers"]["saniwa"]

    assert ["mcp", "--only", "gate", "--dir", f"{terminal.folder}/.state_gate"] == codex["args"]
    assert ("stdio", "${workspaceFolder}/.state_gate") == (vscode["type"], vscode["args"][-1])
    assert "saniwa" in json.loads(read[".mcp.json"])["mcpServers"]
    assert "saniwa" in json.loads(read[".cursor/mcp.json"])["mcpServers"]


def test_an_agent_may_not_change_the_hooks_that_ask_about_it(terminal: GateTerminal) -> None:
    """An agent may read the hooks' settings but not change them."""
    _install(terminal, "claude-code")
    change = {"tool_name": "Edit", "tool_input": {"file_path": ".claude/settings.json"}}
    shell = {"tool_name": "Bash", "tool_input": {"command": "rm .claude/settings.json"}}
    read = {"tool_name": "Read", "tool_input": {"file_path": ".claude/settings.json"}}
    other = {"tool_name": "Edit", "tool_input": {"file_path": ".claude/agents/a.md"}}
    said = [
        terminal.run_command("hook", "pre-tool-use", stdin=json.dumps(call)).document
        for call in (change, shell, read, other)
    ]

    assert ["deny", "deny"] == [
        each["hookSpecificOutput"]["permissionDecision"] for each in said[:2]
    ]
    assert (
        "only a person may change it" in said[0]["hookSpecificOutput"]["permissionDecisionReason"]
    )
    assert [{}, {}] == said[2:]


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_another_host_is_answered_with_the_way_to_set_it_up(tmp_path: Path, command: str) -> None:
    """For an unknown host the error names the known hosts, the server and the hooks."""
    answer = answer_of(tmp_path, "gate", command, "emacs")

    assert 2 == answer.code
    for word in ("'vscode'", "saniwa mcp --only gate", "saniwa gate hook --help"):
        assert word in answer.err
