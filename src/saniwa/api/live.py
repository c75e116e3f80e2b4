"""Server-sent events: whoever listens is told of the newest revision, and looks for it.

A listener is nothing but the number it was told last. One that reads slowly misses
numbers, never the last; one that has gone is noticed and forgotten.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from starlette.responses import StreamingResponse

from saniwa.core.errors import SaniwaError
from saniwa.wiring.garden.bell import Bell

MEDIA: Final = "text/event-stream"
"""What a live answer is written in."""
LOOK: Final = 1.0
"""Seconds after which we look what other processes have done."""
PULSE: Final = 15
"""Looks without news after which something is said all the same."""


def live(
    bell: Bell, name: str, look: Callable[[], Awaitable[int]], event: str = "revision"
) -> StreamingResponse:
    """An answer that goes on: an event for every revision that is seen."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(
        _told(bell, name, look, event), media_type=MEDIA, headers=headers
    )


async def _told(
    bell: Bell, name: str, look: Callable[[], Awaitable[int]], event: str
) -> AsyncIterator[str]:
    last, silent = -1, 0
    # How long a browser waits before it asks again, should the line break.
    yield "retry: 2000\n\n"
    while True:
        try:
            revision = await look()
        except SaniwaError as problem:
            yield f"event: problem\ndata: {problem.code}\n\n"
            return
        if revision != last:
            last, silent = revision, 0
            yield f"id: {revision}\nevent: {event}\ndata: {revision}\n\n"
        else:
            silent += 1
        if silent >= PULSE:
            silent = 0
            yield ": still here\n\n"
        await bell.wait(name, LOOK)
