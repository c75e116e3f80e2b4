"""Limits on the size and time of bodies, the rate of requests, and open streams.

A body is read completely before the app runs, or refused.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Final

from saniwa.core.errors import ProtocolError, make_rate_limit_error
from saniwa.http.asgi import (
    SCOPE_CALLER,
    App,
    Header,
    Message,
    Receive,
    Scope,
    Send,
    is_api_request,
    list_header_values,
    send_problem,
)
from saniwa.http.auth.caller import LOCAL_CALLER
from saniwa.http.settings import PAGE_FILE_FACTOR, AllowedRate, RequestLimits, find_client_network
from saniwa.http.token_buckets import MonotonicClock, TokenBuckets

MAX_PLAIN_BODY: Final = 65_536
"""The largest body in bytes, except for operations that take a text."""
TextBodyCheck = Callable[[Scope], bool]
"""Whether the requested operation takes a text, which may be long."""

# The rest of the body would otherwise be read as the next request.
_CLOSE_HEADER: Final[Header] = (b"connection", b"close")


class BodyLimit:
    """Passes only bodies to the app that are small and complete."""

    def __init__(
        self, app: App, limits: RequestLimits, takes_text: TextBodyCheck = lambda _: True
    ) -> None:
        """Wrap an app; only operations that take a text may have a large body."""
        self._app = app
        self._limits = limits
        self._takes_text = takes_text

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 413 to a large body, 408 to a slow one; read no more than needed."""
        if not _has_body(scope):
            await self._app(scope, receive, send)
            return
        largest = self._find_body_limit(scope)
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                body = await _read_full_body(scope, receive, largest)
        except TimeoutError:
            problem = _make_body_too_slow_error(self._limits.body_seconds)
            await send_problem(scope, send, problem, 408, (_CLOSE_HEADER,))
            return
        except _BodyTooLargeError:
            await send_problem(
                scope, send, make_body_too_large_error(largest), 413, (_CLOSE_HEADER,)
            )
            return
        if body is not None:
            await self._app(scope, _replay_body(body, receive), send)

    def _find_body_limit(self, scope: Scope) -> int:
        if scope[SCOPE_CALLER].by == "nothing":
            return self._limits.strangers_body
        largest = self._limits.body
        return largest if self._takes_text(scope) else min(MAX_PLAIN_BODY, largest)


class _BodyTooLargeError(Exception):
    """The body, or its declared length, is too large."""


def _has_body(scope: Scope) -> bool:
    lengths = list_header_values(scope, b"content-length")
    return bool(list_header_values(scope, b"transfer-encoding")) or lengths not in ([], ["0"])


async def _read_full_body(scope: Scope, receive: Receive, largest: int) -> bytes | None:
    """Return the body; None if the client has disconnected."""
    lengths = list_header_values(scope, b"content-length")
    if any(not each.isdecimal() or int(each[:20]) > largest for each in lengths):
        raise _BodyTooLargeError
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > largest:
            raise _BodyTooLargeError
        if not message.get("more_body", False):
            return bytes(body)


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """Return the body once, and then real messages, such as a disconnect."""
    left = [body]

    async def receiving() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return receiving


def make_body_too_large_error(largest: int) -> ProtocolError:
    """Return the error for a body larger than this many bytes."""
    return ProtocolError(
        "BODY_TOO_LARGE",
        f"the request's body has more than {largest} bytes",
        hint="send less at once",
        details={"largest": largest},
    )


def _make_body_too_slow_error(seconds: float) -> ProtocolError:
    return ProtocolError(
        "BODY_TOO_SLOW",
        f"the request's body did not come within {seconds:g} seconds",
        hint="send it again",
        recoverable=True,
    )


class RateLimit:
    """Limits requests by visitor, or by address for callers who did not sign in."""

    def __init__(self, app: App, limits: RequestLimits, seconds: MonotonicClock) -> None:
        """Wrap an app."""
        self._app = app
        rate = limits.rate
        many = AllowedRate(
            each_second=rate.each_second * PAGE_FILE_FACTOR, at_once=rate.at_once * PAGE_FILE_FACTOR
        )
        self._answers = TokenBuckets(rate, limits.remembered, seconds)
        self._files = TokenBuckets(many, limits.remembered, seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 429 to a caller who sends too many requests."""
        buckets = self._answers if is_api_request(scope) else self._files
        wait = buckets.take_token(find_limit_key(scope))
        if wait:
            problem = make_rate_limit_error("requests come faster than they are answered", wait)
            await send_problem(scope, send, problem, 429)
            return
        await self._app(scope, receive, send)


def find_limit_key(scope: Scope) -> str:
    """Return the key of a caller's bucket: `visitor NAME`, which no address equals."""
    name: str = scope.get(SCOPE_CALLER, LOCAL_CALLER).name
    return f"visitor {name}" if name else find_client_network(scope)


STREAM_PATH_ENDING = "/live"
"""The end of the path of a live stream."""
_RETRY_SECONDS = 5.0


class StreamLimit:
    """Limits the number of open streams, for each visitor and in total."""

    def __init__(self, app: App, limits: RequestLimits) -> None:
        """Wrap an app."""
        self._app = app
        self._most = limits.streams
        self._each = limits.streams_each
        self._open: Counter[str] = Counter()

    @property
    def open_count(self) -> int:
        """The number of open streams."""
        return self._open.total()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 429 to a stream above the limit."""
        if not is_api_request(scope) or not scope["path"].endswith(STREAM_PATH_ENDING):
            await self._app(scope, receive, send)
            return
        whose = find_limit_key(scope)
        if self._open[whose] >= self._each or self.open_count >= self._most:
            problem = make_rate_limit_error("too many live streams are open", _RETRY_SECONDS)
            await send_problem(scope, send, problem, 429)
            return
        await self._run_counted(whose, scope, receive, send)

    async def _run_counted(self, whose: str, scope: Scope, receive: Receive, send: Send) -> None:
        self._open[whose] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[whose] -= 1
            if not self._open[whose]:
                del self._open[whose]
