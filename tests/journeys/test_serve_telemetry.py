"""The telemetry of a real server: log lines, spans and metrics, without any story text."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.servers import PATIENCE, ServeProcess
from tests.journeys.intruder import Intruder
from tests.unit.http.telemetry.collector import TelemetryCollector, open_collector

pytestmark = pytest.mark.slow

WORDS = "take the unutterable lantern"


class TelemetryServer:
    """A server that has answered a few requests and ended."""

    def __init__(self, folder: Path, collector: TelemetryCollector) -> None:
        with (folder / "lines").open("w+") as lines:
            with ServeProcess(
                folder, *("--log", "json"), stderr=lines, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url
            ) as server:
                self._visit(Intruder(server.address))
                server.process.send_signal(signal.SIGINT)
                self.status = server.process.wait(PATIENCE)
            lines.seek(0)
            self.lines = lines.read()
        self.spans = collector.list_spans()
        self.metrics = collector.list_metrics()
        self.raw = b"".join(content for _, content in collector.raw)

    def _visit(self, visitor: Intruder) -> None:
        begun = visitor.ask("POST", "/api/v1/runs", {"scenario": "door_and_key"})
        self.run = begun.document["run"]
        path = f"/api/v1/runs/{self.run}/words"
        revision = begun.headers["etag"]
        visitor.ask("POST", path, {"text": WORDS}, if_match=revision)
        self.problem = visitor.ask(
            "POST", path, {"text": WORDS}, if_match='"99"', authorization="Bearer a:b"
        )
        visitor.ask(path="/play", host="elsewhere.example")

    @property
    def read(self) -> list[dict[str, Any]]:
        """The log lines, decoded from JSON."""
        return [json.loads(line) for line in self.lines.strip().split("\n")]

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The lines about requests; a busy machine may add one about a delay."""
        return [line for line in self.read if line["method"]]


@pytest.fixture(scope="module")
def telemetry_server(tmp_path_factory: pytest.TempPathFactory) -> TelemetryServer:
    """A server with a collector."""
    with open_collector() as collector:
        return TelemetryServer(tmp_path_factory.mktemp("told"), collector)


def test_every_request_is_a_line(telemetry_server: TelemetryServer) -> None:
    """Every request is a line with its route and status, in the order of the answers."""
    assert [
        ("POST", "/runs", 201, ""),
        ("POST", "/runs/{run}/words", 200, ""),
        ("POST", "page", 401, "CREDENTIAL_REFUSED"),
        ("GET", "page", 421, "HOST_UNKNOWN"),
    ] == [
        (each["method"], each["route"], each["status"], each.get("code", ""))
        for each in telemetry_server.requests
    ]
    assert telemetry_server.run == telemetry_server.requests[1]["run"]


def test_a_problem_can_be_found_among_the_lines(telemetry_server: TelemetryServer) -> None:
    """Answer, problem and log line have the same request id."""
    id = telemetry_server.problem.headers["x-request-id"]

    assert id == telemetry_server.problem.document["instance"]
    refused = [e for e in telemetry_server.read if e.get("code") == "CREDENTIAL_REFUSED"]
    assert [id] == [each["request"] for each in refused]


def test_a_collector_hears_of_every_request(telemetry_server: TelemetryServer) -> None:
    """Every request and turn is a span, and none is lost when the server ends."""
    assert {
        "saniwa: POST /runs",
        "saniwa: POST /runs/{run}/words",
        "saniwa: POST page",
        "saniwa: GET page",
        "saniwa: turn",
    } == set(telemetry_server.spans)
    assert {"saniwa.requests", "saniwa.turns", "saniwa.runs.open"} <= telemetry_server.metrics


def test_nothing_of_a_story_leaves_with_it(telemetry_server: TelemetryServer) -> None:
    """A player's words are in no log line, span or metric."""
    assert "unutterable" not in telemetry_server.lines
    assert b"unutterable" not in telemetry_server.raw
    assert telemetry_server.run.encode() not in telemetry_server.raw


def test_the_server_stops_cleanly(telemetry_server: TelemetryServer) -> None:
    """The server ends with status 0 after Ctrl-C."""
    assert 0 == telemetry_server.status
