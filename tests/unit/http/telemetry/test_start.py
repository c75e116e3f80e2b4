import logging
import socket
import time

import pytest
from starlette.types import ASGIApp

from saniwa.http.telemetry import start_telemetry
from tests.unit.http.middleware.guarded_requests import InnerApp, ask, make_scope
from tests.unit.http.telemetry.collector import open_collector

WHERE = "OTEL_EXPORTER_OTLP_ENDPOINT"


def report_request(app: ASGIApp) -> None:
    """Report one request, and close the telemetry."""
    telemetry = start_telemetry("1.2")
    ask(telemetry.wrap_app(app, streams=lambda: 0, runs=lambda: 0), make_scope())
    telemetry.close()


def test_a_collector_is_informed_before_we_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing sends the last spans and metrics over OTLP."""
    with open_collector() as collector:
        monkeypatch.setenv(WHERE, collector.url)
        report_request(InnerApp())

    assert ["saniwa: GET page"] == collector.list_spans()
    assert {
        "saniwa.requests",
        "http.server.request.duration",
        "saniwa.streams.open",
        "saniwa.runs.open",
    } == collector.list_metrics()


def test_the_environment_may_give_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment sets the name of the service."""
    with open_collector() as collector:
        monkeypatch.setenv(WHERE, collector.url)
        monkeypatch.setenv("OTEL_SERVICE_NAME", "moss")
        report_request(InnerApp())

    assert ["moss: GET page"] == collector.list_spans()


@pytest.mark.slow
def test_no_request_waits_for_a_collector_that_is_gone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A missing collector delays neither requests nor the end of the server."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv(WHERE, f"http://127.0.0.1:{closed.getsockname()[1]}")
        began = time.monotonic()
        with caplog.at_level(logging.CRITICAL):
            report_request(InnerApp())

    assert time.monotonic() - began < 4
