"""Connections that do not take in more than an answer can be long."""

from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import Any, Final

import httpx2

MOST_BYTES: Final = 32_000_000
"""Bytes of a response, or of one event of a stream: the longest answer, and its format."""
MOST_STREAM_BYTES: Final = 400_000_000
"""Bytes of one that comes piece by piece: hundreds for a word, and none is kept."""
MOST_STREAM_LINES: Final = 1_000_000
"""Lines of one that comes piece by piece: each costs its time, though it says nothing."""
MOST_BRACKETS: Final = 50_000
"""Braces and brackets opened in a response, or in one event of a stream. Each may become
an object of the library's, which takes hundreds of times as much."""
_PLAIN: Final = "identity"
_EVENT_ENDS: Final = (b"\n\n", b"\r\n\r\n", b"\r\r")
_OVERLAP: Final = 3

is_streaming: ContextVar[bool] = ContextVar("streamed", default=False)
"""Whether whoever asks takes the response piece by piece, and keeps none."""


class ResponseTooLargeError(Exception):
    """A response was longer than any answer may be; it was not heard to its end."""


class CompressedResponseError(ResponseTooLargeError):
    """A response came packed, though it was not asked for so: it may grow without end."""


def make_bounded_client(**settings: Any) -> httpx2.AsyncClient:
    """Connections that stop where a response does not end; else as the settings say."""
    return httpx2.AsyncClient(
        headers={"accept-encoding": _PLAIN},
        # A hook and no transport of our own, which would leave out the user's proxies.
        event_hooks={"response": [_bound_response]},
        **settings,
    )


async def _bound_response(response: httpx2.Response) -> None:
    packed = response.headers.get("content-encoding", _PLAIN)
    if packed.strip().lower() not in ("", _PLAIN):
        raise CompressedResponseError(
            "the response is packed, though it was asked for as it is"
        )
    inside: Any = response.stream
    # An error is read at once, also where pieces were asked for.
    in_pieces = (
        is_streaming.get()
        and response.is_success
        and response.headers.get("content-type", "").startswith("text/event-stream")
    )
    bound = _EventStreamCounter() if in_pieces else _ResponseCounter()
    response.stream = _BoundedStream(inside, bound)


class _ResponseCounter:
    """Counts a response that is kept until it is whole."""

    def __init__(self) -> None:
        self._size = 0
        self._opened = 0

    def count_part(self, part: bytes) -> None:
        """Count a part.

        Raises:
            TooMuchError: That is more than an answer may have.
        """
        self._size += len(part)
        self._opened += part.count(b"{") + part.count(b"[")
        if self._size > MOST_BYTES:
            raise ResponseTooLargeError(
                f"the response has more than {MOST_BYTES} bytes"
            )
        if self._opened > MOST_BRACKETS:
            raise ResponseTooLargeError(
                f"the response opens more than {MOST_BRACKETS} brackets"
            )


class _EventStreamCounter:
    """Counts a stream of events, each of which is kept until an empty line ends it."""

    def __init__(self) -> None:
        self._size = 0
        self._lines = 0
        self._event = _ResponseCounter()
        self._end = b""

    def count_part(self, part: bytes) -> None:
        """Count a part.

        Raises:
            TooMuchError: That is more than an event, or a stream, may have.
        """
        self._size += len(part)
        if self._size > MOST_STREAM_BYTES:
            raise ResponseTooLargeError(
                f"the response has more than {MOST_STREAM_BYTES} bytes"
            )
        self._lines += part.count(b"\n") or part.count(b"\r")
        if self._lines > MOST_STREAM_LINES:
            raise ResponseTooLargeError(
                f"the response has more than {MOST_STREAM_LINES} lines"
            )
        known = self._end + part
        # Where the last event begins; one before it lies in this part, or ends in it.
        last = max(
            known.rfind(end) + len(end) if end in known else 0 for end in _EVENT_ENDS
        )
        self._event.count_part(part)
        if last:
            self._event = _ResponseCounter()
            self._event.count_part(known[last:])
        self._end = known[max(last, len(known) - _OVERLAP) :]


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(
        self,
        inside: httpx2.AsyncByteStream,
        bound: _ResponseCounter | _EventStreamCounter,
    ) -> None:
        self._inside = inside
        self._bound = bound

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._inside:
            self._bound.count_part(part)
            yield part

    async def aclose(self) -> None:
        await self._inside.aclose()
