"""Clients that connect and send nothing, at a real server with TLS and few open files."""

import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.fakes.servers import ServeProcess

pytestmark = pytest.mark.slow

NAME = "garden.example"
FILES = 120
"""How many files the server may have open; more clients connect."""
GET = f"GET / HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n\r\n".encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServeProcess]:
    """A server with TLS."""
    folder = tmp_path_factory.mktemp("silence")
    subject, key, certificate = f"/CN={NAME}", "garden.key", "garden.pem"
    made = f"openssl req -x509 -newkey rsa:2048 -nodes -subj {subject}"
    words = [*made.split(), "-keyout", key, "-out", certificate]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    options = ("--allow-host", NAME, "--certificate", certificate, "--private-key", key)
    with ServeProcess(folder, *options, files=FILES) as server:
        yield server


def _ask_over_tls(port: int, folder: Path, come_from: str) -> bytes:
    """The answer over TLS to a client with the given address."""
    secured = ssl.create_default_context(cafile=folder / "garden.pem")
    secured.check_hostname = False
    line = socket.create_connection(("127.0.0.1", port), 20, (come_from, 0))
    with line, secured.wrap_socket(line, server_hostname=NAME) as spoken:
        spoken.sendall(GET)
        heard = bytearray()
        with suppress(ssl.SSLError, ConnectionError):
            while part := spoken.recv(65_536):
                heard += part
        return bytes(heard)


def test_silent_connections_keep_no_other_out(server: ServeProcess) -> None:
    """More silent connections than the server may have files do not keep others out."""
    with ExitStack() as silent:
        for _ in range(FILES + 20):
            with suppress(OSError):
                line = socket.create_connection(("127.0.0.1", server.port), 5)
                silent.enter_context(line)
        heard = _ask_over_tls(server.port, server.folder, "127.0.0.2")

    assert heard.startswith(b"HTTP/1.1 200 ")
    assert b"strict-transport-security: max-age=31536000" in heard


def test_a_handshake_that_never_ends_is_ended(server: ServeProcess) -> None:
    """A handshake that is not completed is closed, normally after ten seconds."""
    with socket.create_connection(("127.0.0.1", server.port), 50, ("127.0.0.3", 0)) as line:
        line.settimeout(50)
        assert b"" == line.recv(1)
