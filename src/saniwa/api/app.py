"""The whole door as one ASGI application."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from saniwa.api.openapi import document
from saniwa.api.routes import VERSION, AnyMethod, refused, routes_of
from saniwa.api.table import OPERATIONS
from saniwa.core.errors import ProtocolError, SaniwaError
from saniwa.core.quoted import quoted
from saniwa.core.ready import ready
from saniwa.script.directive import schema_text
from saniwa.wiring.garden.garden import Garden

OPENAPI: Final = f"{VERSION}/openapi.json"
"""Where the OpenAPI document lies."""


def make_app(garden: Garden, pages: Sequence[BaseRoute] = ()) -> Starlette:
    """An application that serves a garden, and pages beside it."""
    written = msgspec.json.encode(document(OPERATIONS))
    ready(*(each.query for each in OPERATIONS))
    ready(*(each.takes for each in OPERATIONS if each.takes is not None))
    routes: list[BaseRoute] = [
        *routes_of(OPERATIONS, garden),
        Route(OPENAPI, _fixed(written)),
        Route(f"{VERSION}/schemas/stepresult.json", _fixed(schema_text().encode())),
        Route("/api/{rest:path}", AnyMethod(_nowhere)),
        *pages,
    ]
    return Starlette(
        routes=routes,
        lifespan=_closing(garden),
        exception_handlers={404: _nowhere, Exception: _surprise},
    )


def _closing(
    garden: Garden,
) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await garden.tables.close()
        garden.close()

    return lifespan


def _fixed(content: bytes) -> Callable[[Request], Response]:
    async def answer(_: Request) -> Response:
        return Response(content, media_type="application/json")

    return answer  # type: ignore[return-value]


async def _nowhere(request: Request, problem: Exception | None = None) -> Response:
    del problem
    return refused(
        ProtocolError(
            "PLACE_NOT_FOUND",
            f"there is nothing at {quoted(request.url.path)}",
            hint=f"what there is stands in {OPENAPI}",
        ),
        request,
    )


async def _surprise(request: Request, problem: Exception) -> Response:
    """The door: nobody should meet a traceback."""
    told = SaniwaError(
        "SYSTEM_ERROR",
        f"something we did not foresee: {type(problem).__name__}",
        hint="what was acknowledged is kept; report it, with the request's id",
    )
    return refused(told, request, 500)
