"""The few words of ASGI that the layers speak, and how each of them says no."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any, Final

from saniwa.core.errors import SaniwaError
from saniwa.http.problems import encode_problem

SCOPE_REQUEST: Final = "saniwa.request"
"""In the scope: the request's note."""


class RequestNote:
    """Filled in by whoever learns something; never with words, bodies or secrets."""

    __slots__ = ("code", "id", "route")

    def __init__(self, id: str) -> None:
        """A note under the request's own id."""
        self.id = id
        """The request's id."""
        self.route = ""
        """The path as the table has it: `/runs/{run}/moment`; empty for a page."""
        self.code = ""
        """The code of the problem that was answered; empty if there was none."""


def find_request_note(scope: Mapping[str, Any]) -> RequestNote:
    """The request's note; one that nobody reads, where nothing is written down."""
    note = scope.get(SCOPE_REQUEST)
    return note if isinstance(note, RequestNote) else RequestNote("")


Scope = MutableMapping[str, Any]
"""What a server knows about a request before its body."""
Message = MutableMapping[str, Any]
"""One piece of a request or an answer."""
Receive = Callable[[], Awaitable[Message]]
"""Waits for the next piece of a request."""
Send = Callable[[Message], Awaitable[None]]
"""Sends the next piece of an answer."""
App = Callable[[Scope, Receive, Send], Awaitable[None]]
"""Anything that answers requests."""
Header = tuple[bytes, bytes]
"""A name in small letters, and a value."""

API_PATH: Final = "/api"
"""Where programs ask; everything else is pages."""
SCOPE_LOCAL: Final = "saniwa.near"
"""In the scope: whether the request comes from this machine and no further."""
SCOPE_CALLER: Final = "saniwa.caller"
"""In the scope: who asks, as a `Caller`."""
SCOPE_VISITOR: Final = "saniwa.visitor"
"""In the scope: who asks, as the gate knows visitors."""
SCOPE_AUTHENTICATOR: Final = "saniwa.reception"
"""In the scope: the `Reception`, where one signs in and out."""
SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""


def list_header_values(scope: Scope, name: bytes) -> list[str]:
    """Every value of a header, in order; the name in small letters."""
    return [v.decode("latin-1") for key, v in scope["headers"] if key == name]


def is_api_request(scope: Scope) -> bool:
    """Whether a program asks, and not somebody for a page."""
    path: str = scope["path"]
    return path == API_PATH or path.startswith(API_PATH + "/")


async def send_problem(
    scope: Scope,
    send: Send,
    problem: SaniwaError,
    status: int,
    headers: Iterable[Header] = (),
) -> None:
    """Answer with a problem, and write its code down.

    Where a file lies that we could not read is for our own eyes.
    """
    problem.where = None
    note = find_request_note(scope)
    note.code = str(problem.code)
    status, answered, body = encode_problem(problem, status, note.id)
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [*answered, *headers],
        }
    )
    await send({"type": "http.response.body", "body": body})
