import pytest

from saniwa.agent.belief.shortened import shortened


@pytest.mark.parametrize(
    ("text", "longest", "expected"),
    [
        ("key", 3, "key"),
        ("keys", 3, "ke…"),
        ("", 0, ""),
        ("key", 0, ""),
        ("key", 1, "…"),
        ("e\u0301a\u0301b", 4, "e\u0301…"),
        ("ab\u200dcd", 4, "a…"),
    ],
)
def test_a_text_is_cut_between_characters(
    text: str, longest: int, expected: str
) -> None:
    """An accent stays on its letter, and joined letters stay together."""
    assert expected == shortened(text, longest)


def test_endless_accents_are_cut_all_the_same() -> None:
    """What has no beginning within reach is cut where the limit is."""
    assert 50 == len(shortened("a" + "\u0301" * 1000, 50))
