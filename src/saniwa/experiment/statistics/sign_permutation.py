"""Paired tests by flipping signs, for many rows together.

If two conditions had the same effect, each block's difference could as well have the
other sign. SciPy flips the signs, in all ways if there are few blocks; all rows are
tested with the same flips.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

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
ALPHA: Final = 0.05
"""The significance level."""
SEED: Final = 20_171
"""The seed of the random generator."""
_FEW_ROWS: Final = 1_000
_FEW_BLOCKS: Final = 250
_ROWS: Final = 100
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
    from scipy import stats  # type: ignore[import-untyped]

    blocks = matrix.shape[1]

    def means(signs: Any, axis: int = -1) -> Any:
        del axis
        return np.floor(signs @ matrix.T / blocks * _FINEST + _BORDER)

    tested = stats.permutation_test(
        (np.ones(blocks),),
        means,
        permutation_type="samples",
        vectorized=True,
        n_resamples=2**blocks if blocks <= EXACT_BLOCKS else _count_draws(blocks, rows),
        batch=max(1, _AT_ONCE // blocks),
        axis=-1,
        rng=np.random.default_rng(SEED),
    )
    return [float(p) for p in tested.pvalue]
