"""Requests without a server: a scope, a body in pieces, and the answer."""

import asyncio
import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saniwa.core.clock import Clock
from saniwa.core.errors import SaniwaError
from saniwa.http.admission import RequestAdmission, SourceCheck
from saniwa.http.limits import BodyLimit, TextBodyCheck
from saniwa.http.responses import ResponseSender, send_problem
from saniwa.http.server_settings import AllowedRate, RequestLimits, ServerSettings
from saniwa.store.gate import people as gate_people
from saniwa.store.gate.people import People, PeopleFile

SECRET = "four plain words here"
ROOMY = RequestLimits(rate=AllowedRate(each_second=1_000, at_once=1_000))
FAR = ServerSettings(host="192.0.2.7", hosts=("garden.example",), limits=ROOMY)
NEAR = ServerSettings(limits=ROOMY)


class AppAnswer(NamedTuple):
    """The answer of an app."""

    status: int
    headers: list[tuple[bytes, bytes]]
    body: bytes

    def list_header_values(self, name: str) -> list[str]:
        """Every value of a header."""
        return [v.decode() for key, v in self.headers if key == name.encode()]

    @property
    def document(self) -> dict[str, Any]:
        """The body, parsed as JSON."""
        found: dict[str, Any] = json.loads(self.body)
        return found

    @property
    def code(self) -> str:
        """The code of a problem; empty for a success."""
        return str(self.document.get("code", "")) if self.status >= 400 else ""


def make_scope(
    method: str = "GET",
    path: str = "/api/v1/runs",
    host: str = "127.0.0.1:8000",
    client: str = "127.0.0.1",
    **headers: str | list[str],
) -> dict[str, Any]:
    """A request; `sec_fetch_site="none"` is a header."""
    given = [(b"host", host.encode())]
    for name, value in headers.items():
        values = [value] if isinstance(value, str) else value
        key = name.replace("_", "-").encode()
        given += [(key, each.encode()) for each in values]
    return {
        "type": "http",
        "method": method,
        "path": path,
        "headers": given,
        "client": (client, 40000),
        "server": ("127.0.0.1", 8000),
    }


class BodyPieces:
    """A body in pieces, followed by a disconnect."""

    def __init__(self, pieces: Iterable[bytes] = (b"",)) -> None:
        self._pieces = list(pieces)
        self.taken = 0

    async def __call__(self) -> Message:
        """The next piece."""
        if self.taken == len(self._pieces):
            return {"type": "http.disconnect"}
        piece = self._pieces[self.taken]
        self.taken += 1
        more = self.taken < len(self._pieces)
        return {"type": "http.request", "body": piece, "more_body": more}


async def ask_app(app: ASGIApp, asked: Scope, receive: Receive | None = None) -> AppAnswer:
    """The answer of an app."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    await app(asked, receive or BodyPieces(), send)
    body = b"".join(m.get("body", b"") for m in sent[1:])
    return AppAnswer(sent[0]["status"], list(sent[0]["headers"]), body)


def ask(app: ASGIApp, asked: Scope, receive: Receive | None = None) -> AppAnswer:
    """The same, for tests that are not asynchronous."""
    return asyncio.run(ask_app(app, asked, receive))


class InnerApp:
    """An app that answers 200 and records its requests."""

    def __init__(self) -> None:
        self.scopes: list[Scope] = []
        self.bodies: list[bytes] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the whole body and answer."""
        self.scopes.append(scope)
        message = await receive()
        self.bodies.append(message.get("body", b""))
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})


def _wrap_check(inside: ASGIApp, check: Callable[[Scope], None]) -> ASGIApp:
    """An app behind one check, with refusals as the stack answers them."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            check(scope)
        except SaniwaError as problem:
            await send_problem(scope, send, problem)
        else:
            await inside(scope, receive, send)

    return answer


def check_hosts(inside: ASGIApp, settings: ServerSettings) -> ASGIApp:
    """An app with the check of hosts."""
    return _wrap_check(inside, SourceCheck(settings).check_host)


def check_origins(inside: ASGIApp, settings: ServerSettings) -> ASGIApp:
    """An app with the check of origins."""
    return _wrap_check(inside, SourceCheck(settings).check_origin)


def add_proxy(inside: ASGIApp, settings: ServerSettings) -> ASGIApp:
    """An app behind a proxy."""
    return _wrap_check(inside, SourceCheck(settings).forward_client)


def limit_body(
    inside: ASGIApp, limits: RequestLimits, takes_text: TextBodyCheck = lambda _: True
) -> ASGIApp:
    """An app with limits on bodies."""
    limit = BodyLimit(limits, takes_text)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await limit.read_body(scope, receive)
        except SaniwaError as problem:
            await send_problem(scope, send, problem)
        else:
            if body is not None:
                await inside(scope, body, send)

    return answer


def add_headers(inside: ASGIApp, *, https: bool = False) -> ASGIApp:
    """An app with the headers of every answer."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await inside(scope, receive, ResponseSender(scope, send, https=https).send)

    return answer


def compress_answers(inside: ASGIApp) -> ASGIApp:
    """An app with compressed answers."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await inside(scope, receive, ResponseSender(scope, send).send)

    return answer


class CountingBytes:
    """Random bytes that count up, so that they never repeat and are the same in every test."""

    def __init__(self) -> None:
        self._count = 0

    def draw_bytes(self, count: int) -> bytes:
        """The next number."""
        self._count += 1
        return self._count.to_bytes(count, "big")


class StandingClock:
    """A clock for seconds and milliseconds that only moves when it is set."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        """The time in seconds."""
        return self.seconds

    def now(self) -> int:
        """The time in milliseconds."""
        return int(self.seconds * 1_000)


@cache
def make_people() -> PeopleFile:
    """Ann and bot, created once for all tests, because hashing secrets is slow on purpose."""
    with TemporaryDirectory() as folder:
        people = People(Path(folder) / "people.json", CountingBytes())
        people.add("ann", "reviewer", SECRET, at="2026-01-01T00:00:00Z")
        vouched = f"ann:{SECRET}"
        people.add("bot", "agent", SECRET, at="2026-01-01T00:00:00Z", by=vouched)
        return gate_people.read_people(people.path)


class GuardedServer:
    """A guarded app with people: Ann is a reviewer, bot is an agent."""

    def __init__(self, folder: Path, settings: ServerSettings = FAR) -> None:
        self.folder = folder
        self.watch = StandingClock()
        self.people = People(folder / "people.json")
        gate_people.write_people(self.people.path, make_people())
        self.inside = InnerApp()
        self.settings = settings
        self.app = self.open_app()

    def open_app(
        self, inside: ASGIApp | None = None, clock: Clock | None = None
    ) -> RequestAdmission:
        """The app as a starting server has it."""
        return RequestAdmission(
            inside or self.inside,
            self.settings,
            people=self.people.path,
            folder=self.folder / "garden",
            clock=clock or self.watch,
            seconds=self.watch,
            chance=CountingBytes(),
        )

    def sign_in(self, name: str = "ann") -> tuple[str, str]:
        """The cookie and the CSRF token of a person who signed in."""
        entrance = asyncio.run(self.app.authenticator.sign_in(make_scope("POST"), name, SECRET))
        cookie = entrance.cookie[1].decode().partition(";")[0]
        return cookie, entrance.caller.csrf

    @property
    def host(self) -> str:
        """A host name of the server."""
        return "127.0.0.1:8000" if self.settings.is_loopback_only else "garden.example"

    def ask(self, method: str = "GET", path: str = "/api/v1/runs", **more: Any) -> AppAnswer:
        """The answer to a request with the server's host name."""
        return ask(self.app, make_scope(method, path, **{"host": self.host, **more}))
