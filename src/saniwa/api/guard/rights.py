"""Strangers see the page and may sign in; a badge alone changes nothing.

What an operation needs beyond that is asked where it is known: `caller.check_may`.
"""

import hmac
from typing import Final

from saniwa.api.guard.asgi import (
    API,
    CALLER,
    RECEPTION,
    SAFE,
    App,
    Message,
    Receive,
    Scope,
    Send,
    is_api,
    turn_away,
    values,
)
from saniwa.api.guard.caller import Caller, sign_in_needed
from saniwa.core.errors import ProtocolError

CSRF: Final = b"x-saniwa-csrf"
"""The header that a page of ours sends beside its badge."""
_ABOUT: Final = (f"{API}/v1", f"{API}/v1/")
_SIGN_IN: Final = f"{API}/v1/sign-in"
_SIGN_OUT: Final = f"{API}/v1/sign-out"


class Rights:
    """Lets through who may ask at all."""

    def __init__(self, app: App) -> None:
        """Stand before an app."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 401 to strangers, and 403 to a badge without its second half."""
        caller: Caller = scope[CALLER]
        send = _forgetting(scope, send) if caller.stale else send
        if not is_api(scope) or _is_open(scope):
            await self._app(scope, receive, send)
        elif caller.stale:
            problem = sign_in_needed("what was shown counts no longer")
            await turn_away(scope, send, problem, 401)
        elif caller.by == "nothing":
            problem = sign_in_needed("nobody has signed in")
            await turn_away(scope, send, problem, 401)
        elif caller.by == "badge" and not _is_meant(scope, caller):
            await turn_away(scope, send, _unmeant(), 403)
        else:
            await self._app(scope, receive, send)


def _is_open(scope: Scope) -> bool:
    """Whether anybody may ask this."""
    if scope["method"] in ("GET", "HEAD"):
        return scope["path"] in _ABOUT
    if scope["method"] != "POST":
        return False
    path: str = scope["path"]
    caller: Caller = scope[CALLER]
    return path == _SIGN_IN or (path == _SIGN_OUT and caller.by != "badge")


def _is_meant(scope: Scope, caller: Caller) -> bool:
    """Whether a page of ours asks: only it can read what it has to say here."""
    if scope["method"] in SAFE:
        return True
    said = values(scope, CSRF)
    return len(said) == 1 and hmac.compare_digest(
        said[0].encode("latin-1"), caller.csrf.encode()
    )


def _forgetting(scope: Scope, send: Send) -> Send:
    """Has the browser forget a badge that counts no longer."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = list(message.get("headers", ()))
            if all(name != b"set-cookie" for name, _ in given):
                given.append(scope[RECEPTION].goodbye)
            message = {**message, "headers": given}
        await send(message)

    return sending


def _unmeant() -> ProtocolError:
    return ProtocolError(
        "CSRF_MISSING",
        "a badge came without the word that only pages of this server know",
        hint="send 'X-Saniwa-CSRF' with the 'csrf' that GET /api/v1/ answers",
    )
