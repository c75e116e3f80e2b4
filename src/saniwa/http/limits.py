"""Limits on the size and time of bodies, the rate of requests, and open streams.

A body is read completely before the app runs, or refused.
"""

import asyncio
import ipaddress
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from typing import Final

from starlette.types import Message, Receive, Scope

from saniwa.app.caller import LOCAL_CALLER
from saniwa.core.errors import ProtocolError, make_rate_limit_error
from saniwa.http.host_names import parse_address
from saniwa.http.request_scope import SCOPE_CALLER, is_api_request, list_header_values
from saniwa.http.server_settings import PAGE_FILE_FACTOR, AllowedRate, MonotonicClock, RequestLimits

MAX_PLAIN_BODY: Final = 65_536
"""The largest body in bytes, except for operations that take a text."""
NO_ADDRESS: Final = "nowhere"
"""The address of a client that has none, as with a Unix socket."""
_IPV6_NETWORK_BITS: Final = 64
"""Bits of an IPv6 address that identify one household."""
TextBodyCheck = Callable[[Scope], bool]
"""Whether the requested operation takes a text, which may be long."""


class BodyLimit:
    """Reads bodies that are small enough, and come in time."""

    def __init__(self, limits: RequestLimits, takes_text: TextBodyCheck = lambda _: True) -> None:
        """Only operations that take a text may have a large body."""
        self._limits = limits
        self._takes_text = takes_text

    async def read_body(self, scope: Scope, receive: Receive) -> Receive | None:
        """Read the body, and return it for the app; None if the client disconnected.

        Raises:
            ProtocolError: `BODY_TOO_LARGE`, `BODY_TOO_SLOW`; no more is read than needed.
        """
        lengths = list_header_values(scope, b"content-length")
        if lengths in ([], ["0"]) and not list_header_values(scope, b"transfer-encoding"):
            return receive
        largest = self._find_largest(scope, lengths)
        if any(not each.isdecimal() or int(each[:20]) > largest for each in lengths):
            raise make_body_too_large_error(largest)
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                body = await read_full_body(receive, largest)
        except TimeoutError as problem:
            raise ProtocolError(
                "BODY_TOO_SLOW",
                f"the request's body did not arrive within {self._limits.body_seconds:g} seconds",
                hint="send it again",
                recoverable=True,
            ) from problem
        return None if body is None else _replay_body(body, receive)

    def _find_largest(self, scope: Scope, lengths: list[str]) -> int:
        if scope[SCOPE_CALLER].by == "nothing":
            return self._limits.strangers_body
        largest, plain = self._limits.body, min(MAX_PLAIN_BODY, self._limits.body)
        # What is announced as short may be sent to every operation.
        short = len(lengths) == 1 and lengths[0].isdecimal() and int(lengths[0][:20]) <= plain
        return plain if short or not self._takes_text(scope) else largest


async def read_full_body(receive: Receive, largest: int = sys.maxsize) -> bytes | None:
    """Return the body; None if the client has disconnected.

    Raises:
        ProtocolError: `BODY_TOO_LARGE` if it has more than `largest` bytes.
    """
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if len(body) > largest:
            raise make_body_too_large_error(largest)
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
        hint="send a smaller body",
        details={"largest": largest},
    )


class RateLimit:
    """Limits requests by visitor, or by address for callers who did not sign in."""

    def __init__(self, limits: RequestLimits, seconds: MonotonicClock) -> None:
        """Start with full buckets."""
        rate, many = limits.rate, PAGE_FILE_FACTOR
        files = AllowedRate(each_second=rate.each_second * many, at_once=rate.at_once * many)
        self._answers = TokenBuckets(rate, limits.remembered, seconds)
        self._files = TokenBuckets(files, limits.remembered, seconds)

    def check_rate(self, scope: Scope) -> None:
        """Count a request.

        Raises:
            ProtocolError: `TOO_MANY_REQUESTS`.
        """
        buckets = self._answers if is_api_request(scope) else self._files
        wait = buckets.reserve_token(find_limit_key(scope))
        if wait:
            raise make_rate_limit_error("too many requests", wait)


def find_limit_key(scope: Scope) -> str:
    """Return the key of a caller's bucket: `visitor NAME`, which no address equals."""
    name: str = scope.get(SCOPE_CALLER, LOCAL_CALLER).name
    return f"visitor {name}" if name else find_client_network(scope)


STREAM_PATH_ENDING = "/live"
"""The end of the path of a live stream."""
_RETRY_SECONDS = 5.0
_NO_STREAM: Final = nullcontext()


class StreamLimit:
    """Limits the number of open streams, for each visitor and in total."""

    def __init__(self, limits: RequestLimits) -> None:
        """Start without open streams."""
        self._limits = limits
        self._open: Counter[str] = Counter()

    @property
    def open_count(self) -> int:
        """The number of open streams."""
        return self._open.total()

    def count_stream(self, scope: Scope) -> AbstractContextManager[None]:
        """Count a request as open in the block, if it is for a stream.

        Raises:
            ProtocolError: `TOO_MANY_REQUESTS` for a stream above the limits, on entering.
        """
        if not scope["path"].endswith(STREAM_PATH_ENDING) or not is_api_request(scope):
            return _NO_STREAM
        return self._count_open(find_limit_key(scope))

    @contextmanager
    def _count_open(self, whose: str) -> Iterator[None]:
        most = self._limits
        if self._open[whose] >= most.streams_each or self.open_count >= most.streams:
            raise make_rate_limit_error("too many live streams are open", _RETRY_SECONDS)
        self._open[whose] += 1
        try:
            yield
        finally:
            self._open[whose] -= 1
            if not self._open[whose]:
                del self._open[whose]


class TokenBuckets:
    """Token buckets, one for each name; without a token a caller has to wait."""

    def __init__(self, rate: AllowedRate, most: int, seconds: MonotonicClock) -> None:
        """Start with full buckets; above `most`, the oldest is forgotten."""
        self._rate = rate
        self._most = most
        self._seconds = seconds
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._left)

    def reserve_token(self, name: str, longest: float = 0.0) -> float:
        """Reserve the next token, and return the seconds until it is available, or 0.

        Nothing is reserved if that would take longer than `longest`.
        """
        left = self._count_tokens(name)
        wait = max(0.0, (1 - left) / self._rate.each_second)
        self._store_tokens(name, left - 1 if wait <= longest else left)
        return wait

    def return_token(self, name: str) -> None:
        """Return a token that was not needed."""
        self._store_tokens(name, self._count_tokens(name) + 1)

    def _count_tokens(self, name: str) -> float:
        if name not in self._left:
            return float(self._rate.at_once)
        left, since = self._left[name]
        gained = (self._seconds() - since) * self._rate.each_second
        return min(left + gained, float(self._rate.at_once))

    def _store_tokens(self, name: str, left: float) -> None:
        self._left[name] = (left, self._seconds())
        self._left.move_to_end(name)
        if len(self._left) > self._most:
            self._left.popitem(last=False)


def find_client_network(scope: Scope) -> str:
    """Return the network that limits count as one: an IPv4 address, or an IPv6 /64."""
    client = scope.get("client")
    return _find_network(str(client[0])) if client else NO_ADDRESS


@lru_cache(maxsize=1024)
def _find_network(address: str) -> str:
    number = parse_address(address)
    if number is None:
        return NO_ADDRESS
    if number.version == 4:
        return str(number)
    return str(ipaddress.ip_network((number, _IPV6_NETWORK_BITS), strict=False))
