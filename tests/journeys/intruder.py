"""A client with nothing but a socket, which need not follow HTTP."""

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from saniwa.store.gate.people import People

PATIENCE = 120.0
SECRET = "four plain words here"
FAR = "garden.example"
"""A name of the server that is not this machine's."""
MARKUP = "<img src=x onerror=alert(1)>"
"""Markup that must only appear as text."""
OUTSIDE = "kept-away-from-everybody"
"""The content of files that no request may reach."""

VAULT = """\
process_id: vault
version: "1"
name: A vault <img src=x onerror=alert(1)>
states: [outside, hall, {name: inside, is_final: true}]
events:
  - {name: enter, allowed_roles: [agent]}
  - {name: approve, allowed_roles: "*"}
transitions:
  - {from: outside, event: enter, to: hall}
  - {from: hall, event: approve, to: inside}
"""
STORY = f"""\
---
title: "{MARKUP}"
assets: assets
---

# <script>alert(1)</script>

[SHOW_IMAGE file=picture layer=bg]

<b>Somebody</b>: {MARKUP}
"""


class HttpAnswer(NamedTuple):
    """One HTTP response."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def document(self) -> Any:
        """The body, which is JSON."""
        return json.loads(self.body)

    @property
    def status_and_code(self) -> tuple[int, str]:
        """The status, and the code of a problem."""
        return self.status, self.document["code"]


class Intruder:
    """Sends requests to a server."""

    def __init__(self, address: str, come_from: str = "", abroad: str = "") -> None:
        """Connect to a server, and to another one that is for people on other machines.

        Without `come_from`, every request to the other server comes from another address.
        """
        self.host, self.port = "127.0.0.1", _read_port(address)
        self._abroad = _read_port(abroad or address)
        self._from = (come_from or "127.0.0.1", 0)
        self._addresses = count(1) if not come_from else None

    def ask(
        self, method: str = "GET", path: str = "/api/v1/runs", body: Any = None, **headers: str
    ) -> HttpAnswer:
        """Send a request; `x_saniwa_csrf` is a header, and a body is sent as JSON."""
        named = {"host": f"localhost:{self.port}", **headers}
        return self._send_request(self.port, method, path, body, named)

    def ask_far(
        self, method: str = "GET", path: str = "/api/v1/runs", body: Any = None, **headers: str
    ) -> HttpAnswer:
        """Send a request to the other server, by a name that is not this machine's."""
        named = {"host": FAR, **headers}
        come_from = self._from
        if self._addresses is not None:
            number = next(self._addresses)
            come_from = (f"127.1.{number // 250}.{number % 250 + 1}", 0)
        return self._send_request(self._abroad, method, path, body, named, come_from)

    def _send_request(
        self,
        port: int,
        method: str,
        path: str,
        body: Any,
        named: dict[str, str],
        come_from: tuple[str, int] | None = None,
    ) -> HttpAnswer:
        line = http.client.HTTPConnection(
            self.host, port, timeout=PATIENCE, source_address=come_from or self._from
        )
        content = None if body is None else json.dumps(body).encode()
        line.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        if content is not None:
            named |= {"content-type": "application/json"}
            named |= {"content-length": str(len(content))}
        for name, value in named.items():
            line.putheader(name.replace("_", "-"), value)
        line.endheaders(content)
        try:
            answer = line.getresponse()
            return HttpAnswer(answer.status, answer.headers, answer.read(2_000_000))
        finally:
            line.close()

    def sign_in(self, name: str, secret: str = SECRET) -> tuple[str, str]:
        """Sign in from elsewhere; returns the session cookie and the CSRF token."""
        credential = {"name": name, "secret": secret}
        answer = self.ask_far("POST", "/api/v1/sign-in", credential)
        assert 200 == answer.status, answer.body
        cookie = str(answer.headers["set-cookie"]).partition(";")[0]
        return cookie, str(answer.document["csrf"])

    @contextmanager
    def open_connection(self) -> Iterator[socket.socket]:
        """An open connection for any bytes."""
        line = socket.create_connection((self.host, self.port), PATIENCE, self._from)
        with line:
            yield line

    def send_bytes(self, words: bytes) -> bytes:
        """The response to these exact bytes, up to the end of the connection."""
        with self.open_connection() as line:
            # The server may have closed the connection before all was sent.
            with suppress(OSError):
                line.sendall(words)
                line.shutdown(socket.SHUT_WR)
            return read_rest(line)


def _read_port(address: str) -> int:
    return urlsplit(address).port or 80


def read_rest(line: socket.socket) -> bytes:
    """Everything that is still received; a reset of the connection ends it too."""
    heard = bytearray()
    try:
        while part := line.recv(65_536):
            heard += part
    except ConnectionResetError:
        pass
    return bytes(heard)


def make_project(folder: Path) -> Path:
    """A project with people, a process, a story, and files that requests must not reach."""
    garden = folder / "garden"
    (garden / ".state_gate" / "processes").mkdir(parents=True)
    (garden / ".state_gate" / "processes" / "vault.yaml").write_text(VAULT)
    assets = garden / "stories" / "markup" / "assets"
    (assets / "images").mkdir(parents=True)
    (assets.parent / "story.md").write_text(STORY, encoding="utf-8")
    (assets / "images" / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    for away in (folder / "secret.png", folder / "secret.md", garden / "secret.png"):
        away.write_text(f"# {OUTSIDE}\n")
    (assets / "link.png").symlink_to(folder / "secret.png")
    (assets / "folder").symlink_to(folder)
    people = People(garden / ".state_gate" / "people.json")
    people.add("ann", "reviewer", SECRET, at="2026-01-01T00:00:00Z")
    for name, role in (("bot", "agent"), ("eve", "human")):
        vouched = f"ann:{SECRET}"
        people.add(name, role, SECRET, at="2026-01-01T00:00:00Z", by=vouched)
    return garden
