"""Whose address counts behind a proxy: one hop, and only from the proxy that was named.

A proxy appends the address it was called from to `X-Forwarded-For`. So its last entry is
the proxy's own word; everything before it may be anyone's invention.
"""

from saniwa.api.guard.address import is_number, same_machine
from saniwa.api.guard.asgi import App, Receive, Scope, Send, values
from saniwa.api.guard.settings import Settings


class ForwardedClient:
    """Puts the address that a trusted proxy was called from into the scope."""

    def __init__(self, app: App, settings: Settings) -> None:
        """Stand before an app."""
        self._app = app
        self._proxy = settings.proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask the app, as from the address the proxy names; else as from the proxy."""
        peer = scope.get("client")
        if self._proxy and peer and same_machine(str(peer[0]), self._proxy):
            address = _last_hop(scope)
            if address:
                scope["client"] = (address, 0)
        await self._app(scope, receive, send)


def _last_hop(scope: Scope) -> str:
    """The last entry of all that is forwarded; empty where it is no IP address."""
    said = ",".join(values(scope, b"x-forwarded-for"))
    last = said.rpartition(",")[2].strip()
    return last if is_number(last) else ""
