"""From the table to routes: every operation read, run, and answered in one way."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, compile_path
from starlette.types import Receive, Scope, Send

from saniwa.api.guard.limits.body import TakesText
from saniwa.api.note import note_of
from saniwa.api.operation import Answer, Call, Operation
from saniwa.api.problem import problem_answer
from saniwa.api.reading import read_call
from saniwa.api.turnstile import Turnstile
from saniwa.core.errors import ProtocolError, SaniwaError
from saniwa.core.quoted import quoted
from saniwa.wiring.garden.garden import Garden

Answering = Callable[[Request], Awaitable[Response]]
"""Answers a request."""

VERSION: Final = "/api/v1"
"""Where everything of this version lies."""


def routes_of(operations: Iterable[Operation], garden: Garden) -> list[Route]:
    """A route for each path; other methods are told which there are."""
    paths = defaultdict[str, dict[str, Operation]](dict)
    for operation in operations:
        paths[operation.path][operation.method] = operation
    turnstile = Turnstile()
    return [
        Route(VERSION + path, AnyMethod(_answering(known, garden, turnstile)))
        for path, known in paths.items()
    ]


def find_text_routes(operations: Iterable[Operation]) -> TakesText:
    """Return what says of a request whether it is for an operation that takes a text."""
    routes = [
        (each.method, compile_path(VERSION + each.path)[0])
        for each in operations
        if each.takes_text
    ]

    def takes_text(scope: MutableMapping[str, Any]) -> bool:
        return any(
            scope["method"] == method and route.match(scope["path"])
            for method, route in routes
        )

    return takes_text


class AnyMethod:
    """An endpoint that hears every method, so that it can say itself which it takes."""

    def __init__(self, answer: Answering) -> None:
        """Answers with what this gives."""
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        response = await self._answer(Request(scope, receive, send))
        await response(scope, receive, send)


def _answering(
    known: Mapping[str, Operation], garden: Garden, turnstile: Turnstile
) -> Answering:
    async def answer(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        operation = known.get(method)
        if operation is None:
            return _wrong_method(request, sorted(known))
        note_of(request.scope).route = operation.path
        try:
            call = await read_call(operation, garden, request)
            await turnstile.passed()
            given = await _run_durably(operation, call, garden)
            return _good(operation, given)
        except SaniwaError as problem:
            return refused(problem, request)

    return answer


async def _run_durably(operation: Operation, call: Call, garden: Garden) -> Any:
    """What the operation answers, once everything it may tell of is durable.

    An error waits as well: a conflict names the revision that another request has just
    written.

    Raises:
        StoreError: `TRACE_UNWRITABLE`; then the operation's own answer is not given.
        SaniwaError: The operation was refused.
    """
    try:
        given = await operation.run(call)
    except SaniwaError:
        await garden.settled()
        raise
    await garden.settled()
    return given


def refused(
    problem: SaniwaError, request: Request, status: int | None = None
) -> Response:
    """The answer that tells of an error; its code is written down."""
    note = note_of(request.scope)
    note.code = str(problem.code)
    status, headers, body = problem_answer(problem, status, note.id)
    named = {name.decode(): value.decode() for name, value in headers}
    return Response(body, status, named)


def _good(operation: Operation, given: Any) -> Response:
    if isinstance(given, Response):
        return given
    answer = given if isinstance(given, Answer) else Answer(body=given)
    headers = dict(answer.headers)
    if answer.revision is not None:
        headers["ETag"] = f'"{answer.revision}"'
    status = answer.status or operation.status
    if answer.body is None and operation.answers is None:
        return Response(None, status, headers)
    if isinstance(answer.body, bytes):
        return Response(answer.body, status, headers, answer.media)
    return Response(msgspec.json.encode(answer.body), status, headers, answer.media)


def _wrong_method(request: Request, there: list[str]) -> Response:
    allowed = ", ".join([*there, "HEAD"] if "GET" in there else there)
    problem = ProtocolError(
        "METHOD_UNKNOWN",
        f"{quoted(request.url.path)} takes no {request.method}",
        hint=f"it takes {allowed}",
    )
    response = refused(problem, request)
    response.headers["Allow"] = allowed
    return response
