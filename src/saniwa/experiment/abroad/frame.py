"""An experiment as two tables with fixed columns: one row a turn, and one a cell.

The columns of turns are those of `examples_index.csv`, with whole texts in place of
shortened ones and without the paths. Rows come one by one and are never held together.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, get_args

import msgspec

from saniwa.experiment.measure.count import numbers_of
from saniwa.experiment.measure.metrics import METRICS, value
from saniwa.experiment.measure.model import Numbers
from saniwa.experiment.outcome import Outcome
from saniwa.experiment.plan import Condition, FactorName, Prepared
from saniwa.experiment.publish.columns import COLUMNS, Kind, Row

Value = str | int | float | bool | None
"""What stands in one place; None where there is nothing to say."""


class Column(NamedTuple):
    """One column."""

    name: str
    """Its name; it never changes its meaning."""
    kind: Kind
    """What it holds."""


class Table(NamedTuple):
    """Rows under columns."""

    columns: tuple[Column, ...]
    """The columns, in order."""
    rows: Iterator[tuple[Value, ...]]
    """The rows; they can be read once."""


TURN_COLUMNS: Final = tuple(
    Column(name, column.kind)
    for name, column in COLUMNS.items()
    if not name.endswith("_path")
)
"""The columns of the table of turns."""

_LEVELS: Final[tuple[str, ...]] = get_args(FactorName)
_COUNTS: Final = tuple(
    each.name
    for each in msgspec.structs.fields(Numbers)
    if each.type is int and each.name != "seed"
)
CELL_COLUMNS: Final = (
    *(Column(name, "text") for name in ("experiment_id", "session_id", "condition")),
    *(Column(name, COLUMNS[name].kind) for name in _LEVELS),
    Column("scenario", "text"),
    Column("seed", "whole"),
    Column("stopped", "text"),
    Column("error", "text"),
    *(Column(f"n_{name}", "whole") for name in _COUNTS),
    *(Column(metric.name, "decimal") for metric in METRICS),
)
"""The columns of the table of cells: what it was, `n_` counts, then every metric."""


def turn_table(prepared: Prepared, outcomes: Iterable[Outcome]) -> Table:
    """One row for each turn of the outcomes, in their order."""
    return Table(TURN_COLUMNS, _rows(prepared, outcomes, _turns))


def cell_table(prepared: Prepared, outcomes: Iterable[Outcome]) -> Table:
    """One row for each outcome, in their order; what cannot be reckoned is None."""
    return Table(CELL_COLUMNS, _rows(prepared, outcomes, _cell))


_Told = Callable[[str, Condition, Outcome], Iterator[tuple[Value, ...]]]


def _rows(
    prepared: Prepared, outcomes: Iterable[Outcome], told: _Told
) -> Iterator[tuple[Value, ...]]:
    conditions = {each.name: each for each in prepared.plan.conditions}
    for outcome in outcomes:
        condition = conditions[outcome.condition]
        yield from told(prepared.plan.experiment_id, condition, outcome)


def _turns(
    experiment_id: str, condition: Condition, outcome: Outcome
) -> Iterator[tuple[Value, ...]]:
    for passage in outcome.passages:
        row = Row(experiment_id, condition, outcome, passage)
        yield tuple(COLUMNS[column.name].told(row) for column in TURN_COLUMNS)


def _level(condition: Condition, name: str, numbers: Numbers) -> Value:
    """A level as it was played; None for a setting that the model was not given."""
    level: Value = getattr(condition, name)
    return None if name in numbers.unsent else level


def _cell(
    experiment_id: str, condition: Condition, outcome: Outcome
) -> Iterator[tuple[Value, ...]]:
    numbers = numbers_of(outcome)
    yield (
        *(experiment_id, outcome.key, condition.name),
        *(_level(condition, name, numbers) for name in _LEVELS),
        *(outcome.scenario, outcome.seed, outcome.stopped, outcome.error),
        *(getattr(numbers, name) for name in _COUNTS),
        *(value(metric.name, numbers) for metric in METRICS),
    )
