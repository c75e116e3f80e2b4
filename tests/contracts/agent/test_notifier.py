"""The contract of `EscalationNotifier`: delivered, or an error that says it was not."""

import asyncio
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest

from saniwa.agent.layer_contracts import EscalationNotifier
from saniwa.agent.loop.lifecycle import NullNotifier
from saniwa.app.gate.configuration import locate_gate
from saniwa.app.gate.webhooks import WebhookEscalationNotifier
from saniwa.core.errors import LoopError


class _WebhookServer(HTTPServer):
    heard: list[Any]
    status: int


class _WebhookHandler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        """Record the message, and answer with the planned status."""
        server = self.server
        assert isinstance(server, _WebhookServer)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server.heard.append(msgspec.json.decode(body))
        self.send_response(server.status)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_WebhookServer]:
    """A server on this machine that records messages, and that the settings allow."""
    monkeypatch.chdir(tmp_path)
    config = locate_gate().config
    config.parent.mkdir(exist_ok=True)
    config.write_text('{"webhook_hosts": ["127.0.0.1"]}', encoding="utf-8")
    server = _WebhookServer(("127.0.0.1", 0), _WebhookHandler)
    server.heard, server.status = [], 204
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_message_arrives_as_it_was_sent(server: _WebhookServer) -> None:
    """The server receives the whole message."""
    address = f"http://127.0.0.1:{server.server_port}/alarm"

    asyncio.run(WebhookEscalationNotifier().notify(address, {"step": "a", "reason": "焦げた"}))

    assert [{"step": "a", "reason": "焦げた"}] == server.heard


def test_an_answer_that_says_no_is_not_delivered(server: _WebhookServer) -> None:
    """An error status is an undelivered message, and a later try may succeed."""
    server.status = 500
    address = f"http://127.0.0.1:{server.server_port}/alarm"

    with pytest.raises(LoopError) as told:
        asyncio.run(WebhookEscalationNotifier().notify(address, {}))

    assert ("ESCALATION_UNDELIVERED", True) == (told.value.code, told.value.recoverable)


@pytest.mark.parametrize(
    "notifier", [WebhookEscalationNotifier(), NullNotifier()], ids=["post", "nobody"]
)
@pytest.mark.parametrize("address", ["http://127.0.0.1:9/x", "ftp://x", "", "no address"])
def test_what_cannot_be_delivered_is_an_error(notifier: EscalationNotifier, address: str) -> None:
    """A message that cannot be delivered is an error."""
    with pytest.raises(LoopError) as told:
        asyncio.run(notifier.notify(address, {}))

    assert "ESCALATION_UNDELIVERED" == told.value.code


def test_no_secret_of_an_address_is_reported(server: _WebhookServer) -> None:
    """The query and the user name of an address are left out of errors."""
    server.status = 500
    address = f"http://127.0.0.1:{server.server_port}/alarm?token=SECRET"

    with pytest.raises(LoopError) as told:
        asyncio.run(WebhookEscalationNotifier().notify(address, {}))

    assert "SECRET" not in f"{told.value} {told.value.to_document()}"
