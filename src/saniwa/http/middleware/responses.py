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

from saniwa.http.asgi import (
    API_PATH,
    App,
    Header,
    Message,
    Receive,
    Scope,
    Send,
    is_api_request,
    list_header_values,
)
from saniwa.http.settings import LOCAL_NAMES, split_host

MIN_COMPRESSED_BYTES: Final = 1_000
"""Bytes from which on an answer is compressed: less fits into one packet anyway."""
_MIN_THREAD_BYTES: Final = 32_768
"""Bytes from which on a thread does it: a megabyte takes many milliseconds."""
_API_LEVEL: Final = 4
_PAGE_LEVEL: Final = 9
_MAX_CACHED_BYTES: Final = 1_000_000
_COMPRESSED_TYPES: Final = (
    b"application/json",
    b"application/problem+json",
    b"text/",
    b"image/svg+xml",
)
_STREAM_TYPE: Final = b"text/event-stream"
_SECRET_PATHS: Final = frozenset(
    {f"{API_PATH}/v1", f"{API_PATH}/v1/", f"{API_PATH}/v1/sign-in"}
)
"""Where answers tell a visitor the second word of their badge."""


class ResponseCompression:
    """Compresses what an app answers."""

    def __init__(self, app: App) -> None:
        """Stand before an app."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask the app, and compress its answer where that is of use."""
        if scope["path"] in _SECRET_PATHS:
            await self._app(scope, receive, send)
            return
        answer = _CompressedResponse(scope, send)
        await self._app(scope, receive, answer.send)


class _CompressedResponse:
    """Holds the head of an answer back until its body is there."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._start: Message | None = None

    async def send(self, message: Message) -> None:
        """Pass a piece of the answer on."""
        if message["type"] == "http.response.start" and _is_compressible(message):
            self._start = message
            return
        if self._start is not None:
            start, self._start = self._start, None
            start, message = await self._compress_body(start, message)
            await self._send(start)
        await self._send(message)

    async def _compress_body(
        self, start: Message, body: Message
    ) -> tuple[Message, Message]:
        content: bytes = body.get("body", b"")
        headers = [*start["headers"], (b"vary", b"Accept-Encoding")]
        whole = body["type"] == "http.response.body" and not body.get("more_body")
        if (
            whole
            and len(content) >= MIN_COMPRESSED_BYTES
            and _accepts_gzip(self._scope)
        ):
            compress = partial(_compress_answer, bytes(content))
            if not is_api_request(self._scope) and len(content) <= _MAX_CACHED_BYTES:
                compress = partial(_compress_page, bytes(content))
            content = await _run_compression(compress, len(content))
            headers = [
                *map(_weaken_etag, _drop_length_header(headers)),
                *_build_encoding_headers(content),
            ]
        return {**start, "headers": headers}, {**body, "body": content}


def _is_compressible(start: Message) -> bool:
    given = {name.lower(): value for name, value in start.get("headers", ())}
    kind = given.get(b"content-type", b"").lower()
    return (
        kind.startswith(_COMPRESSED_TYPES)
        and not kind.startswith(_STREAM_TYPE)
        and b"content-encoding" not in given
        and b"set-cookie" not in given
    )


def _accepts_gzip(scope: Scope) -> bool:
    """Whether whoever asks takes gzip, and asks for more than the head."""
    if scope["method"] == "HEAD":
        return False
    offered = ",".join(list_header_values(scope, b"accept-encoding")).lower().split(",")
    for each in offered:
        name, _, weight = each.replace(" ", "").partition(";")
        if name == "gzip":
            return weight.rstrip("0.") != "q="
    return False


async def _run_compression(compress: Callable[[], bytes], size: int) -> bytes:
    if size < _MIN_THREAD_BYTES:
        return compress()
    return await asyncio.to_thread(compress)


def _compress_answer(content: bytes) -> bytes:
    return gzip.compress(content, _API_LEVEL, mtime=0)


@lru_cache(maxsize=64)
def _compress_page(content: bytes) -> bytes:
    """The same files are asked for by everybody, so they are compressed once."""
    return gzip.compress(content, _PAGE_LEVEL, mtime=0)


def _drop_length_header(headers: list[Header]) -> list[Header]:
    return [each for each in headers if each[0].lower() != b"content-length"]


def _weaken_etag(header: Header) -> Header:
    """A strong tag stands for the very bytes; these are others."""
    name, value = header
    if name.lower() == b"etag" and not value.startswith(b"W/"):
        return name, b"W/" + value
    return header


def _build_encoding_headers(content: bytes) -> list[Header]:
    return [
        (b"content-encoding", b"gzip"),
        (b"content-length", str(len(content)).encode()),
    ]


POLICY_DIRECTIVES: Final = {
    "default-src": "'self'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data: blob:",
    "media-src": "'self' blob:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "worker-src": "'self'",
    "manifest-src": "'self'",
    "frame-src": "'none'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "object-src": "'none'",
    # No text becomes markup or code, not even by a mistake of ours.
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
"""The content security policy."""
PAGE_POLICY: Final = "; ".join(
    f"{name} {value}" for name, value in POLICY_DIRECTIVES.items()
)
"""The same as a header says it."""
API_POLICY: Final = (
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    "sandbox"
)
"""The policy of what programs ask: opened as a page, it can do nothing at all."""
BROWSER_FEATURES: Final = (
    "accelerometer", "autoplay=(self)", "camera", "display-capture", "fullscreen=(self)",
    "geolocation", "gyroscope", "magnetometer", "microphone", "midi", "payment",
    "publickey-credentials-get", "screen-wake-lock", "serial", "usb", "xr-spatial-tracking",
)  # fmt: skip
"""What a page could ask a browser for; only sound and the whole screen are."""
SHARED_HEADERS: Final[tuple[Header, ...]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (
        b"permissions-policy",
        ", ".join(f if "=" in f else f"{f}=()" for f in BROWSER_FEATURES).encode(),
    ),
)
"""On every answer."""
PAGE_HEADERS: Final[tuple[Header, ...]] = (
    *SHARED_HEADERS,
    (b"content-security-policy", PAGE_POLICY.encode()),
)
"""On every page, and every file of it."""
API_HEADERS: Final[tuple[Header, ...]] = (
    *SHARED_HEADERS,
    (b"content-security-policy", API_POLICY.encode()),
    (b"cache-control", b"no-store"),
)
"""On every answer to a program."""


HSTS_HEADER: Final[Header] = (b"strict-transport-security", b"max-age=31536000")
"""Where people come over TLS: a browser never asks this name without it again."""


class SecurityHeaders:
    """Puts the headers on every answer, refusals among them."""

    def __init__(self, app: App, *, https: bool = False) -> None:
        """Stand before an app; `https` if people come over TLS."""
        self._app = app
        self._https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask the app, and complete what it answers."""
        wanted = API_HEADERS if is_api_request(scope) else PAGE_HEADERS
        if self._https and not _is_local_host(scope):
            wanted = (*wanted, HSTS_HEADER)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": _add_missing_headers(message, wanted)}
            await send(message)

        await self._app(scope, receive, sending)


def _is_local_host(scope: Scope) -> bool:
    """Whether the Host is loopback: there, a browser would hold to it for every port."""
    named = list_header_values(scope, b"host")
    host = split_host(named[0]) if len(named) == 1 else None
    return host is None or host[0] in LOCAL_NAMES


def _add_missing_headers(message: Message, wanted: tuple[Header, ...]) -> list[Header]:
    """The headers of an answer and those it lacks; what an app says itself stands."""
    given = list(message.get("headers", ()))
    there = {name.lower() for name, _ in given}
    return [*given, *(header for header in wanted if header[0] not in there)]
