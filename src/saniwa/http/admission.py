"""All checks in front of the app, in order: where a request comes from, and who sent it.

An attacker's DNS may say that `evil.example` is 127.0.0.1; a browser then takes this
server for that page's own. It still sends that name in `Host`, so only our names pass.

Anonymous callers see the page and may sign in; a change needs a CSRF token besides the
session token. What one operation needs beyond that is checked with the operation:
`app.caller.check_permission`.
"""

import hmac
import time
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from saniwa.app.caller import Caller, make_sign_in_error
from saniwa.core.clock import Clock, SystemClock
from saniwa.core.errors import ProtocolError, SaniwaError, StoreError
from saniwa.core.text import quote_value
from saniwa.http.authenticator import Authenticator
from saniwa.http.host_names import (
    LOCAL_NAMES,
    is_ip_address,
    is_loopback,
    is_same_machine,
    split_host,
)
from saniwa.http.limits import BodyLimit, RateLimit, StreamLimit, TextBodyCheck
from saniwa.http.request_scope import (
    API_PATH,
    SCOPE_AUTHENTICATOR,
    SCOPE_CALLER,
    SCOPE_COOKIE,
    SCOPE_LOCAL,
    index_headers,
    is_api_request,
    list_header_values,
)
from saniwa.http.responses import ResponseSender, send_problem
from saniwa.http.server_settings import MonotonicClock, ServerSettings
from saniwa.store.gate.people import People, SecretSource, SystemSecretSource

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_FORWARDING_HEADERS = frozenset(
    {b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip"}
)
_OWN_SITES = ("same-origin", "none")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


class SourceCheck:
    """Passes requests for this server that no page of another site has sent."""

    def __init__(self, settings: ServerSettings) -> None:
        """Check by the server's own addresses and names."""
        self._settings = settings
        hosts = ((split_host(each.strip()), each) for each in settings.hosts)
        self._named = frozenset(host[0] if host else text for host, text in hosts)
        self._is_private = settings.is_private
        # Almost all requests name one of a few hosts.
        self._find_own_host = lru_cache(maxsize=64)(self._parse_own_host)

    def forward_client(self, scope: Scope) -> None:
        """Replace the client's address by the last one that a trusted proxy forwards."""
        peer, proxy = scope.get("client"), self._settings.proxy
        if proxy and peer and is_same_machine(str(peer[0]), proxy):
            forwarded = ",".join(list_header_values(scope, b"x-forwarded-for"))
            last = forwarded.rpartition(",")[2].strip()
            if is_ip_address(last):
                scope["client"] = (last, 0)

    def check_host(self, scope: Scope) -> None:
        """Refuse a foreign Host; set whether the request is local.

        Raises:
            ProtocolError: `HOST_UNKNOWN`.
        """
        named = list_header_values(scope, b"host")
        here = scope.get("server")
        is_near = None
        if len(named) == 1:
            is_near = self._find_own_host(named[0], str(here[0]) if here is not None else "")
        if is_near is None:
            raise ProtocolError(
                "HOST_UNKNOWN",
                f"{quote_value(named[0])} is not this server"
                if named
                else "the request has no Host header",
                hint="open the address that `saniwa serve` printed, or allow this name: "
                "saniwa serve --allow-host NAME",
            )
        # A request that a proxy forwards for another client is not local.
        forwarded = not _FORWARDING_HEADERS.isdisjoint(index_headers(scope))
        scope[SCOPE_LOCAL] = self._is_private and is_near and not forwarded

    def _parse_own_host(self, text: str, here: str) -> bool | None:
        """Whether a Host header that belongs to this server names this machine; None if it does not.

        It is ours if it is one of our names, or the connection's own address `here`:
        DNS cannot fake the address.
        """
        parsed = split_host(text)
        if parsed is None:
            return None
        host = parsed[0]
        own = (
            host in LOCAL_NAMES
            or host in self._named
            or is_same_machine(host, self._settings.host)
            or (here != "" and is_same_machine(host, here))
        )
        return is_loopback(host) if own else None

    def check_origin(self, scope: Scope) -> None:
        """Refuse a request from another site's page.

        Raises:
            ProtocolError: `ORIGIN_FOREIGN`.
        """
        foreign = _find_foreign_site(scope)
        # Browsers always send the Origin when it matters.
        for origin in list_header_values(scope, b"origin"):
            if not foreign and not self._is_own_origin(origin, scope):
                foreign = f"Origin {quote_value(origin)}"
        if foreign:
            raise ProtocolError(
                "ORIGIN_FOREIGN",
                f"the request came from another site: {foreign}",
                hint="send it from a page of this server, or from a program other than a browser",
            )

    def _is_own_origin(self, origin: str, scope: Scope) -> bool:
        scheme, _, rest = origin.partition("://")
        here, there = split_host(list_header_values(scope, b"host")[0]), split_host(rest)
        if here is None or there is None or scheme not in _DEFAULT_PORTS:
            return False
        if scheme == "http" and self._settings.https and not scope[SCOPE_LOCAL]:
            return False
        usual = _DEFAULT_PORTS[scheme]
        return (here[0], here[1] or usual) == (there[0], there[1] or usual)


def _find_foreign_site(scope: Scope) -> str:
    """Return `Sec-Fetch-Site` if it is foreign.

    A link on another site may lead to a page of this server, but not to the API.
    """
    sites = list_header_values(scope, b"sec-fetch-site")
    allowed = _OWN_SITES if scope["method"] in _SAFE_METHODS else _OWN_SITES[:1]
    if all(each in allowed for each in sites) or _is_page_link(scope):
        return ""
    return f"Sec-Fetch-Site {quote_value(', '.join(sites))}"


def _is_page_link(scope: Scope) -> bool:
    return (
        scope["method"] in ("GET", "HEAD")
        and not is_api_request(scope)
        and list_header_values(scope, b"sec-fetch-mode") == ["navigate"]
        and list_header_values(scope, b"sec-fetch-dest") == ["document"]
    )


CSRF_HEADER: Final = b"x-saniwa-csrf"
"""The header with the CSRF token of our own page."""
_ABOUT_PATHS: Final = (f"{API_PATH}/v1", f"{API_PATH}/v1/")
_SIGN_IN_PATH: Final = f"{API_PATH}/v1/sign-in"
_SIGN_OUT_PATH: Final = f"{API_PATH}/v1/sign-out"


def _check_caller(scope: Scope) -> None:
    """Refuse anonymous callers, and a session without its CSRF token.

    A session token that is no longer valid is deleted from the browser.
    """
    caller: Caller = scope[SCOPE_CALLER]
    if caller.stale:
        scope[SCOPE_COOKIE] = scope[SCOPE_AUTHENTICATOR].clearing_header
    if not is_api_request(scope) or _is_public(scope):
        return
    if caller.stale:
        raise make_sign_in_error("the session has expired or was revoked")
    if caller.by == "nothing":
        raise make_sign_in_error("no user has signed in")
    if caller.by == "badge" and not _has_csrf_token(scope, caller):
        raise ProtocolError(
            "CSRF_MISSING",
            "the session cookie came without its CSRF token",
            hint="send the 'csrf' value of GET /api/v1/ in the header 'X-Saniwa-CSRF'",
        )


def _is_public(scope: Scope) -> bool:
    """Whether a request needs no sign-in."""
    if scope["method"] in ("GET", "HEAD"):
        return scope["path"] in _ABOUT_PATHS
    path: str = scope["path"]
    signs_out = path == _SIGN_OUT_PATH and scope[SCOPE_CALLER].by != "badge"
    return scope["method"] == "POST" and (path == _SIGN_IN_PATH or signs_out)


def _has_csrf_token(scope: Scope, caller: Caller) -> bool:
    """Whether the request has the CSRF token, which only our own page can read."""
    if scope["method"] in _SAFE_METHODS:
        return True
    sent = list_header_values(scope, CSRF_HEADER)
    return len(sent) == 1 and hmac.compare_digest(sent[0].encode("latin-1"), caller.csrf.encode())


class RequestAdmission:
    """An app with all checks in front of it."""

    def __init__(
        self,
        app: ASGIApp,
        settings: ServerSettings,
        *,
        people: Path,
        folder: Path,
        clock: Clock | None = None,
        seconds: MonotonicClock = time.monotonic,
        chance: SecretSource | None = None,
        takes_text: TextBodyCheck = lambda _: True,
    ) -> None:
        """Put all checks in front of an app.

        Args:
            app: Answers requests that pass all checks.
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
        limits, chance = settings.effective_limits, chance or SystemSecretSource()
        self.authenticator = Authenticator(
            People(people, chance),
            folder,
            settings,
            clock=clock or SystemClock(),
            seconds=seconds,
            chance=chance,
        )
        """Signs callers in and out."""
        self.streams = StreamLimit(limits)
        """Counts the open live streams."""
        self._source = SourceCheck(settings)
        self._rate = RateLimit(limits, seconds)
        self._bodies = BodyLimit(limits, takes_text)
        self._https = settings.https
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request; lifespan messages go directly to the app.

        A WebSocket is refused: nothing here can check one.
        """
        if scope["type"] == "http":
            answer = ResponseSender(scope, send, https=self._https)
            await self._handle_request(scope, receive, answer.send)
        elif scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _handle_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        with ExitStack() as held:
            try:
                await self._check_request(scope)
                body = await self._bodies.read_body(scope, receive)
                held.enter_context(self.streams.count_stream(scope))
            except SaniwaError as problem:
                # The file of the people cannot be read now.
                status = 503 if isinstance(problem, StoreError) else None
                await send_problem(scope, send, problem, status)
                return
            if body is not None:
                await self._app(scope, body, send)

    async def _check_request(self, scope: Scope) -> None:
        """Check where a request comes from, who sent it, and how often."""
        self._source.forward_client(scope)
        self._source.check_host(scope)
        self._source.check_origin(scope)
        caller = await self.authenticator.identify_caller(scope)
        scope[SCOPE_CALLER] = caller
        scope[SCOPE_AUTHENTICATOR] = self.authenticator
        if caller.renewal:
            scope[SCOPE_COOKIE] = caller.renewal
        self._rate.check_rate(scope)
        _check_caller(scope)
