"""Sends the spans of a command to an OpenTelemetry collector, if the environment names one."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from threading import Thread

from saniwa.core.tracing import use_tracer

_PREFIX = "OTEL_EXPORTER_"
_SHUTDOWN_SECONDS = 2.0
"""Seconds that the last export may take."""


def is_collector_named() -> bool:
    """Whether the environment names a collector, and the library is installed."""
    if not any(name.startswith(_PREFIX) for name in os.environ):
        return False
    return find_spec("opentelemetry") is not None and find_spec("opentelemetry.sdk") is not None


@contextmanager
def export_spans() -> Iterator[None]:
    """Send spans while the block runs; a collector that does not answer is not waited for."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    own = Resource.create({"service.name": "saniwa", "service.version": version("saniwa")})
    resource = own.merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    use_tracer(provider.get_tracer("saniwa"))
    try:
        yield
    finally:
        use_tracer(None)
        closing = Thread(target=provider.shutdown, daemon=True)
        closing.start()
        closing.join(_SHUTDOWN_SECONDS)
