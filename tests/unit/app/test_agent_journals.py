"""Agent journals as users read them: in pages, with limits, also if they are damaged."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from saniwa.app import agent_journals
from saniwa.app.agent_journals import JournalService
from saniwa.core.redaction import MARK
from saniwa.store.json_lines_file import JsonLinesFile
from tests.fakes.tool_agent import make_call, write_tool_agent
from tests.fakes.workspaces import WorkspaceClient, make_workspace
from tests.journeys.gate_terminal import answer_of

_ID = "agent-019471a2-7c8d-7000-8000-00000000000{}"
_BEGUN = {"event": "initialized", "agent": "hands", "about": {"run": "run-1"}, "at": 1}


def _start(number: int) -> dict[str, Any]:
    return {"event": "iterationStart", "iteration": number, "step": "work", "at": number}


def _write(project: Path, *entries: dict[str, Any], number: int = 1, agent: str = "hands") -> Path:
    folder = project / ".agent" / agent
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    (folder / "agent.json").touch()
    path = folder / "logs" / f"{_ID.format(number)}.jsonl"
    file = JsonLinesFile(path)
    for entry in entries:
        file.append(entry)
    file.close()
    return path


def _read(project: Path, number: int = 1, **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = _ask(project, f"/{_ID.format(number)}", **query)
    return found


def _ask(project: Path, path: str = "", **query: Any) -> Any:
    client = WorkspaceClient(make_workspace(project)).client
    answer = client.get(f"/api/v1/agents/journals{path}", params=query)
    assert 200 == answer.status_code, answer.text
    return answer.json()


def _list_moments(page: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [each for it in page["items"] for each in it["moments"] if each["kind"] == kind]


def test_what_an_agent_did_is_read_from_its_journal(tmp_path: Path) -> None:
    """An iteration has its calls with arguments, results, times and decisions, and its answers."""
    answers = [make_call("append", line="x"), make_call("nothing", a=1), "Done."]
    write_tool_agent(tmp_path / ".agent" / "hands", answers, mode="")
    done = answer_of(tmp_path, "agent", "run", "hands", "--allow-tool", "append")
    assert 0 == done.code, done.err

    (listed,) = _ask(tmp_path)["items"]
    page = _ask(tmp_path, f"/{listed['id']}")

    assert page["journal"] == listed
    assert ("hands", "done", 1, 1) == tuple(
        listed[name] for name in ("agent", "standing", "iterations", "refused_calls")
    )
    assert {"append": 1, "nothing": 1} == listed["tools"]
    assert (3, 2) == (listed["usage"]["calls"], listed["usage"]["tool_calls"])
    assert {"maxIterations": 100, "maxToolCalls": 200} == listed["limits"]
    assert ["tool_call", "tool_call", "stop"] == [
        each["finish"] for each in _list_moments(page, "answer")
    ]
    ran, refused = _list_moments(page, "call")
    assert ("done", "run", {"line": "x"}) == (ran["standing"], ran["decision"], ran["arguments"])
    assert ran["milliseconds"] >= 0
    assert f"{listed['id']}:1:tool-1" == ran["call"]
    assert "added" in ran["output"]
    assert ("refused", {"a": 1}, None) == (
        refused["standing"],
        refused["arguments"],
        refused["milliseconds"],
    )
    assert "What now?" == page["items"][0]["prompt"]


def test_secrets_are_in_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Secrets of the agent and of the server are redacted."""
    monkeypatch.setenv("SMTP_PASS", "hunter2-hunter2")
    answers = [make_call("append", line="hunter2-hunter2"), "It is hunter2-hunter2."]
    folder = write_tool_agent(tmp_path / ".agent" / "hands", answers, mode="")
    (folder / "prompts" / "ask.md").write_text("Use hunter2-hunter2 and s3ven-of-nine.")
    answer_of(tmp_path, "agent", "run", "hands", "--allow-tool", "append")
    (kept,) = (folder / "logs").glob("*.jsonl")
    monkeypatch.setenv("OTHER_TOKEN", "s3ven-of-nine")

    page = json.dumps(_ask(tmp_path, f"/{kept.stem}"))

    assert "hunter2" not in kept.read_text()
    assert "hunter2" not in page
    assert "s3ven-of-nine" not in page
    assert f"Use {MARK} and {MARK}." in page


def test_a_damaged_line_is_named_and_hides_no_other(tmp_path: Path) -> None:
    """A damaged entry is named, and the others are shown."""
    path = _write(tmp_path, _BEGUN, _start(1), {"event": "toolStarted", "at": 2}, _start(2))
    lines = path.read_bytes().splitlines(keepends=True)
    broken = lines[1].replace(b'"work"', b'"play"')
    path.write_bytes(b"".join([lines[0], broken, b"<b>\n", *lines[2:], b'{"event": "torn']))

    page = _read(tmp_path)

    assert [(1, 2), (0, 0)] == [(it["number"], it["iteration"]) for it in page["items"]]
    assert "entry 2 cannot be read" in page["journal"]["problem"]
    notes = [each["text"] for each in _list_moments(page, "note") if each["event"] == "damaged"]
    assert 3 == len(notes)
    assert "its seal does not match its content" in notes[0]


@pytest.mark.parametrize(
    "entry",
    [
        {"event": 7},
        {"event": "initialized", "about": 3},
        {"event": "iterationStart", "iteration": 10**30, "step": "x"},
        {"event": "iterationEnd", "state": {"summary": {"iteration": "x"}}},
        {"event": "toolFinished", "attempt": [], "tool": {}, "output": {"text": "x"}},
        {"event": "toolDecided", "attempt": "a", "tool": "t", "answer": 1, "reason": None},
        {"event": "queryExecuted", "response": {"messages": 1}},
        {"event": "completed", "reason": {"a": [1]}},
        {"event": "somethingNew", "reason": "<b>later</b>", "at": -1},
        {"noEvent": True},
        {"event": "promptBuilt", "prompt": 5},
        {"event": "actionExecuted", "attempt": "a", "results": [{"type": 1}]},
    ],
    ids=lambda entry: str(entry.get("event")),
)
def test_an_entry_of_another_edition_is_shown_as_it_can_be(
    tmp_path: Path, entry: dict[str, Any]
) -> None:
    """An entry of another version does not stop the journal from being read."""
    _write(tmp_path, _BEGUN, entry, _start(1))

    page = _read(tmp_path)

    assert 3 == page["journal"]["entries"]
    assert 1 == page["items"][0]["iteration"]
    assert page["items"] == _ask(tmp_path, f"/{_ID.format(1)}")["items"]


def test_a_journal_is_read_in_pages(tmp_path: Path) -> None:
    """Iterations are listed in pages, newest first."""
    _write(tmp_path, _BEGUN, *map(_start, range(1, 6)))

    first = _read(tmp_path, limit=4)
    second = _read(tmp_path, limit=4, after=first["next"])

    assert [5, 4, 3, 2] == [it["iteration"] for it in first["items"]]
    assert [1, 0] == [it["iteration"] for it in second["items"]]
    assert second["next"] is None


def test_iterations_are_filtered_by_tool_refusal_and_number(tmp_path: Path) -> None:
    """Filters apply to the whole journal, not to one page."""
    ran = {"event": "toolFinished", "tool": "Read", "output": {"text": "x"}}
    failed = {"event": "toolFinished", "tool": "Glob", "output": {"text": "x", "failed": True}}
    no = {"type": "submit", "success": False, "code": "GUARD_FAILED"}
    _write(
        tmp_path,
        _BEGUN,
        _start(1),
        {**ran, "attempt": "a"},
        _start(2),
        {**failed, "attempt": "b"},
        _start(3),
        {"event": "actionExecuted", "attempt": "c", "results": [no]},
    )

    def find(**query: Any) -> list[int]:
        return [it["iteration"] for it in _read(tmp_path, limit=1, **query)["items"]]

    assert [1] == find(tool="Read")
    assert [2] == find(tool="Glob", refused="true")
    assert [3] == find(refused="true")
    assert [] == find(tool="Read", refused="true")
    assert [2] == find(iteration=2)
    assert (1, 1) == tuple(
        _read(tmp_path)["journal"][name] for name in ("refused", "refused_calls")
    )


def test_a_growing_journal_is_read_on_from_where_it_was(tmp_path: Path) -> None:
    """A journal that grows is read on from its last position; a replaced file is read again."""
    path = _write(tmp_path, _BEGUN, _start(1))
    service = JournalService(tmp_path)
    assert 2 == service.read_overview(path.stem).entries
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.write(b"#" * (size - 1))
    _write(tmp_path, _start(2))
    grown = service.read_overview(path.stem)
    path.unlink()
    _write(tmp_path, _BEGUN)

    assert (3, "") == (grown.entries, grown.problem)
    assert 1 == service.read_overview(path.stem).entries


def test_a_large_journal_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A request reads a limited part of a journal; pages and entries are limited too."""
    monkeypatch.setattr(agent_journals, "MOST_BYTES_READ", 3_000)
    monkeypatch.setattr(agent_journals, "MOST_BYTES_SHOWN", 2_000)
    monkeypatch.setattr(agent_journals, "LARGEST_ENTRY", 1_500)
    notes = [{"event": "warning", "message": "x" * 500} for _ in range(9)]
    large = {"event": "warning", "message": "y" * 5_000}
    path = _write(tmp_path, _BEGUN, _start(1), *notes, _start(2), large)
    service = JournalService(tmp_path)

    seen = [service.read_overview(path.stem) for _ in range(5)]
    _, shown, rest = service.read_iterations(
        path.stem, tool="", refused=False, iteration=0, after="", limit=10
    )
    _, first, _ = service.read_iterations(
        path.stem, tool="", refused=False, iteration=1, after="", limit=10
    )

    assert 3_000 <= seen[0].bytes < seen[0].size
    assert seen[0].size == seen[-1].bytes
    assert ([2], "2") == ([each.iteration for each in shown], rest)
    assert "too large" in str(shown[0].moments)
    assert 0 < first[0].omitted < 9


def test_only_journals_of_the_projects_agents_are_read(tmp_path: Path) -> None:
    """Links, other names and folders without an agent are not read."""
    project, outside = tmp_path / "project", tmp_path / "outside"
    real = _write(outside, _BEGUN)
    _write(project, _BEGUN, number=2)
    logs = project / ".agent" / "hands" / "logs"
    (logs / f"{_ID.format(3)}.jsonl").symlink_to(real)
    (logs / "agent-notes.jsonl").write_bytes(real.read_bytes())
    os.mkfifo(logs / f"{_ID.format(4)}.jsonl")
    for folder in ("notes/drafts", "copy/logs"):
        (project / folder).mkdir(parents=True)
        copy = project / folder / f"{_ID.format(2)}.jsonl"
        copy.write_bytes((logs / copy.name).read_bytes())
    (project / "copy" / "agent.json").touch()

    listed = _ask(project)["items"]

    assert [_ID.format(4), _ID.format(3), _ID.format(2)] == [each["id"] for each in listed]
    assert ["", "", "hands"] == [each["agent"] for each in listed]
    assert all(each["problem"] for each in listed)
    assert f"copy/logs/{_ID.format(2)}.jsonl" in listed[2]["problem"]


@pytest.mark.parametrize("id", ["agent-1", "..%2f..%2fetc", _ID.format(9), "*"])
def test_a_journal_that_is_not_there_is_not_found(tmp_path: Path, id: str) -> None:
    """A missing journal is not found."""
    _write(tmp_path, _BEGUN)
    client = WorkspaceClient(make_workspace(tmp_path)).client

    for ending in ("", "/live"):
        answer = client.get(f"/api/v1/agents/journals/{id}{ending}")
        assert 404 == answer.status_code


def test_the_list_knows_the_run_of_a_gate(tmp_path: Path) -> None:
    """The journals of a gate's run are listed, newest first, in pages."""
    other = {**_BEGUN, "about": {"run": "run-2"}}
    for number, entry in enumerate((_BEGUN, other, _BEGUN, _BEGUN), 1):
        _write(tmp_path, entry, number=number)

    first = _ask(tmp_path, run="run-1", limit=2)
    second = _ask(tmp_path, run="run-1", limit=2, after=first["next"])

    assert [_ID.format(4), _ID.format(3)] == [each["id"] for each in first["items"]]
    assert [_ID.format(1)] == [each["id"] for each in second["items"]]
    assert second["next"] is None
    assert [] == _ask(tmp_path, run="run-3")["items"]
