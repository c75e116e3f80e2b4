"""Linear models with the blocks taken out.

Blocks are a factor of their own. With thousands of them a column for each would take
minutes, so they are taken out beforehand: every block's mean is subtracted from values
and design alike, which leaves the very same sums of squares and coefficients.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from saniwa.experiment.measure.inference.table import Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

NOTHING: Final = 1e-12
"""What is not more than this, beside the values it comes from, is rounding."""
_DEPENDENT: Final = 1e-9


class Fit(NamedTuple):
    """A model without the blocks."""

    rank: int
    """Its columns that count."""
    squares: float
    """What it leaves unexplained."""
    result: Any
    """What statsmodels says; None for a model of nothing."""


class Problem(NamedTuple):
    """The values of one metric with the design, blocks taken out, rows made few."""

    design: "Matrix"
    """The columns of all terms."""
    values: "Matrix"
    """What is to be explained, between -1 and 1 before the rows were made few."""
    scale: float
    """What the values were divided by; 0 where they do not vary within blocks."""
    free: int
    """Cells less blocks: what is left for effects and chance."""


def problems_of(table: Table, lines: "Matrix") -> dict[str, Problem]:
    """The metrics that have values. Those with values in the same cells share the work."""
    alike = defaultdict[tuple[tuple[int, int], ...], list[str]](list)
    for metric, rows in table.rows.items():
        cells = tuple(
            (block, place)
            for place, condition in enumerate(table.conditions)
            for block in rows[condition.name]
        )
        if cells:
            alike[cells].append(metric)
    return {
        metric: problem
        for cells, metrics in alike.items()
        for metric, problem in _shared(table, lines, cells, metrics)
    }


def _shared(
    table: Table,
    lines: "Matrix",
    cells: Sequence[tuple[int, int]],
    metrics: Sequence[str],
) -> list[tuple[str, Problem]]:
    import numpy as np

    names = [condition.name for condition in table.conditions]
    values = np.array(
        [
            [table.rows[m][names[place]][block] for m in metrics]
            for block, place in cells
        ]
    )
    blocks, places = np.array(cells).T
    whole = _within(np.hstack([lines[places], values]), blocks)
    scales = np.abs(whole[:, lines.shape[1] :]).max(axis=0)
    scales[scales <= NOTHING * np.abs(values).max(axis=0)] = 0.0
    whole[:, lines.shape[1] :] /= np.where(scales > 0, scales, np.inf)
    # A turned matrix has the same squares and the same fit, in as many rows as columns.
    few: Matrix = np.asarray(np.linalg.qr(whole, mode="r"))
    design, made = few[:, : lines.shape[1]], few[:, lines.shape[1] :]
    free = len(cells) - len(set(blocks.tolist()))
    return [
        (metric, Problem(design, made[:, n], float(scales[n]), free))
        for n, metric in enumerate(metrics)
    ]


def _within(whole: "Matrix", blocks: Any) -> "Matrix":
    """Every column less its mean in each block."""
    import numpy as np

    sums = np.zeros((int(blocks.max()) + 1, whole.shape[1]))
    np.add.at(sums, blocks, whole)
    often = np.bincount(blocks, minlength=len(sums))
    return np.asarray(whole - (sums / np.maximum(often, 1)[:, None])[blocks])


def fit(
    problem: Problem, columns: Sequence[int], fits: dict[tuple[int, ...], Fit]
) -> Fit:
    """The model of these columns, fitted once; its last column is last if it counts."""
    import statsmodels.api as sm  # type: ignore[import-untyped]

    key = tuple(columns)
    if key not in fits:
        chosen = _independent(problem.design[:, list(columns)])
        if chosen.shape[1]:
            result = sm.OLS(problem.values, chosen, hasconst=False).fit()
            fits[key] = Fit(chosen.shape[1], float(result.ssr), result)
        else:
            fits[key] = Fit(0, float(problem.values @ problem.values), None)
    return fits[key]


def _independent(whole: "Matrix") -> "Matrix":
    """The columns that are no mixture of those before them."""
    import numpy as np

    basis = np.empty((len(whole), 0))
    kept = []
    for place, column in enumerate(whole.T):
        left = column - basis @ (basis.T @ column)
        left -= basis @ (basis.T @ left)
        length = float(np.linalg.norm(left))
        if length > _DEPENDENT * max(float(np.linalg.norm(column)), 1.0):
            basis = np.column_stack([basis, left / length])
            kept.append(place)
    return np.asarray(whole[:, kept])
