"""Only our own pages ask by way of a browser; CORS is never granted.

Browsers say where a request comes from (`Sec-Fetch-Site`, `Origin`) and no page can make
them lie. A program that is no browser says neither, and has to bring what it needs itself:
a token, or the loopback address.
"""

from saniwa.api.guard.address import split_host
from saniwa.api.guard.asgi import (
    NEAR,
    SAFE,
    App,
    Receive,
    Scope,
    Send,
    is_api,
    turn_away,
    values,
)
from saniwa.api.guard.settings import Settings
from saniwa.core.errors import ProtocolError
from saniwa.core.quoted import quoted

_OWN = ("same-origin", "none")
_PORTS = {"http": "80", "https": "443"}


class Origin:
    """Lets requests through that no foreign page has sent."""

    def __init__(self, app: App, settings: Settings) -> None:
        """Stand before an app."""
        self._app = app
        self._https = settings.https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 403 to what a foreign page has sent."""
        foreign = _foreign_site(scope) or self._foreign_origin(scope)
        if foreign:
            await turn_away(scope, send, _refused(foreign), 403)
            return
        await self._app(scope, receive, send)

    def _foreign_origin(self, scope: Scope) -> str:
        """The Origin, where it is not ours; a browser names it whenever it matters."""
        for origin in values(scope, b"origin"):
            if not self._is_own(origin, scope):
                return f"Origin {quoted(origin)}"
        return ""

    def _is_own(self, origin: str, scope: Scope) -> bool:
        scheme, _, rest = origin.partition("://")
        here, there = split_host(values(scope, b"host")[0]), split_host(rest)
        if here is None or there is None or scheme not in _PORTS:
            return False
        if scheme == "http" and self._https and not scope[NEAR]:
            return False
        usual = _PORTS[scheme]
        return (here[0], here[1] or usual) == (there[0], there[1] or usual)


def _foreign_site(scope: Scope) -> str:
    """What `Sec-Fetch-Site` says, where that is not us.

    A link from elsewhere may lead to a page of ours, and to nothing that programs ask.
    """
    said = values(scope, b"sec-fetch-site")
    allowed = _OWN if scope["method"] in SAFE else _OWN[:1]
    if all(each in allowed for each in said) or _is_link(scope):
        return ""
    return f"Sec-Fetch-Site {quoted(', '.join(said))}"


def _is_link(scope: Scope) -> bool:
    return (
        scope["method"] in ("GET", "HEAD")
        and not is_api(scope)
        and values(scope, b"sec-fetch-mode") == ["navigate"]
        and values(scope, b"sec-fetch-dest") == ["document"]
    )


def _refused(foreign: str) -> ProtocolError:
    return ProtocolError(
        "ORIGIN_FOREIGN",
        f"a page from elsewhere has sent this: {foreign}",
        hint="ask from a page of this server, or from a program that is no browser",
    )
