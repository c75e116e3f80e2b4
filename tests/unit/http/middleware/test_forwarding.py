import pytest

from saniwa.http.limits import find_client_network
from saniwa.http.server_settings import ServerSettings
from tests.unit.http.middleware.guarded_requests import InnerApp, add_proxy, ask, make_scope


@pytest.mark.parametrize(
    ("peer", "forwarded", "counted"),
    [
        ("127.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("::ffff:127.0.0.1", ["198.51.100.7"], "198.51.100.7"),
        ("127.0.0.1", ["1.2.3.4, 198.51.100.7"], "198.51.100.7"),
        ("127.0.0.1", ["1.2.3.4", "198.51.100.7"], "198.51.100.7"),
        ("127.0.0.1", ["2001:db8:1:2::9"], "2001:db8:1:2::/64"),
        ("127.0.0.1", ["198.51.100.7, unknown"], "127.0.0.1"),
        ("127.0.0.1", [""], "127.0.0.1"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.2", ["198.51.100.7"], "127.0.0.2"),
        ("203.0.113.5", ["198.51.100.7"], "203.0.113.5"),
    ],
)
def test_one_hop_is_believed_and_only_from_the_proxy(
    peer: str, forwarded: list[str], counted: str
) -> None:
    """Only the last forwarded address is used, and only from the named proxy."""
    inside = InnerApp()
    asked = make_scope() | {"client": (peer, 5)}
    asked["headers"] += [(b"x-forwarded-for", each.encode()) for each in forwarded]
    ask(add_proxy(inside, ServerSettings(proxy="127.0.0.1")), asked)

    assert counted == find_client_network(inside.scopes[-1])


def test_no_proxy_is_believed_that_was_not_named() -> None:
    """Without a named proxy, forwarded addresses are ignored."""
    inside = InnerApp()
    asked = make_scope() | {"client": ("127.0.0.1", 5)}
    asked["headers"] += [(b"x-forwarded-for", b"198.51.100.7")]
    ask(add_proxy(inside, ServerSettings()), asked)

    assert "127.0.0.1" == find_client_network(inside.scopes[-1])
