"""How every answer is sent: errors, security headers, compression.

JSON and the page shrink to a fifth. Not compressed are streams, which must be sent at
once; short answers, which would not shrink; images and sound, which are compressed
already; and answers with a secret, because the length of a compressed answer reveals
whether it repeats part of the request.
"""

import asyncio
import gzip
from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any, Final

import msgspec
from starlette.responses import Response
from starlette.types import Message, Scope, Send

from saniwa.core.errors import SaniwaError
from saniwa.core.translations import Language, open_translator
from saniwa.http.host_names import LOCAL_NAMES, split_host
from saniwa.http.problem_details import PROBLEM_MEDIA, build_problem
from saniwa.http.request_scope import (
    API_PATH,
    SCOPE_COOKIE,
    find_request_note,
    is_api_request,
    list_header_values,
)

Header = tuple[bytes, bytes]
"""A lower-case name, and a value."""
_RETRY_SECONDS: Final = 1


def build_problem_response(
    problem: SaniwaError,
    scope: Mapping[str, Any],
    status: int | None = None,
    *,
    language: Language = "en",
) -> Response:
    """Return the answer for an error, and note its code for the log."""
    note = find_request_note(scope)
    note.code = str(problem.code)
    document = build_problem(problem, status, note.id)
    headers: dict[str, str] = {"content-language": language} if language != "en" else {}
    wait = problem.details.get("retry_after") or (document.status == 503 and _RETRY_SECONDS)
    if wait:
        headers["retry-after"] = str(wait)
    if document.status == 401:
        headers["www-authenticate"] = 'Bearer realm="saniwa"'
    body = encode_in_language(document, language)
    return Response(body, document.status, headers, PROBLEM_MEDIA)


def encode_in_language(body: Any, language: Language) -> bytes:
    """Return a body as JSON, with the texts of what is shipped translated."""
    content = msgspec.json.encode(body)
    if language == "en":
        return content
    translator = open_translator(language, "process", "rulebook", "scenario")
    return msgspec.json.encode(translator.translate_fields(msgspec.json.decode(content)))


async def send_problem(
    scope: Scope, send: Send, problem: SaniwaError, status: int | None = None
) -> None:
    """Send an error as the answer.

    The place of a file that could not be read is removed: it is internal. The rest of a
    refused body would be read as the next request, so that connection is closed.
    """
    problem.where = None
    response = build_problem_response(problem, scope, status)
    if response.status_code in (408, 413):
        response.headers["connection"] = "close"
    headers = response.raw_headers
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.body})


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


class ResponseSender:
    """Sends an answer with the headers that it does not set itself, compressed if useful.

    The headers are the security headers and the cookie of the scope.
    """

    def __init__(self, scope: Scope, send: Send, *, https: bool = False) -> None:
        """Answer a request; `https` if users connect over TLS."""
        self._scope = scope
        self._send = send
        self._https = https
        self._start: Message | None = None

    async def send(self, message: Message) -> None:
        """Pass on a message; the head is delayed until a body to compress is known."""
        if message["type"] == "http.response.start":
            given = {name.lower(): value for name, value in message.get("headers", ())}
            added = _list_security_headers(self._scope, https=self._https)
            if not given.keys().isdisjoint(name for name, _ in added):
                added = [each for each in added if each[0] not in given]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
            if self._is_compressible(given):
                self._start = message
                return
        elif self._start is not None:
            start, self._start = self._start, None
            message = await self._compress_body(start, message)
            await self._send(start)
        await self._send(message)

    def _is_compressible(self, given: Mapping[bytes, bytes]) -> bool:
        kind = given.get(b"content-type", b"").lower()
        return (
            kind.startswith(_COMPRESSED_TYPES)
            and not kind.startswith(_STREAM_TYPE)
            and b"content-encoding" not in given
            and b"set-cookie" not in given
            and self._scope["path"] not in _SECRET_PATHS
        )

    async def _compress_body(self, start: Message, body: Message) -> Message:
        """Return the body as it is sent, and adapt the headers of its head."""
        content: bytes = body.get("body", b"")
        headers: list[Header] = start["headers"]
        headers.append((b"vary", b"Accept-Encoding"))
        complete = body["type"] == "http.response.body" and not body.get("more_body")
        if not complete or len(content) < MIN_COMPRESSED_BYTES or not _accepts_gzip(self._scope):
            return body
        content = await _compress(bytes(content), is_page=not is_api_request(self._scope))
        kept = (each for each in headers if each[0].lower() != b"content-length")
        headers[:] = [
            *map(_weaken_etag, kept),
            (b"content-encoding", b"gzip"),
            (b"content-length", str(len(content)).encode()),
        ]
        return {**body, "body": content}


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


def _list_security_headers(scope: Scope, *, https: bool) -> list[Header]:
    wanted = [*(API_HEADERS if is_api_request(scope) else PAGE_HEADERS)]
    if SCOPE_COOKIE in scope:
        wanted.insert(0, scope[SCOPE_COOKIE])
    if https and not _is_local_host(scope):
        wanted.append(HSTS_HEADER)
    return wanted


def _is_local_host(scope: Scope) -> bool:
    """Whether the Host is loopback, where HSTS would apply to every port."""
    named = list_header_values(scope, b"host")
    host = split_host(named[0]) if len(named) == 1 else None
    return host is None or host[0] in LOCAL_NAMES
