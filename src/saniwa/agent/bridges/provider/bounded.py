"""Connections that do not take in more than an answer can be long."""

from collections.abc import AsyncIterator
from typing import Any, Final

import httpx2

MOST_BYTES: Final = 32_000_000
"""Bytes of one response: the longest answer, and what its format adds."""
MOST_STREAMED: Final = 400_000_000
"""Bytes of one that comes piece by piece: hundreds for a word, and none is kept."""
MOST_PACKED: Final = 500_000
"""Bytes of one that comes packed, though it is not asked for so: it may grow a
thousandfold."""
_PLAIN: Final = "identity"


class TooMuchError(Exception):
    """A response was longer than any answer may be; it was not heard to its end."""


def bounded_client(**settings: Any) -> httpx2.AsyncClient:
    """Connections that stop where a response does not end; else as the settings say."""
    return httpx2.AsyncClient(
        headers={"accept-encoding": _PLAIN},
        # A hook and no transport of our own, which would leave out the user's proxies.
        event_hooks={"response": [_bound]},
        **settings,
    )


async def _bound(response: httpx2.Response) -> None:
    inside: Any = response.stream
    response.stream = _Stream(inside, _most(response.headers))


def _most(headers: httpx2.Headers) -> int:
    if headers.get("content-encoding", _PLAIN) != _PLAIN:
        return MOST_PACKED
    streamed = headers.get("content-type", "").startswith("text/event-stream")
    return MOST_STREAMED if streamed else MOST_BYTES


class _Stream(httpx2.AsyncByteStream):
    def __init__(self, inside: httpx2.AsyncByteStream, most: int) -> None:
        self._inside = inside
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        heard = 0
        async for part in self._inside:
            heard += len(part)
            if heard > self._most:
                raise TooMuchError(f"the response has more than {self._most} bytes")
            yield part

    async def aclose(self) -> None:
        await self._inside.aclose()
