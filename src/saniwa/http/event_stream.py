"""Server-sent events: whoever listens is told of the newest revision, and looks for it.

A listener is nothing but the number it was told last. One that reads slowly misses
numbers, never the last; one that has gone is noticed and forgotten, and so is one who has
signed out, or may look no longer.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from starlette.responses import Response, StreamingResponse

from saniwa.core.errors import SaniwaError
from saniwa.http.asgi import SCOPE_AUTHENTICATOR
from saniwa.http.auth.caller import check_permission, make_sign_in_error
from saniwa.http.contract import OperationCall

EVENT_STREAM_MEDIA: Final = "text/event-stream"
"""What a live answer is written in."""
POLL_SECONDS: Final = 1.0
"""Seconds after which we look what other processes have done."""
HEARTBEAT_POLLS: Final = 15
"""Looks without news after which something is said all the same."""
RECHECK_POLLS: Final = 5
"""Looks after which it is asked again who listens."""

RevisionReader = Callable[[], Awaitable[int]]
"""Finds out the newest revision."""


def stream_revisions(
    call: OperationCall, name: str, look: RevisionReader, event: str = "revision"
) -> Response:
    """An answer that goes on: an event for every revision that is seen."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if call.scope.get("method") == "HEAD":
        # Nobody would hear it.
        return Response(media_type=EVENT_STREAM_MEDIA, headers=headers)
    told = _generate_events(call, name, look, event)
    return StreamingResponse(told, media_type=EVENT_STREAM_MEDIA, headers=headers)


async def _generate_events(
    call: OperationCall, name: str, look: RevisionReader, event: str
) -> AsyncIterator[str]:
    last, silent, looks = -1, 0, 0
    # How long a browser waits before it asks again, should the line break.
    yield "retry: 2000\n\n"
    while True:
        looks += 1
        try:
            if looks % RECHECK_POLLS == 0:
                await _recheck_caller(call)
            revision = await look()
            # A revision is committed before it is synced; a watcher hears of it after.
            await call.garden.wait_until_durable()
        except SaniwaError as problem:
            yield f"event: problem\ndata: {problem.code}\n\n"
            return
        if revision != last:
            last, silent = revision, 0
            yield f"id: {revision}\nevent: {event}\ndata: {revision}\n\n"
        else:
            silent += 1
        if silent >= HEARTBEAT_POLLS:
            silent = 0
            yield ": still here\n\n"
        await call.garden.bell.wait(name, POLL_SECONDS)
        if call.garden.bell.silent:
            return


async def _recheck_caller(call: OperationCall) -> None:
    """Go on if whoever listens would be let in again.

    Raises:
        SaniwaError: They would not.
    """
    reception = call.scope.get(SCOPE_AUTHENTICATOR)
    if reception is None:
        return
    caller = await reception.identify_caller(call.scope)
    if caller.stale:
        raise make_sign_in_error("what was shown counts no longer")
    check_permission(caller, "look")
