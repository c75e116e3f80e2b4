import pytest

from saniwa.experiment.statistics.analysis import compute_effect_size, name_effect_size
from saniwa.experiment.statistics.significance import correct_holm


def test_holm_is_as_worked_by_hand() -> None:
    """The smallest p is multiplied by four, the next by three, and none falls below the last."""
    found = correct_holm([0.01, 0.04, 0.03, 0.005])

    assert [0.03, 0.06, 0.06, 0.02] == pytest.approx(found)


def test_what_was_not_tested_is_no_part_of_the_family() -> None:
    """None stays None and does not make the other p values larger."""
    assert [0.02, None, 0.03] == [
        p if p is None else pytest.approx(p) for p in correct_holm([0.01, None, 0.03])
    ]
    assert [None] == correct_holm([None])
    assert [] == correct_holm([])


def test_the_effect_is_the_mean_in_units_of_the_spread() -> None:
    """For 1, 2, 3 and 4 the mean is 2.5 and the standard deviation is the root of 5/3."""
    assert compute_effect_size([1, 2, 3, 4]) == pytest.approx(2.5 / (5 / 3) ** 0.5)


def test_an_effect_without_spread_has_no_size() -> None:
    """A constant difference has no effect size; no difference at all has size 0."""
    assert compute_effect_size([0.5, 0.5, 0.5]) is None
    assert compute_effect_size([0.5]) is None
    assert compute_effect_size([]) is None
    assert 0.0 == compute_effect_size([0.0, 0.0])


@pytest.mark.parametrize(
    ("word", "effect"),
    [
        ("none", 0.19),
        ("small", 0.2),
        ("small", -0.49),
        ("medium", 0.5),
        ("large", -0.8),
        ("", None),
    ],
)
def test_effects_are_reported_in_cohens_words(word: str, effect: float | None) -> None:
    """The word depends on the size, not on the sign."""
    assert word == name_effect_size(effect)
