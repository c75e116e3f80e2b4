"""Sends webhooks: the messages of processes, and the escalations of agents.

A process file may come from a stranger. So a webhook goes only to addresses that are
reachable from the public internet, unless the gate's owner lists the host.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from saniwa.app import describe
from saniwa.core.errors import LoopError, SaniwaError
from saniwa.core.redaction import redact_address

if TYPE_CHECKING:
    import socket
    from http.client import HTTPConnection
    from ipaddress import IPv4Address, IPv6Address


TIMEOUT_SECONDS = 5.0
"""Seconds within which an address must answer."""
_ACCEPTED_STATUS = range(200, 300)
_PORTS: Final = {"http": 80, "https": 443}
_NAT64: Final = "64:ff9b::/96"
_LOW_BITS: Final = 0xFFFFFFFF


class HttpWebhookSender:
    """Sends a message by HTTP; only 2xx counts, and redirects are not followed."""

    def __init__(
        self,
        patience: float = TIMEOUT_SECONDS,
        *,
        hosts: Callable[[], Collection[str]] = lambda: (),
    ) -> None:
        """Create a sender that waits at most `patience` seconds in total.

        `hosts` returns the hosts that the owner allows, as `NAME` or `NAME:PORT`; these
        may be in private networks.
        """
        self._patience = patience
        self._hosts = hosts

    def send(self, url: str, body: bytes) -> None:
        """Deliver the message.

        Raises:
            OSError: It was refused, could not be delivered, or the outcome is unknown.
        """
        from threading import Thread

        outcome: list[str] = []
        # In its own thread: a socket timeout starts again with every byte received, so
        # a server that answers byte by byte would otherwise block the caller.
        thread = Thread(target=self._attempt, args=(url, body, outcome), daemon=True)
        thread.start()
        thread.join(self._patience)
        if not outcome:
            raise TimeoutError(f"no answer within {self._patience:g} seconds")
        if outcome[0]:
            raise OSError(outcome[0])

    def _attempt(self, url: str, body: bytes, outcome: list[str]) -> None:
        from http.client import HTTPException

        try:
            status = self._post(url, body)
        except SaniwaError as problem:
            outcome.append(problem.message)
        except (OSError, ValueError, HTTPException) as problem:
            outcome.append(str(problem) or type(problem).__name__)
        else:
            outcome.append("" if status in _ACCEPTED_STATUS else f"it answered {status}")

    def _post(self, url: str, body: bytes) -> int:
        from contextlib import closing
        from urllib.parse import urlsplit

        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname:
            raise ValueError("an address is http://HOST/… or https://HOST/…")
        port = parts.port or _PORTS[parts.scheme]
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        head = {"Content-Type": "application/json", "User-Agent": "saniwa-gate"}
        numbers = self._resolve_host(parts.hostname, port)
        connection = _make_connection(parts.scheme, parts.hostname, port, numbers, self._patience)
        with closing(connection):
            connection.request("POST", path, body, head)
            with connection.getresponse() as response:
                return int(response.status)

    def _resolve_host(self, host: str, port: int) -> Sequence[str]:
        """Return the IP addresses to connect to, in the order to try them.

        A name is resolved once. The connection goes to an address that was checked, so
        a second look-up cannot lead elsewhere.
        """
        import socket

        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        numbers = [str(each[4][0]) for each in found]
        closed = [each for each in numbers if not is_public_address(each)]
        if closed and not {host, f"{host}:{port}"} & set(self._hosts()):
            raise OSError(
                f"{host!r} is on this machine or in a private network; the gate's owner "
                'allows it with {"webhook_hosts": ["' + host + '"]} in state-gate.json'
            )
        return numbers


def is_public_address(number: str) -> bool:
    """Whether an IP address is reachable from the public internet."""
    from ipaddress import ip_address

    found = _unwrap_address(ip_address(number.partition("%")[0]))
    return found.is_global and not found.is_multicast


def _unwrap_address(number: "IPv4Address | IPv6Address") -> "IPv4Address | IPv6Address":
    """Return the IPv4 address inside an IPv6 address that only wraps it."""
    from ipaddress import IPv4Address, IPv6Network

    if isinstance(number, IPv4Address):
        return number
    if number in IPv6Network(_NAT64):
        return IPv4Address(int(number) & _LOW_BITS)
    return number.ipv4_mapped or number.sixtofour or number


def _make_connection(
    scheme: str, host: str, port: int, numbers: Sequence[str], patience: float
) -> "HTTPConnection":
    """Return a connection to one of the addresses; the certificate is for `host`."""
    import ssl
    from http.client import HTTPConnection

    secured = ssl.create_default_context() if scheme == "https" else None

    class CheckedConnection(HTTPConnection):
        """Connects to the given addresses, without resolving a name."""

        default_port = _PORTS[scheme]

        def connect(self) -> None:
            """Open the connection, with TLS for https."""
            line = _connect_first(numbers, port, patience)
            if secured is not None:
                line = secured.wrap_socket(line, server_hostname=host)
            self.sock = line

    return CheckedConnection(host, port, timeout=patience)


def _connect_first(numbers: Sequence[str], port: int, patience: float) -> "socket.socket":
    import socket

    failed: OSError | None = None
    for number in numbers:
        try:
            return socket.create_connection((number, port), patience)
        except OSError as problem:
            failed = problem
    raise failed or OSError("the host has no address")


class WebhookEscalationNotifier:
    """Sends escalations to addresses by HTTP."""

    async def notify(self, address: str, message: Mapping[str, Any]) -> None:
        """Send the message.

        Raises:
            LoopError: `ESCALATION_UNDELIVERED`.
        """
        import asyncio

        from saniwa.app.gate.configuration import locate_gate, read_webhook_hosts

        body = msgspec.json.encode(message)
        webhook = HttpWebhookSender(hosts=lambda: read_webhook_hosts(locate_gate()))
        try:
            await asyncio.to_thread(webhook.send, address, body)
        except OSError as problem:
            raise describe(
                "ESCALATION_UNDELIVERED", address=redact_address(address), problem=problem
            ).to_error(LoopError) from problem
