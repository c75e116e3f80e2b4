import csv
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pyarrow.parquet
import pytest

from saniwa.core.errors import ExperimentError
from saniwa.integrations import table_export
from saniwa.integrations.table_export import (
    ExportColumn,
    ExportFormat,
    ExportTable,
    build_cell_table,
    build_turn_table,
    export_tables,
    to_arrow,
    write_table,
)
from tests.fakes.experiments import make_plan, play_outcomes, prepare_plan, render_answer

FORMS: tuple[ExportFormat, ...] = get_args(ExportFormat)
WHOLE = prepare_plan(make_plan())
PLAYED = play_outcomes(
    WHOLE, lambda _: [render_answer("*take the moon*"), render_answer("*take the cup*")]
)


def _make_table(*texts: str) -> ExportTable:
    return ExportTable((ExportColumn("text", "text"),), ((text,) for text in texts))


@pytest.mark.parametrize("form", FORMS)
def test_the_same_outcomes_give_the_same_bytes(form: ExportFormat, tmp_path: Path) -> None:
    """Writing the same outcomes twice gives the same bytes."""
    first = export_tables(WHOLE, lambda: iter(PLAYED), tmp_path / "a", form)
    second = export_tables(WHOLE, lambda: iter(PLAYED), tmp_path / "b", form)

    assert [f"turns.{form}", f"cells.{form}"] == [path.name for path in first]
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]


def test_all_forms_tell_the_same(tmp_path: Path) -> None:
    """Parquet, CSV and JSON Lines have the same rows and numbers."""
    told = []
    for form in FORMS:
        turns, _ = export_tables(WHOLE, lambda: iter(PLAYED), tmp_path, form)
        told.append([(r["session_id"], str(r["retries"])) for r in _read_table(turns)])

    assert len(told[0]) == sum(len(outcome.passages) for outcome in PLAYED)
    assert told[0] == told[1] == told[2]


def _read_table(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
        return rows
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        return list(csv.DictReader(text.split("\n")))
    return [json.loads(line) for line in text.split("\n") if line]


def test_a_data_frame_has_the_columns_types() -> None:
    """A data frame has columns of numbers and booleans."""
    frame = to_arrow(build_turn_table(WHOLE, PLAYED)).to_pandas()
    rates = frame.groupby("condition")["first_try_valid"].mean()

    assert {"A", "B", "C", "D"} == set(rates.index)
    assert ("int64", "bool", "float64") == tuple(
        str(frame[name].dtype) for name in ("retries", "give_up", "stall_score")
    )


def test_nothing_to_tell_is_a_table_without_rows(tmp_path: Path) -> None:
    """Without outcomes the files have columns and no rows."""
    for form in FORMS:
        turns, cells = export_tables(WHOLE, lambda: iter(()), tmp_path, form)
        assert [] == _read_table(turns)
        assert [] == _read_table(cells)

    assert 0 == to_arrow(build_cell_table(WHOLE, [])).num_rows


def test_rows_are_written_group_by_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are written in groups of limited size."""
    monkeypatch.setattr(table_export, "MAX_BATCH_ROWS", 3)
    monkeypatch.setattr(table_export, "MAX_BATCH_LETTERS", 10)

    write_table(_make_table(*"abcdefg", "x" * 11, "y"), tmp_path / "t.parquet", "parquet")

    found = pyarrow.parquet.ParquetFile(tmp_path / "t.parquet").metadata
    groups = [found.row_group(n).num_rows for n in range(found.num_row_groups)]
    assert [3, 3, 2, 1] == groups


@pytest.mark.parametrize("form", FORMS)
def test_any_letters_can_be_written(form: ExportFormat, tmp_path: Path) -> None:
    """Unpaired surrogates, lone line breaks and NULs do not break a file."""
    texts = ("\ud800", "a\rb", "nul\0", "嘘\u2028", '"quoted", and more', "a\nb")

    write_table(_make_table(*texts), tmp_path / f"t.{form}", form)

    raw = (tmp_path / f"t.{form}").read_bytes()
    if form == "csv":
        rows = csv.reader(io.StringIO(raw.decode(), newline=""))
        # Every lone line break and control character that could confuse a reader is
        # inside quotes, or replaced: as many rows are read as were written.
        assert ["text", "\ufffd", "a b", "nul\\x00"] == [row[0] for row in rows][:4]
    else:
        exact = ("\ufffd", *texts[1:])
        assert exact == tuple(row["text"] for row in _read_table(tmp_path / f"t.{form}"))


def test_a_spreadsheet_calculates_nothing(tmp_path: Path) -> None:
    """In CSV only, a value that begins like a formula gets an apostrophe."""
    write_table(_make_table("=1+1"), tmp_path / "t.csv", "csv")
    write_table(_make_table("=1+1"), tmp_path / "t.jsonl", "jsonl")

    assert ["text", "'=1+1"] == (tmp_path / "t.csv").read_text().split()
    assert [{"text": "=1+1"}] == _read_table(tmp_path / "t.jsonl")


def test_what_breaks_off_leaves_what_was_there(tmp_path: Path) -> None:
    """A failure while writing leaves the old file and no other."""

    def iterate_broken() -> Iterator[tuple[str]]:
        yield ("new",)
        raise RuntimeError("the power fails")

    write_table(_make_table("old"), tmp_path / "t.jsonl", "jsonl")
    with pytest.raises(RuntimeError, match="power"):
        write_table(
            ExportTable((ExportColumn("text", "text"),), iterate_broken()),
            tmp_path / "t.jsonl",
            "jsonl",
        )

    assert [{"text": "old"}] == _read_table(tmp_path / "t.jsonl")
    assert ["t.jsonl"] == [path.name for path in tmp_path.iterdir()]


def test_without_the_package_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the package, Parquet is refused with the extra's name, and the other formats work."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)

    with pytest.raises(ExperimentError) as caught:
        write_table(_make_table("a"), tmp_path / "t.parquet", "parquet")
    write_table(_make_table("a"), tmp_path / "t.csv", "csv")

    assert ("EXTRA_MISSING", "pip install 'saniwa[frame]'") == (
        caught.value.code,
        caught.value.hint,
    )
    assert ["t.csv"] == [path.name for path in tmp_path.iterdir()]
