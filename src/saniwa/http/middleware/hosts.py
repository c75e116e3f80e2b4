"""Checks where a request comes from: proxy, Host and Origin.

An attacker's DNS may say that `evil.example` is 127.0.0.1; a browser then takes this
server for that page's own. It still sends that name in `Host`, so only our names pass.
"""

from saniwa.core.errors import ProtocolError
from saniwa.core.text import quote_value
from saniwa.http.asgi import (
    SAFE_METHODS,
    SCOPE_LOCAL,
    App,
    Receive,
    Scope,
    Send,
    is_api_request,
    list_header_values,
    send_problem,
)
from saniwa.http.settings import (
    LOCAL_NAMES,
    ServerSettings,
    is_ip_address,
    is_loopback,
    is_same_machine,
    split_host,
)


class ForwardedClient:
    """Replaces the client address in the scope by the one a trusted proxy forwards."""

    def __init__(self, app: App, settings: ServerSettings) -> None:
        """Wrap an app."""
        self._app = app
        self._proxy = settings.proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the app with the forwarded address; without one, with the proxy's."""
        peer = scope.get("client")
        if self._proxy and peer and is_same_machine(str(peer[0]), self._proxy):
            address = _find_last_hop(scope)
            if address:
                scope["client"] = (address, 0)
        await self._app(scope, receive, send)


def _find_last_hop(scope: Scope) -> str:
    """Return the last forwarded address; empty if it is not an IP address."""
    forwarded = ",".join(list_header_values(scope, b"x-forwarded-for"))
    last = forwarded.rpartition(",")[2].strip()
    return last if is_ip_address(last) else ""


_FORWARDING_HEADERS = frozenset(
    {b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip"}
)


class HostCheck:
    """Passes on requests whose Host is this server."""

    def __init__(self, app: App, settings: ServerSettings) -> None:
        """Wrap an app."""
        self._app = app
        self._private = settings.is_private
        self._bound = settings.host
        self._named = frozenset(_parse_host_name(each) for each in settings.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 421 to a foreign Host; set whether the request is local."""
        named = list_header_values(scope, b"host")
        host = split_host(named[0]) if len(named) == 1 else None
        if host is None or not self._is_own_host(host[0], scope):
            await send_problem(scope, send, _make_host_error(named), 421)
            return
        scope[SCOPE_LOCAL] = self._private and is_loopback(host[0]) and not _is_forwarded(scope)
        await self._app(scope, receive, send)

    def _is_own_host(self, host: str, scope: Scope) -> bool:
        return (
            host in LOCAL_NAMES
            or host in self._named
            or is_same_machine(host, self._bound)
            or self._is_connection_address(host, scope)
        )

    def _is_connection_address(self, host: str, scope: Scope) -> bool:
        """Whether it is the connection's own IP address, which DNS cannot fake."""
        here = scope.get("server")
        return here is not None and is_same_machine(host, str(here[0]))


def _parse_host_name(text: str) -> str:
    """Return a host name from the settings, without a port."""
    host = split_host(text.strip())
    return host[0] if host else text


def _is_forwarded(scope: Scope) -> bool:
    """Whether a proxy forwards for another client; then the request is not local."""
    return any(name in _FORWARDING_HEADERS for name, _ in scope["headers"])


def _make_host_error(named: list[str]) -> ProtocolError:
    message = f"{quote_value(named[0])} is not this server" if named else "no Host is named"
    return ProtocolError(
        "HOST_UNKNOWN",
        message,
        hint="open the address that `saniwa serve` printed; for another name: "
        "saniwa serve --allow-host NAME",
    )


_OWN_SITES = ("same-origin", "none")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


class OriginCheck:
    """Passes on requests that no page of another site has sent."""

    def __init__(self, app: App, settings: ServerSettings) -> None:
        """Wrap an app."""
        self._app = app
        self._https = settings.https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 403 to a request from another site's page."""
        foreign = _find_foreign_site(scope) or self._find_foreign_origin(scope)
        if foreign:
            await send_problem(scope, send, _make_origin_error(foreign), 403)
            return
        await self._app(scope, receive, send)

    def _find_foreign_origin(self, scope: Scope) -> str:
        """Return a foreign Origin; browsers always send it when it matters."""
        for origin in list_header_values(scope, b"origin"):
            if not self._is_own_origin(origin, scope):
                return f"Origin {quote_value(origin)}"
        return ""

    def _is_own_origin(self, origin: str, scope: Scope) -> bool:
        scheme, _, rest = origin.partition("://")
        here, there = (split_host(list_header_values(scope, b"host")[0]), split_host(rest))
        if here is None or there is None or scheme not in _DEFAULT_PORTS:
            return False
        if scheme == "http" and self._https and not scope[SCOPE_LOCAL]:
            return False
        usual = _DEFAULT_PORTS[scheme]
        return (here[0], here[1] or usual) == (there[0], there[1] or usual)


def _find_foreign_site(scope: Scope) -> str:
    """Return `Sec-Fetch-Site` if it is foreign.

    A link on another site may lead to a page of this server, but not to the API.
    """
    sites = list_header_values(scope, b"sec-fetch-site")
    allowed = _OWN_SITES if scope["method"] in SAFE_METHODS else _OWN_SITES[:1]
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


def _make_origin_error(foreign: str) -> ProtocolError:
    return ProtocolError(
        "ORIGIN_FOREIGN",
        f"a page from elsewhere has sent this: {foreign}",
        hint="ask from a page of this server, or from a program that is no browser",
    )
