import logging
import socket
import time

import pytest

from saniwa.http.asgi import App
from saniwa.http.telemetry import start_telemetry
from tests.unit.http.middleware.asking import Inside, ask, scope
from tests.unit.http.telemetry.collector import collecting

WHERE = "OTEL_EXPORTER_OTLP_ENDPOINT"


def told(app: App) -> None:
    """Tell of one request, and end."""
    telemetry = start_telemetry("1.2")
    ask(telemetry.wrap_app(app, streams=lambda: 0, runs=lambda: 0), scope())
    telemetry.close()


def test_a_collector_is_told_before_we_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spans and numbers arrive over OTLP, also the last ones."""
    with collecting() as collector:
        monkeypatch.setenv(WHERE, collector.url)
        told(Inside())

    assert ["saniwa: GET page"] == collector.spans()
    assert {
        "saniwa.requests",
        "http.server.request.duration",
        "saniwa.streams.open",
        "saniwa.runs.open",
    } == collector.metrics()


def test_the_environment_may_give_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two gardens can be told apart."""
    with collecting() as collector:
        monkeypatch.setenv(WHERE, collector.url)
        monkeypatch.setenv("OTEL_SERVICE_NAME", "moss")
        told(Inside())

    assert ["moss: GET page"] == collector.spans()


@pytest.mark.slow
def test_nobody_waits_for_a_collector_that_is_gone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Requests are answered, and the end comes soon, though nobody listens."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv(WHERE, f"http://127.0.0.1:{closed.getsockname()[1]}")
        began = time.monotonic()
        with caplog.at_level(logging.CRITICAL):
            told(Inside())

    assert time.monotonic() - began < 4
