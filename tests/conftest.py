"""For the whole suite: no network but this machine's own, and servers when asked for."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.fakes.postgres import PostgresServer

_OURS = ("127.", "::1", "localhost")


def _stay_home(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None
    else:
        return
    name = host.decode() if isinstance(host, bytes) else host
    if name and not name.startswith(_OURS):
        raise RuntimeError(
            f"a test tried to reach {name!r}; tests stay on this machine"
        )


# An audit hook, because it also sees what libraries do, and nothing can take it off.
sys.addaudithook(_stay_home)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The address of a real PostgreSQL that lives as long as this test process."""
    server = PostgresServer()
    yield server.url
    server.stop()
