from collections import Counter
from itertools import accumulate, repeat

import pytest

from saniwa.core.random import derive_state, draw_between, draw_number, draw_permutation


def _to_signed(number: int) -> int:
    return (number + 2**31) % 2**32 - 2**31


def _draw_published(seed: int, count: int) -> list[int]:
    """Mulberry32 as published, in signed 32-bit arithmetic."""
    drawn, a = [], seed
    for _ in range(count):
        a = _to_signed(a + 0x6D2B79F5)
        t = _to_signed((a ^ (a % 2**32 >> 15)) * (1 | a))
        t = _to_signed(t + _to_signed((t ^ (t % 2**32 >> 7)) * (61 | t))) ^ t
        drawn.append((t ^ (t % 2**32 >> 14)) % 2**32)
    return drawn


def _draw_ours(seed: int, count: int) -> list[int]:
    states = accumulate(repeat(None, count), lambda s, _: draw_number(s)[0], initial=seed)
    return [draw_number(state)[1] for state in states][:count]


@pytest.mark.parametrize("seed", [0, 1, 42, 2**31, 2**32 - 1])
def test_the_generator_is_mulberry32(seed: int) -> None:
    """Every draw is that of the published generator for the same seed."""
    assert _draw_published(seed, 200) == _draw_ours(seed, 200)


def test_every_number_of_a_range_comes_up() -> None:
    """All numbers of a range are drawn, none outside it, each about equally often."""
    state, counts = 1, Counter[int]()
    for _ in range(6_000):
        state, face = draw_between(state, 1, 6)
        counts[face] += 1

    assert set(range(1, 7)) == set(counts)
    assert all(880 < each < 1_120 for each in counts.values())


def test_a_wide_range_takes_two_draws() -> None:
    """A range over 2**32 is drawn in full, and never exceeded."""
    state, numbers = 5, []
    for _ in range(200):
        state, number = draw_between(state, -(2**53), 2**53)
        numbers.append(number)

    assert all(-(2**53) <= n <= 2**53 for n in numbers)
    assert max(numbers) > 2**52
    assert min(numbers) < -(2**52)


def test_a_range_of_one_is_that_number() -> None:
    """A range with one number gives it."""
    assert 4 == draw_between(9, 4, 4)[1]


def test_an_empty_range_is_refused() -> None:
    """A range whose end is before its start is refused."""
    with pytest.raises(ValueError, match="between 3 and 2"):
        draw_between(0, 3, 2)


def test_a_permutation_has_every_number_once() -> None:
    """A permutation orders all numbers, and seeds give all orders."""
    orders = {draw_permutation(derive_state(0, str(n)), 3) for n in range(200)}

    assert all([0, 1, 2] == sorted(order) for order in orders)
    assert 6 == len(orders)
    assert () == draw_permutation(1, 0)


def test_a_key_has_a_state_of_its_own() -> None:
    """The same seed and key give the same state; another seed or key gives another."""
    assert derive_state(1, "a/0") == derive_state(1, "a/0")
    assert 4 == len({derive_state(s, k) for s in (1, 2) for k in ("場/0", "場/1")})
