"""What runs on a hosted machine is what a developer types."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.house.pages import ROOT

_WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
_PUBLISH = "gh release create"


def _read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return document


def _list_steps(workflow: dict[str, Any]) -> list[dict[str, Any]]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", _WORKFLOWS, ids=lambda path: path.stem)
def test_every_command_of_a_workflow_is_a_make_target(path: Path) -> None:
    """Nobody has to guess what a red workflow did; publishing is the one exception."""
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
    """More rights are given to one job, actions have a version, and nothing runs for ever."""
    workflow = _read(path)
    actions = [step["uses"] for step in _list_steps(workflow) if "uses" in step]

    assert {"contents": "read"} == workflow["permissions"]
    assert [] == [name for name in actions if not re.fullmatch(r"[\w./-]+@v\d+", name)]
    assert [] == [name for name, job in workflow["jobs"].items() if "timeout-minutes" not in job]


def test_forms_for_issues_have_what_their_host_requires() -> None:
    """A form without a name, a description or a body is not shown."""
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    incomplete = [
        path.name
        for path in forms
        if path.name != "config.yml" and not {"name", "description", "body"} <= set(_read(path))
    ]

    assert len(forms) > 1
    assert [] == incomplete
