"""The values that are analysed: for each metric and condition, one for each block.

What is tested has no place for copies: of a scenario in which all blocks have the very
same answers there is one block, and none where another scenario has those answers.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from saniwa.experiment.measure.inference.copies import without_copies
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
    """Blocks left out, because they are copies."""
    rows: dict[str, dict[str, Row]]
    """By metric, then by condition; not where a metric is 0 by definition."""

    @property
    def blocks(self) -> int:
        """How many blocks there are."""
        return len(self.scenarios)


class Tables(NamedTuple):
    """What was measured, with copies and without."""

    whole: Table
    """Every block: what means are over."""
    tested: Table
    """Blocks without copies: what is evidence."""


def tables_of(plan: Plan, numbers: Iterable[Numbers]) -> Tables:
    """Both tables; they are one where nothing is a copy."""
    known = {condition.name for condition in plan.conditions}
    played = _blocks(each for each in numbers if each.condition in known)
    whole = _table(plan, played, 0)
    kept = without_copies([{c.condition: c for c in cells} for cells in played])
    folded = len(played) - len(kept)
    if not folded:
        return Tables(whole, whole)
    return Tables(whole, _table(plan, [played[place] for place in kept], folded))


def _table(plan: Plan, blocks: Sequence[tuple[Numbers, ...]], folded: int) -> Table:
    rows = {metric.name: _rows(plan, metric, blocks) for metric in METRICS}
    scenarios = tuple(cells[0].scenario for cells in blocks)
    return Table(plan.conditions, scenarios, folded, rows)


def _blocks(cells: Iterable[Numbers]) -> list[tuple[Numbers, ...]]:
    ordered = sorted(cells, key=lambda c: (c.scenario, c.seed, c.condition))
    grouped = groupby(ordered, key=lambda c: (c.scenario, c.seed))
    return [tuple(block) for _, block in grouped]


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
