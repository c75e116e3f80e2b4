from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from tests.unit.http.middleware.guarded_requests import FAR, NEAR, SECRET, AppAnswer, GuardedServer

SIGN_IN = "/api/v1/sign-in"


@pytest.fixture
def far_server(tmp_path: Path) -> GuardedServer:
    """A server that listens on the network."""
    return GuardedServer(tmp_path, FAR)


@pytest.fixture
def near_server(tmp_path: Path) -> GuardedServer:
    """A server that listens on this machine."""
    return GuardedServer(tmp_path, NEAR)


def take_status_and_code(answer: AppAnswer) -> tuple[int, str]:
    """The status and the code."""
    return answer.status, answer.code


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/play/run-1"),
        ("HEAD", "/assets/index.js"),
        ("GET", "/api/v1/"),
        ("GET", "/api/v1"),
        ("POST", SIGN_IN),
        ("POST", "/api/v1/sign-out"),
    ],
)
def test_strangers_see_the_page_and_sign_in(
    far_server: GuardedServer, method: str, path: str
) -> None:
    """Pages and sign-in are open to anonymous callers."""
    assert 200 == far_server.ask(method, path).status


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api"),
        ("GET", "/api/v1/runs"),
        ("GET", "/api/v1/openapi.json"),
        ("GET", "/api/v1//"),
        ("GET", "/api/v1/sign-in"),
        ("POST", "/api/v1/"),
        ("PUT", SIGN_IN),
        ("OPTIONS", "/api/v1/runs"),
        ("GET", "/api/v1/runs/r/live"),
        ("POST", "/api/v1/runs"),
        ("POST", "/api/v1/sign-in/"),
        ("BREW", "/api/v1/runs"),
    ],
)
def test_strangers_reach_nothing_else(far_server: GuardedServer, method: str, path: str) -> None:
    """On the network everything else needs a known caller."""
    answer = far_server.ask(method, path)

    assert (401, "SIGN_IN_NEEDED") == take_status_and_code(answer)
    assert ['Bearer realm="saniwa"'] == answer.list_header_values("www-authenticate")
    assert [] == far_server.inside.scopes


def test_at_this_machine_no_visitor_has_to_sign_in(near_server: GuardedServer) -> None:
    """On a local server no sign-in is needed."""
    assert [200, 200] == [near_server.ask().status, near_server.ask("POST").status]


def test_a_session_token_alone_changes_nothing(far_server: GuardedServer) -> None:
    """A change with a session needs the CSRF token."""
    cookie, csrf = far_server.sign_in()
    other = far_server.sign_in()[1]
    missing = far_server.ask("POST", cookie=cookie)
    answers = [
        far_server.ask("POST", cookie=cookie, x_saniwa_csrf=word)
        for word in ("", other, csrf.upper(), csrf + " ", [csrf, csrf])
    ]

    assert (403, "CSRF_MISSING") == take_status_and_code(missing)
    assert [403] * 5 == [answer.status for answer in answers]
    assert [] == far_server.inside.scopes
    assert 200 == far_server.ask("POST", cookie=cookie, x_saniwa_csrf=csrf).status


def test_with_a_session_token_one_may_look(far_server: GuardedServer) -> None:
    """Reading with a session needs no CSRF token."""
    assert 200 == far_server.ask(cookie=far_server.sign_in()[0]).status


def test_signing_out_needs_the_word_as_well(far_server: GuardedServer) -> None:
    """Signing out needs the CSRF token."""
    cookie, csrf = far_server.sign_in()
    out = "/api/v1/sign-out"

    assert 403 == far_server.ask("POST", out, cookie=cookie).status
    assert 200 == far_server.ask("POST", out, cookie=cookie, x_saniwa_csrf=csrf).status


def test_a_token_needs_no_word(far_server: GuardedServer) -> None:
    """A bearer token needs no CSRF token."""
    token = f"Bearer bot:{SECRET}"

    assert 200 == far_server.ask("POST", authorization=token).status


@pytest.mark.parametrize("settings", [FAR, NEAR])
def test_an_expired_session_token_is_reported(tmp_path: Path, settings: object) -> None:
    """An expired session is reported, and its cookie is removed."""
    garden = GuardedServer(tmp_path, FAR if settings is FAR else NEAR)
    cookie, csrf = garden.sign_in()
    garden.watch.seconds += 10**6
    answer = garden.ask("POST", cookie=cookie, x_saniwa_csrf=csrf)
    page = garden.ask(path="/", cookie=cookie)

    assert (401, "SIGN_IN_NEEDED") == take_status_and_code(answer)
    assert 200 == page.status
    assert [1, 1] == [len(a.list_header_values("set-cookie")) for a in (answer, page)]
    assert "=; Max-Age=0" in answer.list_header_values("set-cookie")[0]


def test_signing_in_again_is_no_goodbye(tmp_path: Path) -> None:
    """A new sign-in with an expired session keeps the new cookie."""
    garden = GuardedServer(tmp_path, FAR)
    cookie, _ = garden.sign_in()
    garden.watch.seconds += 10**6

    async def give_cookie(_scope: Scope, _receive: Receive, send: Send) -> None:
        given = [(b"set-cookie", b"saniwa=new")]
        await send({"type": "http.response.start", "status": 200, "headers": given})

    garden.app = garden.open_app(give_cookie)
    answer = garden.ask("POST", SIGN_IN, cookie=cookie)

    assert ["saniwa=new"] == answer.list_header_values("set-cookie")


def test_a_role_is_nothing_one_can_say(far_server: GuardedServer) -> None:
    """Headers that name a role or a person are ignored."""
    answer = far_server.ask(x_role="reviewer", x_user="ann", x_forwarded_user="ann")

    assert 401 == answer.status
