import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from saniwa.wiring.webhook import Webhook


class _Listener(BaseHTTPRequestHandler):
    """Keeps what it is sent, and answers as its path says."""

    heard: list[tuple[str, str, bytes]]

    def do_POST(self) -> None:
        """Answer with the number in the path."""
        length = int(self.headers["Content-Length"])
        kind = self.headers["Content-Type"]
        self.heard.append((self.path, kind, self.rfile.read(length)))
        self.send_response(int(self.path.rpartition("/")[2]))
        self.send_header("Location", "/elsewhere/200")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def listener() -> Iterator[tuple[str, list[tuple[str, str, bytes]]]]:
    """A real server on loopback, and what it heard."""
    heard: list[tuple[str, str, bytes]] = []
    kind = type("Listener", (_Listener,), {"heard": heard})
    with HTTPServer(("127.0.0.1", 0), kind) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", heard
        server.shutdown()
        thread.join()


def test_a_note_arrives(listener: tuple[str, list[tuple[str, str, bytes]]]) -> None:
    """What is sent is what is heard, as JSON."""
    address, heard = listener

    Webhook().send(f"{address}/hook/204", b'{"a":1}')

    assert [("/hook/204", "application/json", b'{"a":1}')] == heard


@pytest.mark.parametrize("answer", [302, 307, 404, 500])
def test_anything_but_yes_is_no(
    answer: int, listener: tuple[str, list[tuple[str, str, bytes]]]
) -> None:
    """An error is told, and no redirection is followed."""
    address, heard = listener

    with pytest.raises(OSError, match=f"it answered {answer}"):
        Webhook().send(f"{address}/hook/{answer}", b"{}")

    assert [f"/hook/{answer}"] == [path for path, _, _ in heard]


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://127.0.0.1/", "", "http://", "http://127.0.0.1:x/"],
)
def test_an_address_that_is_none_is_told(url: str) -> None:
    """Only http and https are spoken, and nothing else is raised."""
    with pytest.raises(OSError, match=r"address|Port"):
        Webhook().send(url, b"{}")


def test_nobody_there_is_told() -> None:
    """A port where nobody listens gives an error at once."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]

        with pytest.raises(OSError, match="refused"):
            Webhook().send(f"http://127.0.0.1:{port}/", b"{}")


def test_an_address_that_never_answers_is_given_up() -> None:
    """Whoever listens and says nothing holds nobody up for longer than was said."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]

        with pytest.raises(OSError, match=r"no answer|timed out"):
            Webhook(patience=0.2).send(f"http://127.0.0.1:{port}/", b"{}")


def test_an_address_that_answers_letter_by_letter_is_given_up() -> None:
    """The patience counts for the whole answer, not for each of its letters."""
    enough = threading.Event()

    def drip(server: socket.socket) -> None:
        line, _ = server.accept()
        with line:
            while not enough.wait(0.02):
                line.send(b"H")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=drip, args=(server,))
        thread.start()
        try:
            with pytest.raises(OSError, match="no answer within"):
                Webhook(patience=0.3).send(
                    f"http://127.0.0.1:{server.getsockname()[1]}/", b"{}"
                )
        finally:
            enough.set()
            thread.join()
