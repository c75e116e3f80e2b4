"""Tests factors with many levels by permuting levels within each block.

If the levels of a factor had the same effect, a block's values could as well belong to
other levels. The statistic is how far the means of the levels are apart; when only
positions change, it orders outcomes like the F of repeated measures. For two factors,
rows and columns are permuted after the main effects are removed.
"""

from collections.abc import Iterator, Sequence
from math import factorial, prod
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

DRAWS: Final = 9_999
"""Random permutations."""
FEWER_DRAWS: Final = 999
"""Random permutations if blocks times levels are many."""
MANY: Final = 250
"""Blocks above which the limiting chi-square distribution is used instead."""
SEED: Final = 20_172
"""The seed of the random generator."""
_MANY_VALUES: Final = 2_000
_AT_ONCE: Final = 1_000_000
_TIED: Final = 1 - 1e-9


def compute_shuffled_p(sides: Sequence["Matrix"], shape: tuple[int, ...]) -> list[float]:
    """Compute the p-value of each, if levels were assigned randomly; never 0.

    Args:
        sides: A row per block and a column per level, every row adding up to 0; all
            with the same number of rows, at least two, and none with only zeros.
        shape: The number of levels of each factor.
    """
    blocks = len(sides[0])
    found = (
        [_compute_limit_p(each, shape) for each in sides]
        if blocks > MANY
        else _compute_drawn_p(sides, shape)
    )
    return [max(p, find_least_shuffled_p(blocks, shape)) for p in found]


def find_least_shuffled_p(blocks: int, shape: tuple[int, ...]) -> float:
    """Return the smallest p-value that the test can give."""
    ways = float(prod(factorial(min(levels, 20)) for levels in shape))
    drawn = 1 / (_count_draws(blocks, shape) + 1)
    return max(drawn, ways ** (1 - blocks)) if blocks < MANY else drawn


def _count_draws(blocks: int, shape: tuple[int, ...]) -> int:
    return DRAWS if blocks * prod(shape) <= _MANY_VALUES else FEWER_DRAWS


def _compute_limit_p(sides: "Matrix", shape: tuple[int, ...]) -> float:
    import numpy as np
    from scipy import stats  # type: ignore[import-untyped]

    matrix = sides / np.abs(sides).max()
    free = prod(levels - 1 for levels in shape)
    found = free * (matrix.sum(axis=0) ** 2).sum() / (matrix**2).sum()
    return float(stats.chi2.sf(found, free))


def _compute_drawn_p(sides: Sequence["Matrix"], shape: tuple[int, ...]) -> list[float]:
    import numpy as np

    matrices = [each / np.abs(each).max() for each in sides]
    found = [_compute_spread(each[None])[0] * _TIED for each in matrices]
    often = [1] * len(matrices)
    for places in _draw_places(len(matrices[0]), shape):
        for n, each in enumerate(matrices):
            ways = np.take_along_axis(each[None], places, axis=2)
            often[n] += int((_compute_spread(ways) >= found[n]).sum())
    draws = _count_draws(len(matrices[0]), shape)
    return [each / (draws + 1) for each in often]


def _compute_spread(ways: Any) -> Any:
    """Compute how far the means of the levels are apart, for each permutation."""
    return (ways.mean(axis=1) ** 2).sum(axis=1)


def _draw_places(blocks: int, shape: tuple[int, ...]) -> Iterator[Any]:
    """Yield the source index of values by permutation, block and level, in batches."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    draws, levels = _count_draws(blocks, shape), prod(shape)
    step = max(1, _AT_ONCE // (blocks * levels))
    for start in range(0, draws, step):
        ways = min(step, draws - start)
        places = np.zeros((ways, blocks, 1), dtype=np.intp)
        for count in shape:
            order = np.broadcast_to(np.arange(count), (ways, blocks, count))
            mixed = rng.permuted(order, axis=2)
            wider = places[:, :, :, None] * count + mixed[:, :, None, :]
            places = wider.reshape(ways, blocks, -1)
        yield places
