import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from saniwa.core.redaction import redact_address


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("https://example.org/alarm", "https://example.org/alarm"),
        ("https://example.org:8/a?token=x", "https://example.org:8/a?…"),
        ("http://me:pw@example.org/a#b", "http://…@example.org/a?…"),
        ("me:pw@example.org", "…@example.org"),
        ("http://u:pw@[::1/v1", "http://…@[::1/v1"),
        ("http://me:p/w@example.org/a", "http://…@example.org/a"),
        ("http:/me:pw@example.org", "…@example.org"),
        ("http://me:p?w@example.org", "http://…"),
        ("http://h/a?mail=x@y&key=z", "http://…"),
        ("the cook", "the cook"),
        ("", ""),
    ],
)
def test_what_could_be_a_secret_is_not_shown(address: str, told: str) -> None:
    """The host and the path of an address are shown; names, passwords and queries are not."""
    assert told == redact_address(address)


@given(some.text(), some.text(min_size=1))
@example("?@", "x")
def test_any_text_can_be_shown(address: str, secret: str) -> None:
    """Any text can be redacted, and nothing after a question mark is shown."""
    assert redact_address(f"{address}?").endswith("…")
    assert not redact_address(f"https://x/?{secret}").endswith(f"?{secret}")
