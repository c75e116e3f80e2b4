"""Answers are compressed for clients that take it: JSON and the page shrink to a fifth.

Left as they are: streams, which must go out at once; short answers, which would not shrink;
pictures and sound, which are compressed already; and answers that carry a secret, since the
length of a compressed answer gives away whether it repeats what was asked.
"""

import asyncio
import gzip
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final

from saniwa.api.guard.asgi import (
    API,
    App,
    Header,
    Message,
    Receive,
    Scope,
    Send,
    is_api,
    values,
)

SHORTEST: Final = 1_000
"""Bytes from which on an answer is compressed: less fits into one packet anyway."""
_IN_THREAD: Final = 32_768
"""Bytes from which on a thread does it: a megabyte takes many milliseconds."""
_LEVEL: Final = 4
_PAGE_LEVEL: Final = 9
_LARGEST_KEPT: Final = 1_000_000
_TYPES: Final = (
    b"application/json",
    b"application/problem+json",
    b"text/",
    b"image/svg+xml",
)
_STREAM: Final = b"text/event-stream"
_SECRET: Final = frozenset({f"{API}/v1", f"{API}/v1/", f"{API}/v1/sign-in"})
"""Where answers tell a visitor the second word of their badge."""


class Compression:
    """Compresses what an app answers."""

    def __init__(self, app: App) -> None:
        """Stand before an app."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask the app, and compress its answer where that is of use."""
        if scope["path"] in _SECRET:
            await self._app(scope, receive, send)
            return
        answer = _CompressedAnswer(scope, send)
        await self._app(scope, receive, answer.send)


class _CompressedAnswer:
    """Holds the head of an answer back until its body is there."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._start: Message | None = None

    async def send(self, message: Message) -> None:
        """Pass a piece of the answer on."""
        if message["type"] == "http.response.start" and _can_shrink(message):
            self._start = message
            return
        if self._start is not None:
            start, self._start = self._start, None
            start, message = await self._shrink(start, message)
            await self._send(start)
        await self._send(message)

    async def _shrink(self, start: Message, body: Message) -> tuple[Message, Message]:
        content: bytes = body.get("body", b"")
        headers = [*start["headers"], (b"vary", b"Accept-Encoding")]
        whole = body["type"] == "http.response.body" and not body.get("more_body")
        if whole and len(content) >= SHORTEST and _takes_gzip(self._scope):
            compress = partial(_compress_answer, bytes(content))
            if not is_api(self._scope) and len(content) <= _LARGEST_KEPT:
                compress = partial(_compress_page, bytes(content))
            content = await _run(compress, len(content))
            headers = [*map(_weaken, _without_length(headers)), *_encoded(content)]
        return {**start, "headers": headers}, {**body, "body": content}


def _can_shrink(start: Message) -> bool:
    given = {name.lower(): value for name, value in start.get("headers", ())}
    kind = given.get(b"content-type", b"").lower()
    return (
        kind.startswith(_TYPES)
        and not kind.startswith(_STREAM)
        and b"content-encoding" not in given
        and b"set-cookie" not in given
    )


def _takes_gzip(scope: Scope) -> bool:
    """Whether whoever asks takes gzip, and asks for more than the head."""
    if scope["method"] == "HEAD":
        return False
    offered = ",".join(values(scope, b"accept-encoding")).lower().split(",")
    for each in offered:
        name, _, weight = each.replace(" ", "").partition(";")
        if name == "gzip":
            return weight.rstrip("0.") != "q="
    return False


async def _run(compress: Callable[[], bytes], size: int) -> bytes:
    if size < _IN_THREAD:
        return compress()
    return await asyncio.to_thread(compress)


def _compress_answer(content: bytes) -> bytes:
    return gzip.compress(content, _LEVEL, mtime=0)


@lru_cache(maxsize=64)
def _compress_page(content: bytes) -> bytes:
    """The same files are asked for by everybody, so they are compressed once."""
    return gzip.compress(content, _PAGE_LEVEL, mtime=0)


def _without_length(headers: list[Header]) -> list[Header]:
    return [each for each in headers if each[0].lower() != b"content-length"]


def _weaken(header: Header) -> Header:
    """A strong tag stands for the very bytes; these are others."""
    name, value = header
    if name.lower() == b"etag" and not value.startswith(b"W/"):
        return name, b"W/" + value
    return header


def _encoded(content: bytes) -> list[Header]:
    return [
        (b"content-encoding", b"gzip"),
        (b"content-length", str(len(content)).encode()),
    ]
