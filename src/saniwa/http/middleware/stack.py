"""Strangers see the page and may sign in; a badge alone changes nothing.

What an operation needs beyond that is asked where it is known: `caller.check_may`.
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
from saniwa.http.middleware.limits import (
    BodyLimit,
    RateLimit,
    StreamLimit,
    TextBodyCheck,
)
from saniwa.http.middleware.responses import ResponseCompression, SecurityHeaders
from saniwa.http.settings import ServerSettings
from saniwa.http.token_buckets import MonotonicClock
from saniwa.store.gate.people import People, SecretSource, SystemSecretSource

CSRF_HEADER: Final = b"x-saniwa-csrf"
"""The header that a page of ours sends beside its badge."""
_ABOUT_PATHS: Final = (f"{API_PATH}/v1", f"{API_PATH}/v1/")
_SIGN_IN_PATH: Final = f"{API_PATH}/v1/sign-in"
_SIGN_OUT_PATH: Final = f"{API_PATH}/v1/sign-out"


class AuthorizationMiddleware:
    """Lets through who may ask at all."""

    def __init__(self, app: App) -> None:
        """Stand before an app."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401 to strangers, and 403 to a badge without its second half."""
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
    """Whether anybody may ask this."""
    if scope["method"] in ("GET", "HEAD"):
        return scope["path"] in _ABOUT_PATHS
    if scope["method"] != "POST":
        return False
    path: str = scope["path"]
    caller: Caller = scope[SCOPE_CALLER]
    return path == _SIGN_IN_PATH or (path == _SIGN_OUT_PATH and caller.by != "badge")


def _has_csrf_token(scope: Scope, caller: Caller) -> bool:
    """Whether a page of ours asks: only it can read what it has to say here."""
    if scope["method"] in SAFE_METHODS:
        return True
    said = list_header_values(scope, CSRF_HEADER)
    return len(said) == 1 and hmac.compare_digest(
        said[0].encode("latin-1"), caller.csrf.encode()
    )


def _clear_stale_cookie(scope: Scope, send: Send) -> Send:
    """Has the browser forget a badge that counts no longer."""

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
    """Says of every request who asks."""

    def __init__(self, app: App, reception: Authenticator) -> None:
        """Stand before an app."""
        self._app = app
        self._reception = reception

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401 to a wrong token, 429 to too many of them."""
        try:
            caller = await self._reception.identify_caller(scope)
        except ProcessError as problem:
            await send_problem(scope, send, problem, 401)
        except ProtocolError as problem:
            await send_problem(scope, send, problem, 429)
        except StoreError as problem:
            await send_problem(scope, send, problem, 503)
        else:
            scope[SCOPE_CALLER] = caller
            scope[SCOPE_VISITOR] = caller.visitor
            scope[SCOPE_AUTHENTICATOR] = self._reception
            renewing = (
                _send_renewed_cookie(caller.renewal, send) if caller.renewal else send
            )
            await self._app(scope, receive, renewing)


def _send_renewed_cookie(renewal: Header, send: Send) -> Send:
    """Hands a renewed badge out, unless the answer itself gives or takes one."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            if all(name.lower() != b"set-cookie" for name, _ in given):
                given.append(renewal)
            message = {**message, "headers": given}
        await send(message)

    return sending


class MiddlewareStack:
    """An app behind all layers."""

    def __init__(
        self,
        app: App,
        settings: ServerSettings,
        reception: Authenticator,
        seconds: MonotonicClock,
        takes_text: TextBodyCheck = lambda _: True,
    ) -> None:
        """Put the layers around an app; the last named is met first."""
        limits = settings.effective_limits
        self.reception = reception
        """Where one signs in and out."""
        self.streams = StreamLimit(app, limits)
        """How many live streams are open."""
        layers: App = BodyLimit(self.streams, limits, takes_text)
        layers = RateLimit(AuthorizationMiddleware(layers), limits, seconds)
        layers = AuthenticationMiddleware(layers, reception)
        layers = HostCheck(OriginCheck(layers, settings), settings)
        layers = ForwardedClient(layers, settings)
        self._outermost = ResponseCompression(
            SecurityHeaders(layers, https=settings.https)
        )
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; other things a server says go to the app itself.

        A WebSocket is refused: no layer here knows how to look at one.
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
    """Put an app behind all layers.

    Args:
        app: What answers whoever is let through.
        settings: Where the server stands.
        people: The file of the gate's people.
        folder: Where the key of the badges is kept, and who has signed out.
        clock: Tells when badges end.
        seconds: Goes only forward; what limits are counted by.
        chance: Makes keys and serials.
        takes_text: Says of a request whether its body may be large.

    Raises:
        StoreError: The key can be neither read nor made.
    """
    chance = chance or SystemSecretSource()
    reception = Authenticator(
        People(people, chance),
        folder,
        settings,
        clock=clock or SystemClock(),
        seconds=seconds,
        chance=chance,
    )
    return MiddlewareStack(app, settings, reception, seconds, takes_text)
