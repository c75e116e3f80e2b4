import asyncio
from pathlib import Path

import pytest

from saniwa.http.asgi import (
    SCOPE_AUTHENTICATOR,
    SCOPE_CALLER,
    SCOPE_VISITOR,
    Message,
    Receive,
    Scope,
    Send,
)
from saniwa.http.middleware.responses import SHARED_HEADERS
from saniwa.process.visitor import Visitor
from tests.unit.http.middleware.asking import FAR, NEAR, SECRET, Garden, Pieces


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A garden beyond this machine."""
    return Garden(tmp_path, FAR)


def test_every_refusal_is_a_problem_with_every_header(garden: Garden) -> None:
    """However somebody is turned away, it is told in the same form."""
    cookie, _ = garden.signed_in()
    answers = {
        "HOST_UNKNOWN": garden.ask(host="evil.example"),
        "ORIGIN_FOREIGN": garden.ask("POST", origin="http://evil.example"),
        "CREDENTIAL_REFUSED": garden.ask(authorization="Bearer ann:guess"),
        "SIGN_IN_NEEDED": garden.ask(),
        "CSRF_MISSING": garden.ask("POST", cookie=cookie),
        "BODY_TOO_LARGE": garden.ask("POST", "/api/v1/sign-in", content_length="99999"),
    }

    assert list(answers) == [answer.code for answer in answers.values()]
    for answer in answers.values():
        assert ["application/problem+json"] == answer.header("content-type")
        assert [] == [header for header in SHARED_HEADERS if header not in answer.headers]
        assert answer.status == answer.document["status"]
        assert answer.document["hint"]


def test_an_app_learns_who_asks(garden: Garden) -> None:
    """The visitor, the caller and the authenticator are in the scope of what is let through."""
    garden.ask(authorization=f"Bearer ann:{SECRET}")
    scope = garden.inside.scopes[0]

    assert Visitor("reviewer", person=True, name="ann") == scope[SCOPE_VISITOR]
    assert scope[SCOPE_VISITOR] is scope[SCOPE_CALLER].visitor
    assert garden.app.authenticator is scope[SCOPE_AUTHENTICATOR]


def test_a_foreign_page_is_turned_away_before_a_secret_is_looked_at(garden: Garden) -> None:
    """No page tries secrets in its visitors' names."""
    asked = {"authorization": "Bearer ann:guess", "origin": "http://evil.example"}
    codes = [garden.ask("POST", **asked).code for _ in range(20)]

    assert {"ORIGIN_FOREIGN"} == set(codes)
    assert 200 == garden.ask(authorization=f"Bearer ann:{SECRET}").status


def test_a_proxy_makes_nobody_local(tmp_path: Path) -> None:
    """Behind a proxy on this machine, strangers are not taken for its owner."""
    garden = Garden(tmp_path, NEAR)

    assert 200 == garden.ask().status
    assert 401 == garden.ask(x_forwarded_for="198.51.100.7").status


def test_a_websocket_is_refused(garden: Garden) -> None:
    """What no layer can look at does not pass."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    asyncio.run(garden.app({"type": "websocket", "path": "/"}, receive, send))

    assert [{"type": "websocket.close", "code": 1008}] == sent
    assert [] == garden.inside.scopes


def test_a_servers_own_life_is_the_apps(garden: Garden) -> None:
    """Starting and ending go straight to the app."""
    scopes: list[str] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        scopes.append(scope["type"])

    async def silent(_message: Message) -> None: ...

    asyncio.run(garden.opened(app)({"type": "lifespan"}, Pieces(), silent))

    assert ["lifespan"] == scopes
