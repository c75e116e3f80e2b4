from saniwa.api.guard.asgi import Receive, Scope, Send
from saniwa.api.guard.headers import ALWAYS, CONTENT, Headers
from tests.unit.api.guard.asking import Inside, ask, scope


def test_every_answer_is_closed_to_other_pages() -> None:
    """Pages, answers for programs and refusals all carry the same headers."""
    answers = [ask(Headers(Inside()), scope(path=path)) for path in ("/", "/api/v1/")]

    assert [[], []] == [[h for h in ALWAYS if h not in a.headers] for a in answers]


def test_scripts_come_from_us_alone() -> None:
    """No word of the policy lets inline or foreign code run."""
    policy = dict(ALWAYS)[b"content-security-policy"].decode()

    assert "unsafe" not in policy
    assert "*" not in policy
    assert "http" not in policy
    assert ("'self'", "'none'", "'none'") == (
        CONTENT["script-src"],
        CONTENT["object-src"],
        CONTENT["frame-ancestors"],
    )


def test_what_programs_ask_is_kept_by_no_cache() -> None:
    """Answers below /api are not stored; pages say themselves what may be."""
    api, page = (ask(Headers(Inside()), scope(path=p)) for p in ("/api/v1/", "/apis"))

    assert [["no-store"], []] == [
        api.header("cache-control"),
        page.header("cache-control"),
    ]


def test_what_an_app_says_itself_stands() -> None:
    """A picture that may be kept is kept; no header is there twice."""

    async def picture(_scope: Scope, _receive: Receive, send: Send) -> None:
        kept = [(b"Cache-Control", b"private, max-age=60")]
        await send({"type": "http.response.start", "status": 200, "headers": kept})
        await send({"type": "http.response.body", "body": b""})

    names = [name.lower() for name, _ in ask(Headers(picture), scope()).headers]

    assert 1 == names.count(b"cache-control")
    assert len(set(names)) == len(names)
