import pytest

from saniwa.http.request_scope import SCOPE_LOCAL
from saniwa.http.server_settings import ServerSettings
from tests.unit.http.middleware.guarded_requests import FAR, InnerApp, ask, check_hosts, make_scope


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost", "LOCALHOST:9", "localhost.:80", "[::1]:8000"]
)
def test_this_machine_is_known_by_its_own_names(host: str) -> None:
    """Every usual name of this machine is accepted, with any port."""
    assert 200 == ask(check_hosts(InnerApp(), ServerSettings()), make_scope(host=host)).status


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "0.0.0.0:8000",
        "10.0.0.1",
        "localhost:8000@evil.example",
        "localhost evil.example",
        "[::2]",
        "",
        "x" * 5_000,
    ],
)
def test_a_name_that_is_not_from_saniwa_is_refused(host: str) -> None:
    """Another host name is refused, so that DNS rebinding reaches nothing."""
    inside = InnerApp()
    answer = ask(check_hosts(inside, ServerSettings()), make_scope(host=host))

    assert (421, "HOST_UNKNOWN") == (answer.status, answer.code)
    assert [] == inside.scopes
    assert len(answer.body) < 1_000


def test_a_host_is_named_once() -> None:
    """A request without a Host, or with two, is refused."""
    none, two = make_scope(), make_scope()
    none["headers"] = []
    two["headers"] = [(b"host", b"localhost"), (b"host", b"evil.example")]
    app = check_hosts(InnerApp(), ServerSettings())

    assert [421, 421] == [ask(app, none).status, ask(app, two).status]


def test_more_names_are_served_when_they_were_said() -> None:
    """Host names from the settings are accepted, in any case and with any port."""
    app = check_hosts(InnerApp(), ServerSettings(hosts=("Garden.example", "moss.example:8443")))

    assert 200 == ask(app, make_scope(host="garden.EXAMPLE:443")).status
    assert 200 == ask(app, make_scope(host="moss.example")).status


def test_the_address_it_listens_at_is_its_own_host() -> None:
    """The address that the server listens on is accepted as a host."""
    assert 200 == ask(check_hosts(InnerApp(), FAR), make_scope(host="192.0.2.7:80")).status


def test_the_number_a_connection_came_to_is_its_own_host() -> None:
    """A server that listens on all addresses accepts the one the connection came to."""
    app = check_hosts(InnerApp(), ServerSettings(host="0.0.0.0"))
    asked = make_scope(host="192.0.2.9:8000") | {"server": ("192.0.2.9", 8000)}

    assert 200 == ask(app, asked).status
    assert 421 == ask(app, make_scope(host="192.0.2.9:8000")).status


@pytest.mark.parametrize(
    ("settings", "more", "near"),
    [
        (ServerSettings(), {}, True),
        (ServerSettings(host="::1"), {"host": "[::1]:8000"}, True),
        (ServerSettings(hosts=("garden.example",)), {"host": "garden.example"}, False),
        (ServerSettings(hosts=("garden.example",)), {"host": "127.0.0.1:8000"}, False),
        (ServerSettings(https=True), {"host": "127.0.0.1:8000"}, False),
        (ServerSettings(), {"x_forwarded_for": "198.51.100.1"}, False),
        (ServerSettings(), {"forwarded": "for=198.51.100.1"}, False),
        (ServerSettings(host="0.0.0.0"), {}, False),
        (FAR, {"host": "localhost"}, False),
    ],
)
def test_only_this_machine_is_near(
    settings: ServerSettings, more: dict[str, str], near: bool
) -> None:
    """A request counts as local only with a local host, without a proxy, on a local server."""
    inside = InnerApp()
    ask(check_hosts(inside, settings), make_scope(**more))

    assert [near] == [each[SCOPE_LOCAL] for each in inside.scopes]
