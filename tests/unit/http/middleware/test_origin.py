import pytest

from saniwa.http.request_scope import SCOPE_LOCAL
from saniwa.http.server_settings import ServerSettings
from tests.unit.http.middleware.guarded_requests import InnerApp, ask, check_origins, make_scope

POST = {"method": "POST"}
PAGE = {"path": "/play"}
LINK = {"sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}


def ask_status(settings: ServerSettings | None = None, /, **asked: str) -> int:
    """The status of the answer to a request."""
    near = asked.get("host", "localhost") != "garden.example"
    reached = make_scope(**asked) | {SCOPE_LOCAL: near}
    return ask(check_origins(InnerApp(), settings or ServerSettings()), reached).status


@pytest.mark.parametrize(
    "asked",
    [
        {},
        POST,
        POST | {"origin": "http://127.0.0.1:8000", "sec_fetch_site": "same-origin"},
        POST | {"origin": "http://localhost:80", "host": "localhost"},
        POST | {"origin": "https://garden.example", "host": "garden.example"},
        POST | {"origin": "http://[::1]:8000", "host": "[::1]:8000"},
        {"sec_fetch_site": "none"},
        PAGE | LINK | {"sec_fetch_site": "cross-site"},
    ],
)
def test_our_own_pages_and_programs_may_ask(asked: dict[str, str]) -> None:
    """Requests of the server's own pages, typed addresses, links and programs are accepted."""
    assert 200 == ask_status(**asked)


@pytest.mark.parametrize(
    "asked",
    [
        POST | {"origin": "http://evil.example"},
        POST | {"origin": "null"},
        POST | {"origin": "http://127.0.0.1:8001"},
        POST | {"origin": "http://localhost:8000"},
        POST | {"origin": "http://127.0.0.1"},
        POST | {"origin": "file://"},
        POST | {"origin": ""},
        POST | {"origin": "http://127.0.0.1:8000/"},
        POST | {"origin": "http://evil.example@127.0.0.1:8000"},
        POST | {"sec_fetch_site": "cross-site"},
        POST | {"sec_fetch_site": "same-site", "origin": "http://127.0.0.1:8000"},
        POST | {"sec_fetch_site": "none"},
        {"method": "DELETE", "sec_fetch_site": "cross-site"},
        {"method": "OPTIONS", "origin": "http://evil.example"},
        {"origin": "http://evil.example"},
        {"path": "/api/v1/runs/r/live", "sec_fetch_site": "cross-site"},
        {"path": "/api/v1/runs/r/live", "sec_fetch_site": "same-site"},
        LINK | {"sec_fetch_site": "cross-site"},
        PAGE | {"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors"},
        PAGE | LINK | {"sec_fetch_site": "cross-site", "sec_fetch_dest": "iframe"},
        PAGE | LINK | POST | {"sec_fetch_site": "cross-site"},
    ],
)
def test_foreign_pages_reach_nothing(asked: dict[str, str]) -> None:
    """Forms, scripts, images, frames and streams of foreign pages are refused."""
    assert 403 == ask_status(**asked)


def test_every_origin_that_is_named_must_be_the_servers() -> None:
    """Every Origin header must be the server's."""
    asked = make_scope("POST", origin=["http://127.0.0.1:8000", "http://evil.example"])
    answer = ask(check_origins(InnerApp(), ServerSettings()), asked | {SCOPE_LOCAL: True})

    assert (403, "ORIGIN_FOREIGN") == (answer.status, answer.code)


def test_behind_tls_a_page_without_it_is_foreign() -> None:
    """Where people use TLS, the plain origin is refused."""
    asked = POST | {"host": "garden.example"}
    settings = ServerSettings(hosts=("garden.example",), https=True)

    assert 403 == ask_status(settings, origin="http://garden.example", **asked)
    assert 200 == ask_status(settings, origin="https://garden.example", **asked)
    assert 200 == ask_status(settings, origin="http://127.0.0.1:8000", **POST)


def test_cors_is_never_granted() -> None:
    """CORS is never granted."""
    app = check_origins(InnerApp(), ServerSettings())
    asked = make_scope("OPTIONS", origin="http://evil.example")
    own = make_scope(origin="http://127.0.0.1:8000")
    headers = [h for a in (asked, own) for h in ask(app, a | {SCOPE_LOCAL: True}).headers]

    assert [] == [h for h in headers if h[0].startswith(b"access-control")]
