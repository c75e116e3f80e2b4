"""Exports tables of turns and cells: Parquet, CSV, JSON lines, or a data frame.

A file appears only when it is complete. Only a few rows are in memory at once. Parquet
and JSON preserve every character; CSV is escaped for spreadsheets.

Also reads outcomes from the logs of inspect-ai.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, NamedTuple, get_args

import msgspec

from saniwa.core.errors import ExperimentError
from saniwa.core.extras import require_packages
from saniwa.core.text import format_csv_row, replace_surrogates
from saniwa.experiment.analysis_records import CellNumbers
from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.metrics import compute_metric, count_outcome, list_metrics
from saniwa.experiment.output.output_folder import encode_json_line, open_output_folder
from saniwa.experiment.output.turn_records import (
    EXAMPLE_COLUMNS,
    ColumnKind,
    ExampleRow,
    to_csv_field,
)
from saniwa.experiment.plan import FactorName, PlanMode, PreparedPlan

if TYPE_CHECKING:
    import pyarrow


TableValue = str | int | float | bool | None
"""One value of a row; None if there is none."""


class ExportColumn(NamedTuple):
    """One column."""

    name: str
    """Its name; it never changes its meaning."""
    kind: ColumnKind
    """The type of its values."""


class ExportTable(NamedTuple):
    """Rows and their columns."""

    columns: tuple[ExportColumn, ...]
    """The columns, in order."""
    rows: Iterator[tuple[TableValue, ...]]
    """The rows; they can be read once."""


TURN_COLUMNS: Final = tuple(
    ExportColumn(name, column.kind)
    for name, column in EXAMPLE_COLUMNS.items()
    if not name.endswith("_path")
)
"""The columns of the table of turns."""

_WORK_COUNTS: Final = (
    *("runs", "turns", "generation_calls", "submissions", "refused_submissions"),
    *("fabricated_submissions", "tool_calls", "failed_tool_calls"),
    *("input_tokens", "output_tokens", "cost", "unpriced"),
)
_WORK_LEVELS: Final = ("agent", "model", "temperature")
_LEVELS: Final[tuple[str, ...]] = tuple(
    name for name in get_args(FactorName) if name in EXAMPLE_COLUMNS
)
_COUNTS: Final = tuple(
    each.name
    for each in msgspec.structs.fields(CellNumbers)
    if each.type is int and each.required and each.name != "seed"
)


def list_cell_columns(mode: PlanMode = "sim") -> tuple[ExportColumn, ...]:
    """List the columns of the table of cells: the cell, `n_` counts, then every metric."""
    works = mode == "work"
    kinds: dict[str, ColumnKind] = {name: EXAMPLE_COLUMNS[name].kind for name in _LEVELS}
    levels, counts = (_WORK_LEVELS, _WORK_COUNTS) if works else (_LEVELS, _COUNTS)
    return (
        *(ExportColumn(name, "text") for name in ("experiment_id", "session_id", "condition")),
        *(ExportColumn(name, kinds.get(name, "text")) for name in levels),
        ExportColumn("scenario", "text"),
        ExportColumn("seed", "whole"),
        ExportColumn("stopped", "text"),
        ExportColumn("error", "text"),
        *(ExportColumn(f"n_{name}", "whole") for name in counts),
        *(ExportColumn(metric.name, "decimal") for metric in list_metrics(mode)),
    )


CELL_COLUMNS: Final = list_cell_columns()
"""The columns of the table of cells in which characters are played."""


def build_turn_table(prepared: PreparedPlan, outcomes: Iterable[CellOutcome]) -> ExportTable:
    """Build a table with one row per turn of the outcomes, in their order."""
    return ExportTable(TURN_COLUMNS, _iterate_turn_rows(prepared, outcomes))


def build_cell_table(prepared: PreparedPlan, outcomes: Iterable[CellOutcome]) -> ExportTable:
    """Build a table with one row per outcome, in order; unavailable values are None."""
    columns = list_cell_columns(prepared.plan.mode)
    return ExportTable(columns, _iterate_cell_rows(prepared, outcomes))


def _iterate_turn_rows(
    prepared: PreparedPlan, outcomes: Iterable[CellOutcome]
) -> Iterator[tuple[TableValue, ...]]:
    conditions = {each.name: each for each in prepared.plan.conditions}
    for outcome in outcomes:
        condition = conditions[outcome.condition]
        for passage in outcome.passages:
            row = ExampleRow(prepared.plan.experiment_id, condition, outcome, passage)
            yield tuple(EXAMPLE_COLUMNS[column.name].told(row) for column in TURN_COLUMNS)


def _iterate_cell_rows(
    prepared: PreparedPlan, outcomes: Iterable[CellOutcome]
) -> Iterator[tuple[TableValue, ...]]:
    conditions = {each.name: each for each in prepared.plan.conditions}
    works = prepared.plan.mode == "work"
    named, counts = (_WORK_LEVELS, _WORK_COUNTS) if works else (_LEVELS, _COUNTS)
    for outcome in outcomes:
        condition, numbers = conditions[outcome.condition], count_outcome(outcome)
        # A setting that the model did not receive was not played.
        levels = (None if n in numbers.unsent else getattr(condition, n) for n in named)
        yield (
            *(prepared.plan.experiment_id, outcome.key, condition.name),
            *levels,
            *(outcome.scenario, outcome.seed, outcome.stopped, outcome.error),
            *(getattr(numbers, name) for name in counts),
            *(compute_metric(metric.name, numbers) for metric in list_metrics(prepared.plan.mode)),
        )


ExportFormat = Literal["parquet", "csv", "jsonl"]
"""The format of a file, which is also its extension."""
MAX_BATCH_ROWS: Final = 8192
"""The most rows in memory at once; they make a row group."""
MAX_BATCH_LETTERS: Final = 1 << 24
"""The most characters of text in memory at once."""
_ARROW: Final[dict[ColumnKind, str]] = {
    "text": "string",
    "whole": "int64",
    "decimal": "float64",
    "flag": "bool",
}


def export_tables(
    prepared: PreparedPlan,
    outcomes: Callable[[], Iterator[CellOutcome]],
    folder: Path,
    form: ExportFormat = "parquet",
) -> tuple[Path, ...]:
    """Write `turns` and `cells` into a folder; return the two files.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
        StoreError: `TRACE_UNWRITABLE`; existing files are then unchanged.
    """
    tables = {
        "turns": build_turn_table(prepared, outcomes()),
        "cells": build_cell_table(prepared, outcomes()),
    }
    written = []
    for name, table in tables.items():
        written.append(folder / f"{name}.{form}")
        write_table(table, written[-1], form)
    return tuple(written)


def write_table(table: ExportTable, path: Path, form: ExportFormat) -> None:
    """Write a table into a file of that format.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
        StoreError: `TRACE_UNWRITABLE`; an existing file is then unchanged.
    """
    if form == "parquet":
        _require_arrow()
    with open_output_folder(path.parent) as place, place.open_stream(path.name) as file:
        _WRITERS[form](table, file)


def to_arrow(table: ExportTable) -> "pyarrow.Table":
    """Load the complete table into memory; `.to_pandas()` makes a data frame of it.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    _require_arrow()
    import pyarrow

    return pyarrow.Table.from_batches(_iterate_batches(table), schema=_make_schema(table))


def _require_arrow() -> None:
    what = "a data frame or a Parquet file needs"
    require_packages("pyarrow", extra="frame", what=what, kind=ExperimentError)


def _write_parquet(table: ExportTable, file: BinaryIO) -> None:
    import pyarrow.parquet

    schema = _make_schema(table)
    with pyarrow.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in _iterate_batches(table):
            writer.write_batch(batch)


def _write_csv(table: ExportTable, file: BinaryIO) -> None:
    file.write(format_csv_row(column.name for column in table.columns).encode())
    for row in table.rows:
        file.write(format_csv_row(map(to_csv_field, row)).encode())


def _write_jsonl(table: ExportTable, file: BinaryIO) -> None:
    names = [column.name for column in table.columns]
    for row in table.rows:
        file.write(encode_json_line(dict(zip(names, row, strict=True))) + b"\n")


_WRITERS: Final[dict[ExportFormat, Callable[[ExportTable, BinaryIO], None]]] = {
    "parquet": _write_parquet,
    "csv": _write_csv,
    "jsonl": _write_jsonl,
}


def _make_schema(table: ExportTable) -> Any:
    import pyarrow

    return pyarrow.schema([(name, _ARROW[kind]) for name, kind in table.columns])


def _iterate_batches(table: ExportTable) -> Iterator[Any]:
    import pyarrow

    schema = _make_schema(table)
    for rows in _group_rows(table.rows):
        columns = [
            [replace_surrogates(each) if isinstance(each, str) else each for each in column]
            for column in zip(*rows, strict=True)
        ]
        yield pyarrow.record_batch(columns, schema=schema)


def _group_rows(rows: Iterator[tuple[TableValue, ...]]) -> Iterator[list[tuple[TableValue, ...]]]:
    """Group rows into batches with a limited number of rows and characters."""
    batch, letters = list[tuple[TableValue, ...]](), 0
    for row in rows:
        batch.append(row)
        letters += sum(len(each) for each in row if isinstance(each, str))
        if len(batch) == MAX_BATCH_ROWS or letters > MAX_BATCH_LETTERS:
            yield batch
            batch, letters = [], 0
    if batch:
        yield batch


if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

OUTCOME_KEY: Final = "saniwa_outcome"
"""The key of a cell's outcome in its sample's store."""


def read_outcomes_from_log(log: "EvalLog") -> Iterator[CellOutcome]:
    """Yield the outcome of each cell in the log of an evaluation.

    Cells that were not played are skipped.

    Raises:
        msgspec.ValidationError: The value under `OUTCOME_KEY` is not an outcome.
    """
    for sample in log.samples or ():
        if OUTCOME_KEY in sample.store:
            yield msgspec.convert(sample.store[OUTCOME_KEY], CellOutcome)
