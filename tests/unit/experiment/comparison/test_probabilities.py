from itertools import combinations
from statistics import fmean

import pytest

from saniwa.core.random import derive_state
from saniwa.experiment.experiment_comparison import (
    ComparedValues,
    compute_interval_ends,
    compute_probabilities,
    find_least_p,
)
from saniwa.experiment.metrics import find_metric


def _draw_rows(rows: int, first: int, second: int, *, paired: bool) -> list[ComparedValues]:
    def draw_values(row: int, side: str, count: int) -> tuple[float, ...]:
        return tuple(derive_state(row, f"{side}{n}") % 1_000_003 / 1_000_003 for n in range(count))

    return [
        ComparedValues(draw_values(row, "a", first), draw_values(row, "b", second), paired)
        for row in range(rows)
    ]


@pytest.mark.parametrize(
    ("first", "second", "paired"), [(8, 8, True), (5, 6, False), (20, 30, False)]
)
def test_chance_is_taken_for_a_change_as_often_as_is_said(
    first: int, second: int, paired: bool
) -> None:
    """In 400 comparisons of random numbers, about one in twenty has p below 0.05."""
    found = compute_probabilities(_draw_rows(400, first, second, paired=paired))
    share = sum(p is not None and p < 0.05 for p in found) / len(found)

    assert 0.02 < share < 0.08


def test_all_ways_of_dealing_are_counted_where_they_are_few() -> None:
    """The probability is the share of permutations at least as far apart, worked by hand here."""
    values = ComparedValues((1.0, 2.0, 4.0), (3.0, 7.0, 7.0, 9.0), paired=False)
    whole = [*values.first, *values.second]
    dealt = [
        fmean(whole[n] for n in range(7) if n not in picked) - fmean(whole[n] for n in picked)
        for picked in combinations(range(7), 3)
    ]
    as_far = sum(each >= dealt[0] - 1e-9 for each in dealt)

    assert [pytest.approx(2 * as_far / len(dealt))] == compute_probabilities([values])
    assert pytest.approx(2 / len(dealt)) == find_least_p(values)


def test_rows_do_not_change_each_others_probability() -> None:
    """A test gives the same p alone and among other rows."""
    rows = _draw_rows(5, 20, 30, paired=False)

    assert compute_probabilities(rows)[3:4] == compute_probabilities(rows[3:4])


@pytest.mark.parametrize(
    "values",
    [
        ComparedValues((), (1.0, 2.0), paired=False),
        ComparedValues((1.0,), (2.0, 3.0), paired=False),
        ComparedValues((2.0, 2.0), (2.0, 2.0), paired=False),
        ComparedValues((1.0, 2.0), (1.0, 2.0), paired=True),
        ComparedValues((1.0,), (2.0,), paired=True),
    ],
)
def test_where_there_is_nothing_to_test_there_is_no_probability(values: ComparedValues) -> None:
    """With too few values, or none that differ, there is no p."""
    assert [None] == compute_probabilities([values])


def test_intervals_of_constants_have_a_width_or_are_left_out() -> None:
    """Equal shares have an interval with a width; an unbounded count has none."""
    values = ComparedValues((0.0, 0.0), (1.0, 1.0), paired=False)

    (found,) = compute_interval_ends([values], [find_metric("goal_reached")])
    (unbounded,) = compute_interval_ends([values], [find_metric("unread_rate")])

    assert found is not None
    assert found[0] < found[1] <= 1.0
    assert unbounded is None
