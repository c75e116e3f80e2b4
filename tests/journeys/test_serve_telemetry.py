"""What a real server says about itself: lines, spans and numbers, and nothing of a story."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.servers import PATIENCE, Server
from tests.journeys.intruder import Intruder
from tests.unit.http.telemetry.collector import Collector, collecting

pytestmark = pytest.mark.slow

WORDS = "take the unutterable lantern"


class Told:
    """A server that has answered a few requests, and ended."""

    def __init__(self, folder: Path, collector: Collector) -> None:
        with (folder / "lines").open("w+") as lines:
            with Server(
                folder, *("--log", "json"), stderr=lines, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url
            ) as server:
                self._visit(Intruder(server.address))
                server.process.send_signal(signal.SIGINT)
                self.status = server.process.wait(PATIENCE)
            lines.seek(0)
            self.lines = lines.read()
        self.spans = collector.spans()
        self.metrics = collector.metrics()
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
        """The lines, which are JSON."""
        return [json.loads(line) for line in self.lines.strip().split("\n")]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """A server with a collector."""
    with collecting() as collector:
        return Told(tmp_path_factory.mktemp("told"), collector)


def test_every_request_is_a_line(told: Told) -> None:
    """Each says what was asked and what came of it, in the order of the answers."""
    assert [
        ("POST", "/runs", 201, ""),
        ("POST", "/runs/{run}/words", 200, ""),
        ("POST", "page", 401, "CREDENTIAL_REFUSED"),
        ("GET", "page", 421, "HOST_UNKNOWN"),
    ] == [
        (each["method"], each["route"], each["status"], each.get("code", "")) for each in told.read
    ]
    assert told.run == told.read[1]["run"]


def test_a_problem_can_be_found_among_the_lines(told: Told) -> None:
    """Answer, problem and line bear one id."""
    id = told.problem.headers["x-request-id"]

    assert id == told.problem.document["instance"]
    refused = [e for e in told.read if e.get("code") == "CREDENTIAL_REFUSED"]
    assert [id] == [each["request"] for each in refused]


def test_a_collector_hears_of_every_request(told: Told) -> None:
    """Nothing is lost when the server ends."""
    assert {
        "saniwa: POST /runs",
        "saniwa: POST /runs/{run}/words",
        "saniwa: POST page",
        "saniwa: GET page",
    } == set(told.spans)
    assert {"saniwa.requests", "saniwa.turns", "saniwa.runs.open"} <= told.metrics


def test_nothing_of_a_story_leaves_with_it(told: Told) -> None:
    """What a player said is in no line, no span and no number."""
    assert "unutterable" not in told.lines
    assert b"unutterable" not in told.raw
    assert told.run.encode() not in told.raw


def test_the_server_ends_in_peace(told: Told) -> None:
    """Ctrl-C is a good end, with a collector as without."""
    assert 0 == told.status
