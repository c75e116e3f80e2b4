from itertools import product

import pytest

from saniwa.experiment.metrics import subtract_rounded
from saniwa.experiment.statistics.permutation import (
    EXACT_BLOCKS,
    compute_paired_p,
    find_least_paired_p,
)

DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
"""Heights of crossed less self-fertilised maize, in eighths of an inch (Fisher, 1935)."""


def compute_by_hand(row: list[int]) -> float:
    """Compute p by trying every combination of signs."""
    found = abs(sum(row))
    ways = [
        abs(sum(s * x for s, x in zip(signs, row, strict=True)))
        for signs in product((1, -1), repeat=len(row))
    ]
    return sum(way >= found for way in ways) / len(ways)


def test_fishers_own_example_gives_his_probability() -> None:
    """Of the 32,768 sign combinations of Darwin's maize, 1,726 are at least as extreme."""
    assert [1726 / 32768] == compute_paired_p([DARWIN])


@pytest.mark.parametrize(
    "row", [[1, 2, 3], [1, -1], [0, 0, 5, 5], [3, -1, 4, -1, -5, 9, 2, -6], [2] * 6]
)
def test_few_blocks_are_tested_exactly(row: list[int]) -> None:
    """Up to a limit, p is computed over all sign combinations."""
    assert [compute_by_hand(row)] == pytest.approx(compute_paired_p([row]))


def test_ties_are_ties_whatever_the_last_bit() -> None:
    """Tenths are not exact in binary, but ties among them are still ties."""
    rows = [[3, -1, 2, 2, -1, 1, 3], [1, 2, -3], [3, -1, -2, 7, -7]]

    assert compute_paired_p(rows) == compute_paired_p([[x / 10 for x in row] for row in rows])


@pytest.mark.parametrize("turns", [6, 7, 10, 12, 15, 20])
def test_shares_of_turns_are_tested_as_whole_numbers(turns: int) -> None:
    """Differences of shares give the same p as the differences of counts."""
    counts = [[n * (n + k) % 7 - 3 for n in range(k, k + 10)] for k in range(1, 12)]
    shares = [[subtract_rounded(5 / turns, (5 + x) / turns) for x in row] for row in counts]

    assert compute_paired_p([[float(x) for x in row] for row in counts]) == compute_paired_p(shares)


@pytest.mark.parametrize("row", [[], [1.0], [0.0, 0.0, 0.0]])
def test_nothing_to_test_has_no_probability(row: list[float]) -> None:
    """One difference, or differences that are all zero, have no p."""
    assert [None] == compute_paired_p([row])


def test_many_blocks_are_tested_by_ways_drawn() -> None:
    """With more blocks, a sample of signs gives nearly the exact p and is repeatable."""
    row = [*DARWIN, 0, 0]

    found = compute_paired_p([row])

    assert 1726 / 32768 == pytest.approx(found[0], abs=0.003)
    assert found == compute_paired_p([row])


def test_a_long_row_is_tested_the_same_among_longer_ones() -> None:
    """Extra blocks in another row change a row's p only within sampling error."""
    row = [*DARWIN, 5]
    alone, among = compute_paired_p([row])[0], compute_paired_p([row, [1.0] * 40])[0]

    assert alone is not None
    assert alone == pytest.approx(among, abs=0.003)


def test_the_smallest_probability_is_known_beforehand() -> None:
    """Five blocks cannot give p below 1/16; a sample of signs has its own minimum."""
    found = [
        find_least_paired_p(5, 1),
        find_least_paired_p(1, 1),
        find_least_paired_p(EXACT_BLOCKS + 1, 1),
        find_least_paired_p(5_000, 1),
    ]

    assert [0.0625, 1.0, 2 / 2**16, 2e-04] == pytest.approx(found)
    assert [find_least_paired_p(5, 1)] == compute_paired_p([[1, 2, 3, 4, 5]])


@pytest.mark.parametrize("longer", [30, 35, 36])
def test_no_probability_is_below_the_smallest(longer: int) -> None:
    """With sampled signs, p is never below the minimum given beforehand."""
    found = compute_paired_p([[1.0] * (EXACT_BLOCKS + 1), [1.0] * longer])

    assert [find_least_paired_p(EXACT_BLOCKS + 1, 2), find_least_paired_p(longer, 2)] == found


@pytest.mark.slow
def test_where_nothing_differs_little_is_found() -> None:
    """In 2,000 experiments without an effect, about 5 % have p below 0.05."""
    import numpy as np

    rows = np.random.default_rng(4).normal(0, 1, (2_000, 12)).round(1).tolist()

    found = [p for p in compute_paired_p(rows) if p is not None]

    assert 0.04 <= sum(p <= 0.05 for p in found) / len(found) <= 0.06
