"""All layers in front of the app, in order; and those that check the caller.

Anonymous callers see the page and may sign in; a change needs a CSRF token besides the
session token. What one operation needs beyond that is checked with the operation:
`caller.check_permission`.
"""

import hmac
import time
from pathlib import Path
from typing import Final

from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import ProcessError, ProtocolError, StoreError
from saniwa.http.asgi import (
    API_PATH,
    SAFE_METHODS,
    SCOPE_AUTHENTICATOR,
    SCOPE_CALLER,
    SCOPE_VISITOR,
    App,
    Header,
    Message,
    Receive,
    Scope,
    Send,
    is_api_request,
    list_header_values,
    send_problem,
)
from saniwa.http.auth.authenticator import Authenticator
from saniwa.http.auth.caller import Caller, make_sign_in_error
from saniwa.http.middleware.hosts import ForwardedClient, HostCheck, OriginCheck
from saniwa.http.middleware.limits import BodyLimit, RateLimit, StreamLimit, TextBodyCheck
from saniwa.http.middleware.responses import ResponseCompression, SecurityHeaders
from saniwa.http.settings import ServerSettings
from saniwa.http.token_buckets import MonotonicClock
from saniwa.store.gate.people import People, SecretSource, SystemSecretSource

CSRF_HEADER: Final = b"x-saniwa-csrf"
"""The header with the CSRF token of our own page."""
_ABOUT_PATHS: Final = (f"{API_PATH}/v1", f"{API_PATH}/v1/")
_SIGN_IN_PATH: Final = f"{API_PATH}/v1/sign-in"
_SIGN_OUT_PATH: Final = f"{API_PATH}/v1/sign-out"


class AuthorizationMiddleware:
    """Passes on callers who may use the API at all."""

    def __init__(self, app: App) -> None:
        """Wrap an app."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401 to anonymous callers, 403 to a session without CSRF token."""
        caller: Caller = scope[SCOPE_CALLER]
        send = _clear_stale_cookie(scope, send) if caller.stale else send
        if not is_api_request(scope) or _is_public(scope):
            await self._app(scope, receive, send)
        elif caller.stale:
            problem = make_sign_in_error("what was shown counts no longer")
            await send_problem(scope, send, problem, 401)
        elif caller.by == "nothing":
            problem = make_sign_in_error("nobody has signed in")
            await send_problem(scope, send, problem, 401)
        elif caller.by == "badge" and not _has_csrf_token(scope, caller):
            await send_problem(scope, send, _make_csrf_error(), 403)
        else:
            await self._app(scope, receive, send)


def _is_public(scope: Scope) -> bool:
    """Whether a request needs no sign-in."""
    if scope["method"] in ("GET", "HEAD"):
        return scope["path"] in _ABOUT_PATHS
    if scope["method"] != "POST":
        return False
    path: str = scope["path"]
    caller: Caller = scope[SCOPE_CALLER]
    return path == _SIGN_IN_PATH or (path == _SIGN_OUT_PATH and caller.by != "badge")


def _has_csrf_token(scope: Scope, caller: Caller) -> bool:
    """Whether the request has the CSRF token, which only our own page can read."""
    if scope["method"] in SAFE_METHODS:
        return True
    sent = list_header_values(scope, CSRF_HEADER)
    return len(sent) == 1 and hmac.compare_digest(sent[0].encode("latin-1"), caller.csrf.encode())


def _clear_stale_cookie(scope: Scope, send: Send) -> Send:
    """Make the browser delete a session token that is no longer valid."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            if all(name != b"set-cookie" for name, _ in given):
                given.append(scope[SCOPE_AUTHENTICATOR].clearing_header)
            message = {**message, "headers": given}
        await send(message)

    return sending


def _make_csrf_error() -> ProtocolError:
    return ProtocolError(
        "CSRF_MISSING",
        "a badge came without the word that only pages of this server know",
        hint="send 'X-Saniwa-CSRF' with the 'csrf' that GET /api/v1/ answers",
    )


class AuthenticationMiddleware:
    """Identifies the caller of every request."""

    def __init__(self, app: App, authenticator: Authenticator) -> None:
        """Wrap an app."""
        self._app = app
        self._authenticator = authenticator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401 to a wrong credential, 429 to too many of them."""
        try:
            caller = await self._authenticator.identify_caller(scope)
        except ProcessError as problem:
            await send_problem(scope, send, problem, 401)
        except ProtocolError as problem:
            await send_problem(scope, send, problem, 429)
        except StoreError as problem:
            await send_problem(scope, send, problem, 503)
        else:
            scope[SCOPE_CALLER] = caller
            scope[SCOPE_VISITOR] = caller.visitor
            scope[SCOPE_AUTHENTICATOR] = self._authenticator
            renewing = _send_renewed_cookie(caller.renewal, send) if caller.renewal else send
            await self._app(scope, receive, renewing)


def _send_renewed_cookie(renewal: Header, send: Send) -> Send:
    """Send a renewed session token, unless the answer sets a cookie itself."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            if all(name.lower() != b"set-cookie" for name, _ in given):
                given.append(renewal)
            message = {**message, "headers": given}
        await send(message)

    return sending


class MiddlewareStack:
    """An app with all layers in front of it."""

    def __init__(
        self,
        app: App,
        settings: ServerSettings,
        authenticator: Authenticator,
        seconds: MonotonicClock,
        takes_text: TextBodyCheck = lambda _: True,
    ) -> None:
        """Put the layers around an app; the last in the code runs first."""
        limits = settings.effective_limits
        self.authenticator = authenticator
        """Signs callers in and out."""
        self.streams = StreamLimit(app, limits)
        """Counts the open live streams."""
        layers: App = BodyLimit(self.streams, limits, takes_text)
        layers = RateLimit(AuthorizationMiddleware(layers), limits, seconds)
        layers = AuthenticationMiddleware(layers, authenticator)
        layers = HostCheck(OriginCheck(layers, settings), settings)
        layers = ForwardedClient(layers, settings)
        self._outermost = ResponseCompression(SecurityHeaders(layers, https=settings.https))
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request; lifespan messages go directly to the app.

        A WebSocket is refused: no layer here can check one.
        """
        if scope["type"] == "http":
            await self._outermost(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})


def wrap_app(
    app: App,
    settings: ServerSettings,
    *,
    people: Path,
    folder: Path,
    clock: Clock | None = None,
    seconds: MonotonicClock = time.monotonic,
    chance: SecretSource | None = None,
    takes_text: TextBodyCheck = lambda _: True,
) -> MiddlewareStack:
    """Put all layers in front of an app.

    Args:
        app: Answers requests that pass all layers.
        settings: The server's addresses and limits.
        people: The file of the gate's people.
        folder: The folder of the signing key and of revoked tokens.
        clock: The time by which tokens expire.
        seconds: A monotonic clock, for limits.
        chance: Makes keys and serials.
        takes_text: Whether a request's body may be large.

    Raises:
        StoreError: The key can be neither read nor created.
    """
    chance = chance or SystemSecretSource()
    authenticator = Authenticator(
        People(people, chance),
        folder,
        settings,
        clock=clock or SystemClock(),
        seconds=seconds,
        chance=chance,
    )
    return MiddlewareStack(app, settings, authenticator, seconds, takes_text)
