import asyncio
import json

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saniwa.app.caller import make_caller
from saniwa.core.clock import FixedClock
from saniwa.core.errors import ProtocolError
from saniwa.core.ids import CountingIds
from saniwa.http.access_log import AccessLog, LogLine
from saniwa.http.request_scope import SCOPE_CALLER, find_request_note
from saniwa.http.responses import send_problem
from saniwa.store.gate.people import GatePerson
from tests.unit.http.middleware.guarded_requests import (
    AppAnswer,
    BodyPieces,
    InnerApp,
    StandingClock,
    ask,
    make_scope,
)

ID = "request-00000000-0000-7000-8000-000000000001"
ANN = GatePerson(name="ann", role="reviewer", salt="", hash="5ec2e7", added_at="")


class KeptJournal:
    """A log that keeps its lines."""

    def __init__(self, app: ASGIApp) -> None:
        self.lines: list[LogLine] = []
        self.journal = AccessLog(
            app,
            self.lines.append,
            clock=FixedClock(1_000),
            ids=CountingIds(),
            seconds=StandingClock(),
        )

    def ask(self, **asked: str) -> AppAnswer:
        """The answer to a request."""
        return ask(self.journal, make_scope(**asked))


async def answer_moment(scope: Scope, _receive: Receive, send: Send) -> None:
    """An app that sets its caller and operation, and answers."""
    find_request_note(scope).route = "/runs/{run}/moment"
    scope["path_params"] = {"run": "run-7"}
    scope[SCOPE_CALLER] = make_caller(ANN, "badge", csrf="b3s1de")
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})


def test_a_request_is_one_line() -> None:
    """A request is one line with caller, operation, time, duration and status."""
    written = KeptJournal(answer_moment)
    answer = written.ask(path="/api/v1/runs/run-7/moment")

    assert [ID] == answer.list_header_values("x-request-id")
    assert [
        LogLine(
            time="1970-01-01T00:00:01Z",
            request=ID,
            method="GET",
            route="/runs/{run}/moment",
            status=200,
            ms=0.0,
            visitor="ann",
            run="run-7",
        )
    ] == written.lines


def test_what_was_said_is_not_written_down() -> None:
    """A line has no path, parameters, cookies, tokens or words."""
    written = KeptJournal(answer_moment)
    written.ask(
        path="/api/v1/runs/s3cret",
        cookie="saniwa=s3cret",
        authorization="Bearer ann:s3cret",
        user_agent="s3cret",
    )
    shown = json.dumps([repr(line) for line in written.lines])

    assert "s3cret" not in shown
    assert "b3s1de" not in shown
    assert "5ec2e7" not in shown


def test_a_refusal_is_written_with_its_code_and_reported_with_its_id() -> None:
    """A refusal is logged with its code, and its answer has the request's id."""

    async def refuse_request(scope: Scope, _receive: Receive, send: Send) -> None:
        await send_problem(scope, send, ProtocolError("HOST_UNKNOWN", "not here"), 421)

    written = KeptJournal(refuse_request)
    answer = written.ask()

    assert (421, "HOST_UNKNOWN", "page") == (
        written.lines[0].status,
        written.lines[0].code,
        written.lines[0].route,
    )
    assert ID == answer.document["instance"]


async def fail_with_secret(_scope: Scope, _receive: Receive, _send: Send) -> None:
    """An app that fails with a message that quotes a user."""
    raise ValueError("s3cret words")


def test_an_unforeseen_error_is_answered_and_placed() -> None:
    """An unexpected error is logged with its class and place, without its message."""
    written = KeptJournal(fail_with_secret)
    answer = written.ask()
    line = written.lines[0]

    assert (500, "SYSTEM_ERROR") == (answer.status, answer.code)
    assert (500, "ValueError") == (line.status, line.error)
    assert line.trace[-1].startswith("unit/http/test_access_log.py:")
    assert line.trace[-1].endswith(" fail_with_secret")
    assert b"s3cret" not in answer.body
    assert "s3cret" not in repr(line)


def test_an_answer_that_breaks_off_is_not_begun_again() -> None:
    """An error after the answer has started is logged, and does not start another."""

    async def answer_half(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ValueError

    written = KeptJournal(answer_half)
    answer = written.ask()

    assert (200, b"") == (answer.status, answer.body)
    assert (200, "ValueError") == (written.lines[0].status, written.lines[0].error)


def test_a_request_without_an_answer_is_logged() -> None:
    """A request without an answer is logged with status 0."""

    async def answer_nothing(_scope: Scope, _receive: Receive, _send: Send) -> None:
        return

    written = KeptJournal(answer_nothing)

    async def send(_message: Message) -> None: ...

    asyncio.run(written.journal(make_scope(), BodyPieces(), send))

    assert [0] == [line.status for line in written.lines]


@pytest.mark.parametrize(
    ("run", "status", "code", "named"),
    [
        ("run-7", 412, "REVISION_CONFLICT", "run-7"),
        ("run-7", 404, "RUN_NOT_FOUND", ""),
        ("s3cret", 404, "RUN_NOT_FOUND", ""),
        ("s3cret", 400, "PROTOCOL_SYNTAX", ""),
        ("my_run", 403, "NOT_YOURS", ""),
    ],
)
def test_a_run_is_named_if_it_is_one(run: str, status: int, code: str, named: str) -> None:
    """The log names a run only if its id is valid."""

    async def refuse_request(scope: Scope, _receive: Receive, send: Send) -> None:
        scope["path_params"] = {"run": run}
        await send_problem(scope, send, ProtocolError(code, "no"), status)

    written = KeptJournal(refuse_request)
    written.ask()

    assert [(named, code)] == [(each.run, each.code) for each in written.lines]


@pytest.mark.parametrize("run", ["x" * 81, "a b", "\x1b[2J", "日本"])
def test_only_what_can_be_a_run_is_named(run: str) -> None:
    """An odd run or method is not written to the log."""

    async def answer_odd_run(scope: Scope, _receive: Receive, send: Send) -> None:
        scope["path_params"] = {"run": run}
        await send_empty_answer(send)

    written = KeptJournal(answer_odd_run)
    written.ask(method="\x1b[2J")

    assert ("", "?") == (written.lines[0].run, written.lines[0].method)


async def send_empty_answer(send: Send) -> None:
    """An empty answer."""
    await send({"type": "http.response.start", "status": 200, "headers": []})


def test_a_servers_own_life_is_no_request() -> None:
    """The lifespan of a server is not logged."""
    inside = InnerApp()
    written = KeptJournal(inside)

    async def send(_message: Message) -> None: ...

    asyncio.run(written.journal({"type": "lifespan"}, BodyPieces(), send))

    assert ([], 1) == (written.lines, len(inside.scopes))
