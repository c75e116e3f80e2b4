import csv
import io
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from saniwa.core.text import format_csv_row
from saniwa.process.event_record import COLUMNS, EventRecord, list_cells, render_row, render_rows
from saniwa.process.run_state import ProcessRun
from tests.fakes.gate import (
    make_artifact,
    make_door_process,
    make_next_record,
    make_note,
    make_opening_record,
)
from tests.fakes.nightly import scale_examples

_FORMULA = "=+-@＝＋－＠"
_ODD = st.sampled_from([*_FORMULA, *"\",;'\t\r\n a"])
_TEXT = st.one_of(
    st.lists(_ODD, min_size=1, max_size=6).map("".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)


def _make_first_record() -> EventRecord:
    return make_opening_record(make_door_process())


def _make_run() -> ProcessRun:
    return ProcessRun.from_first_record("run-1", _make_first_record())


@st.composite
def _draw_record(draw: st.DrawFn) -> EventRecord:
    return make_next_record(
        _make_run(),
        event=draw(_TEXT),
        state=draw(_TEXT),
        key=draw(_TEXT) or "key",
        at=draw(st.integers(0, 253_402_300_799_999)),
        artifacts=tuple(make_artifact(path) for path in draw(st.lists(_TEXT, max_size=3))),
    )


def _parse_rows(lines: list[str], delimiter: str = ",") -> list[list[str]]:
    text = io.StringIO("".join(lines), newline="")
    return list(csv.reader(text, delimiter=delimiter))


def test_a_table_has_the_published_columns_and_a_row_for_each_event() -> None:
    """A table has the header and one row per event, and no rows for notes."""
    first, standing = _make_first_record(), _make_run()
    second = make_next_record(standing, key="k", artifacts=(make_artifact("a.md"),))

    assert [
        "timestamp,state,revision,event,idempotency_key,artifact_paths\r\n",
        "2026-01-01T00:00:00Z,closed,1,created,,\r\n",
        "2026-01-01T00:00:01Z,closed,2,knock,k,a.md\r\n",
    ] == list(render_rows([first, make_note(standing), second]))


@given(_draw_record())
def test_any_row_is_read_back_cell_by_cell(record: EventRecord) -> None:
    """Any row is read back by a CSV reader as the same six cells."""
    assert [list(COLUMNS), list(list_cells(record))] == _parse_rows(list(render_rows([record])))


@given(_draw_record())
def test_a_row_is_made_of_its_cells(record: EventRecord) -> None:
    """A row of the log is the same as one formatted from its cells."""
    assert format_csv_row(list_cells(record)) == render_row(record)


@settings(max_examples=scale_examples(300))
@given(_draw_record())
def test_no_cell_of_a_safe_table_begins_with_a_formula(record: EventRecord) -> None:
    """No cell of a safe table begins with a formula, however a spreadsheet splits it."""
    made = list(render_rows([record], safe=True))
    cells = [cell for row in _parse_rows(made) for cell in row]
    text = "".join(made)
    parts = [part for mark in ",;\t\r\n" for part in text.split(mark)]

    assert not [c for c in cells if c.startswith((*_FORMULA, "\t", "\r", "\n"))]
    assert not [p for p in parts if p.lstrip('" ').startswith(tuple(_FORMULA))]


def test_duckdb_reads_a_table_unchanged(tmp_path: Path) -> None:
    """DuckDB reads a table unchanged."""
    import duckdb

    names = ["plain", "a,b", 'say "no"', "two\r\nlines", "two\nlines", "日本語", "=1+1"]
    records = [_make_first_record()]
    for number, name in enumerate(names, start=2):
        here = ProcessRun.from_first_record("run-1", _make_first_record())
        changed: dict[str, Any] = {"revision": number, "state": name, "key": f"k{number}"}
        pieces = (make_artifact("a b.md"), make_artifact(f"{name.strip()[:5]}.md"))
        records.append(make_next_record(here, artifacts=pieces, **changed))
    file = tmp_path / "run.csv"
    file.write_text("".join(render_rows(records)), encoding="utf-8", newline="")

    found = duckdb.sql(
        f"SELECT * FROM read_csv('{file}', header=true, all_varchar=true, nullstr='\\N')"
    )

    assert found is not None
    assert list(COLUMNS) == found.columns
    assert [list(list_cells(record)) for record in records] == [
        list(row) for row in found.fetchall()
    ]
