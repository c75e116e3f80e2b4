"""Tables as files: Parquet, CSV, or one JSON object a line; and as a data frame.

A file is there when it is whole. However many rows there are, few of them are held at
once. Parquet and JSON keep every letter; CSV is made harmless for spreadsheets.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal

from saniwa.core.csv_text import line_of
from saniwa.core.errors import ExperimentError
from saniwa.core.extra import need
from saniwa.core.sound import sound
from saniwa.experiment.abroad.frame import Table, Value, cell_table, turn_table
from saniwa.experiment.outcome import Outcome
from saniwa.experiment.plan import Prepared
from saniwa.experiment.publish.columns import Kind
from saniwa.experiment.publish.encoding import json_line
from saniwa.experiment.publish.table import in_csv
from saniwa.experiment.publish.writing import placed

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]

Form = Literal["parquet", "csv", "jsonl"]
"""The kind of a file, which is also how its name ends."""
MOST_ROWS: Final = 8192
"""Rows that are held at once, and make a row group."""
MOST_LETTERS: Final = 1 << 24
"""Letters of text that are held at once."""
_ARROW: Final[dict[Kind, str]] = {
    "text": "string",
    "whole": "int64",
    "decimal": "float64",
    "flag": "bool",
}


def export(
    prepared: Prepared,
    outcomes: Callable[[], Iterator[Outcome]],
    folder: Path,
    form: Form = "parquet",
) -> tuple[Path, ...]:
    """Write `turns` and `cells` into a folder; gives the two files.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
        StoreError: `TRACE_UNWRITABLE`; then what was there before stands untouched.
    """
    tables = {
        "turns": turn_table(prepared, outcomes()),
        "cells": cell_table(prepared, outcomes()),
    }
    written = []
    for name, table in tables.items():
        written.append(folder / f"{name}.{form}")
        write(table, written[-1], form)
    return tuple(written)


def write(table: Table, path: Path, form: Form) -> None:
    """Write a table into a file of that form.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
        StoreError: `TRACE_UNWRITABLE`; then what was there before stands untouched.
    """
    if form == "parquet":
        _need_arrow()
    with placed(path.parent) as place, place.stream(path.name) as file:
        _WRITERS[form](table, file)


def to_arrow(table: Table) -> "pyarrow.Table":
    """The whole table in memory; `.to_pandas()` makes a data frame of it.

    Raises:
        ExperimentError: `EXTRA_MISSING`.
    """
    _need_arrow()
    import pyarrow

    return pyarrow.Table.from_batches(_batches(table), schema=_schema(table))


def _need_arrow() -> None:
    what = "a data frame or a Parquet file needs"
    need("pyarrow", extra="frame", what=what, kind=ExperimentError)


def _write_parquet(table: Table, file: BinaryIO) -> None:
    import pyarrow.parquet  # type: ignore[import-untyped]

    schema = _schema(table)
    with pyarrow.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in _batches(table):
            writer.write_batch(batch)


def _write_csv(table: Table, file: BinaryIO) -> None:
    file.write(line_of(column.name for column in table.columns).encode())
    for row in table.rows:
        file.write(line_of(map(in_csv, row)).encode())


def _write_jsonl(table: Table, file: BinaryIO) -> None:
    names = [column.name for column in table.columns]
    for row in table.rows:
        file.write(json_line(dict(zip(names, row, strict=True))) + b"\n")


_WRITERS: Final[dict[Form, Callable[[Table, BinaryIO], None]]] = {
    "parquet": _write_parquet,
    "csv": _write_csv,
    "jsonl": _write_jsonl,
}


def _schema(table: Table) -> Any:
    import pyarrow

    return pyarrow.schema([(name, _ARROW[kind]) for name, kind in table.columns])


def _batches(table: Table) -> Iterator[Any]:
    import pyarrow

    schema = _schema(table)
    for rows in _gathered(table.rows):
        columns = [
            [_sounded(each) for each in column] for column in zip(*rows, strict=True)
        ]
        yield pyarrow.record_batch(columns, schema=schema)


def _gathered(
    rows: Iterator[tuple[Value, ...]],
) -> Iterator[list[tuple[Value, ...]]]:
    """Rows, a bounded number together, and a bounded amount of text."""
    held, letters = list[tuple[Value, ...]](), 0
    for row in rows:
        held.append(row)
        letters += sum(len(each) for each in row if isinstance(each, str))
        if len(held) == MOST_ROWS or letters > MOST_LETTERS:
            yield held
            held, letters = [], 0
    if held:
        yield held


def _sounded(value: Value) -> Value:
    return sound(value) if isinstance(value, str) else value
