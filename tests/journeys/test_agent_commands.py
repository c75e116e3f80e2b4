"""`saniwa agent check`, `list`, `graph` and `new`, as commands."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from saniwa.cli.main import saniwa
from saniwa.core.errors import ConfigurationError, ConfigurationNotFoundError
from tests.fakes.agent_folder import AGENT, change_document, make_flow, write_agent


@pytest.fixture(autouse=True)
def _enter_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _run_command(*words: str) -> Result:
    return CliRunner().invoke(saniwa, ["agent", *words], catch_exceptions=False)


def test_a_new_agent_is_without_a_finding() -> None:
    """A new agent has no findings, even with `--strict`."""
    assert "wrote .agent/guide\n" in _run_command("new", "guide").output
    done = _run_command("check", "guide", "--strict")

    assert (0, ".agent/guide: no findings (2 steps)\n") == (done.exit_code, done.output)


def test_findings_are_shown_with_the_line_and_a_caret() -> None:
    """Every finding is shown with its place and hint; the status is 1, and a count comes last."""
    flow = make_flow({"a": {"prompt": "close.md", "next": "clse"}, "close": {}})
    write_agent(Path("bad"), agent=change_document(AGENT, version="1"), registry=flow)
    done = _run_command("check", "bad")

    assert 1 == done.exit_code
    assert "error[NEXT_STEP_UNKNOWN]: the step 'a' leads to 'clse'" in done.output
    assert "at bad/steps_registry.json:6:15 (steps.a.next)" in done.output
    assert "hint: did you mean 'close'?" in done.output
    assert "at bad/agent.json:2:14 (version)" in done.output
    assert "^" in done.output
    assert "3 errors, 0 warnings, 0 notes in 1 agent\n" in done.output


def test_what_the_sandbox_of_a_command_does_not_limit_is_said() -> None:
    """A check says which limits the sandbox of a command does not have."""
    free = {"command": ["true"], "sandbox": False}
    tools = {"commands": {"count": {"command": ["wc"]}, "free": free}}
    agent = change_document(AGENT, tools=tools | {"servers": {"far": {"command": ["far"]}}})
    write_agent(Path("so"), agent=agent)
    lines = json.loads(_run_command("check", "so", "--json").output)["programs"]

    assert ["count", "free", "mcp__far"] == [each.partition(":")[0] for each in lines]
    assert any(each in lines[0] for each in ("does not limit", "this system has none"))
    assert all("no sandbox" in each for each in lines[1:])
    assert all(f"  {each}\n" in _run_command("check", "so").output for each in lines)


def test_warnings_fail_only_strictly() -> None:
    """With warnings a check exits with status 0, and with 1 under `--strict`."""
    steps = {
        "a": {"prompt": "close.md", "complete": True},
        "b": {"prompt": "close.md", "complete": True},
    }
    write_agent(Path("so"), registry=make_flow(steps))

    assert [0, 1] == [
        _run_command("check", "so").exit_code,
        _run_command("check", "so", "--strict").exit_code,
    ]
    assert "" == _run_command("check", "so", "--quiet").output


def test_machines_are_answered_in_json() -> None:
    """With `--json` a check prints one object with every finding."""
    write_agent(Path("bad"), agent=change_document(AGENT, name="Bad"))
    said = json.loads(_run_command("check", "bad", "--json").output)

    assert (False, 1) == (said["ok"], said["error_count"])
    assert ("NAME_UNUSABLE", "bad/agent.json", 3) == (
        said["findings"][0]["code"],
        said["findings"][0]["file"],
        said["findings"][0]["line"],
    )


def test_a_folder_without_an_agent_stops() -> None:
    """A check of a folder without an agent exits with status 3, an unknown name is an error."""
    Path("empty").mkdir()

    assert 3 == _run_command("check", "./empty").exit_code
    with pytest.raises(ConfigurationNotFoundError):
        _run_command("check", "nobody")


def test_every_agent_is_checked_without_a_name() -> None:
    """A check without a name covers the project's agents and the shipped ones."""
    _run_command("new", "guide")
    done = _run_command("check")

    assert 0 == done.exit_code
    assert "character: no findings" in done.output
    assert ".agent/guide: no findings" in done.output


def test_the_list_shows_which_cannot_be_used() -> None:
    """An agent with errors stays in the list, with the command that shows them."""
    write_agent(Path(".agent/broken"), agent="{")
    listed = _run_command("list").output

    assert "broken  project  has errors: saniwa agent check broken\n" in listed
    rows = json.loads(_run_command("list", "--json").output)["agents"]
    assert {"broken": 1, "character": 0} == {
        row["name"]: row["errors"] for row in rows if row["name"] in ("broken", "character")
    }


@pytest.mark.parametrize("form", ["mermaid", "svg", "json"])
def test_an_agent_can_be_drawn(form: str) -> None:
    """Each output format names the steps and the end."""
    _run_command("new", "guide")
    _run_command("graph", "guide", "--format", form, "-o", "out")
    drawn = Path("out").read_text(encoding="utf-8")

    assert all(name in drawn for name in ("Draft", "Review", "complete"))
    if form == "svg":
        assert ET.fromstring(drawn).tag.endswith("svg")


def test_no_name_in_a_picture_is_markup() -> None:
    """The name of a step never becomes markup in a drawing."""
    steps = {"a": {"name": "</text><script>", "prompt": "close.md", "complete": True}}
    write_agent(Path("bad"), registry=make_flow(steps))

    assert "<script" not in _run_command("graph", "bad", "--format", "svg").output
    assert "<script" not in _run_command("graph", "bad").output


def test_nothing_is_overwritten() -> None:
    """A second agent of the same name is refused."""
    _run_command("new", "guide")
    with pytest.raises(ConfigurationError) as caught:
        _run_command("new", "guide")

    assert "AGENT_EXISTS" == caught.value.code


def test_help_loads_nothing_heavy() -> None:
    """The help for agents loads no heavy library."""
    heavy = ["yaml", "asyncio", "jsonschema_rs", "rapidfuzz", "orjson", "pydantic"]
    script = (
        "import sys\n"
        "from saniwa.cli.main import _run\n"
        "_run(['agent', '--help'])\n"
        f"print('LOADED', *[m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert "LOADED" == done.stdout.strip().split("\n")[-1]
