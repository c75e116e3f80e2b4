"""Permutation tests, for many rows together: of pairs, of two groups, and of levels.

If two conditions had the same effect, each block's difference could as well have the
other sign, and values without pairs could as well belong to the other group. SciPy
flips the signs or deals the values, in all ways if there are few.

If the levels of a factor had the same effect, a block's values could as well belong to
other levels. The statistic is how far the means of the levels are apart; when only
positions change, it orders outcomes like the F of repeated measures. For two factors,
rows and columns are permuted after the main effects are removed.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import comb, factorial, prod
from typing import TYPE_CHECKING, Any, Final

from saniwa.experiment.metrics import ALPHA

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

EXACT_BLOCKS: Final = 15
"""Blocks up to which all 2ⁿ sign patterns are tried."""
DRAWS: Final = 99_999
"""Random patterns above that, if neither rows nor blocks are very many."""
FEWER_DRAWS: Final = 9_999
"""Random patterns otherwise."""
SEED: Final = 20_171
"""The seed of the random generator."""
_FEW_ROWS: Final = 1_000
_FEW_BLOCKS: Final = 250
_ROWS: Final = 100
_MANY_UNPAIRED: Final = 500
_DECIMALS: Final = 9
_AT_ONCE: Final = 2_000_000
_FINEST: Final = 1e9
# Fractions of small numbers seldom end here, so that ties are not split by rounding.
_BORDER: Final = 0.382


def compute_paired_p(rows: Sequence[Sequence[float]]) -> list[float | None]:
    """Compute the two-sided p-value of each row of differences, if signs were random.

    None if there is nothing to test: fewer than two differences, or all of them 0.
    """
    found: list[float | None] = [None] * len(rows)
    for places in _group_alike_rows(rows):
        widest = max(len(rows[place]) for place in places)
        for start in range(0, len(places), _ROWS):
            part = places[start : start + _ROWS]
            tested = _test_rows(_pad_rows([rows[n] for n in part], widest), len(places))
            for place, p in zip(part, tested, strict=True):
                found[place] = max(p, find_least_paired_p(len(rows[place]), len(places)))
    return found


def find_least_paired_p(blocks: int, rows: int) -> float:
    """Return the smallest p-value that the test can give."""
    of_all = min(1.0, 2.0 ** (1 - blocks))
    return of_all if blocks <= EXACT_BLOCKS else max(of_all, 2 / (_count_draws(blocks, rows) + 1))


def has_enough_blocks(blocks: int) -> bool:
    """Return whether so many blocks could show a difference if all agreed."""
    return blocks > 1 and find_least_paired_p(blocks, 1) < ALPHA


def _group_alike_rows(rows: Sequence[Sequence[float]]) -> Iterator[list[int]]:
    """Group rows that can share sign patterns: those of one length, and all long ones.

    Long rows are padded with differences of 0, whose sign does not matter.
    """
    groups = defaultdict[int, list[int]](list)
    for place, row in enumerate(rows):
        if len(row) > 1 and any(row):
            groups[min(len(row), EXACT_BLOCKS + 1)].append(place)
    yield from groups.values()


def _pad_rows(rows: Sequence[Sequence[float]], length: int) -> "Matrix":
    import numpy as np

    matrix = np.zeros((len(rows), length))
    for place, row in enumerate(rows):
        matrix[place, : len(row)] = row
    return np.asarray(matrix / np.abs(matrix).max(axis=1)[:, None])


def _count_draws(blocks: int, rows: int) -> int:
    few = rows <= _FEW_ROWS and blocks <= _FEW_BLOCKS
    return DRAWS if few else FEWER_DRAWS


def _test_rows(matrix: "Matrix", rows: int) -> list[float]:
    import numpy as np

    blocks = matrix.shape[1]

    def means(signs: Any, axis: int = -1) -> Any:
        del axis
        return np.floor(signs @ matrix.T / blocks * _FINEST + _BORDER)

    draws = 2**blocks if blocks <= EXACT_BLOCKS else _count_draws(blocks, rows)
    return _run_test((np.ones(blocks),), means, "samples", draws, SEED)


def _run_test(samples: Any, statistic: Any, kind: str, draws: int, seed: int) -> list[float]:
    """Run SciPy's permutation test for all rows of a statistic."""
    import numpy as np
    from scipy import stats

    tested = stats.permutation_test(
        samples,
        statistic,
        permutation_type=kind,
        vectorized=True,
        n_resamples=draws,
        batch=max(1, _AT_ONCE // sum(map(len, samples))),
        axis=-1,
        rng=np.random.default_rng(seed),
    )
    return [float(p) for p in tested.pvalue]


def compute_unpaired_p(rows: Sequence[Sequence[float]], first: int) -> list[float]:
    """Compute the two-sided p-value of each row, if its values were dealt anew.

    All rows are tested with the same permutations.

    Args:
        rows: Rows of one length, none of them constant: the values of both sides.
        first: How many values of a row are of the first side.
    """
    import numpy as np

    matrix = np.asarray(rows, dtype=float)
    matrix = matrix - matrix.min(axis=1)[:, None]
    matrix = matrix / matrix.max(axis=1)[:, None]
    values, total = matrix.shape[1], matrix.sum(axis=1)

    def differences(one: Any, other: Any, axis: int = -1) -> Any:
        del other, axis
        lines = np.zeros((max(one.size // first, 1), values))
        np.put_along_axis(lines, one.reshape(-1, first).astype(int), 1.0, axis=1)
        sums = lines @ matrix.T
        apart = (total - sums) / (values - first) - sums / first
        return np.round(apart, _DECIMALS).reshape(*one.shape[:-1], len(matrix))

    both = np.arange(first), np.arange(first, values)
    return _run_test(both, differences, "independent", _count_unpaired_draws(values), LEVEL_SEED)


def find_least_unpaired_p(first: int, second: int) -> float:
    """Return the smallest p-value that the test of so many values can give."""
    return 2 / min(comb(first + second, first), _count_unpaired_draws(first + second) + 1)


def _count_unpaired_draws(values: int) -> int:
    return DRAWS if values <= _MANY_UNPAIRED else FEWER_DRAWS


LEVEL_DRAWS: Final = 9_999
"""Random permutations."""
FEWER_LEVEL_DRAWS: Final = 999
"""Random permutations if blocks times levels are many."""
MANY_BLOCKS: Final = 250
"""Blocks above which the limiting chi-square distribution is used instead."""
LEVEL_SEED: Final = 20_172
"""The seed of the random generator."""
_MANY_VALUES: Final = 2_000
_VALUES_AT_ONCE: Final = 1_000_000
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
        if blocks > MANY_BLOCKS
        else _compute_drawn_p(sides, shape)
    )
    return [max(p, find_least_shuffled_p(blocks, shape)) for p in found]


def find_least_shuffled_p(blocks: int, shape: tuple[int, ...]) -> float:
    """Return the smallest p-value that the test can give."""
    ways = float(prod(factorial(min(levels, 20)) for levels in shape))
    drawn = 1 / (_count_level_draws(blocks, shape) + 1)
    return max(drawn, ways ** (1 - blocks)) if blocks < MANY_BLOCKS else drawn


def _count_level_draws(blocks: int, shape: tuple[int, ...]) -> int:
    return LEVEL_DRAWS if blocks * prod(shape) <= _MANY_VALUES else FEWER_LEVEL_DRAWS


def _compute_limit_p(sides: "Matrix", shape: tuple[int, ...]) -> float:
    import numpy as np
    from scipy import stats

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
    draws = _count_level_draws(len(matrices[0]), shape)
    return [each / (draws + 1) for each in often]


def _compute_spread(ways: Any) -> Any:
    """Compute how far the means of the levels are apart, for each permutation."""
    return (ways.mean(axis=1) ** 2).sum(axis=1)


def _draw_places(blocks: int, shape: tuple[int, ...]) -> Iterator[Any]:
    """Yield the source index of values by permutation, block and level, in batches."""
    import numpy as np

    rng = np.random.default_rng(LEVEL_SEED)
    draws, levels = _count_level_draws(blocks, shape), prod(shape)
    step = max(1, _VALUES_AT_ONCE // (blocks * levels))
    for start in range(0, draws, step):
        ways = min(step, draws - start)
        places = np.zeros((ways, blocks, 1), dtype=np.intp)
        for count in shape:
            order = np.broadcast_to(np.arange(count), (ways, blocks, count))
            mixed = rng.permuted(order, axis=2)
            wider = places[:, :, :, None] * count + mixed[:, :, None, :]
            places = wider.reshape(ways, blocks, -1)
        yield places
