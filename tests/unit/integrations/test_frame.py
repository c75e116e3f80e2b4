from collections.abc import Iterator

from saniwa.experiment.cell_outcome import CellOutcome
from saniwa.experiment.metrics import METRICS, count_outcome
from saniwa.experiment.output.turn_records import ColumnKind
from saniwa.integrations.table_export import (
    CELL_COLUMNS,
    TURN_COLUMNS,
    ExportTable,
    build_cell_table,
    build_turn_table,
    list_cell_columns,
)
from tests.fakes.experiments import make_plan, play_outcomes, prepare_plan, render_answer

WHOLE = prepare_plan(make_plan(seeds=(0, 1)))
PLAYED = play_outcomes(
    WHOLE, lambda _: [render_answer("Hm. *take the moon*"), render_answer("*take the cup*")]
)
_TYPES: dict[ColumnKind, type] = {"text": str, "whole": int, "decimal": float, "flag": bool}


def _list_cells(table: ExportTable) -> list[dict[str, object]]:
    names = [column.name for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def test_there_is_one_row_a_turn() -> None:
    """Every turn of every cell has a row, in the plan's order."""
    told = [(row["session_id"], row["turn_number"]) for row in _list_cells(_make_turn_table())]

    assert [(o.key, p.number) for o in PLAYED for p in o.passages] == told


def _make_turn_table() -> ExportTable:
    return build_turn_table(WHOLE, PLAYED)


def test_there_is_one_row_a_cell_with_every_metric() -> None:
    """Every cell has a row, and every metric a column."""
    rows = _list_cells(build_cell_table(WHOLE, PLAYED))

    assert [outcome.key for outcome in PLAYED] == [row["session_id"] for row in rows]
    assert {metric.name for metric in METRICS} <= rows[0].keys()


def test_every_value_is_of_its_columns_kind() -> None:
    """A value has the type of its column, or is None."""
    for table in (_make_turn_table(), build_cell_table(WHOLE, PLAYED)):
        for row in table.rows:
            for column, value in zip(table.columns, row, strict=True):
                assert value is None or type(value) is _TYPES[column.kind], column


def test_column_names_are_distinguished() -> None:
    """Column names are unique, and none is a path."""
    for columns in (TURN_COLUMNS, CELL_COLUMNS):
        names = [column.name for column in columns]
        assert len(set(names)) == len(names)
        assert not [name for name in names if name.endswith("_path")]


def test_what_was_said_is_whole() -> None:
    """The table has answers in full, unlike the index for people."""
    long = render_answer("la " * 1000)
    whole = prepare_plan(make_plan("A", max_turns=1))

    rows = _list_cells(build_turn_table(whole, play_outcomes(whole, lambda _: [long])))

    assert [long] == [row["raw_output"] for row in rows]


def test_what_cannot_be_reckoned_is_nothing() -> None:
    """A share without any cases is None."""
    whole = prepare_plan(make_plan("A", max_turns=1))

    rows = _list_cells(
        build_cell_table(whole, play_outcomes(whole, lambda _: [render_answer("Hello.")]))
    )

    assert [(None, None)] == [(row["retry_success_rate"], row["goal_reached"]) for row in rows]


def test_rows_are_made_one_by_one() -> None:
    """An outcome is read only when the rows of the one before it were taken."""
    asked = []

    def iterate_outcomes() -> Iterator[CellOutcome]:
        for outcome in PLAYED:
            asked.append(outcome.key)
            yield outcome

    rows = build_turn_table(WHOLE, iterate_outcomes()).rows
    next(rows)

    assert [PLAYED[0].key] == asked


def test_every_count_of_a_cell_has_its_column() -> None:
    """Everything counted in a cell has a column."""
    numbers = count_outcome(PLAYED[0])
    counted = {f"n_{n}" for n in numbers.__struct_fields__ if type(getattr(numbers, n)) is int}

    columns = {*CELL_COLUMNS, *list_cell_columns("work")}
    assert counted - {"n_seed"} == {n for n, _ in columns if n.startswith("n_")}
