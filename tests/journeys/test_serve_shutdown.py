"""A server ends at once and without errors."""

import http.client
import signal
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.fakes.servers import PATIENCE, ServeProcess

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_server_stops_cleanly_while_a_client_listens(tmp_path: Path, by: signal.Signals) -> None:
    """A server with an open live stream ends with status 0, and prints no error."""
    with (tmp_path / "complaints").open("w+") as complaints:
        with ServeProcess(tmp_path, stderr=complaints, fresh=True) as server:
            place = urlsplit(server.address)
            line = http.client.HTTPConnection(str(place.hostname), place.port)
            line.request("POST", "/api/v1/runs", '{"scenario": "door_and_key"}', _JSON)
            run = line.getresponse().read().decode().split('"')[3]
            line.request("GET", f"/api/v1/runs/{run}/live")
            told = line.getresponse()
            heard = told.read(10)
            server.process.send_signal(by)
            code = server.process.wait(PATIENCE)
            line.close()
        complaints.seek(0)

        assert b"retry: 200" == heard
        assert (0, "") == (code, complaints.read())


_JSON = {"Content-Type": "application/json"}
