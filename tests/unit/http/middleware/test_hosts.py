import pytest

from saniwa.http.asgi import SCOPE_LOCAL
from saniwa.http.settings import ServerSettings
from tests.unit.http.middleware.asking import FAR, Inside, ask, host_checked, scope


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8000", "localhost", "LOCALHOST:9", "localhost.:80", "[::1]:8000"]
)
def test_this_machine_is_known_by_its_own_names(host: str) -> None:
    """Every usual spelling of this machine is served, at any port."""
    assert 200 == ask(host_checked(Inside(), ServerSettings()), scope(host=host)).status


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
def test_a_name_that_is_not_ours_is_turned_away(host: str) -> None:
    """A page whose name was made to lead here reaches nothing."""
    inside = Inside()
    answer = ask(host_checked(inside, ServerSettings()), scope(host=host))

    assert (421, "HOST_UNKNOWN") == (answer.status, answer.code)
    assert [] == inside.scopes
    assert len(answer.body) < 1_000


def test_a_host_is_named_once() -> None:
    """Neither no Host nor two of them are served."""
    none, two = scope(), scope()
    none["headers"] = []
    two["headers"] = [(b"host", b"localhost"), (b"host", b"evil.example")]
    app = host_checked(Inside(), ServerSettings())

    assert [421, 421] == [ask(app, none).status, ask(app, two).status]


def test_more_names_are_served_when_they_were_said() -> None:
    """A name given with the settings is ours, whatever its capitals and port."""
    app = host_checked(Inside(), ServerSettings(hosts=("Garden.example", "moss.example:8443")))

    assert 200 == ask(app, scope(host="garden.EXAMPLE:443")).status
    assert 200 == ask(app, scope(host="moss.example")).status


def test_the_address_it_listens_at_is_ours() -> None:
    """Who was told to listen somewhere is known by that."""
    assert 200 == ask(host_checked(Inside(), FAR), scope(host="192.0.2.7:80")).status


def test_the_number_a_connection_came_to_is_ours() -> None:
    """Who listens everywhere is reached by any number of this machine, and no other."""
    app = host_checked(Inside(), ServerSettings(host="0.0.0.0"))
    asked = scope(host="192.0.2.9:8000") | {"server": ("192.0.2.9", 8000)}

    assert 200 == ask(app, asked).status
    assert 421 == ask(app, scope(host="192.0.2.9:8000")).status


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
    """Who comes by another name, by a proxy, or to a server for others, is not at home."""
    inside = Inside()
    ask(host_checked(inside, settings), scope(**more))

    assert [near] == [each[SCOPE_LOCAL] for each in inside.scopes]
