import pytest
from starlette.types import Receive, Scope, Send

from saniwa.http.responses import API_HEADERS, PAGE_HEADERS, POLICY_DIRECTIVES, SHARED_HEADERS
from tests.unit.http.middleware.guarded_requests import InnerApp, add_headers, ask, make_scope


def test_every_answer_is_closed_to_other_pages() -> None:
    """Pages, API answers and refusals have the same security headers."""
    answers = [ask(add_headers(InnerApp()), make_scope(path=path)) for path in ("/", "/api/v1/")]

    assert [[], []] == [[h for h in SHARED_HEADERS if h not in a.headers] for a in answers]


@pytest.mark.parametrize(
    ("https", "host", "sent"),
    [
        (True, "garden.example", True),
        (True, "garden.example:8443", True),
        (False, "garden.example", False),
        (True, "localhost:8443", False),
        (True, "127.0.0.1", False),
    ],
)
def test_a_name_that_is_served_over_tls_is_asked_only_so(
    https: bool, host: str, sent: bool
) -> None:
    """HSTS is sent for names served over TLS, and never on loopback."""
    answers = [
        ask(add_headers(InnerApp(), https=https), make_scope(path=path, host=host))
        for path in ("/", "/api/v1/")
    ]
    wanted = ["max-age=31536000"] if sent else []

    assert [wanted] * 2 == [a.list_header_values("strict-transport-security") for a in answers]


def test_scripts_come_from_us_alone() -> None:
    """The policy allows neither inline nor foreign scripts."""
    policy = dict(PAGE_HEADERS)[b"content-security-policy"].decode()

    assert "unsafe" not in policy
    assert "*" not in policy
    assert "http" not in policy
    assert ("'self'", "'none'", "'none'") == (
        POLICY_DIRECTIVES["script-src"],
        POLICY_DIRECTIVES["object-src"],
        POLICY_DIRECTIVES["frame-ancestors"],
    )


def test_an_answer_to_a_program_is_no_page() -> None:
    """An API answer opened in a browser is sandboxed."""
    policy = dict(API_HEADERS)[b"content-security-policy"].decode()
    shown = ask(add_headers(InnerApp()), make_scope()).list_header_values("content-security-policy")

    assert [policy] == shown
    assert policy.startswith("default-src 'none'; ")
    assert policy.endswith("; sandbox")


def test_what_programs_ask_is_kept_by_no_cache() -> None:
    """Answers of the API are not cached; pages set their own caching."""
    api, page = (ask(add_headers(InnerApp()), make_scope(path=p)) for p in ("/api/v1/", "/apis"))

    assert [["no-store"], []] == [
        api.list_header_values("cache-control"),
        page.list_header_values("cache-control"),
    ]


def test_what_an_app_says_itself_is_kept() -> None:
    """A header set by the app is kept, and no header is sent twice."""

    async def send_picture(_scope: Scope, _receive: Receive, send: Send) -> None:
        kept = [(b"Cache-Control", b"private, max-age=60")]
        await send({"type": "http.response.start", "status": 200, "headers": kept})
        await send({"type": "http.response.body", "body": b""})

    names = [name.lower() for name, _ in ask(add_headers(send_picture), make_scope()).headers]

    assert 1 == names.count(b"cache-control")
    assert len(set(names)) == len(names)
