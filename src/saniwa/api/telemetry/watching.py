"""The layer that tells: one span a request, and the numbers.

A span says which operation, what came of it and how long it took. Nothing that somebody
wrote is in it: no path, no parameter, no header, no body, no name.
"""

from collections.abc import Callable
from typing import Final

from opentelemetry.propagate import extract
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer

from saniwa.api.guard.asgi import App, Message, Receive, Scope, Send
from saniwa.api.note import note_of
from saniwa.api.telemetry.counts import Counts

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
"""Methods that are told by their names; what anybody makes up is `_OTHER`."""
_PAGE: Final = "page"
_BROKEN: Final = 500


class Watching:
    """Tells of every request; stands inside of the journal and outside of the guard."""

    def __init__(
        self, app: App, tracer: Tracer, counts: Counts, seconds: Callable[[], float]
    ) -> None:
        """Stand before an app."""
        self._app = app
        self._tracer = tracer
        self._counts = counts
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask the app within a span, and tell how it went."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in METHODS else "_OTHER"
        status, began = [0], self._seconds()

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
            await send(message)

        with self._tracer.start_as_current_span(
            method,
            context=extract(_carried(scope)),
            kind=SpanKind.SERVER,
            # An error's message may quote what somebody wrote.
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                await self._app(scope, receive, sending)
            except BaseException:
                status[0] = status[0] or _BROKEN
                raise
            finally:
                route = note_of(scope).route or _PAGE
                _describe(span, scope, method, route, status[0])
                self._counts.add(method, route, status[0], self._seconds() - began)


def _describe(span: Span, scope: Scope, method: str, route: str, status: int) -> None:
    note = note_of(scope)
    span.update_name(f"{method} {route}")
    span.set_attribute("http.request.method", method)
    span.set_attribute("http.route", route)
    span.set_attribute("http.response.status_code", status)
    span.set_attribute("saniwa.request", note.id)
    if note.code:
        span.set_attribute("saniwa.code", note.code)
    if status >= _BROKEN:
        span.set_status(Status(StatusCode.ERROR))


def _carried(scope: Scope) -> dict[str, str]:
    """The headers by which a caller's own trace goes on; no others are looked at."""
    names = (b"traceparent", b"tracestate")
    return {
        name.decode(): value.decode("latin-1")
        for name, value in scope["headers"]
        if name in names
    }
