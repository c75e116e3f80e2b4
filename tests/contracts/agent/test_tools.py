"""What every tool that Saniwa ships promises."""

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest

from saniwa.agent.definition import CommandSettings
from saniwa.agent.port import AgentView
from saniwa.agent.tools.commands import CommandTool
from saniwa.agent.tools.files import (
    EditFileTool,
    ListFilesTool,
    ReadFileTool,
    SearchFilesTool,
    WorkspaceFiles,
    WriteFileTool,
)
from saniwa.agent.tools.gate_run_tools import make_run_tools
from saniwa.agent.tools.tool import AgentTool, CallOutcome, ToolCallError, ToolEffect
from saniwa.models.oracle import ToolOutput
from saniwa.process.schema_checker import SchemaChecker, check_schema


class _FixedRun:
    """A run with one piece of evidence."""

    def view(self) -> AgentView:
        return AgentView(variables={"state": "open"})

    def read_history(self) -> list[dict[str, Any]]:
        return [{"event": "created"}]

    def list_evidence(self) -> list[str]:
        return ["plan.md"]

    def read_evidence(self, place: str) -> str | None:
        return "the plan" if place == "plan.md" else None


class _ToolCase(NamedTuple):
    build: Callable[[Path], AgentTool]
    arguments: Mapping[str, Any]
    wrong: Mapping[str, Any]
    """Arguments with which it cannot succeed; empty if there are none."""


def _make_file_case(
    tool: type[Any], arguments: dict[str, Any], wrong: dict[str, Any] | None = None
) -> _ToolCase:
    return _ToolCase(lambda top: tool(WorkspaceFiles(top)), arguments, wrong or {})


def _make_run_case(index: int, arguments: dict[str, Any], wrong: dict[str, Any]) -> _ToolCase:
    return _ToolCase(lambda _: make_run_tools(_FixedRun())[index], arguments, wrong)


def _make_command(*command: str, **more: Any) -> Callable[[Path], AgentTool]:
    return lambda top: CommandTool("order", CommandSettings(command=command, **more), top)


_PRINT = ("print(__import__('sys').argv[1])", "{word}")
TOOLS = {
    "Read": _make_file_case(ReadFileTool, {"path": "a.md"}, {"path": "b.md"}),
    "Glob": _make_file_case(ListFilesTool, {}, {"path": "../"}),
    "Grep": _make_file_case(SearchFilesTool, {"text": "one"}, {"text": "one", "path": "/"}),
    "Write": _make_file_case(
        WriteFileTool, {"path": "c/d.md", "content": "x"}, {"path": "a.md/b", "content": "x"}
    ),
    "Edit": _make_file_case(
        EditFileTool,
        {"path": "a.md", "old": "one", "new": "two"},
        {"path": "a.md", "old": "three", "new": "two"},
    ),
    "get_state": _make_run_case(0, {}, {}),
    "get_history": _make_run_case(1, {}, {}),
    "read_evidence": _make_run_case(2, {"name": "plan.md"}, {"name": "else.md"}),
    "command": _ToolCase(
        _make_command(sys.executable, "-c", *_PRINT), {"word": "hello"}, {"word": "-x"}
    ),
    "reading command": _ToolCase(
        _make_command(sys.executable, "-c", *_PRINT, reads_only=True), {"word": "hello"}, {}
    ),
}
every = pytest.mark.parametrize("name", TOOLS)


def _build(name: str, tmp_path: Path) -> AgentTool:
    (tmp_path / "a.md").write_text("one\n")
    return TOOLS[name].build(tmp_path)


def _run(tool: AgentTool, arguments: Mapping[str, Any]) -> ToolOutput:
    return asyncio.run(tool.run(arguments))


def _list_files(top: Path) -> dict[str, bytes]:
    return {str(p.relative_to(top)): p.read_bytes() for p in top.rglob("*") if p.is_file()}


@every
def test_an_offer_says_what_a_call_takes(name: str, tmp_path: Path) -> None:
    """A tool's offer has a name that providers accept, a description, and a usable schema."""
    offer = _build(name, tmp_path).offer

    assert offer.name.replace("_", "").isalnum()
    assert offer.description.endswith((".", "…"))
    assert "" == check_schema(offer.parameters)
    assert () == SchemaChecker(offer.parameters).find_problems(dict(TOOLS[name].arguments))


@every
def test_a_call_gives_a_text(name: str, tmp_path: Path) -> None:
    """A successful call returns a text, and details that can be written as JSON."""
    output = _run(_build(name, tmp_path), TOOLS[name].arguments)

    assert not output.failed
    assert output.text
    json.dumps(output.details)


@every
def test_preparing_a_call_changes_nothing(name: str, tmp_path: Path) -> None:
    """Preparing a call returns a note for the journal and changes nothing."""
    tool = _build(name, tmp_path)
    before = _list_files(tmp_path)

    json.dumps(tool.prepare(TOOLS[name].arguments))

    assert before == _list_files(tmp_path)


@every
def test_a_tool_that_only_reads_changes_nothing(name: str, tmp_path: Path) -> None:
    """A tool whose effect is `read` changes nothing."""
    tool = _build(name, tmp_path)
    assert tool.effect in get_args(ToolEffect)
    before = _list_files(tmp_path)

    _run(tool, TOOLS[name].arguments)

    assert tool.effect != "read" or before == _list_files(tmp_path)


@pytest.mark.parametrize("name", [name for name, case in TOOLS.items() if case.wrong])
def test_a_call_that_fails_says_why(name: str, tmp_path: Path) -> None:
    """A call that fails raises `ToolCallError` and changes nothing."""
    tool = _build(name, tmp_path)
    before = _list_files(tmp_path)

    with pytest.raises(ToolCallError):
        _run(tool, TOOLS[name].wrong)

    assert before == _list_files(tmp_path)


@every
def test_an_interrupted_call_is_distinguished_from_one_that_ran(name: str, tmp_path: Path) -> None:
    """A call that ran is never reported as not done, unless the tool only reads."""
    tool, arguments = _build(name, tmp_path), TOOLS[name].arguments
    note = tool.prepare(arguments)

    before = tool.find_outcome(arguments, note)
    _run(tool, arguments)
    after = tool.find_outcome(arguments, note)

    assert {before, after} <= set(get_args(CallOutcome))
    assert "done" != before
    assert tool.effect == "read" or "not_done" != after
