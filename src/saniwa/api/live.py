"""Server-sent events: whoever listens is told of the newest revision, and looks for it.

A listener is nothing but the number it was told last. One that reads slowly misses
numbers, never the last; one that has gone is noticed and forgotten, and so is one who has
signed out, or may look no longer.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from starlette.responses import Response, StreamingResponse

from saniwa.api.guard.asgi import RECEPTION
from saniwa.api.guard.caller import check_may, sign_in_needed
from saniwa.api.operation import Call
from saniwa.core.errors import SaniwaError

MEDIA: Final = "text/event-stream"
"""What a live answer is written in."""
LOOK: Final = 1.0
"""Seconds after which we look what other processes have done."""
PULSE: Final = 15
"""Looks without news after which something is said all the same."""
ASKED: Final = 5
"""Looks after which it is asked again who listens."""

Look = Callable[[], Awaitable[int]]
"""Finds out the newest revision."""


def live(call: Call, name: str, look: Look, event: str = "revision") -> Response:
    """An answer that goes on: an event for every revision that is seen."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if call.scope.get("method") == "HEAD":
        # Nobody would hear it.
        return Response(media_type=MEDIA, headers=headers)
    told = _told(call, name, look, event)
    return StreamingResponse(told, media_type=MEDIA, headers=headers)


async def _told(call: Call, name: str, look: Look, event: str) -> AsyncIterator[str]:
    last, silent, looks = -1, 0, 0
    # How long a browser waits before it asks again, should the line break.
    yield "retry: 2000\n\n"
    while True:
        looks += 1
        try:
            if looks % ASKED == 0:
                await _check_still(call)
            revision = await look()
            # A revision is committed before it is synced; a watcher hears of it after.
            await call.garden.settled()
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
        await call.garden.bell.wait(name, LOOK)
        if call.garden.bell.silent:
            return


async def _check_still(call: Call) -> None:
    """Go on if whoever listens would be let in again.

    Raises:
        SaniwaError: They would not.
    """
    reception = call.scope.get(RECEPTION)
    if reception is None:
        return
    caller = await reception.caller(call.scope)
    if caller.stale:
        raise sign_in_needed("what was shown counts no longer")
    check_may(caller, "look")
