import asyncio
import json
from typing import Any

import pytest
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode
from starlette.types import Message, Receive, Scope, Send

from saniwa.core.clock import FixedClock
from saniwa.core.errors import ProtocolError
from saniwa.core.ids import CountingIds
from saniwa.http.access_log import AccessLog
from saniwa.http.request_scope import find_request_note
from saniwa.http.responses import send_problem
from saniwa.http.telemetry import Telemetry
from tests.unit.http.middleware.guarded_requests import (
    AppAnswer,
    BodyPieces,
    InnerApp,
    StandingClock,
    ask,
    make_scope,
)

WORDS = "/runs/{run}/words"


class WatchedApp:
    """An app with a log and telemetry, and everything reported about it."""

    def __init__(self, *, status: int = 200, route: str = WORDS, code: str = "") -> None:
        self.status, self.route, self.code = status, route, code
        self.exporter = InMemorySpanExporter()
        self.reader = InMemoryMetricReader()
        self.telemetry = Telemetry("1.2", SimpleSpanProcessor(self.exporter), self.reader)
        self.watch = StandingClock()
        self.watching = self.telemetry.wrap_app(
            self.answer_slowly, streams=lambda: 7, runs=lambda: 3, seconds=self.watch
        )
        self.outermost = AccessLog(
            self.watching, lambda _: None, clock=FixedClock(), ids=CountingIds(), seconds=self.watch
        )

    async def answer_slowly(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Answer after a quarter of a second."""
        self.watch.seconds += 0.25
        find_request_note(scope).route = self.route
        if self.code:
            await send_problem(scope, send, ProtocolError(self.code, "no"), self.status)
            return
        await send({"type": "http.response.start", "status": self.status, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    def ask(self, **asked: str) -> AppAnswer:
        """The answer to a request."""
        return ask(self.outermost, make_scope(**asked))

    @property
    def spans(self) -> list[ReadableSpan]:
        """The reported spans."""
        return list(self.exporter.get_finished_spans())

    def list_points(self, name: str) -> list[Any]:
        """The reported points of a metric."""
        told = self.reader.get_metrics_data()
        assert told is not None
        metrics = told.resource_metrics[0].scope_metrics[0].metrics
        return [p for m in metrics if m.name == name for p in m.data.data_points]


def test_a_request_is_one_span() -> None:
    """A request is one span with its operation, status and id."""
    told = WatchedApp()
    told.ask(method="POST")
    span = told.spans[0]

    assert ("POST /runs/{run}/words", 1) == (span.name, len(told.spans))
    assert {
        "http.request.method": "POST",
        "http.route": WORDS,
        "http.response.status_code": 200,
        "saniwa.request": "request-00000000-0000-7000-8000-000000000001",
    } == span.attributes
    assert StatusCode.UNSET == span.status.status_code


def test_a_refusal_is_reported_with_its_code() -> None:
    """A refusal has its code, and is not an error of the span."""
    told = WatchedApp(status=412, code="REVISION_CONFLICT")
    told.ask()

    assert "REVISION_CONFLICT" == (told.spans[0].attributes or {})["saniwa.code"]
    assert StatusCode.UNSET == told.spans[0].status.status_code


def test_nothing_that_a_person_wrote_is_reported() -> None:
    """No path, parameter, header, cookie or message is in the telemetry."""
    told = WatchedApp()

    async def fail_with_secret(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise ValueError("s3cret")

    told.watching._app = fail_with_secret
    answer = told.ask(
        method="S3CRET",
        path="/api/v1/runs/s3cret",
        cookie="saniwa=s3cret",
        authorization="Bearer s3cret",
        baggage="s3cret=s3cret",
        tracestate="s3cret=s3cret",
    )
    shown = told.spans[0].to_json() + json.dumps(
        [str(p) for p in told.list_points("saniwa.requests")]
    )

    assert 500 == answer.status
    assert "s3cret" not in shown.lower()
    assert "_OTHER page" == told.spans[0].name
    assert StatusCode.ERROR == told.spans[0].status.status_code


def test_a_callers_trace_continues() -> None:
    """A caller's trace is continued."""
    told = WatchedApp()
    told.ask(traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    span = told.spans[0]

    assert span.parent is not None
    assert (0x0AF7651916CD43DD8448EB211C80319C, 0xB7AD6B7169203331) == (
        span.parent.trace_id,
        span.parent.span_id,
    )


@pytest.mark.parametrize("said", ["", "x", "00-0-0-00", "\xff" * 99])
def test_what_is_not_a_trace_begins_a_new_one(said: str) -> None:
    """With an invalid trace header, the request begins a new trace."""
    told = WatchedApp()

    assert 200 == told.ask(traceparent=said).status
    assert told.spans[0].parent is None


def test_requests_are_counted_by_route_and_status() -> None:
    """Requests are counted and timed by route and status."""
    told = WatchedApp()
    told.ask(method="POST")
    told.ask(method="POST")
    requests, seconds = (
        told.list_points(name) for name in ("saniwa.requests", "http.server.request.duration")
    )

    assert [2] == [p.value for p in requests]
    assert [(2, 0.5)] == [(p.count, p.sum) for p in seconds]
    assert {
        "http.request.method": "POST",
        "http.route": WORDS,
        "http.response.status_code": 200,
    } == dict(requests[0].attributes)


@pytest.mark.parametrize(
    ("status", "route", "turns"),
    [
        (200, WORDS, [1]),
        (200, "/runs/{run}/steps", [1]),
        (200, "/runs/{run}/choices", [1]),
        (412, WORDS, []),
        (200, "/runs/{run}/moment", []),
    ],
)
def test_turns_are_counted_when_they_were_played(status: int, route: str, turns: list[int]) -> None:
    """Turns are counted if they were played."""
    told = WatchedApp(status=status, route=route)
    told.ask()

    assert turns == [p.value for p in told.list_points("saniwa.turns")]


def test_a_stream_does_not_count_as_slow() -> None:
    """A live stream does not count in the duration of requests."""
    told = WatchedApp(route="/runs/{run}/live")
    told.ask()

    assert [] == told.list_points("http.server.request.duration")
    assert [1] == [p.value for p in told.list_points("saniwa.requests")]


def test_what_is_open_is_reported() -> None:
    """The numbers of open streams and runs are measured on request."""
    told = WatchedApp()

    assert [7] == [p.value for p in told.list_points("saniwa.streams.open")]
    assert [3] == [p.value for p in told.list_points("saniwa.runs.open")]


def test_a_servers_own_life_is_no_span() -> None:
    """The lifespan of a server is not a span."""
    told = WatchedApp()
    inside = InnerApp()
    told.watching._app = inside

    async def send(_message: Message) -> None: ...

    asyncio.run(told.watching({"type": "lifespan"}, BodyPieces(), send))

    assert (0, 1) == (len(told.spans), len(inside.scopes))
