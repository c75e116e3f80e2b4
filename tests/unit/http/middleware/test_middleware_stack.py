import asyncio
from pathlib import Path

import pytest
from starlette.types import Message, Receive, Scope, Send

from saniwa.http.request_scope import SCOPE_AUTHENTICATOR, SCOPE_CALLER
from saniwa.http.responses import SHARED_HEADERS
from saniwa.process.submission import Visitor
from tests.unit.http.middleware.guarded_requests import FAR, NEAR, SECRET, BodyPieces, GuardedServer


@pytest.fixture
def guarded_server(tmp_path: Path) -> GuardedServer:
    """A server that listens on the network."""
    return GuardedServer(tmp_path, FAR)


def test_every_refusal_is_a_problem_with_every_header(guarded_server: GuardedServer) -> None:
    """Every refusal is a problem document with the shared headers."""
    cookie, _ = guarded_server.sign_in()
    answers = {
        "HOST_UNKNOWN": guarded_server.ask(host="evil.example"),
        "ORIGIN_FOREIGN": guarded_server.ask("POST", origin="http://evil.example"),
        "CREDENTIAL_REFUSED": guarded_server.ask(authorization="Bearer ann:guess"),
        "SIGN_IN_NEEDED": guarded_server.ask(),
        "CSRF_MISSING": guarded_server.ask("POST", cookie=cookie),
        "BODY_TOO_LARGE": guarded_server.ask("POST", "/api/v1/sign-in", content_length="99999"),
    }

    assert list(answers) == [answer.code for answer in answers.values()]
    for answer in answers.values():
        assert ["application/problem+json"] == answer.list_header_values("content-type")
        assert [] == [header for header in SHARED_HEADERS if header not in answer.headers]
        assert answer.status == answer.document["status"]
        assert answer.document["hint"]


def test_an_accepted_request_has_its_caller_in_its_scope(guarded_server: GuardedServer) -> None:
    """An accepted request has the caller, the visitor and the authenticator in its scope."""
    guarded_server.ask(authorization=f"Bearer ann:{SECRET}")
    scope = guarded_server.inside.scopes[0]

    assert Visitor("reviewer", person=True, name="ann") == scope[SCOPE_CALLER].visitor
    assert guarded_server.app.authenticator is scope[SCOPE_AUTHENTICATOR]


def test_a_foreign_page_is_refused_before_a_secret_is_looked_at(
    guarded_server: GuardedServer,
) -> None:
    """A request of a foreign page is refused before its secret is checked."""
    asked = {"authorization": "Bearer ann:guess", "origin": "http://evil.example"}
    codes = [guarded_server.ask("POST", **asked).code for _ in range(20)]

    assert {"ORIGIN_FOREIGN"} == set(codes)
    assert 200 == guarded_server.ask(authorization=f"Bearer ann:{SECRET}").status


def test_a_proxy_makes_no_visitor_local(tmp_path: Path) -> None:
    """A request forwarded by a local proxy is not local."""
    garden = GuardedServer(tmp_path, NEAR)

    assert 200 == garden.ask().status
    assert 401 == garden.ask(x_forwarded_for="198.51.100.7").status


def test_a_websocket_is_refused(guarded_server: GuardedServer) -> None:
    """A WebSocket is refused."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    asyncio.run(guarded_server.app({"type": "websocket", "path": "/"}, receive, send))

    assert [{"type": "websocket.close", "code": 1008}] == sent
    assert [] == guarded_server.inside.scopes


def test_a_servers_own_life_is_the_apps(guarded_server: GuardedServer) -> None:
    """Lifespan messages go directly to the app."""
    scopes: list[str] = []

    async def note_scope(scope: Scope, _receive: Receive, _send: Send) -> None:
        scopes.append(scope["type"])

    async def send_nothing(_message: Message) -> None: ...

    asyncio.run(
        guarded_server.open_app(note_scope)({"type": "lifespan"}, BodyPieces(), send_nothing)
    )

    assert ["lifespan"] == scopes
