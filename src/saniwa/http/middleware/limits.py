"""A request's body is read whole, or not at all; what is too large is not waited for."""

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
from saniwa.http.settings import (
    PAGE_FILE_FACTOR,
    AllowedRate,
    RequestLimits,
    find_client_network,
)
from saniwa.http.token_buckets import MonotonicClock, TokenBuckets

MAX_PLAIN_BODY: Final = 65_536
"""Bytes of a body that every operation takes; only a text may be larger."""
TextBodyCheck = Callable[[Scope], bool]
"""Says whether what is asked for takes a text, which may be long."""

# Whatever is left of the body would be taken for the next request.
_CLOSE_HEADER: Final[Header] = (b"connection", b"close")


class BodyLimit:
    """Gives an app only bodies that are small and have come."""

    def __init__(
        self,
        app: App,
        limits: RequestLimits,
        takes_text: TextBodyCheck = lambda _: True,
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
    """More has come, or is said to come, than is taken."""


def _has_body(scope: Scope) -> bool:
    told = list_header_values(scope, b"content-length")
    return bool(list_header_values(scope, b"transfer-encoding")) or told not in (
        [],
        ["0"],
    )


async def _read_full_body(scope: Scope, receive: Receive, largest: int) -> bytes | None:
    """The body; None if whoever was sending it has gone."""
    told = list_header_values(scope, b"content-length")
    if any(not each.isdecimal() or int(each[:20]) > largest for each in told):
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
    """Gives the body once, and then what really comes: that somebody has gone."""
    left = [body]

    async def receiving() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return receiving


def make_body_too_large_error(largest: int) -> ProtocolError:
    """The error of a body that is larger than this many bytes."""
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
    """Counts requests by visitor, and by address for whoever did not sign in."""

    def __init__(
        self, app: App, limits: RequestLimits, seconds: MonotonicClock
    ) -> None:
        """Stand before an app."""
        self._app = app
        rate = limits.rate
        many = AllowedRate(
            each_second=rate.each_second * PAGE_FILE_FACTOR,
            at_once=rate.at_once * PAGE_FILE_FACTOR,
        )
        self._answers = TokenBuckets(rate, limits.remembered, seconds)
        self._files = TokenBuckets(many, limits.remembered, seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 429 to whoever asks too often."""
        buckets = self._answers if is_api_request(scope) else self._files
        wait = buckets.take_token(find_limit_key(scope))
        if wait:
            problem = make_rate_limit_error(
                "requests come faster than they are answered", wait
            )
            await send_problem(scope, send, problem, 429)
            return
        await self._app(scope, receive, send)


def find_limit_key(scope: Scope) -> str:
    """Whose bucket it is; an address never looks like a name, which has no blanks."""
    name: str = scope.get(SCOPE_CALLER, LOCAL_CALLER).name
    return f"visitor {name}" if name else find_client_network(scope)


STREAM_PATH_ENDING = "/live"
"""How the path of a live stream ends."""
_RETRY_SECONDS = 5.0


class StreamLimit:
    """Lets only so many streams be open, for each visitor and for all."""

    def __init__(self, app: App, limits: RequestLimits) -> None:
        """Stand before an app."""
        self._app = app
        self._most = limits.streams
        self._each = limits.streams_each
        self._open: Counter[str] = Counter()

    @property
    def open_count(self) -> int:
        """How many are open now."""
        return self._open.total()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 429 where one more is too many."""
        if not is_api_request(scope) or not scope["path"].endswith(STREAM_PATH_ENDING):
            await self._app(scope, receive, send)
            return
        whose = find_limit_key(scope)
        if self._open[whose] >= self._each or self.open_count >= self._most:
            problem = make_rate_limit_error(
                "too many live streams are open", _RETRY_SECONDS
            )
            await send_problem(scope, send, problem, 429)
            return
        await self._run_counted(whose, scope, receive, send)

    async def _run_counted(
        self, whose: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self._open[whose] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._open[whose] -= 1
            if not self._open[whose]:
                del self._open[whose]
