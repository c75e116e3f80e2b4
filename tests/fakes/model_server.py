"""A server on this machine that speaks the wire formats of four providers.

Each request is answered by the next plan of `planned`, or with what `reply` returns, in the
format of OpenAI's chat completions (Ollama's too), Anthropic's messages or Google's
generateContent, each whole or as a stream. With the plan `call`, the answer calls the tools
that the reply names.
"""

import json
import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain, count, islice, repeat
from typing import Any, ClassVar, NamedTuple

Plan = str
"""`ok limit error overloaded drop cut no_end garbage refuse echo_key say_key filter empty huge
halves endless packed hold hang moved untold below thoughts calls line event comments brackets
whole_events error_events error_aloud refuse_aloud
limit_ages half drip length refusal stray_call blocked bodiless torn blank call page`."""
REFUSAL = "I cannot help with that."
"""The text of a refusal."""
STRAY_TOOL = "delete_everything"
"""The tool that a `stray_call` calls, which no request offers."""
STRAY_INPUT = {"path": "/"}
"""The arguments of a `stray_call`."""
_TOKENS = (11, 7)
_DROPPED = "drop"
_PAUSES = {"hold": 120, "hang": 600}
"""Seconds until the answer is sent after all."""


class HeardRequest(NamedTuple):
    """One received request."""

    path: str
    """The path of the request."""
    headers: dict[str, str]
    """Its headers, names in lower case."""
    body: dict[str, Any]
    """The decoded body."""

    @property
    def key(self) -> str:
        """The key it was sent with."""
        names = ("authorization", "x-api-key", "x-goog-api-key")
        found = next((self.headers[n] for n in names if n in self.headers), "")
        return found.removeprefix("Bearer ")


class _LoopbackServer(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that hang up in the middle, which is part of the tests."""


class ModelServer:
    """Listens on loopback while its block runs."""

    def __init__(self, reply: Callable[[str], str] = lambda asked: f"heard: {asked}"):
        self.reply = reply
        self.planned: list[Plan] = []
        self.heard: list[HeardRequest] = []
        self.sent: list[int] = []
        """How many bytes of each endless answer were sent before the client hung up."""
        self.arrived = threading.Event()
        """Set once a request has arrived."""
        self.released = threading.Event()
        """Releases a request with the plan `hold`."""
        self._server = _LoopbackServer(("127.0.0.1", 0), self._make_handler())
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}
        )

    def __enter__(self) -> "ModelServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def plan(self, *planned: Plan) -> None:
        """Answer the next requests with these plans."""
        self.planned.extend(planned)

    def _make_handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class ModelRequestHandler(BaseHTTPRequestHandler):
            """One connection."""

            protocol_version = "HTTP/1.1"
            wbufsize = -1
            disable_nagle_algorithm = True

            def log_message(self, format: str, *args: Any) -> None:
                """Log nothing."""

            def do_POST(self) -> None:
                """Answer a request as planned."""
                size = int(self.headers.get("content-length", 0))
                body = json.loads(self.rfile.read(size))
                headers = {k.lower(): v for k, v in self.headers.items()}
                heard = HeardRequest(self.path, headers, body)
                server.heard.append(heard)
                plan = server.planned.pop(0) if server.planned else "ok"
                server.arrived.set()
                if plan in _PAUSES:
                    server.released.wait(_PAUSES[plan])
                if plan in _ENDLESS:
                    server.sent.append(_send_on(self, plan))
                elif plan in _UNFINISHED:
                    _leave_off(self, plan, server.released)
                else:
                    _answer_by_plan(self, heard, plan, server.reply)

        return ModelRequestHandler


def _answer_by_plan(
    door: BaseHTTPRequestHandler, heard: HeardRequest, plan: Plan, reply: Callable[[str], str]
) -> None:
    if plan == _DROPPED:
        door.close_connection = True
        door.connection.close()
        return
    if plan in _REFUSALS:
        status, more = _REFUSALS[plan]
        message = f"no: {plan}"
        if plan == "echo_key":
            message = f"key {heard.key} is not known"
        if plan.endswith("aloud"):
            message = reply("")
        _send(door, status, _render_refusal(heard, message), **more)
        return
    if plan in _MALFORMED:
        _send(door, 200, _MALFORMED[plan])
        return
    if plan == "page":
        _send(door, 200, _MALFORMED["garbage"], kind="text/html; charset=utf-8")
        return
    wire = _choose_format(heard)
    offered = [each.get("name", "") for each in heard.body.get("tools", ())]
    wire.tool = [name for name in offered if name == "answer"]
    text = _choose_words(heard, plan, wire, reply)
    if wire.is_streaming(heard):
        events = wire.render_pieces(text, plan)
        if plan == "no_end":
            events = islice(events, 3)
        _stream(door, events, cut=plan == "cut")
    else:
        whole = wire.render_whole(text, plan)
        if plan in ("untold", "below"):
            whole[wire.counts] = wire.untold if plan == "untold" else wire.below
        _send(door, 200, json.dumps(whole).encode())


_MALFORMED = {
    "garbage": b"<html>not what you think</html>",
    "bodiless": b'{"id": "chat-1"}',
    "torn": b'{"id": "chat-1", "choices": [{"index": 0, "mess',
    "blank": b"",
}
"""Bodies that are not an answer of any provider, by their plans."""
_REFUSALS: dict[str, tuple[int, dict[str, str]]] = {
    "limit": (429, {"Retry-After": "2"}),
    "error": (500, {}),
    "error_aloud": (500, {}),
    "limit_ages": (429, {"Retry-After": "9" * 30}),
    "moved": (307, {"Location": "http://127.0.0.1:9/?key=hidden"}),
    "overloaded": (529, {}),
    "refuse": (400, {}),
    "refuse_aloud": (400, {}),
    "echo_key": (401, {}),
}


def _render_refusal(heard: HeardRequest, message: str) -> bytes:
    if "generateContent" in heard.path or "GenerateContent" in heard.path:
        return json.dumps({"error": {"code": 400, "message": message}}).encode()
    return json.dumps({"type": "error", "error": {"message": message}}).encode()


def _choose_words(
    heard: HeardRequest, plan: Plan, wire: "_WireFormat", reply: Callable[[str], str]
) -> str:
    if plan == "say_key":
        return f"your key is {heard.key}, I believe"
    if plan == "empty":
        return ""
    if plan == "huge":
        return "more and " * 600_000
    if plan == "halves":
        return "a \ud83d key"
    return reply(wire.find_question(heard))


def _send(
    door: BaseHTTPRequestHandler,
    status: int,
    content: bytes,
    *,
    kind: str = "application/json",
    **more: str,
) -> None:
    door.send_response(status)
    door.send_header("Content-Type", kind)
    door.send_header("Content-Length", str(len(content)))
    for name, value in more.items():
        door.send_header(name.replace("_", "-"), value)
    door.end_headers()
    door.wfile.write(content)


def _stream_packed() -> Iterator[bytes]:
    packer = zlib.compressobj(wbits=31)
    while True:
        yield packer.compress(_LONG)


_UNFINISHED = ("half", "drip")
_DRIP = 0.2
"""Seconds between two bytes of an answer that drips."""


def _leave_off(door: BaseHTTPRequestHandler, plan: Plan, released: threading.Event) -> None:
    """Announce a whole answer and send a part of it, then nothing, or a byte now and then."""
    door.send_response(200)
    door.send_header("Content-Type", "application/json")
    door.send_header("Content-Length", "1000000")
    door.end_headers()
    door.close_connection = True
    try:
        door.wfile.write(b'{"id": "chat-1"')
        door.wfile.flush()
        while plan == "drip" and not released.wait(_DRIP):
            door.wfile.write(b" ")
            door.wfile.flush()
    except OSError:
        return


def _render_chunk(**delta: Any) -> bytes:
    """An event in OpenAI's format with this delta."""
    choice = {"index": 0, "delta": {"role": "assistant"} | delta, "finish_reason": None}
    whole = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1}
    event = whole | {"model": "stub-model", "choices": [choice]}
    return f"data: {json.dumps(event)}\n\n".encode()


def _stream_calls() -> Iterator[bytes]:
    for number in count():
        call = {"index": number, "id": f"call-{number}", "type": "function"}
        call["function"] = {"name": "answer", "arguments": "{}"}
        yield _render_chunk(tool_calls=[call])


_FLOODS: dict[str, Callable[[], Iterator[bytes]]] = {
    "thoughts": lambda: repeat(_render_chunk(reasoning_content="well " * 1000)),
    "calls": _stream_calls,
    "line": lambda: chain([b"data: "], repeat(b"a" * 10_000)),
    "event": lambda: repeat(b"data: " + b"a" * 10_000 + b"\n"),
    "comments": lambda: repeat(b": still here\n\n" * 1000),
    "brackets": lambda: chain([b"data: "], repeat(b"{}," * 1000)),
    "whole_events": lambda: repeat(b'"a"\n\n' * 1000),
    "error_events": lambda: repeat(b'"a"\n\n' * 1000),
}
"""Endless streams of events, by their plans."""
_LONG = b'{"a":"' + b"a" * 1_000_000
_ENDLESS = {"endless": lambda: repeat(_LONG), "packed": _stream_packed} | _FLOODS
"""Endless answers, by their plans."""


def _send_on(door: BaseHTTPRequestHandler, plan: Plan) -> int:
    """Send an endless answer until the client hangs up; returns how many bytes were sent."""
    events = "text/event-stream" if plan in _FLOODS else "application/json"
    door.send_response(500 if plan == "error_events" else 200)
    door.send_header("Content-Type", events)
    if plan == "packed":
        door.send_header("Content-Encoding", "gzip")
    door.end_headers()
    sent = 0
    try:
        for part in _ENDLESS[plan]():
            door.wfile.write(part)
            door.wfile.flush()
            sent += len(part)
    except OSError:
        door.close_connection = True
    return sent


def _stream(door: BaseHTTPRequestHandler, events: Iterator[str], *, cut: bool) -> None:
    door.send_response(200)
    door.send_header("Content-Type", "text/event-stream")
    door.send_header("Transfer-Encoding", "chunked")
    door.end_headers()
    for number, event in enumerate(events):
        if cut and number == 3:
            door.close_connection = True
            door.connection.close()
            return
        content = event.encode("utf-8", "surrogatepass")
        door.wfile.write(f"{len(content):x}\r\n".encode() + content + b"\r\n")
        door.wfile.flush()
    door.wfile.write(b"0\r\n\r\n")


class _WireFormat:
    """The format of one provider; the subclasses below implement it."""

    tool: list[str]
    """The tool that carries an answer with a schema, if one was asked for."""
    counts = "usage"
    """The field with the token counts."""
    untold: ClassVar[Mapping[str, int] | None] = None
    """The token counts of a provider that does not count."""
    below: ClassVar[Mapping[str, int]]
    """Token counts below zero."""

    def is_streaming(self, heard: HeardRequest) -> bool:
        return bool(heard.body.get("stream"))

    def find_question(self, heard: HeardRequest) -> str:
        said = heard.body["messages"][-1]["content"]
        return said if isinstance(said, str) else str(said[-1].get("text", ""))

    def render_whole(self, text: str, plan: Plan) -> dict[str, Any]:
        raise NotImplementedError

    def render_pieces(self, text: str, plan: Plan) -> Iterator[str]:
        raise NotImplementedError


def _split_text(text: str) -> list[str]:
    size = max(len(text) // 4, 1)
    return [text[at : at + size] for at in range(0, len(text), size)]


def _list_calls(text: str, plan: Plan) -> list[dict[str, Any]]:
    if plan == "call":
        called: list[dict[str, Any]] = json.loads(text)
        return called
    return [{"name": STRAY_TOOL, "arguments": STRAY_INPUT}] if plan == "stray_call" else []


class _OpenAIFormat(_WireFormat):
    """OpenAI's chat completions, and providers with the same format."""

    below: ClassVar = {"prompt_tokens": -9, "completion_tokens": -5, "total_tokens": 0}

    def render_whole(self, text: str, plan: Plan) -> dict[str, Any]:
        return self._make_envelope("chat.completion") | {
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant"} | self._make_message(text, plan),
                    "finish_reason": self._finish(plan),
                }
            ],
            "usage": self._count_usage(),
        }

    def render_pieces(self, text: str, plan: Plan) -> Iterator[str]:
        if plan in ("refusal", "stray_call", "call"):
            yield self._render_event(self._make_message(text, plan), None)
        else:
            for part in ["", *_split_text(text)]:
                yield self._render_event({"role": "assistant", "content": part}, None)
        yield self._render_event({}, self._finish(plan))
        last = self._make_envelope("chat.completion.chunk")
        yield f"data: {json.dumps(last | {'choices': [], 'usage': self._count_usage()})}\n\n"
        yield "data: [DONE]\n\n"

    def _make_message(self, text: str, plan: Plan) -> dict[str, Any]:
        if plan == "refusal":
            return {"content": None, "refusal": REFUSAL}
        if plan in ("stray_call", "call"):
            calls = _list_calls(text, plan)
            return {"content": None, "tool_calls": list(map(self._make_call, count(), calls))}
        return {"content": text}

    def _make_call(self, number: int, called: dict[str, Any]) -> dict[str, Any]:
        function = {**called, "arguments": json.dumps(called.get("arguments", {}))}
        named = {"index": number, "id": f"call-{number + 1}", "type": "function"}
        return named | {"function": function}

    def _render_event(self, delta: dict[str, Any], finish: str | None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        whole = self._make_envelope("chat.completion.chunk") | {"choices": [choice]}
        return f"data: {json.dumps(whole)}\n\n"

    def _make_envelope(self, kind: str) -> dict[str, Any]:
        return {"id": "chat-1", "object": kind, "created": 1, "model": "stub-model"}

    def _finish(self, plan: Plan) -> str:
        ends = {"filter": "content_filter", "length": "length"}
        ends |= {"stray_call": "tool_calls", "call": "tool_calls"}
        return ends.get(plan, "stop")

    def _count_usage(self) -> dict[str, int]:
        told, said = _TOKENS
        return {"prompt_tokens": told, "completion_tokens": said, "total_tokens": told + said}


class _AnthropicFormat(_WireFormat):
    """Anthropic's messages."""

    untold: ClassVar = {"input_tokens": 0, "output_tokens": 0}
    below: ClassVar = {"input_tokens": -9, "output_tokens": -5}

    def render_whole(self, text: str, plan: Plan) -> dict[str, Any]:
        calls = _list_calls(text, plan)
        content = list(map(self._make_call, count(1), calls))
        if not calls and text:
            content = [self._make_block(text)]
        return self._make_message(content, self._finish(plan))

    def _make_call(self, number: int, called: dict[str, Any]) -> dict[str, Any]:
        named = {"type": "tool_use", "id": f"call-{number}", "name": called["name"]}
        return named | {"input": called.get("arguments", {})}

    def _make_block(self, text: str) -> dict[str, Any]:
        if not self.tool:
            return {"type": "text", "text": text}
        called = {"type": "tool_use", "id": "call-1", "name": self.tool[0]}
        return called | {"input": json.loads(text or "{}")}

    def render_pieces(self, text: str, plan: Plan) -> Iterator[str]:
        yield self._render_event("message_start", message=self._make_message([], None))
        calls = list(map(self._make_call, count(1), _list_calls(text, plan)))
        blocks = [({**call, "input": {}}, json.dumps(call["input"])) for call in calls]
        for index, (block, said) in enumerate(blocks or [(self._make_block(""), text)]):
            yield self._render_event("content_block_start", index=index, content_block=block)
            for part in _split_text(said):
                delta = {"type": "text_delta", "text": part}
                if self.tool or calls:
                    delta = {"type": "input_json_delta", "partial_json": part}
                yield self._render_event("content_block_delta", index=index, delta=delta)
            yield self._render_event("content_block_stop", index=index)
        end = {"stop_reason": self._finish(plan), "stop_sequence": None}
        yield self._render_event("message_delta", delta=end, usage={"output_tokens": _TOKENS[1]})
        yield self._render_event("message_stop")

    def _make_message(self, content: list[Any], finish: str | None) -> dict[str, Any]:
        return {
            "id": "msg-1",
            "type": "message",
            "role": "assistant",
            "model": "stub-model",
            "content": content,
            "stop_reason": finish,
            "stop_sequence": None,
            "usage": {"input_tokens": _TOKENS[0], "output_tokens": _TOKENS[1]},
        }

    def _render_event(self, kind: str, **more: Any) -> str:
        return f"event: {kind}\ndata: {json.dumps({'type': kind} | more)}\n\n"

    def _finish(self, plan: Plan) -> str:
        if self.tool or plan in ("stray_call", "call"):
            return "tool_use"
        ends = {"refusal": "refusal", "filter": "refusal", "length": "max_tokens"}
        return ends.get(plan, "end_turn")


class _GoogleFormat(_WireFormat):
    """Google's generateContent."""

    counts = "usageMetadata"
    below: ClassVar = {"promptTokenCount": -9, "candidatesTokenCount": -5, "totalTokenCount": 0}

    def is_streaming(self, heard: HeardRequest) -> bool:
        return "streamGenerateContent" in heard.path

    def find_question(self, heard: HeardRequest) -> str:
        return str(heard.body["contents"][-1]["parts"][-1].get("text", ""))

    def render_whole(self, text: str, plan: Plan) -> dict[str, Any]:
        if plan == "blocked":
            blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}
            return blocked | {"usageMetadata": self._make_answer("", None)["usageMetadata"]}
        ends = {"filter": "SAFETY", "length": "MAX_TOKENS"}
        answer = self._make_answer(text, ends.get(plan, "STOP"))
        calls = [
            {"functionCall": {"name": each["name"], "args": each.get("arguments", {})}}
            for each in _list_calls(text, plan)
        ]
        if calls:
            answer["candidates"][0]["content"]["parts"] = calls
        return answer

    def render_pieces(self, text: str, plan: Plan) -> Iterator[str]:
        for part in _split_text(text) if plan not in ("stray_call", "call", "blocked") else ():
            yield f"data: {json.dumps(self._make_answer(part, None))}\n\n"
        last = text if plan == "call" else ""
        yield f"data: {json.dumps(self.render_whole(last, plan))}\n\n"

    def _make_answer(self, text: str, finish: str | None) -> dict[str, Any]:
        said = {"role": "model", "parts": [{"text": text}] if text else []}
        candidate: dict[str, Any] = {"index": 0, "content": said}
        if finish:
            candidate["finishReason"] = finish
        told, spoken = _TOKENS
        return {
            "candidates": [candidate],
            "modelVersion": "stub-model",
            "usageMetadata": {
                "promptTokenCount": told,
                "candidatesTokenCount": spoken,
                "totalTokenCount": told + spoken,
            },
        }


def _choose_format(heard: HeardRequest) -> _WireFormat:
    if heard.path.endswith("/chat/completions"):
        return _OpenAIFormat()
    if heard.path.partition("?")[0].endswith("/v1/messages"):
        return _AnthropicFormat()
    assert "enerateContent" in heard.path, heard.path
    return _GoogleFormat()
