"""A listening socket that counts connections when they are accepted.

A connection that never speaks costs an open file from its first moment, long before TLS or
HTTP know of it. So it is counted here, and one too many is closed at once.
"""

import resource
import socket
from collections.abc import Callable
from typing import Any, Final
from weakref import WeakSet

from saniwa.api.guard.address import household, same_machine
from saniwa.api.guard.settings import Settings

EACH: Final = 100
"""Connections of one address, where others than this machine come in."""
LARGEST: Final = 10_000
"""Connections of everybody, where the system sets no bound."""


def most_connections() -> int:
    """Connections of everybody: a quarter of what we may open is left for the store."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return LARGEST
    return min(allowed * 3 // 4, LARGEST)


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

    everybody = LARGEST
    """Connections of everybody."""
    each: int | None = None
    """Connections of one address; None for no bound of its own."""
    proxy = ""
    """An address with no bound of its own, because all others come through it."""

    def __init__(self, *given: Any, **named: Any) -> None:
        """As for any socket."""
        super().__init__(*given, **named)
        self._open = WeakSet[CountedConnection]()

    def bound_by(self, settings: Settings) -> None:
        """Set the bounds by how the server is opened.

        On a server for this machine alone, one address is everybody.
        """
        self.everybody = most_connections()
        # One address never has more than half, however few there are.
        self.each = None if settings.private else min(EACH, self.everybody // 2)
        self.proxy = settings.proxy

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection; one too many is closed and not returned.

        Raises:
            ConnectionAbortedError: It was one too many.
        """
        given, peer = super().accept()
        line = CountedConnection(given.family, given.type, given.proto, given.detach())
        line.address = household({"client": peer})
        if self._is_too_many(line, str(peer[0])):
            line.close()
            raise ConnectionAbortedError("too many connections are open")
        self._open.add(line)
        line.on_close = self._open.discard
        return line, peer

    def _is_too_many(self, line: CountedConnection, peer: str) -> bool:
        if len(self._open) >= self.everybody:
            return True
        if self.each is None or (self.proxy and same_machine(peer, self.proxy)):
            return False
        return sum(each.address == line.address for each in self._open) >= self.each
