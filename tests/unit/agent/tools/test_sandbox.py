"""Declared commands in a sandbox: what they can change, and what they cannot."""

import asyncio
import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from saniwa.agent.definition import CommandSettings
from saniwa.agent.tools import commands
from saniwa.agent.tools.commands import CommandTool
from saniwa.agent.tools.sandbox import find_sandbox_version, list_program_folders
from saniwa.models.oracle import ToolOutput

needs_landlock = pytest.mark.skipif(
    not find_sandbox_version(), reason="SANDBOX NOT TESTED: this kernel has no Landlock"
)
needs_network_limits = pytest.mark.skipif(
    find_sandbox_version() < 4, reason="LIMITS OF THE NETWORK NOT TESTED: they need Landlock 4"
)
needs_signal_limits = pytest.mark.skipif(
    find_sandbox_version() < 6, reason="LIMITS OF SIGNALS NOT TESTED: they need Landlock 6"
)


def _run(folder: Path, code: str, **settings: Any) -> ToolOutput:
    command = CommandSettings(command=(sys.executable, "-c", code), **settings)
    return asyncio.run(CommandTool("try", command, folder / "work").run({}))


@needs_landlock
def test_a_command_writes_below_the_workspace(tmp_path: Path) -> None:
    """A command may change files, folders and links in the workspace."""
    code = """
import os
os.makedirs("a/b"); open("a/b/x", "w").write("1"); os.rename("a/b/x", "a/y")
os.truncate("a/y", 0); open("/dev/null", "w").write("gone"); os.remove("a/y")
open("kept.txt", "w").write("kept"); print("fine")
"""
    output = _run(tmp_path, code)

    assert (False, "fine\n") == (output.failed, output.result), output.text
    assert "kept" == (tmp_path / "work" / "kept.txt").read_text()


_DEEDS = {
    "write": "open('../outside.txt', 'a').write('x')",
    "absolute": "open({path!r}, 'a').write('x')",
    "truncate": "import os; os.truncate({path!r}, 0)",
    "remove": "import os; os.remove({path!r})",
    "move": "import os; os.rename({path!r}, 'mine.txt')",
    "make": "import os; os.mkdir('../made')",
    "link": "import os; os.symlink({path!r}, 'link'); open('link', 'a').write('x')",
    "child": "import subprocess, sys; sys.exit(subprocess.call(['rm', {path!r}]))",
}


@needs_landlock
@pytest.mark.parametrize("deed", _DEEDS)
def test_a_command_changes_nothing_elsewhere(deed: str, tmp_path: Path) -> None:
    """A command cannot change anything outside the workspace, even what it may read."""
    outside = tmp_path / "outside.txt"
    outside.write_text("as it was")

    output = _run(tmp_path, _DEEDS[deed].format(path=str(outside)), read_folders=("..",))

    assert output.failed, output.text
    assert "as it was" == outside.read_text()
    assert {"outside.txt", "work"} == {path.name for path in tmp_path.iterdir()}


_GLANCES = {
    "read": "print(open({path!r}).read())",
    "list": "import os; print(os.listdir({folder!r}))",
    "relative": "print(open('../secret.txt').read())",
    "link": "import os; os.symlink({path!r}, 'link'); print(open('link').read())",
    "copy": "import os; os.link({path!r}, 'copy'); print(open('copy').read())",
    "child": "import subprocess, sys; sys.exit(subprocess.call(['cat', {path!r}]))",
    "process": "print(open('/proc/{process}/environ').read())",
}


@needs_landlock
@pytest.mark.parametrize("glance", _GLANCES)
def test_a_command_reads_the_workspace_and_the_system_only(glance: str, tmp_path: Path) -> None:
    """A command cannot read the user's other files or the agent's environment."""
    secret = tmp_path / "secret.txt"
    secret.write_text("the key")
    code = _GLANCES[glance].format(path=str(secret), folder=str(tmp_path), process=os.getpid())
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "own.txt").write_text("own")

    own = _run(tmp_path, "print(open('own.txt').read(), len(open('/etc/passwd').read()) > 0)")
    output = _run(tmp_path, code)

    assert "own True\n" == own.result, own.text
    assert not _run(tmp_path, f"'{'x' * 5_000}'").failed
    assert output.failed, output.text
    assert "the key" not in output.text


@needs_landlock
def test_a_command_reads_the_folders_that_are_named(tmp_path: Path) -> None:
    """A command may read the folders named for it, relative or absolute."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(name)
    code = "print(open('../one/a.txt').read(), open({!r}).read())"

    output = _run(
        tmp_path,
        code.format(str(tmp_path / "two" / "a.txt")),
        read_folders=("../one", str(tmp_path / "two"), "../absent"),
    )

    assert "one two\n" == output.result, output.text


@needs_landlock
def test_a_command_reads_the_files_that_its_author_wrote_into_it(tmp_path: Path) -> None:
    """A command may read files named in its definition, but not those in model arguments."""
    script, secret = tmp_path / "script.py", tmp_path / "secret.txt"
    script.write_text("import sys; print(len(open(sys.argv[1]).read()))")
    secret.write_text("the key")
    command = (sys.executable, "../script.py", "{file}")
    tool = CommandTool("try", CommandSettings(command=command), tmp_path / "work")

    own = asyncio.run(tool.run({"file": "../script.py"}))
    other = asyncio.run(tool.run({"file": str(secret)}))

    assert f"{len(script.read_text())}\n" == own.result, own.text
    assert other.failed, other.text


@needs_network_limits
@pytest.mark.parametrize(("network", "expected"), [(False, "refused"), (True, "reached")])
def test_a_command_reaches_the_network_only_where_it_is_declared(
    tmp_path: Path, network: bool, expected: str
) -> None:
    """TCP connections and ports are allowed only if they are declared."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = f"""
import socket
try:
    socket.create_connection(("127.0.0.1", {server.getsockname()[1]}), 60).close()
    socket.create_server(("127.0.0.1", 0)).close()
    print("reached")
except PermissionError:
    print("refused")
"""
        output = _run(tmp_path, code, network=network)

    assert f"{expected}\n" == output.result, output.text


@needs_signal_limits
def test_a_command_cannot_end_the_agent(tmp_path: Path) -> None:
    """A command can send signals to its own child processes only."""
    code = """
import os, subprocess
child = subprocess.Popen(["sleep", "1000"]); child.kill(); print(child.wait())
os.kill(os.getppid(), 0)
"""
    output = _run(tmp_path, code)

    assert output.failed
    assert "-9\n" in output.text
    assert "PermissionError" in output.text


@needs_landlock
def test_the_journal_says_what_was_limited(tmp_path: Path) -> None:
    """The journal names each restriction."""
    open_wide = CommandSettings(command=("true",), network=True)
    version = find_sandbox_version()
    network = ["tcp"] if version >= 4 else []
    signals = ["signals"] if version >= 6 else []

    def note(settings: CommandSettings) -> Any:
        return CommandTool("try", settings, tmp_path).prepare({})["limits"]

    assert ["write", "read", *network, *signals] == note(CommandSettings(command=("true",)))
    assert ["write", "read", *signals] == note(open_wide)
    assert [] == note(CommandSettings(command=("true",), sandbox=False))


def test_a_program_reads_what_was_installed_with_it(tmp_path: Path) -> None:
    """A program may read its own and its interpreter's installation, but not folders above."""
    base, venv, work = tmp_path / "base", tmp_path / "venv", tmp_path / "work"
    for folder in (base / "bin", venv / "bin", work / "bin", tmp_path / "env" / "shims"):
        folder.mkdir(parents=True)
    for path, text in {
        tmp_path / "env" / "shims" / "chosen": "",
        base / "bin" / "python": "",
        venv / "bin" / "tool": f"#!{venv}/bin/python -I\n",
    }.items():
        path.write_text(text)
        path.chmod(0o755)
    (venv / "bin" / "python").symlink_to(base / "bin" / "python")
    own = tmp_path / "bin" / "own"
    own.parent.mkdir()
    own.write_bytes(b"\x7fELF")
    own.chmod(0o755)
    places = f"{venv / 'bin'}:{own.parent}:{tmp_path / 'env' / 'shims'}"

    assert {base, venv} == set(list_program_folders("tool", work, places))
    assert {own.parent} == set(list_program_folders("own", work, places))
    assert {tmp_path / "env"} == set(list_program_folders("chosen", work, places))
    assert () == tuple(list_program_folders("absent", work, places))


@needs_landlock
def test_a_temporary_folder_is_its_own_and_is_removed(tmp_path: Path) -> None:
    """The temporary folder is removed."""
    code = "import tempfile; f = tempfile.mkstemp()[1]; open(f, 'w').write('x'); print(f)"
    output = _run(tmp_path, code)

    assert output.result is not None, output.text
    assert not Path(output.result.strip()).parent.exists()


@needs_landlock
def test_the_agent_itself_is_not_confined(tmp_path: Path) -> None:
    """The restrictions apply to the command only, not to the agent's process."""
    _run(tmp_path, "pass")

    (tmp_path / "mine.txt").write_text("still")
    assert "still" == (tmp_path / "mine.txt").read_text()


def test_a_command_can_be_declared_without_a_sandbox(tmp_path: Path) -> None:
    """A command declared without a sandbox has its user's rights, and the journal says so."""
    settings = CommandSettings(command=("true",), sandbox=False)

    output = _run(tmp_path, "open('../outside.txt', 'w').write('x')", sandbox=False)

    assert not output.failed
    assert (tmp_path / "outside.txt").exists()
    assert "none" == CommandTool("try", settings, tmp_path).prepare({})["sandbox"]


def test_a_system_without_one_runs_the_command_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a system without a sandbox the command runs, and the journal says so."""
    monkeypatch.setattr(commands, "find_sandbox_version", lambda: 0)
    settings = CommandSettings(command=("true",))

    assert not _run(tmp_path, "pass").failed
    assert "none" == CommandTool("try", settings, tmp_path).prepare({})["sandbox"]
