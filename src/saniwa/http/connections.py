"""A listening socket that counts connections when they are accepted.

A connection that never sends anything costs an open file from its first moment, long
before TLS or HTTP see it. So it is counted here, and one too many is closed at once.
"""

import asyncio
import resource
import socket
from collections.abc import Callable
from typing import Any, Final
from weakref import WeakSet

from uvicorn.protocols.http.h11_impl import H11Protocol

from saniwa.http.settings import ServerSettings, find_client_network, is_same_machine

REQUEST_HEAD_SECONDS: Final = 10.0
"""Seconds until a request's head must have arrived completely."""
UNREAD_ANSWER_SECONDS: Final = 30.0
"""Seconds for which an answer may stay unread."""


class _Deadline:
    """A timer for something that must happen in time."""

    def __init__(self, seconds: float, passed: Callable[[], None]) -> None:
        self._seconds = seconds
        self._passed = passed
        self._timer: asyncio.TimerHandle | None = None

    def start_timer(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start the timer, or let it run on: single bytes do not extend the time."""
        if self._timer is None:
            self._timer = loop.call_later(self._seconds, self._passed)

    def cancel_timer(self) -> None:
        """Stop the timer, because it has happened."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class DeadlineProtocol(H11Protocol):
    """The HTTP protocol of uvicorn with deadlines for slow clients."""

    head_seconds = REQUEST_HEAD_SECONDS
    """Seconds until a request's head must have arrived completely."""
    unread_seconds = UNREAD_ANSWER_SECONDS
    """Seconds for which an answer may stay unread."""

    def __init__(self, *given: Any, **named: Any) -> None:
        """Create a protocol with uvicorn's own arguments."""
        super().__init__(*given, **named)
        self._head = _Deadline(self.head_seconds, self._abort_connection)
        self._answer = _Deadline(self.unread_seconds, self._abort_connection)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for the first request."""
        super().connection_made(transport)
        self._head.start_timer(self.loop)

    def data_received(self, data: bytes) -> None:
        """Wait on for an incomplete request; stop waiting when it is complete."""
        super().data_received(data)
        if self._is_idle():
            self._head.start_timer(self.loop)
        else:
            self._head.cancel_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel both timers."""
        self._head.cancel_timer()
        self._answer.cancel_timer()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Start to wait for a client that does not read its answer."""
        super().pause_writing()
        self._answer.start_timer(self.loop)

    def resume_writing(self) -> None:
        """Stop waiting: the client reads on."""
        super().resume_writing()
        self._answer.cancel_timer()

    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _abort_connection(self) -> None:
        self.transport.abort()


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


class CountedConnection(socket.socket):
    """A connection that is counted until it is closed."""

    address = ""
    """The address that limits count it for."""
    on_close: Callable[["CountedConnection"], None] | None = None
    """Called once, when it is closed."""

    def close(self) -> None:
        """Close it, and stop counting it."""
        super().close()
        if self.on_close is not None:
            self.on_close(self)
            self.on_close = None


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
        self._open = WeakSet[CountedConnection]()

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
        given, peer = super().accept()
        line = CountedConnection(given.family, given.type, given.proto, given.detach())
        line.address = find_client_network({"client": peer})
        if self._is_too_many(line, str(peer[0])):
            line.close()
            raise ConnectionAbortedError("too many connections are open")
        self._open.add(line)
        line.on_close = self._open.discard
        return line, peer

    def _is_too_many(self, line: CountedConnection, peer: str) -> bool:
        if len(self._open) >= self.max_total:
            return True
        if self.each is None or (self.proxy and is_same_machine(peer, self.proxy)):
            return False
        return sum(each.address == line.address for each in self._open) >= self.each
