"""A listening socket that counts connections when they are accepted.

A connection that never speaks costs an open file from its first moment, long before TLS or
HTTP know of it. So it is counted here, and one too many is closed at once.
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
"""Seconds until a request's head must have come whole."""
UNREAD_ANSWER_SECONDS: Final = 30.0
"""Seconds for which an answer may lie unread."""


class _Deadline:
    """What must have happened until then."""

    def __init__(self, seconds: float, passed: Callable[[], None]) -> None:
        self._seconds = seconds
        self._passed = passed
        self._timer: asyncio.TimerHandle | None = None

    def start_timer(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wait from now on, or go on waiting: one letter at a time wins no time."""
        if self._timer is None:
            self._timer = loop.call_later(self._seconds, self._passed)

    def cancel_timer(self) -> None:
        """It has happened."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class DeadlineProtocol(H11Protocol):
    """Speaks HTTP with whoever has something to say."""

    head_seconds = REQUEST_HEAD_SECONDS
    """Seconds until a request's head must have come whole."""
    unread_seconds = UNREAD_ANSWER_SECONDS
    """Seconds for which an answer may lie unread."""

    def __init__(self, *given: Any, **named: Any) -> None:
        """As uvicorn makes one."""
        super().__init__(*given, **named)
        self._head = _Deadline(self.head_seconds, self._abort_connection)
        self._answer = _Deadline(self.unread_seconds, self._abort_connection)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody has come: they shall say what they want."""
        super().connection_made(transport)
        self._head.start_timer(self.loop)

    def data_received(self, data: bytes) -> None:
        """Something was said: a whole request, or a part of one that is waited for."""
        super().data_received(data)
        if self._is_idle():
            self._head.start_timer(self.loop)
        else:
            self._head.cancel_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """They have gone; nothing is waited for."""
        self._head.cancel_timer()
        self._answer.cancel_timer()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """They do not read what they asked for."""
        super().pause_writing()
        self._answer.start_timer(self.loop)

    def resume_writing(self) -> None:
        """They read on."""
        super().resume_writing()
        self._answer.cancel_timer()

    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _abort_connection(self) -> None:
        self.transport.abort()


MAX_CONNECTIONS_PER_ADDRESS: Final = 100
"""Connections of one address, where others than this machine come in."""
MAX_CONNECTIONS: Final = 10_000
"""Connections of everybody, where the system sets no bound."""


def compute_max_connections() -> int:
    """Connections of everybody: a quarter of what we may open is left for the store."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return min(allowed * 3 // 4, MAX_CONNECTIONS)


class CountedConnection(socket.socket):
    """A connection that is counted until it is closed."""

    address = ""
    """Whom limits count it for."""
    on_close: Callable[["CountedConnection"], None] | None = None
    """Told once, when it is closed."""

    def close(self) -> None:
        """Close it, and count it no longer."""
        super().close()
        if self.on_close is not None:
            self.on_close(self)
            self.on_close = None


class CountedListener(socket.socket):
    """A listening socket with a bound on connections, of each address and of all."""

    max_total = MAX_CONNECTIONS
    """Connections of everybody."""
    each: int | None = None
    """Connections of one address; None for no bound of its own."""
    proxy = ""
    """An address with no bound of its own, because all others come through it."""

    def __init__(self, *given: Any, **named: Any) -> None:
        """As for any socket."""
        super().__init__(*given, **named)
        self._open = WeakSet[CountedConnection]()

    def set_limits(self, settings: ServerSettings) -> None:
        """Set the bounds by how the server is opened.

        On a server for this machine alone, one address is everybody.
        """
        self.max_total = compute_max_connections()
        # One address never has more than half, however few there are.
        self.each = (
            None
            if settings.is_private
            else min(MAX_CONNECTIONS_PER_ADDRESS, self.max_total // 2)
        )
        self.proxy = settings.proxy

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection; one too many is closed and not returned.

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
