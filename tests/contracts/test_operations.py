"""An operation gives the same answer, or the same error code, through every interface."""

import asyncio
import base64
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec
import pytest
from starlette.testclient import TestClient

from saniwa.agent.tools.tool import ApprovalRequest
from saniwa.app.gate.gate_opening import open_gate
from saniwa.app.host_json_lines import HostDefaults, PlayingHandler
from saniwa.app.operations.catalog import OPERATIONS
from saniwa.app.operations.operation import PATH_PARAMETER, Operation
from saniwa.app.run_service import RunService
from saniwa.app.tool_call_questions import ToolQuestions, identify_question
from saniwa.core.clock import FixedClock
from saniwa.core.errors import SaniwaError
from saniwa.core.ids import CountingIds
from saniwa.http.application import make_app
from saniwa.mcp.gate_tools import GateTools
from saniwa.mcp.tool import Tool, list_tools, parse_arguments
from saniwa.mcp.tool_call_questions import QuestionTools
from saniwa.mcp.world_tools import WorldTools
from saniwa.models.oracle import ToolCall
from tests.fakes.playing_stages import LAMP
from tests.fakes.workspaces import NOW, WorkspaceClient, make_caller, make_workspace

_BY_LINE = {each.line: each for each in OPERATIONS if each.line}

LineStep = tuple[str, dict[str, Any]]
STORY: list[LineStep] = [
    ("begin", {"draft": LAMP}),
    ("moment", {}),
    ("step", {}),
    ("choose", {"index": 7}),
    ("choose", {"index": 0}),
    ("step", {"revision": 99}),
    ("say", {"text": "Ana", "key": "once"}),
    ("back", {"steps": 1, "key": "once"}),
    ("save", {"name": "here"}),
    ("saves", {}),
    ("back", {"steps": 2}),
    ("skip", {}),
    ("load", {"name": "nowhere"}),
    ("load", {"name": "here"}),
    ("backlog", {"limit": 2}),
    ("remove", {"name": "here"}),
    ("remove", {"name": "here"}),
    ("preview", {"text": "look"}),
    ("asset", {"path": "images/none.png"}),
]
SCENARIO: list[LineStep] = [
    ("begin", {"scenario": "door_and_key", "language": "ja"}),
    ("preview", {"text": "take the key"}),
    ("say", {"text": "look", "actor": None}),
    ("say", {"text": "look", "actor": "no such character"}),
    ("choose", {"index": 0}),
    ("moment", {}),
    ("asset", {"path": "images/none.png"}),
]
LIBRARY: list[LineStep] = [
    ("begin", {"story": "lantern-island", "seed": 3}),
    ("asset", {"path": "images/harbour.png"}),
    ("step", {}),
]
NOTHING: list[LineStep] = [
    ("begin", {}),
    ("begin", {"scenario": "a", "story": "b"}),
    ("begin", {"story": "no such story"}),
    ("begin", {"scenario": "no such scenario"}),
]
CONVERSATIONS = {"story": STORY, "scenario": SCENARIO, "library": LIBRARY, "nothing": NOTHING}


class LineDoor:
    """A host that sends JSON Lines."""

    def __init__(self, folder: Path) -> None:
        """A host that has not played yet."""
        self._handler = PlayingHandler(make_workspace(folder), HostDefaults())

    def ask(self, operation: Operation, fields: dict[str, Any]) -> Any:
        """Send a line; returns its answer."""
        line = msgspec.json.encode({"op": operation.line, **fields})
        given = asyncio.run(self._handler.handle_line(line))
        answer = msgspec.json.decode(msgspec.json.encode(given))
        if not answer.pop("ok"):
            return answer["error"]["code"]
        answer.pop("protocol", None)
        return answer


class HttpDoor:
    """A client of the HTTP API, which fills in the route of the operation table."""

    def __init__(self, folder: Path) -> None:
        """A client that has sent nothing yet."""
        self._client = TestClient(make_app(make_workspace(folder)))
        self._run, self._revision = "run-0", 0

    def ask(self, operation: Operation, fields: dict[str, Any]) -> Any:
        """Send a request; returns its answer in the form of a line's."""
        sent = dict(fields)
        headers = {"If-Match": f'"{sent.pop("revision", self._revision)}"'}
        if "key" in sent:
            headers["Idempotency-Key"] = sent.pop("key")
        path = PATH_PARAMETER.sub(
            lambda found: quote(sent.pop(found[1], self._run)), operation.path
        )
        where: dict[str, Any] = {"json": sent} if operation.takes else {"params": sent}
        told = self._client.request(operation.method, f"/api/v1{path}", headers=headers, **where)
        if told.status_code >= 400:
            return told.json()["code"]
        if operation.name in ("save", "removeSave"):
            return self.ask(_BY_LINE["saves"], {})
        if operation.answers is bytes:
            content = base64.b64encode(told.content).decode()
            return {"media": told.headers["content-type"], "content": content}
        return self._read(operation, told.json())

    def _read(self, operation: Operation, body: dict[str, Any]) -> Any:
        if "revision" in body:
            self._run, self._revision = body["run"], body["revision"]
            return {"moment": body}
        if "moment" in body:
            self._revision = body["moment"]["revision"]
            return body
        if "items" in body:
            return {"steps" if operation.line == "backlog" else "saves": body["items"]}
        return {"understanding": body}


@pytest.mark.parametrize("steps", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_lines_and_http_give_the_same_answers(tmp_path: Path, steps: list[LineStep]) -> None:
    """The same conversation gives the same answers as lines and over HTTP."""
    lines, http = LineDoor(tmp_path / "lines"), HttpDoor(tmp_path / "http")

    for op, fields in steps:
        operation = _BY_LINE[op]

        assert http.ask(operation, fields) == lines.ask(operation, fields), (op, fields)


def test_every_line_that_http_offers_too_is_compared() -> None:
    """Every line that HTTP also offers is in a conversation above."""
    asked = {op for steps in CONVERSATIONS.values() for op, _ in steps}

    assert {op for op, each in _BY_LINE.items() if each.path} == asked


_BY_TOOL = {tool: each for each in OPERATIONS for tool in each.tools}
_HANDED = [{"type": "hypothesis", "content": "it rains"}]
_EVENT = {"event_name": "submit_hypothesis", "expected_revision": 1, "idempotency_key": "a/b ü"}
GATE_CALLS: list[LineStep] = [
    ("list_processes", {}),
    ("create_run", {"process_id": "no such process"}),
    ("create_run", {"process_id": "exploration", "context": {"team_mode": 7}}),
    ("create_run", {"process_id": "exploration", "context": {"team_mode": "team"}}),
    ("get_state", {}),
    ("list_events", {"include_blocked": True}),
    ("wait_for_change", {"after": 0, "seconds": 0}),
    ("emit_event", _EVENT),
    ("emit_event", {**_EVENT, "event_name": "no_such_event"}),
    ("emit_event", {**_EVENT, "event_name": "approve"}),
    ("emit_event", {**_EVENT, "expected_revision": 9}),
    ("emit_event", {**_EVENT, "artifacts": [{"type": "hypothesis"}]}),
    ("emit_event", {**_EVENT, "artifacts": _HANDED}),
    ("emit_event", {**_EVENT, "artifacts": _HANDED}),
    ("emit_event", {**_EVENT, "artifacts": _HANDED, "payload": {"other": 1}}),
    ("get_history", {"after": 1}),
    ("review", {}),
    ("verify", {}),
    ("list_runs", {"process_id": "exploration"}),
    *((tool, {"run_id": "run-0"}) for tool in ("get_state", "get_history", "review", "verify")),
]
_TOOL_ANSWERS = {
    "list_processes": ("processes", "process_id"),
    "list_runs": ("runs", "current_state"),
    "get_history": ("entries", "revision"),
    "verify": ("findings", "message"),
}
"""The list in a tool's answer, and the field of it that is compared."""


_OWN_FIELDS = {"run_id", "event_id", "artifact_base_path", "digest"}
"""Fields that differ between two gates: ids, folders, and what is derived from them."""


def _drop_times(answer: Any) -> Any:
    """The answer without when its evidence was sent, because each gate has its own clock."""
    if isinstance(answer, dict):
        return {k: _drop_times(v) for k, v in answer.items() if k != "created_at"}
    return [_drop_times(each) for each in answer] if isinstance(answer, list) else answer


class ToolDoor:
    """A client of MCP."""

    def __init__(self, folder: Path) -> None:
        """A client without a run."""
        gate = open_gate(
            folder / "gate", role="agent", clock=FixedClock(NOW), ids=CountingIds(), store="memory:"
        )
        self._tools = {each.name: each for each in list_tools(GateTools(gate, lambda: self._run))}
        self._run = ""

    def ask(self, tool: str, fields: dict[str, Any]) -> Any:
        """Call a tool; returns the compared part of its answer, or the code of its error."""
        called = self._tools[tool]
        try:
            shape = called.call(parse_arguments(called.takes, fields)).shape
        except SaniwaError as problem:
            return str(problem.code)
        answer = msgspec.json.decode(msgspec.json.encode(shape))
        if answer.get("success") is False:
            return answer["error"]["code"]
        self._run = answer["run_id"] if tool == "create_run" else self._run
        if tool in _TOOL_ANSWERS:
            listed, name = _TOOL_ANSWERS[tool]
            return [each[name] for each in answer[listed]]
        return answer.get("result") or answer


class GateHttpDoor:
    """A client of the HTTP API of another gate with the same clock and ids."""

    def __init__(self, folder: Path) -> None:
        """A client without a run."""
        self._client = TestClient(make_app(make_workspace(folder)))
        self._run = ""

    def ask(self, tool: str, fields: dict[str, Any]) -> Any:
        """Send the request of a tool's operation; returns the compared part of its answer."""
        operation, sent = _BY_TOOL[tool], dict(fields)
        path = operation.path.replace("{run}", sent.pop("run_id", self._run))
        headers = {
            "If-Match": f'"{sent.pop("expected_revision", 0)}"',
            "Idempotency-Key": sent.pop("idempotency_key", tool + str(sent)).encode(),
        }
        for waiting in ("include_blocked", "after", "seconds"):
            sent.pop(waiting if tool != "get_history" else "", None)
        for name, renamed in (("context", "variables"), ("process_id", "process")):
            if name in sent and (name == "context" or tool == "list_runs"):
                sent[renamed] = sent.pop(name)
        where: dict[str, Any] = {"json": sent} if operation.takes else {"params": sent}
        told = self._client.request(operation.method, f"/api/v1{path}", headers=headers, **where)
        body = told.json()
        if told.status_code >= 400:
            return body["code"]
        self._run = body["run_id"] if tool == "create_run" else self._run
        if tool in _TOOL_ANSWERS:
            return [
                each[_TOOL_ANSWERS[tool][1]] for each in body.get("items", body.get("findings"))
            ]
        parts = {tool: body.get("state") for tool in ("get_state", "wait_for_change")}
        parts |= {"list_events": {"events": body.get("events")}}
        return parts.get(tool) or body.get("result") or body


def test_tools_and_http_give_the_same_answers(tmp_path: Path) -> None:
    """The fields that a tool's answer shares with HTTP's are equal, and so are the error codes."""
    tools, http = ToolDoor(tmp_path / "tools"), GateHttpDoor(tmp_path / "http")

    for tool, fields in GATE_CALLS:
        given, told = tools.ask(tool, fields), http.ask(tool, fields)
        if isinstance(given, dict) and isinstance(told, dict):
            shared = (given.keys() & told.keys()) - _OWN_FIELDS
            assert shared, tool
            given, told = ({name: each[name] for name in shared} for each in (given, told))

        assert _drop_times(told) == _drop_times(given), (tool, fields)


WORLD_CALLS: list[LineStep] = [
    ("list_scenarios", {}),
    ("begin_run", {"scenario": "no such scenario"}),
    ("begin_run", {"scenario": "door_and_key", "character": "no such character"}),
    ("begin_run", {"scenario": "door_and_key", "language": "en"}),
    ("look", {}),
    ("preview", {"words": "take the iron gate"}),
    ("say", {"words": "go to the moon"}),
    ("say", {"words": "go east"}),
    ("admissible", {}),
]
_WORLD_NAMES = {"words": "text", "character": "actor"}


def _ask_world_tool(tools: dict[str, Tool], name: str, fields: dict[str, Any]) -> Any:
    tool = tools[name]
    try:
        shape = tool.call(parse_arguments(tool.takes, fields)).shape
    except SaniwaError as problem:
        return str(problem.code)
    answer = msgspec.json.decode(msgspec.json.encode(shape))
    if name == "admissible":
        return [each["action"] for each in answer["possible"]]
    if name == "list_scenarios":
        return [each["scenario"] for each in answer["scenarios"]]
    return answer["narration"]


def _read_world_answer(answer: Any) -> Any:
    match answer:
        case {"moment": {"step": step}}:
            said = [each["args"] for each in step["directives"] if each["type"] == "Say"]
            return [
                f"{each['speaker']}: {each['text']}" if each["speaker"] else each["text"]
                for each in said
            ]
        case {"saves": items} if items and "action" in items[0]:
            return [each["action"] for each in items]
        case {"saves": items}:
            return [each["id"] for each in items]
        case {"understanding": seen}:
            return seen["sentences"]
    return answer


def test_world_tools_and_http_give_the_same_answers(tmp_path: Path) -> None:
    """The same words get the same narration from the tools and over HTTP."""
    service = RunService("memory:", clock=FixedClock(NOW), ids=CountingIds())
    tools = {each.name: each for each in list_tools(WorldTools(service))}
    http = HttpDoor(tmp_path)

    for tool, fields in WORLD_CALLS:
        renamed = {_WORLD_NAMES.get(name, name): value for name, value in fields.items()}
        told = _read_world_answer(http.ask(_BY_TOOL[tool], renamed))

        assert told == _ask_world_tool(tools, tool, fields), (tool, fields)


_QUESTION = identify_question("agent-1:2:tool-1")
QUESTION_CALLS: list[LineStep] = [
    ("list_tool_questions", {}),
    ("answer_tool_question", {"question": "no such question", "answer": "run"}),
    ("answer_tool_question", {"question": _QUESTION, "answer": "skip", "reason": "not today"}),
    ("answer_tool_question", {"question": _QUESTION, "answer": "run"}),
    ("list_tool_questions", {}),
]


@pytest.mark.parametrize("role", ["human", "agent"])
def test_question_tools_and_http_give_the_same_answers(tmp_path: Path, role: str) -> None:
    """A person's answer counts once and an agent's never, as a tool and over HTTP."""
    caller = make_caller("mori", role)
    visitor = msgspec.structs.replace(caller.visitor, person=True)
    stores = [str(tmp_path / door / "saniwa.sqlite") for door in ("tools", "http")]
    request = ApprovalRequest(
        ToolCall(id="1", name="measure", arguments={}), "why", attempt="agent-1:2:tool-1"
    )
    for store in stores:
        ToolQuestions(store).ask("surveyor", request)
    tools = {
        each.name: each for each in list_tools(QuestionTools(ToolQuestions(stores[0]), visitor))
    }
    client = WorkspaceClient(
        make_workspace(tmp_path / "http", stores[1]), replace(caller, visitor=visitor)
    ).client

    for tool, fields in QUESTION_CALLS:
        operation, sent = _BY_TOOL[tool], dict(fields)
        path = operation.path.replace("{question}", quote(sent.pop("question", "")))
        told = client.request(operation.method, f"/api/v1{path}", json=sent or None)
        answer = _ask_question_tool(tools[tool], fields)
        body = told.json() if told.content else {}

        assert (body.get("code") or body.get("items", [])) == answer, (tool, fields)
    left = [len(ToolQuestions(store).list_open()) for store in stores]
    assert [int(role == "agent")] * 2 == left


def _ask_question_tool(tool: Tool, fields: dict[str, Any]) -> Any:
    try:
        answer = tool.call(parse_arguments(tool.takes, fields)).shape
    except SaniwaError as problem:
        return str(problem.code)
    return [msgspec.to_builtins(each) for each in getattr(answer, "questions", ())]


def test_every_tool_is_compared() -> None:
    """Every tool is in one of the conversations above."""
    compared = (*GATE_CALLS, *WORLD_CALLS, *QUESTION_CALLS)
    assert set(_BY_TOOL) == {tool for tool, _ in compared}
