"""Compression and security headers of answers.

JSON and the page shrink to a fifth. Not compressed are streams, which must be sent at
once; short answers, which would not shrink; images and sound, which are compressed
already; and answers with a secret, because the length of a compressed answer reveals
whether it repeats part of the request.
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
"""The size from which an answer is compressed: less fits into one packet anyway."""
_MIN_THREAD_BYTES: Final = 32_768
"""The size from which a thread compresses: a megabyte takes many milliseconds."""
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
_SECRET_PATHS: Final = frozenset({f"{API_PATH}/v1", f"{API_PATH}/v1/", f"{API_PATH}/v1/sign-in"})
"""Paths whose answers contain the caller's CSRF token."""


class ResponseCompression:
    """Compresses the answers of an app."""

    def __init__(self, app: App) -> None:
        """Wrap an app."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the app, and compress its answer if that is useful."""
        if scope["path"] in _SECRET_PATHS:
            await self._app(scope, receive, send)
            return
        answer = _CompressedResponse(scope, send)
        await self._app(scope, receive, answer.send)


class _CompressedResponse:
    """Delays the head of an answer until its body is known."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._start: Message | None = None

    async def send(self, message: Message) -> None:
        """Pass on a message of the answer."""
        if message["type"] == "http.response.start" and _is_compressible(message):
            self._start = message
            return
        if self._start is not None:
            start, self._start = self._start, None
            start, message = await self._compress_body(start, message)
            await self._send(start)
        await self._send(message)

    async def _compress_body(self, start: Message, body: Message) -> tuple[Message, Message]:
        content: bytes = body.get("body", b"")
        headers = [*start["headers"], (b"vary", b"Accept-Encoding")]
        complete = body["type"] == "http.response.body" and not body.get("more_body")
        if complete and len(content) >= MIN_COMPRESSED_BYTES and _accepts_gzip(self._scope):
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
    """Whether the client accepts gzip, and the request is not a HEAD."""
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
    """Compress a page file once, because all users request the same files."""
    return gzip.compress(content, _PAGE_LEVEL, mtime=0)


def _drop_length_header(headers: list[Header]) -> list[Header]:
    return [each for each in headers if each[0].lower() != b"content-length"]


def _weaken_etag(header: Header) -> Header:
    """Weaken a strong ETag, which stands for the exact, uncompressed bytes."""
    name, value = header
    if name.lower() == b"etag" and not value.startswith(b"W/"):
        return name, b"W/" + value
    return header


def _build_encoding_headers(content: bytes) -> list[Header]:
    return [(b"content-encoding", b"gzip"), (b"content-length", str(len(content)).encode())]


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
    # Text never becomes markup or code, not even by a bug of ours.
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
"""The content security policy."""
PAGE_POLICY: Final = "; ".join(f"{name} {value}" for name, value in POLICY_DIRECTIVES.items())
"""The policy as a header value."""
API_POLICY: Final = (
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox"
)
"""The policy of API answers: opened as a page, they can do nothing."""
BROWSER_FEATURES: Final = (
    "accelerometer", "autoplay=(self)", "camera", "display-capture", "fullscreen=(self)",
    "geolocation", "gyroscope", "magnetometer", "microphone", "midi", "payment",
    "publickey-credentials-get", "screen-wake-lock", "serial", "usb", "xr-spatial-tracking",
)  # fmt: skip
"""Browser features; only sound and full screen are allowed."""
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
"""Headers of every answer."""
PAGE_HEADERS: Final[tuple[Header, ...]] = (
    *SHARED_HEADERS,
    (b"content-security-policy", PAGE_POLICY.encode()),
)
"""Headers of every page and its files."""
API_HEADERS: Final[tuple[Header, ...]] = (
    *SHARED_HEADERS,
    (b"content-security-policy", API_POLICY.encode()),
    (b"cache-control", b"no-store"),
)
"""Headers of every API answer."""


HSTS_HEADER: Final[Header] = (b"strict-transport-security", b"max-age=31536000")
"""For a server over TLS: a browser never uses this name without TLS again."""


class SecurityHeaders:
    """Adds the security headers to every answer, errors included."""

    def __init__(self, app: App, *, https: bool = False) -> None:
        """Wrap an app; `https` if users connect over TLS."""
        self._app = app
        self._https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the app, and add missing headers to its answer."""
        wanted = API_HEADERS if is_api_request(scope) else PAGE_HEADERS
        if self._https and not _is_local_host(scope):
            wanted = (*wanted, HSTS_HEADER)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": _add_missing_headers(message, wanted)}
            await send(message)

        await self._app(scope, receive, sending)


def _is_local_host(scope: Scope) -> bool:
    """Whether the Host is loopback, where HSTS would apply to every port."""
    named = list_header_values(scope, b"host")
    host = split_host(named[0]) if len(named) == 1 else None
    return host is None or host[0] in LOCAL_NAMES


def _add_missing_headers(message: Message, wanted: tuple[Header, ...]) -> list[Header]:
    """Return the answer's headers, and the wanted ones that it does not set itself."""
    given = list(message.get("headers", ()))
    present = {name.lower() for name, _ in given}
    return [*given, *(header for header in wanted if header[0] not in present)]
