"""ASGI types and scope keys that all layers share, and how an error is answered."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saniwa.core.errors import SaniwaError
from saniwa.http.problems import PROBLEM_MEDIA, build_problem

__all__ = ["App", "Header", "Message", "Receive", "Scope", "Send"]

App = ASGIApp
"""An ASGI application."""
Header = tuple[bytes, bytes]
"""A lower-case name, and a value."""

API_PATH: Final = "/api"
"""The path of the API; everything else is pages."""
SCOPE_REQUEST: Final = "saniwa.request"
"""Scope key: the request's note."""
SCOPE_LOCAL: Final = "saniwa.near"
"""Scope key: whether the request comes from this machine, without a proxy."""
SCOPE_CALLER: Final = "saniwa.caller"
"""Scope key: the caller, as a `Caller`."""
SCOPE_VISITOR: Final = "saniwa.visitor"
"""Scope key: the caller, as a visitor of the gate."""
SCOPE_AUTHENTICATOR: Final = "saniwa.authenticator"
"""Scope key: the `Authenticator`, for signing in and out."""
SCOPE_COOKIE: Final = "saniwa.cookie"
"""Scope key: the header with a cookie for answers that set none themselves."""
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""
_RETRY_SECONDS: Final = 1


class RequestNote:
    """What layers learn about a request; never user text, bodies or secrets."""

    __slots__ = ("code", "id", "route")

    def __init__(self, id: str) -> None:
        """Create a note with the request's id."""
        self.id = id
        """The request's id."""
        self.route = ""
        """The path template, such as `/runs/{run}/moment`; empty for a page."""
        self.code = ""
        """The code of the error that was sent; empty if there was none."""


def find_request_note(scope: Mapping[str, Any]) -> RequestNote:
    """Return the request's note; an unused one if there is no access log."""
    note = scope.get(SCOPE_REQUEST)
    return note if isinstance(note, RequestNote) else RequestNote("")


def list_header_values(scope: Scope, name: bytes) -> list[str]:
    """Return every value of a header, in order; `name` in lower case."""
    return [v.decode("latin-1") for key, v in scope["headers"] if key == name]


def is_api_request(scope: Scope) -> bool:
    """Whether a request is for the API, and not for a page."""
    path: str = scope["path"]
    return path == API_PATH or path.startswith(API_PATH + "/")


def build_problem_response(
    problem: SaniwaError, scope: Mapping[str, Any], status: int | None = None
) -> Response:
    """Return the answer for an error, and note its code for the log."""
    note = find_request_note(scope)
    note.code = str(problem.code)
    document = build_problem(problem, status, note.id)
    headers = {}
    wait = problem.details.get("retry_after") or (document.status == 503 and _RETRY_SECONDS)
    if wait:
        headers["retry-after"] = str(wait)
    if document.status == 401:
        headers["www-authenticate"] = 'Bearer realm="saniwa"'
    return Response(msgspec.json.encode(document), document.status, headers, PROBLEM_MEDIA)


async def send_problem(
    scope: Scope, send: Send, problem: SaniwaError, status: int | None = None
) -> None:
    """Send an error as the answer.

    The place of a file that could not be read is removed: it is internal. The rest of a
    refused body would be read as the next request, so that connection is closed.
    """
    problem.where = None
    response = build_problem_response(problem, scope, status)
    if response.status_code in (408, 413):
        response.headers["connection"] = "close"
    headers = response.raw_headers
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.body})
