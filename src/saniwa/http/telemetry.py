"""OpenTelemetry: one span for each request, and metrics.

A span has the operation, its result and its duration. No user text is in it: no path,
no parameter, no header, no body, no name.
"""

import time
from collections.abc import Callable, Iterable
from threading import Thread
from typing import Final

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import CallbackOptions, Meter, Observation
from opentelemetry.propagate import extract
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saniwa.http.request_scope import find_request_note

PLAY_ROUTE_ENDINGS: Final = ("/steps", "/choices", "/words")
"""The end of the routes that play a turn."""

CountReader = Callable[[], int]
"""Returns a current count."""


class RequestMetrics:
    """Metrics about requests."""

    def __init__(self, meter: Meter, *, streams: CountReader, runs: CountReader) -> None:
        """Create the metrics; the gauges call `streams` and `runs` when exported."""
        self._requests = meter.create_counter(
            "saniwa.requests", unit="{request}", description="Requests answered."
        )
        self._turns = meter.create_counter(
            "saniwa.turns", unit="{turn}", description="Turns and steps played."
        )
        self._seconds = meter.create_histogram(
            "http.server.request.duration",
            unit="s",
            description="Time until a response was complete, without live streams.",
        )
        gauges = (
            ("saniwa.streams.open", streams, "{stream}", "Live streams open now."),
            ("saniwa.runs.open", runs, "{run}", "Runs open now."),
        )
        for name, count, unit, about in gauges:
            meter.create_observable_gauge(name, [_make_gauge_callback(count)], unit, about)

    def record_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        about = _describe_request(method, route, status)
        self._requests.add(1, about)
        if not route.endswith("/live"):
            self._seconds.record(seconds, about)
        if status < 300 and route.endswith(PLAY_ROUTE_ENDINGS):
            self._turns.add(1, {"http.route": route})


def _describe_request(method: str, route: str, status: int) -> dict[str, str | int]:
    names = ("http.request.method", "http.route", "http.response.status_code")
    return dict(zip(names, (method, route, status), strict=True))


def _make_gauge_callback(count: CountReader) -> Callable[[CallbackOptions], Iterable[Observation]]:
    return lambda _: (Observation(count()),)


KNOWN_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})
"""Methods that are reported by name; every other method is `_OTHER`."""
_PAGE_ROUTE: Final = "page"
_SERVER_ERROR: Final = 500


class TelemetryMiddleware:
    """ASGI middleware that reports every request; inside the access log."""

    def __init__(
        self, app: ASGIApp, tracer: Tracer, counts: RequestMetrics, seconds: Callable[[], float]
    ) -> None:
        """Wrap an app."""
        self._app = app
        self._tracer = tracer
        self._counts = counts
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the app within a span, and record the result."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in KNOWN_METHODS else "_OTHER"
        status, began = [0], self._seconds()

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
            await send(message)

        with self._tracer.start_as_current_span(
            method,
            context=extract(_read_trace_headers(scope)),
            kind=SpanKind.SERVER,
            # An error's message may quote what a user wrote.
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                await self._app(scope, receive, sending)
            except BaseException:
                status[0] = status[0] or _SERVER_ERROR
                raise
            finally:
                route = find_request_note(scope).route or _PAGE_ROUTE
                _describe_span(span, scope, method, route, status[0])
                self._counts.record_request(method, route, status[0], self._seconds() - began)


def _describe_span(span: Span, scope: Scope, method: str, route: str, status: int) -> None:
    note = find_request_note(scope)
    span.update_name(f"{method} {route}")
    span.set_attributes(_describe_request(method, route, status) | {"saniwa.request": note.id})
    if note.code:
        span.set_attribute("saniwa.code", note.code)
    if status >= _SERVER_ERROR:
        span.set_status(Status(StatusCode.ERROR))


def _read_trace_headers(scope: Scope) -> dict[str, str]:
    """Return the headers of the caller's own trace; no others are read."""
    names = (b"traceparent", b"tracestate")
    return {
        name.decode(): value.decode("latin-1") for name, value in scope["headers"] if name in names
    }


SERVICE_NAME: Final = "saniwa"
"""The service name, unless the environment sets another."""
SHUTDOWN_SECONDS: Final = 2.0
"""Seconds that the last export may take."""


class Telemetry:
    """Exports spans and metrics."""

    def __init__(self, version: str, spans: SpanProcessor, reader: MetricReader) -> None:
        """Send spans to `spans`, and metrics to `reader`."""
        own = Resource.create({"service.name": SERVICE_NAME, "service.version": version})
        resource = own.merge(OTELResourceDetector().detect())
        self._tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._tracers.add_span_processor(spans)
        self.tracer: Tracer = self._tracers.get_tracer(SERVICE_NAME)
        """Where spans of requests, and of what they do, go."""
        self._meters = MeterProvider([reader], resource, shutdown_on_exit=False)

    def wrap_app(
        self,
        app: ASGIApp,
        *,
        streams: CountReader,
        runs: CountReader,
        seconds: Callable[[], float] = time.monotonic,
    ) -> TelemetryMiddleware:
        """Return a layer around an app that reports its requests."""
        counts = RequestMetrics(self._meters.get_meter(SERVICE_NAME), streams=streams, runs=runs)
        return TelemetryMiddleware(app, self.tracer, counts, seconds)

    def close(self) -> None:
        """Export the rest; a collector that does not answer is not waited for."""
        # Neither of these keeps a deadline when the collector is gone.
        threads = [
            Thread(target=each.shutdown, daemon=True) for each in (self._tracers, self._meters)
        ]
        for thread in threads:
            thread.start()
        until = time.monotonic() + SHUTDOWN_SECONDS
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))


def start_telemetry(version: str) -> Telemetry:
    """Export to an OpenTelemetry collector, as `OTEL_EXPORTER_OTLP_*` configures."""
    return Telemetry(
        version,
        BatchSpanProcessor(OTLPSpanExporter()),
        PeriodicExportingMetricReader(OTLPMetricExporter()),
    )
