"""Checks where a request comes from: proxy, Host and Origin.

An attacker's DNS may say that `evil.example` is 127.0.0.1; a browser then takes this
server for that page's own. It still sends that name in `Host`, so only our names pass.
"""

from saniwa.core.errors import ProtocolError
from saniwa.core.text import quote_value
from saniwa.http import settings
from saniwa.http.asgi import SAFE_METHODS, SCOPE_LOCAL, Scope, is_api_request, list_header_values
from saniwa.http.settings import ServerSettings, is_same_machine, split_host

_FORWARDING_HEADERS = frozenset(
    {b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip"}
)
_OWN_SITES = ("same-origin", "none")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


class SourceCheck:
    """Passes requests for this server that no page of another site has sent."""

    def __init__(self, server: ServerSettings) -> None:
        """Check by the server's own addresses and names."""
        self._server = server
        hosts = ((split_host(each.strip()), each) for each in server.hosts)
        self._named = frozenset(host[0] if host else text for host, text in hosts)

    def forward_client(self, scope: Scope) -> None:
        """Replace the client's address by the last one that a trusted proxy forwards."""
        peer, proxy = scope.get("client"), self._server.proxy
        if proxy and peer and is_same_machine(str(peer[0]), proxy):
            forwarded = ",".join(list_header_values(scope, b"x-forwarded-for"))
            last = forwarded.rpartition(",")[2].strip()
            if settings.is_ip_address(last):
                scope["client"] = (last, 0)

    def check_host(self, scope: Scope) -> None:
        """Refuse a foreign Host; set whether the request is local.

        Raises:
            ProtocolError: `HOST_UNKNOWN`.
        """
        named = list_header_values(scope, b"host")
        host = split_host(named[0]) if len(named) == 1 else None
        if host is None or not self._is_own_host(host[0], scope):
            raise ProtocolError(
                "HOST_UNKNOWN",
                f"{quote_value(named[0])} is not this server" if named else "no Host is named",
                hint="open the address that `saniwa serve` printed; for another name: "
                "saniwa serve --allow-host NAME",
            )
        # A request that a proxy forwards for another client is not local.
        forwarded = any(name in _FORWARDING_HEADERS for name, _ in scope["headers"])
        local = self._server.is_private and settings.is_loopback(host[0])
        scope[SCOPE_LOCAL] = local and not forwarded

    def _is_own_host(self, host: str, scope: Scope) -> bool:
        """Whether it is a name of ours, or the connection's own address.

        DNS cannot fake the address.
        """
        here = scope.get("server")
        return (
            host in settings.LOCAL_NAMES
            or host in self._named
            or is_same_machine(host, self._server.host)
            or (here is not None and is_same_machine(host, str(here[0])))
        )

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
                f"a page from elsewhere has sent this: {foreign}",
                hint="ask from a page of this server, or from a program that is no browser",
            )

    def _is_own_origin(self, origin: str, scope: Scope) -> bool:
        scheme, _, rest = origin.partition("://")
        here, there = split_host(list_header_values(scope, b"host")[0]), split_host(rest)
        if here is None or there is None or scheme not in _DEFAULT_PORTS:
            return False
        if scheme == "http" and self._server.https and not scope[SCOPE_LOCAL]:
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
