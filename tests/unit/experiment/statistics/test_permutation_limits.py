from collections.abc import Sequence
from itertools import permutations, product
from math import fsum

import pytest

from saniwa.experiment.statistics.permutation import (
    MANY_BLOCKS,
    _compute_drawn_p,
    _compute_limit_p,
    compute_shuffled_p,
    find_least_shuffled_p,
)

LINES = [[-2.0, 0.0, 2.0], [-3.0, 2.0, 1.0], [1.0, -4.0, 3.0], [-1.0, -1.0, 2.0]]


def compute_by_hand(lines: list[list[float]]) -> float:
    """Compute p by trying every permutation."""

    def sum_squares(ways: Sequence[Sequence[float]]) -> float:
        return fsum(sum(c) ** 2 for c in zip(*ways, strict=True))

    found = sum_squares(tuple(map(tuple, lines)))
    ways = [sum_squares(way) for way in product(*(permutations(line) for line in lines))]
    return sum(way >= found - 1e-9 for way in ways) / len(ways)


def test_drawn_ways_come_close_to_all_ways() -> None:
    """Four blocks of three levels have 1,296 permutations, and a sample finds their share."""
    import numpy as np

    (found,) = compute_shuffled_p([np.array(LINES)], (3,))

    assert compute_by_hand(LINES) == pytest.approx(found, abs=0.015)


def test_two_levels_are_turned_signs() -> None:
    """Swapping two levels is the same as flipping the sign of their difference."""
    import numpy as np

    from saniwa.experiment.statistics.permutation import compute_paired_p

    row = [3.0, -1.0, 2.0, 4.0, -2.0, 1.0]
    (found,) = compute_shuffled_p([np.array([[-x, x] for x in row])], (2,))

    assert compute_paired_p([row])[0] == pytest.approx(found, abs=0.015)


def test_others_make_no_difference() -> None:
    """The result is the same alone, among other rows, and when repeated."""
    import numpy as np

    whole = np.array(LINES)

    assert compute_shuffled_p([whole], (3,)) == compute_shuffled_p([-whole, whole], (3,))[1:]


def test_no_probability_is_nought() -> None:
    """If no sampled permutation is as extreme, the observed one still counts."""
    import numpy as np

    for blocks in (40, MANY_BLOCKS + 50):
        lines = np.array([[-1.0, 0.0, 1.0]] * blocks)
        assert [find_least_shuffled_p(blocks, (3,))] == compute_shuffled_p([lines], (3,))
        assert find_least_shuffled_p(blocks, (3,)) >= 1e-4


def test_what_was_found_is_one_of_the_ways() -> None:
    """If every permutation is at least as far apart, p is exactly 1."""
    import numpy as np

    lines = np.array([[-1.0, 0.0, 1.0], [1.0, 0.0, -1.0]])

    assert [1.0] == compute_shuffled_p([lines], (3,))


def test_few_blocks_can_show_little() -> None:
    """Two blocks of three levels agree in one of six permutations."""
    assert 1 / 6 == pytest.approx(find_least_shuffled_p(2, (3,)))


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(4,), (3, 2)])
def test_the_limit_is_that_of_the_ways(shape: tuple[int, ...]) -> None:
    """With many blocks the chi-square limit and the sampled permutations agree."""
    import numpy as np

    rng = np.random.default_rng(5)
    whole = rng.normal(0, 1, (MANY_BLOCKS, *shape))
    for axis in range(1, whole.ndim):
        whole = whole - whole.mean(axis=axis, keepdims=True)
    sides = whole.reshape(MANY_BLOCKS, -1)

    assert _compute_limit_p(sides, shape) == pytest.approx(
        _compute_drawn_p([sides], shape)[0], abs=0.03
    )


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(3,), (3, 2)])
def test_where_nothing_differs_little_is_found(shape: tuple[int, ...]) -> None:
    """In 400 experiments without an effect, about 5 % have p below 0.05."""
    import numpy as np

    rng = np.random.default_rng(6)
    sides = []
    for _ in range(400):
        whole = rng.binomial(10, 0.4, (8, *shape)) / 10
        for axis in range(1, whole.ndim):
            whole = whole - whole.mean(axis=axis, keepdims=True)
        sides.append(whole.reshape(8, -1))

    found = compute_shuffled_p(sides, shape)

    assert 0.02 <= sum(p <= 0.05 for p in found) / len(found) <= 0.08
