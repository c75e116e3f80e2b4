import pytest

from saniwa.http.host_names import is_loopback, is_same_machine, split_host


@pytest.mark.parametrize(
    ("host", "near"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.0.2.1", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_only_this_machine_is_loopback(host: str, near: bool) -> None:
    """Only names and addresses of this machine are loopback."""
    assert near == is_loopback(host)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Example.ORG", ("example.org", "")),
        ("example.org.:80", ("example.org", "80")),
        ("[::1]:8000", ("::1", "8000")),
        ("a:b", None),
        ("a:123456", None),
        ("a/b", None),
        ("user@a", None),
        ("", None),
        ("a\r\nb", None),
        ("é", None),
    ],
)
def test_a_host_is_a_name_and_a_port(text: str, parts: tuple[str, str] | None) -> None:
    """A host is a name and an optional port; anything else is invalid."""
    assert parts == split_host(text)


def test_a_number_is_the_same_however_it_is_written() -> None:
    """Addresses are compared as numbers, names as text."""
    assert is_same_machine("::1", "0:0:0:0:0:0:0:1")
    assert is_same_machine("192.0.2.1", "::ffff:192.0.2.1")
    assert not is_same_machine("192.0.2.1", "192.0.2.10")
    assert is_same_machine("a", "a")
