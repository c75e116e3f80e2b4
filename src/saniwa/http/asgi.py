"""ASGI types and scope keys that all layers share, and how a layer sends an error."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any, Final

from saniwa.core.errors import SaniwaError
from saniwa.http.problems import encode_problem

SCOPE_REQUEST: Final = "saniwa.request"
"""Scope key: the request's note."""


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


Scope = MutableMapping[str, Any]
"""What a server knows about a request before its body."""
Message = MutableMapping[str, Any]
"""One message of a request or an answer."""
Receive = Callable[[], Awaitable[Message]]
"""Waits for the next message of a request."""
Send = Callable[[Message], Awaitable[None]]
"""Sends the next message of an answer."""
App = Callable[[Scope, Receive, Send], Awaitable[None]]
"""An ASGI application."""
Header = tuple[bytes, bytes]
"""A lower-case name, and a value."""

API_PATH: Final = "/api"
"""The path of the API; everything else is pages."""
SCOPE_LOCAL: Final = "saniwa.near"
"""Scope key: whether the request comes from this machine, without a proxy."""
SCOPE_CALLER: Final = "saniwa.caller"
"""Scope key: the caller, as a `Caller`."""
SCOPE_VISITOR: Final = "saniwa.visitor"
"""Scope key: the caller, as a visitor of the gate."""
SCOPE_AUTHENTICATOR: Final = "saniwa.authenticator"
"""Scope key: the `Authenticator`, for signing in and out."""
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""


def list_header_values(scope: Scope, name: bytes) -> list[str]:
    """Return every value of a header, in order; `name` in lower case."""
    return [v.decode("latin-1") for key, v in scope["headers"] if key == name]


def is_api_request(scope: Scope) -> bool:
    """Whether a request is for the API, and not for a page."""
    path: str = scope["path"]
    return path == API_PATH or path.startswith(API_PATH + "/")


async def send_problem(
    scope: Scope, send: Send, problem: SaniwaError, status: int, headers: Iterable[Header] = ()
) -> None:
    """Send an error as the answer, and note its code for the log.

    The place of a file that could not be read is removed: it is internal.
    """
    problem.where = None
    note = find_request_note(scope)
    note.code = str(problem.code)
    status, answered, body = encode_problem(problem, status, note.id)
    await send({"type": "http.response.start", "status": status, "headers": [*answered, *headers]})
    await send({"type": "http.response.body", "body": body})
