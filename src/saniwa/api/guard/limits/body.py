"""A request's body is read whole, or not at all; what is too large is not waited for."""

import asyncio
from collections.abc import Callable
from typing import Final

from saniwa.api.guard.asgi import (
    CALLER,
    App,
    Header,
    Message,
    Receive,
    Scope,
    Send,
    turn_away,
    values,
)
from saniwa.api.guard.settings import Limits
from saniwa.core.errors import ProtocolError

SMALL: Final = 65_536
"""Bytes of a body that every operation takes; only a text may be larger."""
TakesText = Callable[[Scope], bool]
"""Says whether what is asked for takes a text, which may be long."""

# Whatever is left of the body would be taken for the next request.
_CLOSE: Final[Header] = (b"connection", b"close")


class BodyLimit:
    """Gives an app only bodies that are small and have come."""

    def __init__(
        self, app: App, limits: Limits, takes_text: TakesText = lambda _: True
    ) -> None:
        """Stand before an app; only where a text is taken may a body be large."""
        self._app = app
        self._limits = limits
        self._takes_text = takes_text

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 413 to too much, 408 to what does not come; read nothing needless."""
        if not _has_body(scope):
            await self._app(scope, receive, send)
            return
        largest = self._largest(scope)
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                body = await _whole(scope, receive, largest)
        except TimeoutError:
            problem = _too_slow(self._limits.body_seconds)
            await turn_away(scope, send, problem, 408, (_CLOSE,))
            return
        except _TooLargeError:
            await turn_away(scope, send, too_large(largest), 413, (_CLOSE,))
            return
        if body is not None:
            await self._app(scope, _replayed(body, receive), send)

    def _largest(self, scope: Scope) -> int:
        if scope[CALLER].by == "nothing":
            return self._limits.strangers_body
        largest = self._limits.body
        return largest if self._takes_text(scope) else min(SMALL, largest)


class _TooLargeError(Exception):
    """More has come, or is said to come, than is taken."""


def _has_body(scope: Scope) -> bool:
    told = values(scope, b"content-length")
    return bool(values(scope, b"transfer-encoding")) or told not in ([], ["0"])


async def _whole(scope: Scope, receive: Receive, largest: int) -> bytes | None:
    """The body; None if whoever was sending it has gone."""
    told = values(scope, b"content-length")
    if any(not each.isdecimal() or int(each[:20]) > largest for each in told):
        raise _TooLargeError
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > largest:
            raise _TooLargeError
        if not message.get("more_body", False):
            return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Gives the body once, and then what really comes: that somebody has gone."""
    left = [body]

    async def receiving() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return receiving


def too_large(largest: int) -> ProtocolError:
    """The error of a body that is larger than this many bytes."""
    return ProtocolError(
        "BODY_TOO_LARGE",
        f"the request's body has more than {largest} bytes",
        hint="send less at once",
        details={"largest": largest},
    )


def _too_slow(seconds: float) -> ProtocolError:
    return ProtocolError(
        "BODY_TOO_SLOW",
        f"the request's body did not come within {seconds:g} seconds",
        hint="send it again",
        recoverable=True,
    )
