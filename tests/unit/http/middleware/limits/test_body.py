import asyncio
from collections.abc import Iterable

import pytest
from starlette.types import Message, Receive, Scope, Send

from saniwa.app.caller import ANONYMOUS_CALLER, LOCAL_CALLER
from saniwa.http.limits import MAX_PLAIN_BODY, TextBodyCheck
from saniwa.http.request_scope import SCOPE_CALLER
from saniwa.http.server_settings import AllowedRate, RequestLimits
from tests.unit.http.middleware.guarded_requests import (
    AppAnswer,
    BodyPieces,
    InnerApp,
    ask,
    limit_body,
    make_scope,
)

RATE = AllowedRate(each_second=1, at_once=1)
LIMITS = RequestLimits(rate=RATE, body=10, strangers_body=4, body_seconds=5)


def post_body(
    inside: InnerApp, pieces: Iterable[bytes] | BodyPieces, **more: str
) -> tuple[AppAnswer, int]:
    """The answer to a body, and how many of its pieces were read."""
    asked = make_scope("POST", **more) | {SCOPE_CALLER: LOCAL_CALLER}
    body = pieces if isinstance(pieces, BodyPieces) else BodyPieces(pieces)
    return ask(limit_body(inside, LIMITS), asked, body), body.taken


def test_a_body_comes_whole() -> None:
    """An app gets a body in one piece, however it was sent."""
    inside = InnerApp()
    post_body(inside, [b"12345", b"", b"67890"], transfer_encoding="chunked")
    post_body(inside, [b"12345"], content_length="5")

    assert [b"1234567890", b"12345"] == inside.bodies


@pytest.mark.parametrize("told", ["11", "99999999999999999999999999", "-1", "1e9", "x"])
def test_what_is_said_to_be_too_large_is_not_read(told: str) -> None:
    """A body whose declared length is too large is not read."""
    answer, taken = post_body(InnerApp(), [b"1"], content_length=told)

    assert (413, "BODY_TOO_LARGE", 0) == (answer.status, answer.code, taken)
    assert ["close"] == answer.list_header_values("connection")


def test_only_where_a_text_is_taken_a_body_may_be_large() -> None:
    """Large bodies are accepted only where a text is expected; elsewhere the limit is 64 KiB."""
    large = RequestLimits(rate=RATE, body=1_000_000)
    statuses = {}
    answers: dict[bool, TextBodyCheck] = {True: lambda _: True, False: lambda _: False}
    for takes_text, said in answers.items():
        limit = limit_body(InnerApp(), large, said)
        asked = make_scope("POST", content_length=str(MAX_PLAIN_BODY + 1)) | {
            SCOPE_CALLER: LOCAL_CALLER
        }
        answer = ask(limit, asked, BodyPieces([b"x" * (MAX_PLAIN_BODY + 1)]))
        statuses[takes_text] = answer.status

    assert {True: 200, False: 413} == statuses


def test_an_endless_body_is_cut_off() -> None:
    """A body without a length is read up to the limit."""
    inside = InnerApp()
    answer, taken = post_body(inside, [b"12345678"] * 1_000, transfer_encoding="chunked")

    assert (413, 2, []) == (answer.status, taken, inside.bodies)


def test_a_body_may_not_be_larger_than_it_says() -> None:
    """A body longer than its declared length is refused."""
    answer, _ = post_body(InnerApp(), [b"1", b"2345678901"], content_length="1")

    assert 413 == answer.status


def test_strangers_send_only_a_name_and_a_secret() -> None:
    """An anonymous caller may only send small bodies."""
    asked = make_scope("POST", content_length="5") | {SCOPE_CALLER: ANONYMOUS_CALLER}

    assert 413 == ask(limit_body(InnerApp(), LIMITS), asked).status


def test_a_body_that_does_not_come_is_not_waited_for_long() -> None:
    """A body that arrives too slowly is refused."""

    async def wait_forever() -> Message:
        await asyncio.Event().wait()
        raise AssertionError("nothing sets it")

    asked = make_scope("POST", content_length="5") | {SCOPE_CALLER: LOCAL_CALLER}
    app = limit_body(InnerApp(), RequestLimits(rate=RATE, body_seconds=0.001))
    answer = ask(app, asked, wait_forever)

    assert (408, "BODY_TOO_SLOW") == (answer.status, answer.code)


def test_an_incomplete_body_does_not_reach_the_app() -> None:
    """An incomplete body does not reach the app."""
    inside = InnerApp()
    body = BodyPieces()
    body.taken = 1
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    asked = make_scope("POST", content_length="5") | {SCOPE_CALLER: LOCAL_CALLER}

    async def reach() -> None:
        await limit_body(inside, LIMITS)(asked, body, send)

    asyncio.run(reach())

    assert ([], []) == (sent, inside.scopes)


def test_without_a_body_nothing_is_read() -> None:
    """Without a body no message is read, so that a stream sees the disconnect."""
    told: list[str] = []

    async def stream(_scope: Scope, receive: Receive, send: Send) -> None:
        told.append((await receive())["type"])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    ask(limit_body(stream, LIMITS), make_scope() | {SCOPE_CALLER: LOCAL_CALLER}, BodyPieces([]))

    assert ["http.disconnect"] == told


def test_after_the_body_an_app_learns_who_has_gone() -> None:
    """After the body, the app receives the disconnect."""
    told: list[str] = []

    async def receive_twice(_scope: Scope, receive: Receive, send: Send) -> None:
        told.extend([(await receive())["type"], (await receive())["type"]])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    asked = make_scope("POST", content_length="1") | {SCOPE_CALLER: LOCAL_CALLER}
    ask(limit_body(receive_twice, LIMITS), asked, BodyPieces([b"1"]))

    assert ["http.request", "http.disconnect"] == told
