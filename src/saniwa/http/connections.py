"""A listening socket that counts connections when they are accepted.

A connection that never sends anything costs an open file from its first moment, long
before TLS or HTTP see it. So it is counted here, and one too many is closed at once.
"""

import asyncio
import resource
import socket
from typing import Any, Final
from weakref import WeakKeyDictionary

from uvicorn.protocols.http.h11_impl import H11Protocol

from saniwa.http.settings import ServerSettings, find_client_network, is_same_machine

REQUEST_HEAD_SECONDS: Final = 10.0
"""Seconds until a request's head must have arrived completely."""
UNREAD_ANSWER_SECONDS: Final = 30.0
"""Seconds for which an answer may stay unread."""


class DeadlineProtocol(H11Protocol):
    """The HTTP protocol of uvicorn with deadlines for slow clients."""

    head_seconds = REQUEST_HEAD_SECONDS
    """Seconds until a request's head must have arrived completely."""
    unread_seconds = UNREAD_ANSWER_SECONDS
    """Seconds for which an answer may stay unread."""

    def __init__(self, *given: Any, **named: Any) -> None:
        """Create a protocol with uvicorn's own arguments."""
        super().__init__(*given, **named)
        self._deadlines: dict[str, asyncio.TimerHandle] = {}

    def _start_deadline(self, what: str, seconds: float) -> None:
        """Start a deadline, or let it run on: single bytes do not extend the time."""
        if what not in self._deadlines:
            self._deadlines[what] = self.loop.call_later(seconds, self.transport.abort)

    def _end_deadline(self, what: str) -> None:
        if what in self._deadlines:
            self._deadlines.pop(what).cancel()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for the first request."""
        super().connection_made(transport)
        self._start_deadline("head", self.head_seconds)

    def data_received(self, data: bytes) -> None:
        """Wait on for an incomplete request; stop waiting when it is complete."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._start_deadline("head", self.head_seconds)
        else:
            self._end_deadline("head")

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel both timers."""
        self._end_deadline("head")
        self._end_deadline("answer")
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start to wait for a client that does not read its answer."""
        super().pause_writing()
        self._start_deadline("answer", self.unread_seconds)

    def resume_writing(self) -> None:
        """Stop waiting: the client reads on."""
        super().resume_writing()
        self._end_deadline("answer")


MAX_CONNECTIONS_PER_ADDRESS: Final = 100
"""Connections of one address, on a server that other machines can reach."""
MAX_CONNECTIONS: Final = 10_000
"""Connections of all clients, if the system sets no limit."""


def compute_max_connections() -> int:
    """Return the limit for all clients; a quarter of open files is for the store."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return min(allowed * 3 // 4, MAX_CONNECTIONS)


class CountedListener(socket.socket):
    """A listening socket with limits on connections, for each address and in total."""

    max_total = MAX_CONNECTIONS
    """Connections of all clients."""
    each: int | None = None
    """Connections of one address; None for no limit."""
    proxy = ""
    """An address without a limit, because all others come through it."""

    def __init__(self, *given: Any, **named: Any) -> None:
        """Create a socket with the usual arguments."""
        super().__init__(*given, **named)
        self._open = WeakKeyDictionary[socket.socket, str]()

    def set_limits(self, settings: ServerSettings) -> None:
        """Set the limits according to how the server is opened.

        On a server for this machine alone, all clients have one address.
        """
        self.max_total = compute_max_connections()
        # One address never has more than half, however small the total is.
        self.each = (
            None if settings.is_private else min(MAX_CONNECTIONS_PER_ADDRESS, self.max_total // 2)
        )
        self.proxy = settings.proxy

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection; one too many is closed and not returned.

        Raises:
            ConnectionAbortedError: It was one too many.
        """
        line, peer = super().accept()
        network = find_client_network({"client": peer})
        if self._is_full(network, str(peer[0])):
            self._forget_closed()
            if self._is_full(network, str(peer[0])):
                line.close()
                raise ConnectionAbortedError("too many connections are open")
        self._open[line] = network
        return line, peer

    def _forget_closed(self) -> None:
        for line in [each for each in self._open if each.fileno() < 0]:
            del self._open[line]

    def _is_full(self, network: str, peer: str) -> bool:
        if len(self._open) >= self.max_total:
            return True
        if self.each is None or (self.proxy and is_same_machine(peer, self.proxy)):
            return False
        return sum(each == network for each in self._open.values()) >= self.each
