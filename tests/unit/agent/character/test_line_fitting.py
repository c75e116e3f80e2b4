import pytest

from saniwa.agent.mind.rendering import fit_lines, fit_list


def test_what_fits_is_described_whole() -> None:
    """Text that fits is shown in full, lines below each other, items in a row."""
    assert "a\nb" == fit_lines(["a", "b"], 10, "en")
    assert "a; b" == fit_list(["a", "b"], 10, "en")
    assert "" == fit_list([], 10, "en")


def test_what_does_not_fit_is_counted() -> None:
    """Whole items are left out, and their number is given."""
    assert "aaaaaaaaaa; and 9 more" == fit_list(["a" * 10] * 10, 60, "en")
    assert "aaaaaaaaaa\n（ほか9件）" == fit_lines(["a" * 10] * 10, 60, "ja")


@pytest.mark.parametrize("largest", [-5, 0, 3, 20, 41, 100, 1000])
def test_nothing_is_ever_too_large(largest: int) -> None:
    """The result never exceeds the limit."""
    assert len(fit_lines(["line"] * 500, largest, "en")) <= max(largest, 0)
