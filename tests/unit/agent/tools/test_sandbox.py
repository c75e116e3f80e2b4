"""Declared commands in a sandbox: what they can change, and what they cannot."""

import asyncio
import sys
from pathlib import Path

import pytest

from saniwa.agent.definition import CommandSettings
from saniwa.agent.tools import commands
from saniwa.agent.tools.commands import CommandTool
from saniwa.agent.tools.sandbox import find_sandbox_version
from saniwa.models.oracle import ToolOutput

needs_landlock = pytest.mark.skipif(not find_sandbox_version(), reason="this kernel has none")


def _run(folder: Path, code: str, *, sandbox: bool = True) -> ToolOutput:
    settings = CommandSettings(command=(sys.executable, "-c", code), sandbox=sandbox)
    return asyncio.run(CommandTool("try", settings, folder / "work").run({}))


@needs_landlock
def test_a_command_writes_below_the_workspace(tmp_path: Path) -> None:
    """Files, folders, moves and links there are its own business; so is its output."""
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
    """Not a byte outside of the workspace, whatever way it takes; reading is allowed."""
    outside = tmp_path / "outside.txt"
    outside.write_text("as it was")

    read = _run(tmp_path, f"print(open({str(outside)!r}).read())")
    output = _run(tmp_path, _DEEDS[deed].format(path=str(outside)))

    assert "as it was\n" == read.result
    assert output.failed, output.text
    assert "as it was" == outside.read_text()
    assert {"outside.txt", "work"} == {path.name for path in tmp_path.iterdir()}


@needs_landlock
def test_a_temporary_folder_is_its_own_and_is_removed(tmp_path: Path) -> None:
    """Nothing of it is left."""
    code = "import tempfile; f = tempfile.mkstemp()[1]; open(f, 'w').write('x'); print(f)"
    output = _run(tmp_path, code)

    assert output.result is not None, output.text
    assert not Path(output.result.strip()).parent.exists()


@needs_landlock
def test_the_agent_itself_is_not_confined(tmp_path: Path) -> None:
    """What is taken from a command's thread is not taken from the process."""
    _run(tmp_path, "pass")

    (tmp_path / "mine.txt").write_text("still")
    assert "still" == (tmp_path / "mine.txt").read_text()


def test_a_command_can_be_declared_without_a_sandbox(tmp_path: Path) -> None:
    """Then it has its user's rights, and the journal says so."""
    settings = CommandSettings(command=("true",), sandbox=False)

    output = _run(tmp_path, "open('../outside.txt', 'w').write('x')", sandbox=False)

    assert not output.failed
    assert (tmp_path / "outside.txt").exists()
    assert "none" == CommandTool("try", settings, tmp_path).prepare({})["sandbox"]


def test_a_system_without_one_runs_the_command_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the journal says so."""
    monkeypatch.setattr(commands, "find_sandbox_version", lambda: 0)
    settings = CommandSettings(command=("true",))

    assert not _run(tmp_path, "pass").failed
    assert "none" == CommandTool("try", settings, tmp_path).prepare({})["sandbox"]
