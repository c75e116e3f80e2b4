from math import inf, nan

import pytest

from saniwa.experiment.metrics import (
    round_figure,
    round_probability,
    round_relative,
    subtract_rounded,
)


@pytest.mark.parametrize(
    ("expected", "given"),
    [
        (0.333333, 1 / 3),
        (1234570.0, 1234567.89),
        (0.00000123457, 0.00000123456789),
        (0.0, 1e-17),
        (None, nan),
        (None, inf),
        (None, None),
    ],
)
def test_figures_have_six_digits_or_are_none(expected: float | None, given: float | None) -> None:
    """Six digits are kept at any size, and anything that is not a number is None."""
    assert expected == round_figure(given)


def test_nought_has_no_sign() -> None:
    """A tiny negative number is written as 0.0, not as -0.0."""
    assert "0.0" == repr(round_figure(-1e-17))


def test_equal_distances_are_equal() -> None:
    """Differences that are equal in decimal are equal here."""
    assert 0.3 - 0.2 != 0.4 - 0.3
    assert subtract_rounded(0.2, 0.3) == subtract_rounded(0.3, 0.4)
    assert subtract_rounded(20_000.2, 20_000.3) == subtract_rounded(20_000.3, 20_000.4)
    assert subtract_rounded(2e-9, 3e-9) == pytest.approx(1e-9)
    assert 0.0 == subtract_rounded(0.0, 0.0)
    assert 0.0 == round_relative(0.0, 0.0)


def test_distances_keep_their_ratios() -> None:
    """Two fifteenths are exactly twice one fifteenth, as far as any test can see."""
    assert subtract_rounded(1 / 15, 3 / 15) == pytest.approx(
        2 * subtract_rounded(2 / 15, 3 / 15), rel=1e-13
    )


def test_a_probability_is_never_nought() -> None:
    """A p of 0 is written as 1e-9, and None stays None."""
    assert (1e-09, 0.333333, None) == (
        round_probability(0.0),
        round_probability(1 / 3),
        round_probability(None),
    )
