from pathlib import Path
from typing import Any

import pytest

from saniwa.app.gate.configuration import GatePlaces, locate_gate
from saniwa.app.gate.file_protection import find_protected_file
from saniwa.app.gate.gate_opening import open_people

_RUN = "run-01a1e330-dd0e-7147-91d7-e02e0d262940"


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GatePlaces:
    """A gate in the agent's working folder."""
    for name in ("SANIWA_GATE", "STATE_GATE_PEOPLE", "STATE_GATE_PROJECT_ROOT"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / ".state_gate" / "artifacts" / _RUN).mkdir(parents=True)
    return locate_gate(tmp_path / ".state_gate")


def _find(places: GatePlaces, tool: str, asked: Any) -> str:
    found = find_protected_file(places, tool, asked, str(places.project))
    return "" if found is None else found.path


@pytest.mark.parametrize("tool", ["Edit", "Write", "MultiEdit", "mcp__files__write"])
@pytest.mark.parametrize(
    "path",
    [
        ".state_gate",
        ".state_gate/people.json",
        "./src/../.state_gate/state-gate.json",
        ".STATE_GATE/runs/a.csv",
        ".state_gate/metadata/a.jsonl",
        ".state_gate/processes/mine.yaml",
        f".state_gate/artifacts/{_RUN}/../../people.json",
        "/elsewhere/.state_gate/people.json",
    ],
)
def test_a_tool_that_writes_names_a_file_of_the_gate(
    places: GatePlaces, tool: str, path: str
) -> None:
    """A writing tool with a path of the gate is found, in any spelling."""
    assert path == _find(places, tool, {"file_path": path, "content": "x"})


@pytest.mark.parametrize("field", ["input", "patch", "command"])
@pytest.mark.parametrize("line", ["Update File", "Add File", "Delete File", "Move to"])
def test_a_patch_that_names_a_file_of_the_gate(places: GatePlaces, field: str, line: str) -> None:
    """A patch of a file of the gate is found, in any argument."""
    path = ".state_gate/people.json"
    patch = f"*** Begin Patch\n*** Update File: a.md\n*** {line}: {path}\n*** End Patch"

    assert path == _find(places, "apply_patch", {field: patch, "explanation": "tidy up"})


def test_a_patch_of_another_file_may_mention_the_gate(places: GatePlaces) -> None:
    """A patch of another file that only mentions the gate is accepted."""
    patch = "*** Begin Patch\n*** Update File: a.md\n+See .state_gate/people.json\n*** End Patch"

    assert "" == _find(places, "apply_patch", {"input": patch})


def test_an_absolute_path_is_recognized(places: GatePlaces) -> None:
    """An absolute path of the gate is found."""
    path = str(places.project.resolve() / ".state_gate" / "people.json")

    assert path == _find(places, "NotebookEdit", {"notebook_path": path})


def test_a_link_to_a_file_of_the_gate_is_followed(places: GatePlaces) -> None:
    """A link to a file of the gate is found."""
    inside = places.root / "artifacts" / _RUN / "notes.md"
    inside.symlink_to(places.root / "people.json")
    (places.project / "notes.md").symlink_to(places.root / "people.json")

    assert "notes.md" == _find(places, "Write", {"file_path": "notes.md"})
    assert str(inside) == _find(places, "Write", {"file_path": str(inside)})


@pytest.mark.parametrize(
    "command",
    [
        "rm -rf .state_gate",
        "cat .state_gate/people.json",
        "cd .state_gate && rm people.json",
        "echo {} >.state_gate/people.json",
        "dd of=.state_gate/runs/a.csv",
        "python -c \"open('.state_gate/people.json', 'w')\"",
        'rm ".state"_gate/people.json',
        r"rm .state\_gate/people.json",
        'rm "$PWD/.state_gate/people.json"',
        "rm -rf .state_g*",
        "rm -rf .*",
        "rm -rf .state_gate/artifacts",
        "saniwa gate state --dir .state_gate; rm .state_gate/people.json",
        "saniwa gate state --dir x > .state_gate/people.json",
        "rm -r --dir .state_gate",
        "ls\nrm .state_gate/people.json",
    ],
)
def test_a_command_that_names_a_file_of_the_gate(places: GatePlaces, command: str) -> None:
    """A command that names a file of the gate is found, whether or not it writes."""
    assert _find(places, "Bash", {"command": command})
    assert _find(places, "shell", {"command": ["bash", "-lc", command]})


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "rm -rf *",
        "git status && git add .",
        "cat src/state_gate/people.json",
        "saniwa gate emit submit --expected-revision 1 --key a --dir .state_gate",
        'SANIWA_GATE=.state_gate saniwa gate verify --dir="/p/.state_gate"',
        ".venv/bin/python -m saniwa gate state --dir '/p q/.state_gate' --json",
        f"mkdir -p .state_gate/artifacts/{_RUN}",
        f"echo x > .state_gate/artifacts/{_RUN}/hypothesis.md",
        "\0",
    ],
)
def test_a_command_that_names_no_file_of_the_gate(places: GatePlaces, command: str) -> None:
    """A command may name files in `artifacts`, and the gate as an argument of `saniwa`."""
    assert "" == _find(places, "Bash", {"command": command, "description": "."})


@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        ("Read", {"file_path": ".state_gate/runs/a.csv"}),
        ("mcp__saniwa__emit_event", {"artifact_paths": [".state_gate/x"]}),
        ("Write", {"file_path": "a.md", "content": ".state_gate/people.json"}),
        ("Write", {"file_path": 5}),
        ("Write", None),
        ("Task", {"prompt": "Look at /p/.state_gate/runs and say what is there."}),
        ("Task", {"prompt": "x" * 5_000}),
        ("Task", [[["a"]], 7, ""]),
    ],
)
def test_a_call_that_writes_no_file_of_the_gate(places: GatePlaces, tool: str, asked: Any) -> None:
    """Reading tools, the gate's own tools, and texts that mention it are accepted."""
    assert "" == _find(places, tool, asked)


def test_a_relative_path_leads_from_where_the_agent_works(places: GatePlaces) -> None:
    """A relative path is resolved in the agent's working folder."""
    asked = {"command": "rm people.json"}
    found = find_protected_file(places, "Bash", asked, str(places.root))

    assert found is not None
    assert "people.json" == found.path
    assert "belongs to the gate" in found.reason
    assert find_protected_file(places, "Bash", asked) is None


def test_people_are_protected_where_the_environment_puts_them(
    places: GatePlaces, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A people file outside the gate's folder is protected."""
    monkeypatch.setenv("STATE_GATE_PEOPLE", str(tmp_path / "team.json"))

    assert "team.json" == _find(places, "Edit", {"file_path": "team.json"})


@pytest.mark.parametrize("tool", ["Read", "Write"])
def test_a_persons_key_is_protected_everywhere(places: GatePlaces, tool: str) -> None:
    """A person's key file is protected, also against reading."""
    people = open_people(places)
    people.add("ann", "reviewer", people.make_token(), at="2026-01-01T00:00:00Z")
    (places.project / "ann.key").write_text("ann:0123456789abcdef\n")
    (places.project / "bob.key").write_text("bob:0123456789abcdef\n")
    (places.project / "note.md").write_text("ann: has gone home\n")

    assert "ann.key" == _find(places, tool, {"file_path": "ann.key"})
    assert "ann.key" == _find(places, "Bash", {"command": "cat <ann.key"})
    assert "" == _find(places, tool, {"file_path": "bob.key"})
    assert "" == _find(places, tool, {"file_path": "note.md"})
    assert "" == _find(places, tool, {"file_path": "x" * 5_000})


def test_a_file_of_people_that_cannot_be_read_names_no_key(places: GatePlaces) -> None:
    """If the people file cannot be read, the gate's own files are still protected."""
    places.people.write_text("{")
    (places.project / "ann.key").write_text("ann:0123456789abcdef\n")

    assert "" == _find(places, "Read", {"file_path": "ann.key"})
    assert ".state_gate" == _find(places, "Write", {"file_path": ".state_gate"})
