"""What layers learn and hand on about a request: the keys of its ASGI scope, and its headers."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.types import Scope

API_PATH: Final = "/api"
"""The path of the API; everything else is pages."""
SCOPE_REQUEST: Final = "saniwa.request"
"""Scope key: the request's note."""
SCOPE_HEADERS: Final = "saniwa.headers"
"""Scope key: the values of each header, as `index_headers` returns them."""
SCOPE_LOCAL: Final = "saniwa.near"
"""Scope key: whether the request comes from this machine, without a proxy."""
SCOPE_CALLER: Final = "saniwa.caller"
"""Scope key: the caller, as a `Caller`."""
SCOPE_AUTHENTICATOR: Final = "saniwa.authenticator"
"""Scope key: the `Authenticator`, for signing in and out."""
SCOPE_COOKIE: Final = "saniwa.cookie"
"""Scope key: the header with a cookie for answers that set none themselves."""


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


def index_headers(scope: Scope) -> Mapping[bytes, list[str]]:
    """Return the values of each header by its name in lower case; decoded once a request."""
    known: dict[bytes, list[str]] | None = scope.get(SCOPE_HEADERS)
    if known is None:
        known = scope[SCOPE_HEADERS] = {}
        for name, value in scope["headers"]:
            known.setdefault(name, []).append(value.decode("latin-1"))
    return known


def list_header_values(scope: Scope, name: bytes) -> list[str]:
    """Return every value of a header, in order; `name` in lower case."""
    return (scope.get(SCOPE_HEADERS) or index_headers(scope)).get(name, [])


def is_api_request(scope: Scope) -> bool:
    """Whether a request is for the API, and not for a page."""
    path: str = scope["path"]
    return path == API_PATH or path.startswith(API_PATH + "/")
