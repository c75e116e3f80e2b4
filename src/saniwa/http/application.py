"""The ASGI application: the operations of the table, the OpenAPI document, and pages."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Receive, Scope, Send

from saniwa.app.operations.catalog import OPERATIONS, list_operations
from saniwa.app.workspace import Workspace
from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import ProtocolError
from saniwa.core.extras import require_packages
from saniwa.core.text import quote_value
from saniwa.http import sign_in_operations
from saniwa.http.openapi import build_document
from saniwa.http.problem_details import make_system_error
from saniwa.http.responses import build_problem_response
from saniwa.http.router import API_PREFIX, ApiRouter
from saniwa.story.step_result import read_schema_text

HTTP_OPERATIONS: Final = (
    *list_operations(sign_in_operations),
    *(each for each in OPERATIONS if each.path),
)
"""Signing in, which only HTTP has, and the table; in the order of the OpenAPI document."""


def render_openapi() -> str:
    """Render the OpenAPI document, indented.

    Raises:
        ProtocolError: `EXTRA_MISSING`.
    """
    require_packages("starlette", extra="serve", what="the HTTP API needs", kind=ProtocolError)
    content = msgspec.json.encode(build_document(HTTP_OPERATIONS), order="sorted")
    return msgspec.json.format(content, indent=2).decode()


OPENAPI_PATH: Final = f"{API_PREFIX}/openapi.json"
"""The path of the OpenAPI document."""


def make_app(workspace: Workspace, pages: Sequence[BaseRoute] = ()) -> ApiRouter:
    """Create an application that serves a workspace, and pages next to the API."""
    written = msgspec.json.encode(build_document(HTTP_OPERATIONS))
    warm_decoders(*(each.query for each in HTTP_OPERATIONS))
    warm_decoders(*(each.takes for each in HTTP_OPERATIONS if each.takes is not None))
    # Views are converted from other records, in threads.
    warm_decoders(*(each.answers for each in HTTP_OPERATIONS if each.answers is not None))

    @asynccontextmanager
    async def close_workspace(_: Starlette) -> AsyncIterator[None]:
        yield
        await workspace.tables.close()
        workspace.close()

    routes: list[BaseRoute] = [
        Route(OPENAPI_PATH, _serve_json(written)),
        Route(f"{API_PREFIX}/schemas/stepresult.json", _serve_json(read_schema_text().encode())),
        Mount("/api", _answer_unknown_path),
        *pages,
    ]
    others = Starlette(
        routes=routes,
        lifespan=close_workspace,
        exception_handlers={404: _answer_not_found, Exception: _answer_unexpected_error},
    )
    return ApiRouter(HTTP_OPERATIONS, workspace, others)


def _serve_json(content: bytes) -> Callable[[Request], Awaitable[Response]]:
    async def answer(_: Request) -> Response:
        return Response(content, media_type="application/json")

    return answer


async def _answer_unknown_path(scope: Scope, receive: Receive, send: Send) -> None:
    response = await _answer_not_found(Request(scope))
    await response(scope, receive, send)


async def _answer_not_found(request: Request, _: Exception | None = None) -> Response:
    error = ProtocolError(
        "PLACE_NOT_FOUND",
        f"there is nothing at {quote_value(request.url.path)}",
        hint=f"{OPENAPI_PATH} lists all paths",
    )
    return build_problem_response(error, request.scope)


async def _answer_unexpected_error(request: Request, problem: Exception) -> Response:
    """Answer an unexpected error; no client gets a traceback."""
    return build_problem_response(make_system_error(problem), request.scope, 500)
