"""Compression and security headers of answers.

JSON and the page shrink to a fifth. Not compressed are streams, which must be sent at
once; short answers, which would not shrink; images and sound, which are compressed
already; and answers with a secret, because the length of a compressed answer reveals
whether it repeats part of the request.
"""

import asyncio
import gzip
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Final

from saniwa.http import asgi
from saniwa.http.asgi import Header, Message, Scope, Send
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
_SECRET_PATHS: Final = frozenset(
    {f"{asgi.API_PATH}/v1", f"{asgi.API_PATH}/v1/", f"{asgi.API_PATH}/v1/sign-in"}
)
"""Paths whose answers contain the caller's CSRF token."""


def compress_response(scope: Scope, send: Send) -> Send:
    """Return a function that sends an answer, compressed if that is useful."""
    return send if scope["path"] in _SECRET_PATHS else _CompressedResponse(scope, send).send


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
            content = await _compress(bytes(content), is_page=not asgi.is_api_request(self._scope))
            length = str(len(content)).encode()
            kept = (each for each in headers if each[0].lower() != b"content-length")
            headers = [
                *map(_weaken_etag, kept),
                (b"content-encoding", b"gzip"),
                (b"content-length", length),
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
    offered = ",".join(asgi.list_header_values(scope, b"accept-encoding")).lower().split(",")
    for each in offered:
        name, _, weight = each.replace(" ", "").partition(";")
        if name == "gzip":
            return weight.rstrip("0.") != "q="
    return False


async def _compress(content: bytes, *, is_page: bool) -> bytes:
    compress = partial(gzip.compress, content, _API_LEVEL, mtime=0)
    if is_page and len(content) <= _MAX_CACHED_BYTES:
        compress = partial(_compress_page, content)
    return await asyncio.to_thread(compress) if len(content) >= _MIN_THREAD_BYTES else compress()


@lru_cache(maxsize=64)
def _compress_page(content: bytes) -> bytes:
    """Compress a page file once, because all users request the same files."""
    return gzip.compress(content, _PAGE_LEVEL, mtime=0)


def _weaken_etag(header: Header) -> Header:
    """Weaken a strong ETag, which stands for the exact, uncompressed bytes."""
    name, value = header
    if name.lower() == b"etag" and not value.startswith(b"W/"):
        return name, b"W/" + value
    return header


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


def add_security_headers(scope: Scope, send: Send, *, https: bool = False) -> Send:
    """Return a function that sends an answer with the headers that it does not set itself.

    These are the security headers and the cookie of the scope; `https` if users connect
    over TLS.
    """

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            present = {name.lower() for name, _ in given}
            wanted = _list_headers(scope, https=https)
            headers = [*given, *(each for each in wanted if each[0] not in present)]
            message = {**message, "headers": headers}
        await send(message)

    return send_with_headers


def _list_headers(scope: Scope, *, https: bool) -> Iterator[Header]:
    if asgi.SCOPE_COOKIE in scope:
        yield scope[asgi.SCOPE_COOKIE]
    yield from API_HEADERS if asgi.is_api_request(scope) else PAGE_HEADERS
    if https and not _is_local_host(scope):
        yield HSTS_HEADER


def _is_local_host(scope: Scope) -> bool:
    """Whether the Host is loopback, where HSTS would apply to every port."""
    named = asgi.list_header_values(scope, b"host")
    host = split_host(named[0]) if len(named) == 1 else None
    return host is None or host[0] in LOCAL_NAMES
