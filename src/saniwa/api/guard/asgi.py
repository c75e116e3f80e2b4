"""The few words of ASGI that the layers speak, and how each of them says no."""

from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final

from saniwa.api.note import note_of
from saniwa.api.problem import problem_answer
from saniwa.core.errors import SaniwaError

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

API: Final = "/api"
"""Where programs ask; everything else is pages."""
NEAR: Final = "saniwa.near"
"""In the scope: whether the request comes from this machine and no further."""
CALLER: Final = "saniwa.caller"
"""In the scope: who asks, as a `Caller`."""
VISITOR: Final = "saniwa.visitor"
"""In the scope: who asks, as the gate knows visitors."""
RECEPTION: Final = "saniwa.reception"
"""In the scope: the `Reception`, where one signs in and out."""
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""


def values(scope: Scope, name: bytes) -> list[str]:
    """Every value of a header, in order; the name in small letters."""
    return [v.decode("latin-1") for key, v in scope["headers"] if key == name]


def is_api(scope: Scope) -> bool:
    """Whether a program asks, and not somebody for a page."""
    path: str = scope["path"]
    return path == API or path.startswith(API + "/")


async def turn_away(
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
    note = note_of(scope)
    note.code = str(problem.code)
    status, answered, body = problem_answer(problem, status, note.id)
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [*answered, *headers],
        }
    )
    await send({"type": "http.response.body", "body": body})
