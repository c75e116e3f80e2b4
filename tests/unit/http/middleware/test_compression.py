import gzip
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from saniwa.http.responses import MIN_COMPRESSED_BYTES
from tests.unit.http.middleware.guarded_requests import AppAnswer, ask, compress_answers, make_scope

LONG = b'{"line": "It rains."}' * 5_000


def _make_app(content: bytes = LONG, more: bool = False, **headers: str) -> ASGIApp:
    given = {"content-type": "application/json", "content-length": str(len(content))}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}

    async def answer(_scope: Scope, _receive: Receive, send: Send) -> None:
        pairs = [(name.encode(), value.encode()) for name, value in given.items()]
        await send({"type": "http.response.start", "status": 200, "headers": pairs})
        body = {"type": "http.response.body", "body": content, "more_body": more}
        await send(body)
        if more:
            await send({"type": "http.response.body", "body": b""})

    return compress_answers(answer)


def _ask_for(app: ASGIApp, accepts: str = "gzip", **asked: Any) -> AppAnswer:
    return ask(app, make_scope(accept_encoding=accepts, **asked))


@pytest.mark.parametrize("path", ["/api/v1/runs", "/assets/index.js"])
@pytest.mark.parametrize("size", [MIN_COMPRESSED_BYTES, len(LONG)])
def test_an_answer_is_compressed(path: str, size: int) -> None:
    """An answer is compressed with gzip, and has the right headers and length."""
    answer = _ask_for(_make_app(LONG[:size]), path=path)

    assert ["gzip"] == answer.list_header_values("content-encoding")
    assert ["Accept-Encoding"] == answer.list_header_values("vary")
    assert [str(len(answer.body))] == answer.list_header_values("content-length")
    assert LONG[:size] == gzip.decompress(answer.body)


@pytest.mark.parametrize("accepts", ["", "br", "gzip;q=0", "gzip;q=0.0", "identity"])
def test_a_client_that_takes_no_gzip_gets_none(accepts: str) -> None:
    """A client that does not accept gzip gets the plain answer, with `Vary`."""
    answer = _ask_for(_make_app(), accepts)

    assert ([], ["Accept-Encoding"]) == (
        answer.list_header_values("content-encoding"),
        answer.list_header_values("vary"),
    )
    assert LONG == answer.body


@pytest.mark.parametrize("accepts", ["gzip", "br, gzip;q=0.5", "GZIP", "deflate,gzip"])
def test_gzip_is_found_among_others(accepts: str) -> None:
    """`gzip` is found in a list of encodings with weights."""
    assert ["gzip"] == _ask_for(_make_app(), accepts).list_header_values("content-encoding")


@pytest.mark.parametrize(
    ("app", "asked"),
    [
        (_make_app(LONG[: MIN_COMPRESSED_BYTES - 1]), {}),
        (_make_app(content_type="text/event-stream", more=True), {}),
        (_make_app(more=True), {}),
        (_make_app(content_type="image/png"), {}),
        (_make_app(content_encoding="br"), {}),
        (_make_app(set_cookie="badge=x"), {}),
        (_make_app(), {"path": "/api/v1/"}),
        (_make_app(), {"path": "/api/v1/sign-in", "method": "POST"}),
        (_make_app(), {"method": "HEAD"}),
    ],
    ids=["short", "events", "pieces", "picture", "packed", "cookie", "about", "sign-in",
         "head"],
)  # fmt: skip
def test_what_must_not_be_compressed_is_not(app: ASGIApp, asked: dict[str, str]) -> None:
    """Streams, short answers, compressed media and answers with a secret are not compressed."""
    answer = _ask_for(app, **asked)

    assert "gzip" not in answer.list_header_values("content-encoding")
    assert LONG.startswith(answer.body)


def test_a_tag_of_other_bytes_is_weak() -> None:
    """The ETag of a compressed answer becomes weak."""
    packed, plain = _ask_for(_make_app(etag='"7"')), _ask_for(_make_app(etag='"7"'), "")

    assert (['W/"7"'], ['"7"']) == (
        packed.list_header_values("etag"),
        plain.list_header_values("etag"),
    )
