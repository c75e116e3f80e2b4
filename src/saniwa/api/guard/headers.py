"""What every answer tells a browser: run only our scripts, guess nothing, tell nobody."""

from typing import Final

from saniwa.api.guard.address import NEAR_NAMES, split_host
from saniwa.api.guard.asgi import (
    App,
    Header,
    Message,
    Receive,
    Scope,
    Send,
    is_api,
    values,
)

CONTENT: Final = {
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
POLICY: Final = "; ".join(f"{name} {value}" for name, value in CONTENT.items())
"""The same as a header says it."""
CLOSED: Final = (
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    "sandbox"
)
"""The policy of what programs ask: opened as a page, it can do nothing at all."""
FEATURES: Final = (
    "accelerometer", "autoplay=(self)", "camera", "display-capture", "fullscreen=(self)",
    "geolocation", "gyroscope", "magnetometer", "microphone", "midi", "payment",
    "publickey-credentials-get", "screen-wake-lock", "serial", "usb", "xr-spatial-tracking",
)  # fmt: skip
"""What a page could ask a browser for; only sound and the whole screen are."""
ALWAYS: Final[tuple[Header, ...]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (
        b"permissions-policy",
        ", ".join(f if "=" in f else f"{f}=()" for f in FEATURES).encode(),
    ),
)
"""On every answer."""
PAGES: Final[tuple[Header, ...]] = (
    *ALWAYS,
    (b"content-security-policy", POLICY.encode()),
)
"""On every page, and every file of it."""
ANSWERS: Final[tuple[Header, ...]] = (
    *ALWAYS,
    (b"content-security-policy", CLOSED.encode()),
    (b"cache-control", b"no-store"),
)
"""On every answer to a program."""


HSTS: Final[Header] = (b"strict-transport-security", b"max-age=31536000")
"""Where people come over TLS: a browser never asks this name without it again."""


class Headers:
    """Puts the headers on every answer, refusals among them."""

    def __init__(self, app: App, *, https: bool = False) -> None:
        """Stand before an app; `https` if people come over TLS."""
        self._app = app
        self._https = https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask the app, and complete what it answers."""
        wanted = ANSWERS if is_api(scope) else PAGES
        if self._https and not _names_this_machine(scope):
            wanted = (*wanted, HSTS)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": _completed(message, wanted)}
            await send(message)

        await self._app(scope, receive, sending)


def _names_this_machine(scope: Scope) -> bool:
    """Whether the Host is loopback: there, a browser would hold to it for every port."""
    named = values(scope, b"host")
    host = split_host(named[0]) if len(named) == 1 else None
    return host is None or host[0] in NEAR_NAMES


def _completed(message: Message, wanted: tuple[Header, ...]) -> list[Header]:
    """The headers of an answer and those it lacks; what an app says itself stands."""
    given = list(message.get("headers", ()))
    there = {name.lower() for name, _ in given}
    return [*given, *(header for header in wanted if header[0] not in there)]
