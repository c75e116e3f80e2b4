import resource
import socket
from collections.abc import Iterator

import pytest

from saniwa.http.server import MAX_CONNECTIONS_PER_ADDRESS, CountedListener, compute_max_connections
from saniwa.http.server_settings import ServerSettings


@pytest.fixture
def listener() -> Iterator[CountedListener]:
    """A socket that listens on loopback."""
    with CountedListener(socket.AF_INET, socket.SOCK_STREAM) as opened:
        opened.bind(("127.0.0.1", 0))
        opened.listen()
        yield opened


def _connect_silently(listener: CountedListener, come_from: str = "127.0.0.1") -> socket.socket:
    """A client that connects and sends nothing."""
    return socket.create_connection(listener.getsockname(), 5, (come_from, 0))


@pytest.mark.parametrize(("each", "everybody"), [(1, 9), (None, 1)])
def test_one_connection_too_many_is_closed_when_it_is_accepted(
    listener: CountedListener, each: int | None, everybody: int
) -> None:
    """A connection over the limit is closed when it is accepted."""
    listener.each, listener.max_total = each, everybody
    with _connect_silently(listener), _connect_silently(listener) as second:
        first, _ = listener.accept()
        with first, pytest.raises(ConnectionAbortedError):
            listener.accept()

        assert b"" == second.recv(1)


def test_a_connection_that_is_closed_is_counted_no_longer(listener: CountedListener) -> None:
    """A closed connection is no longer counted, also if it is closed twice or dropped."""
    listener.max_total = 1
    for closes in (1, 2, 0):
        with _connect_silently(listener):
            line, _ = listener.accept()
            for _ in range(closes):
                line.close()
            if not closes:
                line.detach()
            del line
    with _connect_silently(listener):
        line, _ = listener.accept()

    line.close()


def test_another_address_still_comes_in(listener: CountedListener) -> None:
    """An address at its limit does not block others."""
    listener.each = 1
    with _connect_silently(listener), _connect_silently(listener, "127.0.0.2"):
        lines = [listener.accept() for _ in range(2)]

    assert ["127.0.0.1", "127.0.0.2"] == [peer[0] for _, peer in lines]
    for line, _ in lines:
        line.close()


def test_a_trusted_proxy_has_no_bound_of_its_own(listener: CountedListener) -> None:
    """A trusted proxy has no limit of its own."""
    listener.each, listener.proxy = 1, "127.0.0.1"
    with _connect_silently(listener), _connect_silently(listener):
        for line in [listener.accept()[0] for _ in range(2)]:
            line.close()


@pytest.mark.parametrize(
    ("settings", "each"),
    [
        (ServerSettings(), None),
        (ServerSettings(hosts=("garden.example",)), MAX_CONNECTIONS_PER_ADDRESS),
        (ServerSettings(https=True), MAX_CONNECTIONS_PER_ADDRESS),
        (ServerSettings(proxy="127.0.0.1"), MAX_CONNECTIONS_PER_ADDRESS),
        (ServerSettings(host="0.0.0.0"), MAX_CONNECTIONS_PER_ADDRESS),
    ],
)
def test_bounds_are_chosen_by_how_a_server_is_opened(
    listener: CountedListener,
    settings: ServerSettings,
    each: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The limits depend on how the server is opened."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1_024, 1_024))
    listener.set_limits(settings)

    assert (each, 768) == (listener.each, listener.max_total)


def test_one_address_never_has_more_than_half(
    listener: CountedListener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One address never has more than half of the connections."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (120, 120))
    listener.set_limits(ServerSettings(https=True))

    assert (45, 90) == (listener.each, listener.max_total)


@pytest.mark.parametrize(
    ("allowed", "most"), [(1_024, 768), (resource.RLIM_INFINITY, 10_000), (1_000_000, 10_000)]
)
def test_some_of_what_we_may_open_is_left(
    monkeypatch: pytest.MonkeyPatch, allowed: int, most: int
) -> None:
    """Some file descriptors are reserved for the store."""
    monkeypatch.setattr(resource, "getrlimit", lambda _: (allowed, allowed))

    assert most == compute_max_connections()
