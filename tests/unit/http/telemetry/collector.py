"""A local collector that accepts OTLP over HTTP, and keeps what it receives."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span


class TelemetryCollector(ThreadingHTTPServer):
    """A server that receives telemetry."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _CollectorHandler)
        self.raw: list[tuple[str, bytes]] = []

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_port}"

    def list_spans(self) -> list[str]:
        """The names of the received spans, with the service's."""
        found = []
        for content in self._list_received("/v1/traces"):
            request = ExportTraceServiceRequest.FromString(content)
            for resource in request.resource_spans:
                service = {a.key: a.value for a in resource.resource.attributes}
                name = service["service.name"].string_value
                spans = (s for scope in resource.scope_spans for s in scope.spans)
                found += [f"{name}: {span.name}" for span in spans]
        return found

    def list_attributes(self) -> dict[str, dict[str, object]]:
        """The attributes of the received spans, by span name."""
        spans = self._list_received_spans()
        return {span.name: {a.key: _read_value(a.value) for a in span.attributes} for span in spans}

    def list_paths(self) -> set[str]:
        """The names of the received spans, each after those of its parents."""
        spans = {span.span_id: span for span in self._list_received_spans()}

        def find_path(span: Span) -> str:
            parent = spans.get(span.parent_span_id)
            return f"{find_path(parent)} > {span.name}" if parent is not None else span.name

        return set(map(find_path, spans.values()))

    def _list_received_spans(self) -> list[Span]:
        requests = map(ExportTraceServiceRequest.FromString, self._list_received("/v1/traces"))
        return [
            span
            for request in requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def list_metrics(self) -> set[str]:
        """The names of the received metrics."""
        requests = map(ExportMetricsServiceRequest.FromString, self._list_received("/v1/metrics"))
        return {
            metric.name
            for request in requests
            for resource in request.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }

    def _list_received(self, path: str) -> list[bytes]:
        return [content for where, content in self.raw if where == path]


def _read_value(value: AnyValue) -> object:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_read_value(each) for each in value.array_value.values]
    return getattr(value, str(kind))


class _CollectorHandler(BaseHTTPRequestHandler):
    server: TelemetryCollector

    def do_POST(self) -> None:
        """Receive a request."""
        content = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.raw.append((self.path, content))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def open_collector() -> Iterator[TelemetryCollector]:
    """A collector that runs as long as it is needed."""
    collector = TelemetryCollector()
    thread = Thread(target=collector.serve_forever, daemon=True)
    thread.start()
    try:
        yield collector
    finally:
        collector.shutdown()
        thread.join()
        collector.server_close()
