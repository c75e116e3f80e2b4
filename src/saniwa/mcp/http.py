"""Serves MCP over streamable HTTP: on this machine, or with a token.

Host and Origin are checked, so that no web page can reach it under another name.
"""

import hmac
import ipaddress
import logging
import socket
from collections.abc import Callable
from typing import NamedTuple

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from saniwa.core.errors import ProtocolError
from saniwa.mcp.server import McpServer

PATH = "/mcp"
"""The path of the protocol."""
_SHUTDOWN_SECONDS = 2
"""Seconds that open streams have when the server stops."""
_LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")


class ListenAddress(NamedTuple):
    """Where to listen."""

    host: str
    """A name or address of this machine, without brackets."""
    port: int
    """0 for any free port."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def is_any_host(self) -> bool:
        """Whether it means every address of this machine."""
        return self.host in ("0.0.0.0", "::", "")

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


def check_token(address: ListenAddress, token: str, *, person: bool) -> None:
    """Check that a token is set wherever one is needed.

    Raises:
        ProtocolError: `TOKEN_MISSING`: other machines could reach the server, or it
            acts as a person, as whom every program of this machine could then decide.
    """
    if token or (address.is_local and not person):
        return
    reason = "can be reached from other machines"
    if address.is_local:
        reason = "would give every program on this machine a person's role"
    raise ProtocolError(
        "TOKEN_MISSING",
        f"{str(address)!r} {reason}, and there is no token",
        hint="set STATE_GATE_TOKEN to a long secret"
        + (", or listen on 127.0.0.1" if not person else ""),
    )


async def serve_http(
    door: McpServer, address: ListenAddress, token: str, tell: Callable[[str], None]
) -> None:
    """Serve at an address until interrupted; `tell` is called with the URL.

    Raises:
        OSError: The server cannot listen at the address.
    """
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.create_server((address.host, address.port), family=family)
    address = ListenAddress(address.host, listening.getsockname()[1])
    app: ASGIApp = door.server.streamable_http_app(
        streamable_http_path=PATH, host=address.host, transport_security=_make_security(address)
    )
    config = uvicorn.Config(
        _TokenMiddleware(app, token) if token else app,
        log_config=None,
        ws="none",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )
    tell(f"http://{address}{PATH}")
    with listening:
        await _Server(config, door.close_listeners).serve(sockets=[listening])


class _Server(uvicorn.Server):
    """Closes event listeners before it waits for connections to end."""

    def __init__(self, config: uvicorn.Config, leave: Callable[[], None]) -> None:
        super().__init__(config)
        self._leave = leave

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._leave()
        # A stream that is cut now, because its client keeps it open, is not an error.
        logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)


def _make_security(address: ListenAddress) -> TransportSecuritySettings:
    if address.is_any_host:
        # Any name may be ours. A web page that was led here has no token to send.
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    host = str(address).rpartition(":")[0]
    hosts = _LOCAL_HOSTS if address.is_local else (host,)
    names = dict.fromkeys(f"{each}:{address.port}" for each in (*hosts, host))
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=list(names),
        allowed_origins=[f"http://{each}" for each in names],
    )


class _TokenMiddleware:
    """Passes on requests that have the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._has_token(scope):
            refused = JSONResponse(
                {"error": "a token is required"},
                status_code=401,
                headers={"WWW-Authenticate": "Bearer"},
            )
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _has_token(self, scope: Scope) -> bool:
        shown = [v for name, v in scope["headers"] if name == b"authorization"]
        if len(shown) != 1:
            return False
        kind, _, secret = shown[0].partition(b" ")
        return kind.lower() == b"bearer" and hmac.compare_digest(secret.strip(), self._expected)
