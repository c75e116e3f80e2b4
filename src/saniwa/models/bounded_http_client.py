"""An HTTP client that limits the size of responses.

A server cannot make the process read or parse without end.
"""

from collections.abc import AsyncIterator
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import httpx2

if TYPE_CHECKING:
    from ssl import SSLContext

MOST_BYTES: Final = 32_000_000
"""The most bytes of a response, or of one event of a stream: the longest answer and its
format."""
MOST_STREAM_BYTES: Final = 400_000_000
"""The most bytes of a streamed response. A word takes hundreds, but none are stored."""
MOST_STREAM_LINES: Final = 1_000_000
"""The most lines of a streamed response: each takes time, even an empty one."""
MOST_BRACKETS: Final = 50_000
"""The most braces and brackets opened in a response, or in one event of a stream. Each
may become an object of the library, which takes hundreds of times as much memory."""
_PLAIN: Final = "identity"
_EVENT_ENDS: Final = (b"\n\n", b"\r\n\r\n", b"\r\r")
_OVERLAP: Final = 3

is_streaming: ContextVar[bool] = ContextVar("streamed", default=False)
"""Whether the current request streams its response and stores none of it."""


class ResponseTooLargeError(Exception):
    """A response was larger than any answer may be; the rest was not read."""


class CompressedResponseError(ResponseTooLargeError):
    """A response was compressed although that was not requested.

    Its size is unbounded.
    """


class WebPageResponseError(Exception):
    """A response was a web page, such as a proxy's or one of another kind of server."""


def make_bounded_client(**settings: Any) -> httpx2.AsyncClient:
    """Make a client that stops reading responses that are too large."""
    return httpx2.AsyncClient(
        headers={"accept-encoding": _PLAIN},
        # A hook and not a custom transport, which would bypass the user's proxies.
        event_hooks={"response": [_bound_response]},
        verify=_load_certificates(),
        **settings,
    )


@cache
def _load_certificates() -> "SSLContext":
    """Load the certificates that servers are checked by, once for all clients: it takes long."""
    return httpx2.create_ssl_context()


async def _bound_response(response: httpx2.Response) -> None:
    encoding = response.headers.get("content-encoding", _PLAIN)
    if encoding.strip().lower() not in ("", _PLAIN):
        raise CompressedResponseError(
            "the response is compressed, although no compression was requested"
        )
    kind = response.headers.get("content-type", "").strip().lower()
    if response.is_success and kind.startswith("text/html"):
        raise WebPageResponseError("it answers with a web page")
    inner: Any = response.stream
    # An error response is read at once, even if a stream was requested.
    in_pieces = (
        is_streaming.get()
        and response.is_success
        and response.headers.get("content-type", "").startswith("text/event-stream")
    )
    counter = _EventStreamCounter() if in_pieces else _ResponseCounter()
    response.stream = _BoundedStream(inner, counter)


class _ResponseCounter:
    """Counts a response that is stored until it is complete."""

    def __init__(self) -> None:
        self._size = 0
        self._opened = 0

    def count_part(self, part: bytes) -> None:
        """Count a part.

        Raises:
            ResponseTooLargeError: The response is larger than an answer may be.
        """
        self._size += len(part)
        self._opened += part.count(b"{") + part.count(b"[")
        if self._size > MOST_BYTES:
            raise ResponseTooLargeError(f"the response has more than {MOST_BYTES} bytes")
        if self._opened > MOST_BRACKETS:
            raise ResponseTooLargeError(f"the response opens more than {MOST_BRACKETS} brackets")


class _EventStreamCounter:
    """Counts a stream of events; each is stored until an empty line ends it."""

    def __init__(self) -> None:
        self._size = 0
        self._lines = 0
        self._event = _ResponseCounter()
        self._end = b""

    def count_part(self, part: bytes) -> None:
        """Count a part.

        Raises:
            ResponseTooLargeError: An event, or the stream, is larger than allowed.
        """
        self._size += len(part)
        if self._size > MOST_STREAM_BYTES:
            raise ResponseTooLargeError(f"the response has more than {MOST_STREAM_BYTES} bytes")
        self._lines += part.count(b"\n") or part.count(b"\r")
        if self._lines > MOST_STREAM_LINES:
            raise ResponseTooLargeError(f"the response has more than {MOST_STREAM_LINES} lines")
        known = self._end + part
        # Where the last event begins. Earlier events lie in this part, or end in it.
        last = max(known.rfind(end) + len(end) if end in known else 0 for end in _EVENT_ENDS)
        self._event.count_part(part)
        if last:
            self._event = _ResponseCounter()
            self._event.count_part(known[last:])
        self._end = known[max(last, len(known) - _OVERLAP) :]


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(
        self, inner: httpx2.AsyncByteStream, counter: _ResponseCounter | _EventStreamCounter
    ) -> None:
        self._inner = inner
        self._counter = counter

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._inner:
            self._counter.count_part(part)
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()
