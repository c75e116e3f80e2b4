"""Starting and ending: providers of our own, told what the environment says."""

import time
from collections.abc import Callable
from threading import Thread
from typing import Final

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from saniwa.api.guard.asgi import App
from saniwa.api.telemetry.counts import Count, Counts
from saniwa.api.telemetry.watching import Watching

NAME: Final = "saniwa"
"""What the service is called, where the environment says nothing else."""
LEAVING: Final = 2.0
"""Seconds that the last words have to be told."""


class Telemetry:
    """What is told, and to whom."""

    def __init__(
        self, version: str, spans: SpanProcessor, reader: MetricReader
    ) -> None:
        """Tell spans to one, numbers to the other."""
        ours = Resource.create({"service.name": NAME, "service.version": version})
        resource = ours.merge(OTELResourceDetector().detect())
        self._tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._tracers.add_span_processor(spans)
        self._meters = MeterProvider([reader], resource, shutdown_on_exit=False)

    def watching(
        self,
        app: App,
        *,
        streams: Count,
        runs: Count,
        seconds: Callable[[], float] = time.monotonic,
    ) -> Watching:
        """A layer before an app that tells of it."""
        counts = Counts(self._meters.get_meter(NAME), streams=streams, runs=runs)
        return Watching(app, self._tracers.get_tracer(NAME), counts, seconds)

    def close(self) -> None:
        """Tell what is left, and no more; whoever does not answer is not waited for."""
        # Neither of these keeps to a time when the collector is gone.
        endings = (self._tracers.shutdown, self._meters.shutdown)
        threads = [Thread(target=end, daemon=True) for end in endings]
        for thread in threads:
            thread.start()
        until = time.monotonic() + LEAVING
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))


def start(version: str) -> Telemetry:
    """Tell an OpenTelemetry collector, where `OTEL_EXPORTER_OTLP_*` says."""
    return Telemetry(
        version,
        BatchSpanProcessor(OTLPSpanExporter()),
        PeriodicExportingMetricReader(OTLPMetricExporter()),
    )
