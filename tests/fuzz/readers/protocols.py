"""Interfaces for programs: JSON lines, HTTP, MCP, and the language server protocol."""

import asyncio
import io
import json
import logging
import os
import re
import traceback
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import unquote

import anyio
import msgspec
from pygls.exceptions import JsonRpcException
from starlette.types import Message

from saniwa.app.host_json_lines import HostDefaults, PlayingHandler
from saniwa.app.run_service import RunService
from saniwa.cli.servers import open_world_handler
from saniwa.core.clock import FixedClock
from saniwa.core.ids import CountingIds
from saniwa.http.admission import RequestAdmission
from saniwa.http.application import HTTP_OPERATIONS, make_app
from saniwa.http.router import API_PREFIX
from saniwa.http.server_settings import ServerSettings
from saniwa.lsp.server import BoundedStream, _StoryLanguageServer
from saniwa.mcp import stdio
from saniwa.mcp.server import build_server
from saniwa.store.memory_run_store import MemoryRunStore
from tests.fakes.paper_process import PaperGates
from tests.fakes.playing_stages import LAMP
from tests.fakes.runs import GARDEN
from tests.fakes.workspaces import make_workspace
from tests.fuzz.fuzz_reader import PART, FuzzReader, ReaderAnswer, join_parts
from tests.fuzz.line_coverage import SOURCE

_RUN = "run-00000000-0000-7000-8000-000000000001"
_PATIENCE = 120
_MOST = 12
"""How many lines or requests of one input are read."""


def _encode_lines(*documents: Any) -> bytes:
    return b"\n".join(json.dumps(each).encode() for each in documents)


def _make_snapshot() -> Any:
    door = open_world_handler(None)
    door.handle_line(_encode_lines({"op": "load", "scenario": GARDEN}))
    told = json.loads(msgspec.json.encode(door.handle_line(b'{"op":"snapshot"}')))
    return told["snapshot"]


_WORLD = (
    _encode_lines(
        {"op": "load", "scenario": "default", "id": 1},
        {"op": "say", "text": "look"},
        {"op": "act", "action": {"type": "wait", "actorId": "x"}},
        {"op": "preview", "text": "go"},
        {"op": "admissible"},
        {"op": "snapshot"},
        {"op": "fingerprint"},
    ),
    _encode_lines(
        {"op": "load", "scenario": GARDEN},
        {"op": "view", "actor": "player"},
        {"op": "edit", "book": {"id": "x", "rules": []}},
        {"op": "restore", "snapshot": _make_snapshot()},
        {"op": "say", "text": "take the brass key"},
    ),
)
_HOST = (
    _encode_lines(
        {"op": "begin", "draft": LAMP, "id": 1},
        {"op": "step"},
        {"op": "step", "key": "k", "revision": 1},
        {"op": "choose", "index": 0},
        {"op": "say", "text": "Ann"},
        {"op": "back"},
        {"op": "save", "name": "a"},
        {"op": "saves"},
        {"op": "load", "name": "a"},
        {"op": "backlog"},
    ),
    _encode_lines(
        {"op": "begin", "scenario": "default"},
        {"op": "say", "text": "look"},
        {"op": "preview", "text": "go north"},
        {"op": "asset", "path": "x.png"},
        {"op": "resume", "run": "last"},
    ),
)


def _ask_world(content: bytes, _folder: Path) -> ReaderAnswer:
    door = open_world_handler(None)
    lines = content.split(b"\n")[:_MOST]
    return ReaderAnswer(
        answer=b"\n".join(msgspec.json.encode(door.handle_line(each)) for each in lines)
    )


def _ask_host(content: bytes, folder: Path) -> ReaderAnswer:
    door = PlayingHandler(make_workspace(folder), HostDefaults())

    async def answer_lines() -> bytes:
        lines = content.split(b"\n")[:_MOST]
        return b"\n".join([msgspec.json.encode(await door.handle_line(each)) for each in lines])

    return ReaderAnswer(answer=asyncio.run(asyncio.wait_for(answer_lines(), _PATIENCE)))


def _make_requests() -> list[bytes]:
    begin = _render_request("POST", "/runs", {"draft": LAMP})
    story = _render_request("POST", "/runs", {"scenario": "default"})
    each = [
        _render_request(one.method, _fill_path(one.path, one.path_examples), one.example)
        for one in HTTP_OPERATIONS
    ]
    groups = [each[n : n + 4] for n in range(0, len(each), 4)]
    return [join_parts(begin, story, *group) for group in groups]


def _fill_path(path: str, names: Mapping[str, str]) -> str:
    def choose_name(found: re.Match[str]) -> str:
        return names.get(found[1]) or (_RUN if found[1] in ("run", "id") else "x")

    return re.sub(r"\{(\w+)(?::\w+)?\}", choose_name, path)


def _render_request(method: str, path: str, body: Any) -> str:
    head = f'{method} {API_PREFIX}{path}\nhost: localhost\nif-match: "1"\n'
    typed = "content-type: application/json\nidempotency-key: k\n"
    return f"{head}{typed}\n{'' if body is None else json.dumps(body)}"


def _ask_http(content: bytes, folder: Path) -> ReaderAnswer:
    """Every request gets a status below 500, 503 or 507, and a refusal has a code."""
    app = RequestAdmission(
        make_app(make_workspace(folder)),
        ServerSettings(),
        people=folder / "people.json",
        folder=folder / "key",
        clock=FixedClock(),
        seconds=lambda: 0.0,
        chance=_FixedChance(),
    )

    async def answer_all() -> list[bytes]:
        parts = content.split(PART)[:_MOST]
        return [await asyncio.wait_for(_ask_app(app, each), _PATIENCE) for each in parts]

    return ReaderAnswer(answer=b"\n".join(asyncio.run(answer_all())))


class _FixedChance:
    def draw_bytes(self, count: int) -> bytes:
        return b"c" * count


async def _ask_app(app: Callable[..., Awaitable[None]], raw: bytes) -> bytes:
    scope, body = _parse_scope(raw)
    sent = list[Message]()
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return waiting.pop() if waiting else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    await app(scope, receive, send)
    if not sent:
        return b""
    status = sent[0]["status"]
    told = b"".join(each.get("body", b"") for each in sent[1:])
    assert 200 <= status < 500 or status in (503, 507), f"{status}: {told!r}"
    if status >= 400 and told:
        assert json.loads(told)["code"], "a refusal has a code"
    return str(status).encode() + b" " + told


def _parse_scope(raw: bytes) -> tuple[dict[str, Any], bytes]:
    """Parse a request as a server passes it on: headers are latin-1, paths unquoted."""
    head, _, body = raw.partition(b"\n\n")
    first, *rest = head.split(b"\n")
    method, _, target = first.partition(b" ")
    path, _, query = target.partition(b"?")
    pairs = [each.partition(b":")[::2] for each in rest if b":" in each]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method.decode("latin-1").upper() or "GET",
        "scheme": "http",
        "path": unquote(path.decode("latin-1")),
        "raw_path": path,
        "query_string": query,
        "root_path": "",
        "headers": [(k.strip().lower(), v.strip()) for k, v in pairs],
        "client": ("127.0.0.1", 5000),
        "server": ("127.0.0.1", 8000),
    }, body


_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    },
}


def _make_mcp_server() -> Any:
    store = RunService(MemoryRunStore(), ids=CountingIds(), clock=FixedClock())
    office = PaperGates()
    office.begin()
    return build_server(office.make_gate(), store, str)


def _make_calls() -> list[bytes]:
    names = [tool.name for tool in _make_mcp_server()._tools.values()]
    calls: list[dict[str, Any]] = [
        {
            "jsonrpc": "2.0",
            "id": n + 2,
            "method": "tools/call",
            "params": {"name": name, "arguments": {"run_id": _RUN, "text": "look"}},
        }
        for n, name in enumerate(names)
    ]
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    asks: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": "a", "method": "tools/list"},
        {"jsonrpc": "2.0", "id": "b", "method": "resources/list"},
        {"jsonrpc": "2.0", "id": "c", "method": "resources/read", "params": {"uri": "x"}},
    ]
    groups = [calls[n : n + 5] for n in range(0, len(calls), 5)]
    return [_encode_lines(_HELLO, ready, *group) for group in (asks, *groups)]


def _ask_mcp(content: bytes, folder: Path) -> ReaderAnswer:
    """Every line is read, and nothing but JSON is written, without an internal error."""
    ear, mouth = os.pipe()
    os.write(mouth, b"\n".join(content.split(b"\n")[:_MOST]) + b"\n")
    os.close(mouth)

    async def listen() -> None:
        with anyio.fail_after(_PATIENCE):
            await stdio.serve_stdio(_make_mcp_server().server, ear)

    out = folder / "out"
    try:
        with out.open("w", encoding="utf-8") as said, patch("sys.stdout", said):
            anyio.run(listen)
    finally:
        os.close(ear)
    # Two requests with the same id at once may get one answer: MCP forbids them.
    lines = sorted({*out.read_bytes().split(b"\n")})
    for line in filter(None, lines):
        assert -32603 != json.loads(line).get("error", {}).get("code"), line
    return ReaderAnswer(answer=b"\n".join(lines))


_URI = "file:///x/story.md"
_AT = {"textDocument": {"uri": _URI}, "position": {"line": 6, "character": 3}}


def _make_message(method: str, number: int | None = None, **params: Any) -> dict[str, Any]:
    mark = {} if number is None else {"id": number}
    return {"jsonrpc": "2.0", **mark, "method": method, "params": params}


def _make_editor_messages() -> list[bytes]:
    opened = {"uri": _URI, "languageId": "markdown", "version": 1, "text": LAMP}
    ways = ("completion", "definition", "hover", "prepareRename", "references")
    about = {"triggerKind": 1, "includeDeclaration": True}
    whole = _encode_lines(
        _make_message("initialize", 1, processId=None, rootUri=None, capabilities={}),
        _make_message("initialized"),
        _make_message("textDocument/didOpen", textDocument=opened),
        *(_make_message(f"textDocument/{way}", n + 2, **_AT, context=about) for n, way in enumerate(ways)),
        _make_message("textDocument/rename", 9, **_AT, newName="x"),
        _make_message("textDocument/documentSymbol", 10, textDocument={"uri": _URI}),
        _make_message("textDocument/codeAction", 11, textDocument={"uri": _URI},
              range={"start": _AT["position"], "end": _AT["position"]},
              context={"diagnostics": []}),
        _make_message("shutdown", 99),
        _make_message("exit"),
    )  # fmt: skip
    return [whole, b"".join(map(_frame_message, whole.split(b"\n")[:4]))]


def _frame_message(message: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)


class _FuzzedLanguageServer(_StoryLanguageServer):
    """Keeps unexpected errors."""

    def __init__(self) -> None:
        super().__init__()
        self.surprises = list[Exception]()
        # The library logs every message it cannot read, with a traceback.
        logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Keep an error that Saniwa raised; a message that cannot be parsed is only logged."""
        lines = traceback.extract_tb(error.__traceback__)
        ours = [each for each in lines if each.filename.startswith(SOURCE)]
        # A request before `initialize` is logged and gets no answer.
        early = "has the server been initialized" in str(error)
        if ours and not early and not isinstance(error, JsonRpcException):
            self.surprises.append(error)
        super().report_server_error(error, source)


def _ask_lsp(content: bytes, _folder: Path) -> ReaderAnswer:
    """Messages, one per line, or with their headers as on the wire."""
    raw = content.startswith(b"Content-Length")
    sent = content if raw else b"".join(map(_frame_message, content.split(b"\n")))
    server, out = _FuzzedLanguageServer(), _KeptOutput()
    server.start_io(BoundedStream(io.BytesIO(sent)), out)  # type: ignore[arg-type]
    for surprise in server.surprises:
        raise surprise
    return ReaderAnswer(answer=b"\n".join(sorted(out.said.split(b"Content-Length"))))


class _KeptOutput(io.BytesIO):
    """Keeps what was written when it is closed."""

    said = b""

    def close(self) -> None:
        """Keep the content, and close it."""
        if not self.closed:
            self.said = self.getvalue()
        super().close()


READERS = (
    FuzzReader(
        name="world-stdio",
        reads="lines of `world --stdio`",
        seeds=lambda: list(_WORLD),
        read=_ask_world,
        words=("load", "act", "restore", "snapshot", "scenario", "document", "id"),
        tries=40,
    ),
    FuzzReader(
        name="host-stdio",
        reads="lines of `host --stdio`",
        seeds=lambda: list(_HOST),
        read=_ask_host,
        words=("begin", "resume", "choose", "revision", "key", "draft", "seed", "at"),
        tries=20,
    ),
    FuzzReader(
        name="http",
        reads="requests over HTTP: methods, paths, queries, headers, cookies, bodies",
        seeds=_make_requests,
        read=_ask_http,
        words=(
            *("cookie: saniwa=", "authorization: Bearer x", "last-event-id: 9", "?after="),
            *("if-match: *", "origin: null", "content-length: 5", "%00", "%2e%2e/", "//"),
            *("content-type: multipart/form-data", "idempotency-key: ", "accept: "),
        ),
        tries=12,
    ),
    FuzzReader(
        name="mcp",
        reads="lines of MCP: protocol messages and tool calls",
        seeds=_make_calls,
        read=_ask_mcp,
        words=("tools/call", "arguments", "params", "run_id", "cursor", "jsonrpc"),
        tries=15,
    ),
    FuzzReader(
        name="lsp",
        reads="messages of an editor, structured and on the wire",
        seeds=_make_editor_messages,
        read=_ask_lsp,
        words=("textDocument/", "position", "$/cancelRequest", "Content-Length: 9\r\n\r\n"),
        tries=15,
    ),
)
