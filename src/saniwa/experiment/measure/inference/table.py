"""The values that are analysed: for each metric and condition, one for each block."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from saniwa.experiment.measure.metrics import METRICS, value
from saniwa.experiment.measure.model import Numbers
from saniwa.experiment.plan import Condition, Plan

LARGEST: Final = 1e15
"""What is larger is no measurement, and its squares could not be added up."""
Row = dict[int, float]
"""A condition's values by the number of the block; only where there is one."""


class Table(NamedTuple):
    """Everything that was measured, in an order that is the plan's and not the cells'."""

    conditions: tuple[Condition, ...]
    """The conditions."""
    blocks: int
    """How many blocks there are."""
    rows: dict[str, dict[str, Row]]
    """By metric, then by condition."""


def table_of(plan: Plan, numbers: Iterable[Numbers]) -> Table:
    """The values of the cells; in whatever order they come, the table is the same."""
    known = {condition.name for condition in plan.conditions}
    cells = [each for each in numbers if each.condition in known]
    places = {
        block: place
        for place, block in enumerate(sorted({(c.scenario, c.seed) for c in cells}))
    }
    cells.sort(key=lambda c: (c.scenario, c.seed, c.condition))
    rows: dict[str, dict[str, Row]] = {
        metric.name: {condition.name: {} for condition in plan.conditions}
        for metric in METRICS
    }
    for cell in cells:
        place = places[cell.scenario, cell.seed]
        for name, of_metric in rows.items():
            found = value(name, cell)
            if found is not None and abs(found) <= LARGEST:
                of_metric[cell.condition][place] = found
    return Table(plan.conditions, len(places), rows)
