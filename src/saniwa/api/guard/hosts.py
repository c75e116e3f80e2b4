"""Only requests to a name of ours: no page elsewhere makes its own name lead here.

A browser that is told by DNS that `evil.example` is 127.0.0.1 takes us for that page's own
server. It still says in `Host` which name it came by.
"""

from saniwa.api.guard.address import NEAR_NAMES, is_loopback, same_machine, split_host
from saniwa.api.guard.asgi import NEAR, App, Receive, Scope, Send, turn_away, values
from saniwa.api.guard.settings import Settings
from saniwa.core.errors import ProtocolError
from saniwa.core.quoted import quoted

_FORWARDED = frozenset(
    {b"forwarded", b"via", b"x-forwarded-for", b"x-forwarded-host", b"x-real-ip"}
)


class Hosts:
    """Lets requests through that name this server."""

    def __init__(self, app: App, settings: Settings) -> None:
        """Stand before an app."""
        self._app = app
        self._private = settings.private
        self._bound = settings.host
        self._named = frozenset(_name(each) for each in settings.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer 421 where the Host is not ours; say whether the request is near."""
        named = values(scope, b"host")
        host = split_host(named[0]) if len(named) == 1 else None
        if host is None or not self._is_ours(host[0], scope):
            await turn_away(scope, send, _unknown(named), 421)
            return
        scope[NEAR] = self._private and is_loopback(host[0]) and not _passed_on(scope)
        await self._app(scope, receive, send)

    def _is_ours(self, host: str, scope: Scope) -> bool:
        return (
            host in NEAR_NAMES
            or host in self._named
            or same_machine(host, self._bound)
            or self._came_in_by(host, scope)
        )

    def _came_in_by(self, host: str, scope: Scope) -> bool:
        """Whether it is the very number the connection came to; no DNS says numbers."""
        here = scope.get("server")
        return here is not None and same_machine(host, str(here[0]))


def _name(said: str) -> str:
    """A name as somebody says it, who may have said a port as well."""
    host = split_host(said.strip())
    return host[0] if host else said


def _passed_on(scope: Scope) -> bool:
    """Whether a proxy says that somebody else is asking: then this machine is not."""
    return any(name in _FORWARDED for name, _ in scope["headers"])


def _unknown(named: list[str]) -> ProtocolError:
    told = f"{quoted(named[0])} is not this server" if named else "no Host is named"
    return ProtocolError(
        "HOST_UNKNOWN",
        told,
        hint="open the address that `saniwa serve` printed; for another name: "
        "saniwa serve --allow-host NAME",
    )
