import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.clock import format_timestamp
from saniwa.process.event_record import COLUMNS, HEADER, render_row
from saniwa.store.sealed_log import compute_seal
from tests.fakes.gate import make_artifact, make_door_process, make_opening_record


def test_the_header_is_the_published_six_columns() -> None:
    """The header has the published six columns."""
    assert "timestamp,state,revision,event,idempotency_key,artifact_paths\r\n" == HEADER
    assert 6 == len(COLUMNS)


def test_a_row_looks_as_published() -> None:
    """The published sample rows are reproduced exactly."""
    first = make_opening_record(make_door_process(), state="frame", at=1_737_540_000_000)
    second = make_opening_record(
        make_door_process(),
        revision=2,
        state="experiment",
        event="submit_hypothesis",
        key="hyp-001",
        at=1_737_540_300_000,
        artifacts=(make_artifact("./evidence/hyp1.md"),),
    )

    assert "2025-01-22T10:00:00Z,frame,1,created,,\r\n" == render_row(first)
    assert (
        "2025-01-22T10:05:00Z,experiment,2,submit_hypothesis,hyp-001,./evidence/hyp1.md\r\n"
        == render_row(second)
    )


def test_several_paths_are_joined_by_a_semicolon() -> None:
    """Paths are joined with semicolons, in the order of submission."""
    record = make_opening_record(
        make_door_process(), artifacts=(make_artifact("b.md"), make_artifact("a.md"))
    )

    assert render_row(record).endswith(",b.md;a.md\r\n")


@given(
    st.text(st.characters(codec="utf-8"), max_size=20),
    st.text(st.characters(codec="utf-8"), max_size=20),
)
def test_any_names_come_back_from_a_row(state: str, path: str) -> None:
    """Any names are read back from a row unchanged, with commas, quotes and line breaks."""
    record = make_opening_record(
        make_door_process(), state=state, artifacts=(make_artifact(path or "x"),)
    )

    (cells,) = csv.reader(io.StringIO(render_row(record), newline=""), strict=True)

    assert ["2026-01-01T00:00:00Z", state, "1", "created", "", path or "x"] == cells


def test_a_seal_covers_everything_before_it() -> None:
    """A seal depends on everything before it."""
    assert compute_seal(b"a" * 32, b"x") != compute_seal(b"b" * 32, b"x")
    assert compute_seal(b"a" * 32, b"x") != compute_seal(b"a" * 32, b"y")


@pytest.mark.parametrize("moment", [0, 1_737_540_000_999, 253_402_300_799_000])
def test_a_moment_is_written_in_whole_seconds(moment: int) -> None:
    """A timestamp is ISO 8601 in UTC, in whole seconds."""
    assert 20 == len(format_timestamp(moment))
    assert format_timestamp(moment).endswith("Z")
