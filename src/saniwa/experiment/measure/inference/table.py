"""The values that are analysed: for each metric and condition, one for each block.

Blocks of one scenario with the very same answers in every condition are one observation
made more than once: of those, only the first has a place.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from saniwa.experiment.measure.metrics import METRICS, value
from saniwa.experiment.measure.model import Metric, Numbers
from saniwa.experiment.plan import Condition, Plan

LARGEST: Final = 1e15
"""What is larger is no measurement, and its squares could not be added up."""
Row = dict[int, float]
"""A condition's values by the number of the block; only where there is one."""


class Table(NamedTuple):
    """Everything that was measured, in an order that is the plan's and not the cells'."""

    conditions: tuple[Condition, ...]
    """The conditions."""
    scenarios: tuple[str, ...]
    """The scenario of each block."""
    folded: int
    """Blocks left out, because their answers are another's."""
    rows: dict[str, dict[str, Row]]
    """By metric, then by condition; not where a metric is 0 by definition."""

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return len(self.scenarios)


def table_of(plan: Plan, numbers: Iterable[Numbers]) -> Table:
    """The values of the cells; in whatever order they come, the table is the same."""
    known = {condition.name for condition in plan.conditions}
    played = _blocks(each for each in numbers if each.condition in known)
    blocks = _unfolded(played)
    rows = {metric.name: _rows(plan, metric, blocks) for metric in METRICS}
    scenarios = tuple(cells[0].scenario for cells in blocks)
    return Table(plan.conditions, scenarios, len(played) - len(blocks), rows)


def _blocks(cells: Iterable[Numbers]) -> list[tuple[Numbers, ...]]:
    ordered = sorted(cells, key=lambda c: (c.scenario, c.seed, c.condition))
    grouped = groupby(ordered, key=lambda c: (c.scenario, c.seed))
    return [tuple(block) for _, block in grouped]


def _unfolded(blocks: Sequence[tuple[Numbers, ...]]) -> list[tuple[Numbers, ...]]:
    """The blocks without those whose answers were given before."""
    seen, kept = set[object](), []
    for cells in blocks:
        said = cells[0].scenario, *((c.condition, c.answers) for c in cells)
        if said not in seen or not any(cell.answers for cell in cells):
            seen.add(said)
            kept.append(cells)
    return kept


def _rows(
    plan: Plan, metric: Metric, blocks: Sequence[tuple[Numbers, ...]]
) -> dict[str, Row]:
    rows: dict[str, Row] = {
        c.name: {} for c in plan.conditions if c.gm or not metric.guided
    }
    for place, cells in enumerate(blocks):
        for cell in cells:
            found = value(metric.name, cell) if cell.condition in rows else None
            if found is not None and abs(found) <= LARGEST:
                rows[cell.condition][place] = found
    return rows
