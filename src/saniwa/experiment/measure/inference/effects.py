"""Main effects and interactions: one value for each block, tested within blocks."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Final, NamedTuple

from saniwa.experiment.measure.digits import probable, tidy
from saniwa.experiment.measure.inference.bootstrap import (
    Interval,
    intervals,
    widened,
)
from saniwa.experiment.measure.inference.comparisons import (
    UNTESTED,
    tested_note,
    unable_note,
)
from saniwa.experiment.measure.inference.contrasts import (
    Term,
    contrasts,
    side_by_side,
    terms_of,
)
from saniwa.experiment.measure.inference.factors import Factor
from saniwa.experiment.measure.inference.permutation import paired_p
from saniwa.experiment.measure.inference.shuffling import shuffled_p
from saniwa.experiment.measure.inference.table import Table
from saniwa.experiment.measure.metrics import bounds_of
from saniwa.experiment.measure.model import HEADLINE, Effect

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float64]

TOO_MANY: Final = "too many levels to be analysed"
UNCOUNTED: Final = "nothing to count"
CONFOUNDED: Final = "no two conditions differ in it alone"
BY_DEFINITION: Final = "without a game master it is 0 by definition"
INCOMPLETE: Final = "no block has every cell it needs"
_NOTHING: Final = 1e-12


class _Found(NamedTuple):
    """A term's values for a metric; a note where there are none."""

    metric: str
    term: Term
    sides: "Matrix | None"
    note: str

    @property
    def blocks(self) -> int:
        """Blocks that have every cell."""
        return 0 if self.sides is None else len(self.sides)

    def least(self, rows: int) -> float:
        """The smallest probability its test can come to, made with so many others."""
        return self.term.least(self.blocks, rows)

    @property
    def row(self) -> list[float]:
        """For two levels: the change of each block."""
        if self.sides is None or not self.term.two_level:
            return []
        return contrasts(self.sides, self.term)


def effects_of(
    table: Table, factors: Sequence[Factor]
) -> tuple[list[Effect], list[Interval | None]]:
    """Each factor and each pair of factors, for every metric; not yet corrected."""
    terms = terms_of(table.conditions, factors)
    found = [_find(table, metric, term) for metric in table.rows for term in terms]
    rows = [each.row for each in found]
    bounds = [widened(bounds_of(each.metric), len(each.term.factors)) for each in found]
    made, turned = intervals(rows, bounds), paired_p(rows)
    shuffled = _shuffled(found)
    told = [
        _told(each, row, interval, shuffled.get(n, p), len(rows))
        for n, (each, row, interval, p) in enumerate(
            zip(found, rows, made, turned, strict=True)
        )
    ]
    return told, made


def _find(table: Table, metric: str, term: Term) -> _Found:
    if not term.fits:
        return _Found(metric, term, None, TOO_MANY)
    if not any(table.rows[metric].values()):
        return _Found(metric, term, None, UNCOUNTED)
    if not term.groups:
        return _Found(metric, term, None, CONFOUNDED)
    sides = side_by_side(table, metric, term)
    if sides is None:
        return _Found(metric, term, None, BY_DEFINITION)
    note = "" if len(sides) else INCOMPLETE
    return _Found(metric, term, sides if len(sides) else None, note)


def _shuffled(found: Sequence[_Found]) -> dict[int, float]:
    """The probabilities of terms with many levels, by place; alike ones share the work."""
    alike: dict[tuple[tuple[int, ...], int], list[tuple[int, Matrix]]] = defaultdict(
        list
    )
    for place, each in enumerate(found):
        sides = each.sides
        if not each.term.two_level and sides is not None and _testable(sides):
            alike[each.term.shape, len(sides)].append((place, sides))
    return {
        place: p
        for (shape, _), some in alike.items()
        for (place, _), p in zip(
            some, shuffled_p([sides for _, sides in some], shape), strict=True
        )
    }


def _testable(sides: "Matrix") -> bool:
    return len(sides) > 1 and bool(sides.any())


def _told(
    found: _Found,
    row: Sequence[float],
    interval: Interval | None,
    p: float | None,
    rows: int,
) -> Effect:
    f, eta_squared = _described(found)
    return Effect(
        metric=found.metric,
        factors=found.term.factors,
        estimate=tidy(fmean(row)) if row else None,
        low=tidy(interval.low) if interval else None,
        high=tidy(interval.high) if interval else None,
        f=tidy(f),
        p=probable(p),
        p_corrected=None,
        eta_squared=tidy(eta_squared),
        blocks=found.blocks,
        least_p=None if p is None else tidy(found.least(rows)),
        family="answer" if found.metric == HEADLINE[0] else "effects",
        note=found.note or _note(found, row),
    )


def _note(found: _Found, row: Sequence[float]) -> str:
    if found.sides is None or row:
        return tested_note(row)
    if not found.sides.any():
        return UNTESTED
    return unable_note(found.blocks, found.least(1))


def _described(found: _Found) -> tuple[float | None, float | None]:
    """F with the changes from block to block as its error, and partial eta squared."""
    import numpy as np

    if found.sides is None or not _testable(found.sides):
        return None, None
    scaled = found.sides / np.abs(found.sides).max()
    blocks = len(scaled)
    explained = float((scaled.mean(axis=0) ** 2).sum() * blocks)
    whole = float((scaled**2).sum())
    left = max(whole - explained, 0.0)
    f = explained * (blocks - 1) / left if left > _NOTHING * whole else None
    return f, explained / whole
