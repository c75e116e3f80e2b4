"""Builds routes from the table: every operation is read, run and answered alike."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, compile_path
from starlette.types import Receive, Scope, Send

from saniwa.app.workspace import Workspace
from saniwa.core.errors import ProtocolError, SaniwaError
from saniwa.core.text import quote_value
from saniwa.http.asgi import build_problem_response, find_request_note
from saniwa.http.contract import Operation, OperationAnswer
from saniwa.http.middleware.limits import TextBodyCheck
from saniwa.http.request import read_call


class FairScheduler:
    """Lets one waiting request run in each iteration of the event loop."""

    def __init__(self) -> None:
        """Create a scheduler without waiting requests."""
        # By loop, because several loops may serve one app, and one cannot wake
        # another's.
        self._locks = WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock]()

    async def wait_turn(self) -> None:
        """Return when it is this request's turn; at once if no other came before."""
        loop = asyncio.get_running_loop()
        lock = self._locks.setdefault(loop, asyncio.Lock())
        await lock.acquire()
        loop.call_soon(lock.release)


Endpoint = Callable[[Request], Awaitable[Response]]
"""Answers a request."""

API_PREFIX: Final = "/api/v1"
"""The path of this version of the API."""


def build_routes(operations: Iterable[Operation], workspace: Workspace) -> list[Route]:
    """Return a route for each path; other methods get 405 with the allowed ones."""
    paths = defaultdict[str, dict[str, Operation]](dict)
    for operation in operations:
        paths[operation.path][operation.method] = operation
    scheduler = FairScheduler()
    return [
        Route(API_PREFIX + path, AnyMethodEndpoint(_make_endpoint(known, workspace, scheduler)))
        for path, known in paths.items()
    ]


def make_text_body_check(operations: Iterable[Operation]) -> TextBodyCheck:
    """Return a check whether a request is for an operation that takes a text."""
    routes = [
        (each.method, compile_path(API_PREFIX + each.path)[0])
        for each in operations
        if each.takes_text
    ]
    return lambda scope: any(
        scope["method"] == method and route.match(scope["path"]) for method, route in routes
    )


class AnyMethodEndpoint:
    """An endpoint for every method, so that it can itself answer which it allows."""

    def __init__(self, answer: Endpoint) -> None:
        """Create an endpoint that answers with `answer`."""
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        response = await self._answer(Request(scope, receive, send))
        await response(scope, receive, send)


def _build_response(operation: Operation, given: Any) -> Response:
    """Turn what an operation returned into a response with its status and ETag."""
    if isinstance(given, Response):
        return given
    answer = given if isinstance(given, OperationAnswer) else OperationAnswer(body=given)
    headers = dict(answer.headers)
    revision = answer.revision
    if operation.is_tagged and revision is None:
        revision = answer.body.revision
    if revision is not None:
        headers["ETag"] = f'"{revision}"'
    if operation.answers is None:
        return Response(None, operation.status, headers)
    body = answer.body if isinstance(answer.body, bytes) else msgspec.json.encode(answer.body)
    return Response(body, operation.status, headers, answer.media)


def _make_endpoint(
    known: Mapping[str, Operation], workspace: Workspace, scheduler: FairScheduler
) -> Endpoint:
    async def answer(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        operation = known.get(method)
        if operation is None:
            return _answer_wrong_method(request, sorted(known))
        find_request_note(request.scope).route = operation.path
        try:
            call = await read_call(operation, workspace, request)
            await scheduler.wait_turn()
            given = await operation.run(call)
            return _build_response(operation, given)
        except SaniwaError as problem:
            return build_problem_response(problem, request.scope)

    return answer


def _answer_wrong_method(request: Request, methods: list[str]) -> Response:
    allowed = ", ".join([*methods, "HEAD"] if "GET" in methods else methods)
    problem = ProtocolError(
        "METHOD_UNKNOWN",
        f"{quote_value(request.url.path)} takes no {request.method}",
        hint=f"it takes {allowed}",
    )
    response = build_problem_response(problem, request.scope)
    response.headers["Allow"] = allowed
    return response
