import socket
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from saniwa.app.gate.configuration import locate_gate, read_webhook_hosts
from saniwa.app.gate.gate_opening import open_gate
from saniwa.app.gate.webhooks import HttpWebhookSender, is_public_address


def _list_allowed_hosts() -> tuple[str, ...]:
    """This machine is allowed."""
    return ("127.0.0.1",)


_BELL = """
process_id: bell
version: "1"
name: Bell
states:
  - {{name: start, on_enter: [{}]}}
  - {{name: end, is_final: true}}
events: [{{name: go, allowed_roles: [agent]}}]
transitions: [{{from: start, event: go, to: end}}]
"""


class _WebhookListener(BaseHTTPRequestHandler):
    """Keeps what it receives, and answers with the status in the path."""

    heard: list[tuple[str, str, bytes]]

    def do_POST(self) -> None:
        """Answer with the status in the path."""
        length = int(self.headers["Content-Length"])
        kind = self.headers["Content-Type"]
        self.heard.append((self.path, kind, self.rfile.read(length)))
        self.send_response(int(self.path.rpartition("/")[2]))
        self.send_header("Location", "/elsewhere/200")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def listener() -> Iterator[tuple[str, list[tuple[str, str, bytes]]]]:
    """A real server on loopback, and what it received."""
    heard: list[tuple[str, str, bytes]] = []
    kind = type("Listener", (_WebhookListener,), {"heard": heard})
    with HTTPServer(("127.0.0.1", 0), kind) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", heard
        server.shutdown()
        thread.join()


def test_a_note_arrives(listener: tuple[str, list[tuple[str, str, bytes]]]) -> None:
    """The body is received as JSON."""
    address, heard = listener

    HttpWebhookSender(hosts=_list_allowed_hosts).send(f"{address}/hook/204", b'{"a":1}')

    assert [("/hook/204", "application/json", b'{"a":1}')] == heard


@pytest.mark.parametrize("answer", [302, 307, 404, 500])
def test_anything_but_yes_is_no(
    answer: int, listener: tuple[str, list[tuple[str, str, bytes]]]
) -> None:
    """Any status except 2xx is an error, and redirects are not followed."""
    address, heard = listener

    with pytest.raises(OSError, match=f"it answered {answer}"):
        HttpWebhookSender(hosts=_list_allowed_hosts).send(f"{address}/hook/{answer}", b"{}")

    assert [f"/hook/{answer}"] == [path for path, _, _ in heard]


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://127.0.0.1/", "", "http://", "http://127.0.0.1:x/"]
)
def test_an_address_that_is_invalid_is_reported(url: str) -> None:
    """An address that is not http or https is an error."""
    with pytest.raises(OSError, match=r"address|Port"):
        HttpWebhookSender().send(url, b"{}")


def test_a_host_that_does_not_answer_is_reported() -> None:
    """A port without a server is an error at once."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]

        with pytest.raises(OSError, match="refused"):
            HttpWebhookSender(hosts=_list_allowed_hosts).send(f"http://127.0.0.1:{port}/", b"{}")


def test_an_address_that_never_answers_is_given_up() -> None:
    """A server that never answers is given up after the time limit."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]

        with pytest.raises(OSError, match=r"no answer|timed out"):
            HttpWebhookSender(patience=0.2, hosts=_list_allowed_hosts).send(
                f"http://127.0.0.1:{port}/", b"{}"
            )


def test_an_address_that_answers_letter_by_letter_is_given_up() -> None:
    """The time limit applies to the whole answer, not to each byte."""
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
                HttpWebhookSender(patience=0.3, hosts=_list_allowed_hosts).send(
                    f"http://127.0.0.1:{server.getsockname()[1]}/", b"{}"
                )
        finally:
            enough.set()
            thread.join()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_an_address_of_this_machine_is_refused_unless_it_is_listed(
    host: str, listener: tuple[str, list[tuple[str, str, bytes]]]
) -> None:
    """A local address is refused unless it is listed, and the error says how."""
    address, heard = listener
    port = address.rpartition(":")[2]
    with pytest.raises(OSError, match="webhook_hosts"):
        HttpWebhookSender().send(f"http://{host}:{port}/hook/204", b"{}")

    assert [] == heard


@pytest.mark.parametrize(("listed", "arrives"), [("127.0.0.1:{}", True), ("127.0.0.1:1", False)])
def test_a_host_may_be_listed_with_its_port(
    listed: str, arrives: bool, listener: tuple[str, list[tuple[str, str, bytes]]]
) -> None:
    """A host listed with a port is allowed with that port only."""
    address, heard = listener
    hosts = (listed.format(address.rpartition(":")[2]),)
    with nullcontext() if arrives else pytest.raises(OSError, match="webhook_hosts"):
        HttpWebhookSender(hosts=lambda: hosts).send(f"{address}/hook/204", b"{}")

    assert arrives is bool(heard)


def test_a_name_is_looked_up_once_and_its_checked_address_called(
    listener: tuple[str, list[tuple[str, str, bytes]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name is resolved once, and the checked address is called."""
    address, heard = listener
    port = int(address.rpartition(":")[2])
    answers = iter(["93.184.216.34", "127.0.0.1"])
    asked = list[str]()

    def look_up(host: str, *_: object, **__: object) -> list[object]:
        asked.append(host)
        return [(socket.AF_INET, 1, 6, "", (next(answers), port))]

    def connect(place: tuple[str, int], *_: object) -> socket.socket:
        raise OSError(f"called {place[0]}")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(OSError, match=r"called 93\.184\.216\.34"):
        HttpWebhookSender().send(f"http://rebound.example:{port}/hook/204", b"{}")

    assert (["rebound.example"], []) == (asked, heard)


@pytest.mark.parametrize(
    ("number", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("127.0.0.1", False),
        ("10.0.0.1", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
    ],
)
def test_only_addresses_of_the_internet_are_public(number: str, public: bool) -> None:
    """Loopback, private and link-local addresses are not public, also inside IPv6."""
    assert public is is_public_address(number)


def test_the_owner_lists_hosts_next_to_the_gate(
    tmp_path: Path, listener: tuple[str, list[tuple[str, str, bytes]]]
) -> None:
    """The owner lists hosts in `state-gate.json`, and a process cannot."""
    address, heard = listener
    hook = f'{{type: notify, via: webhook, url: "{address}/hook/204", message: m}}'
    (tmp_path / "processes").mkdir()
    (tmp_path / "processes" / "bell.yaml").write_text(_BELL.format(hook))
    with open_gate(tmp_path) as gate:
        gate.create_run("bell")
        refused = list(heard)
        (tmp_path / "state-gate.json").write_text('{"webhook_hosts": ["127.0.0.1"]}')
        gate.create_run("bell")

    assert ([], 1) == (refused, len(heard))


@pytest.mark.parametrize("content", ['{"webhook_hosts": "127.0.0.1"}', "[", "{}"])
def test_a_list_that_is_invalid_allows_nothing(
    tmp_path: Path, content: str, listener: tuple[str, list[tuple[str, str, bytes]]]
) -> None:
    """A malformed list allows no host, and is named in the error."""
    address, heard = listener
    (tmp_path / "state-gate.json").write_text(content)
    places = locate_gate(tmp_path)
    with pytest.raises(OSError, match=r"state-gate\.json"):
        HttpWebhookSender(hosts=lambda: read_webhook_hosts(places)).send(address, b"{}")

    assert [] == heard
