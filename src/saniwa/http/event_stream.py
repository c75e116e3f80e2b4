"""Server-sent events: a client learns of each new revision, and then requests it.

The only state per client is the revision sent last. A slow client misses revisions, but
never the last. A client that disconnects, signs out or loses its permission is dropped.
"""

from collections.abc import AsyncIterator
from typing import Final

from starlette.responses import Response, StreamingResponse

from saniwa.app.caller import check_permission, make_sign_in_error
from saniwa.app.operations.operation import OperationCall, RevisionStream
from saniwa.core.errors import SaniwaError
from saniwa.http.request_scope import SCOPE_AUTHENTICATOR

EVENT_STREAM_MEDIA: Final = "text/event-stream"
"""The media type of a live answer."""
POLL_SECONDS: Final = 1.0
"""Seconds between two checks for changes by other processes."""
HEARTBEAT_POLLS: Final = 15
"""Checks without a change after which a heartbeat is sent."""
RECHECK_POLLS: Final = 5
"""Checks after which the caller's permission is checked again."""


def stream_revisions(call: OperationCall, stream: RevisionStream) -> Response:
    """Return an answer that goes on: an event for every new revision."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if call.scope.get("method") == "HEAD":
        # A HEAD request gets no body.
        return Response(media_type=EVENT_STREAM_MEDIA, headers=headers)
    events = _generate_events(call, stream)
    return StreamingResponse(events, media_type=EVENT_STREAM_MEDIA, headers=headers)


async def _generate_events(call: OperationCall, stream: RevisionStream) -> AsyncIterator[str]:
    last, silent, looks = -1, 0, 0
    # How long a browser waits before it reconnects.
    yield "retry: 2000\n\n"
    while True:
        looks += 1
        try:
            if looks % RECHECK_POLLS == 0:
                await _recheck_caller(call)
            revision = await stream.look()
        except SaniwaError as problem:
            yield f"event: problem\ndata: {problem.code}\n\n"
            return
        if revision != last:
            last, silent = revision, 0
            yield f"id: {revision}\nevent: {stream.event}\ndata: {revision}\n\n"
        else:
            silent += 1
        if silent >= HEARTBEAT_POLLS:
            silent = 0
            yield ": still here\n\n"
        await call.workspace.notifier.wait(stream.name, POLL_SECONDS)
        if call.workspace.notifier.silent:
            return


async def _recheck_caller(call: OperationCall) -> None:
    """Return if the caller would still be allowed.

    Raises:
        SaniwaError: The caller would not.
    """
    authenticator = call.scope.get(SCOPE_AUTHENTICATOR)
    if authenticator is None:
        return
    caller = await authenticator.identify_caller(call.scope)
    if caller.stale:
        raise make_sign_in_error("the session has expired or was revoked")
    check_permission(caller, "look")
