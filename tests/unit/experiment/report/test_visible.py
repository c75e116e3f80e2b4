import pytest

from saniwa.experiment.report.visible import visible, visible_line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("マグ　カップ", "マグ　カップ"),
        ("👩‍🍳", "👩‍🍳"),
        ("a\u202eb", "a\\u202eb"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\r\nb\rc", "a\nb\\rc"),
        ("\ta", "    a"),
    ],
)
def test_what_cannot_be_seen_is_made_visible(text: str, expected: str) -> None:
    """Marks of direction and escapes are shown; Japanese spaces and emoji stay."""
    assert expected == visible(text)


def test_a_line_stays_a_line() -> None:
    """Ends of lines become spaces."""
    assert "a b" == visible_line("a\nb")
