import csv
import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.errors import StoreError
from saniwa.core.findings import Finding
from saniwa.process.event_record import EventRecord, render_row
from saniwa.process.run_state import ProcessRun
from saniwa.store.gate.csv_table import RunCsvTable, compute_row_size, render_rows
from tests.fakes.gate import (
    make_artifact,
    make_door_process,
    make_next_record,
    make_note,
    make_opening_record,
)

FIRST = make_opening_record(make_door_process())
NAMES = st.text(st.characters(codec="utf-8"), max_size=12)


def _make_records(count: int) -> list[EventRecord]:
    records = [FIRST]
    standing = ProcessRun.from_first_record("run", FIRST)
    while len(records) < count:
        records.append(make_next_record(standing))
        standing.apply_record(records[-1])
    return records


RECORDS = _make_records(6)
ROWS = list(render_rows(RECORDS))
WHOLE = b"".join(ROWS)


def _iterate_rows() -> Iterator[bytes]:
    return iter(ROWS)


def _repair_table(path: Path, content: bytes | None) -> str:
    if content is not None:
        path.write_bytes(content)
    told: list[Finding] = []
    return RunCsvTable(path, told.append).repair(_iterate_rows)


@given(NAMES, NAMES, NAMES, st.integers(0, 40_000_000_000_000), st.booleans())
def test_the_size_of_a_row_is_reported_without_making_it(
    state: str, event: str, key: str, at: int, with_evidence: bool
) -> None:
    """The computed size of a row is its length in bytes."""
    record = msgspec.structs.replace(
        RECORDS[1],
        state=state,
        event=event,
        key=key,
        at=at,
        artifacts=(make_artifact(), make_artifact("b,c.md")) if with_evidence else (),
    )

    assert len(render_row(record).encode()) == compute_row_size(record)


def test_a_note_has_no_row() -> None:
    """A note has no row."""
    told = make_note(ProcessRun.from_first_record("run", FIRST))

    assert 0 == compute_row_size(told)
    assert ROWS[:2] == list(render_rows([FIRST, told]))


def test_the_table_has_the_six_columns(tmp_path: Path) -> None:
    """Python's CSV reader finds six cells in every row."""
    path = tmp_path / "run.csv"
    path.write_bytes(WHOLE)
    with path.open(newline="") as stream:
        read = list(csv.reader(stream))

    assert ["timestamp", "state", "revision", "event", "idempotency_key"] == read[0][:5]
    assert {6} == {len(row) for row in read}
    assert [str(r.revision) for r in RECORDS] == [row[2] for row in read[1:]]


@pytest.mark.parametrize("cut", range(len(WHOLE)))
def test_a_short_table_is_completed(tmp_path: Path, cut: int) -> None:
    """A table cut at any byte is completed from the journal."""
    path = tmp_path / "run.csv"
    done = _repair_table(path, WHOLE[:cut])

    assert WHOLE == path.read_bytes()
    assert "added from the record" in done


def test_a_missing_table_is_made_again(tmp_path: Path) -> None:
    """A missing table is written again from the journal, with its folder."""
    path = tmp_path / "runs" / "run.csv"
    done = _repair_table(path, None)

    assert WHOLE == path.read_bytes()
    assert f"{len(WHOLE)} bytes were added from the record" == done


@given(st.integers(0, len(WHOLE) - 1), st.integers(1, 120), st.integers(0, 200))
def test_holes_of_a_power_cut_are_filled(at: int, length: int, cut: int) -> None:
    """NULs and a lost end after a power cut are repaired from the journal."""
    content = bytearray(WHOLE)
    content[at : at + length] = b"\0" * len(content[at : at + length])
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.csv"
        _repair_table(path, bytes(content[: len(content) - cut]))

        assert WHOLE == path.read_bytes()


def test_a_torn_tail_is_cut(tmp_path: Path) -> None:
    """An incomplete row at the end is removed, and the repair is reported."""
    path = tmp_path / "run.csv"
    done = _repair_table(path, WHOLE + b"2026-01-01T00:0")

    assert WHOLE == path.read_bytes()
    assert "15 bytes of an incomplete row were removed" == done


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (WHOLE + b"2026-01-01T00:00:09Z,open,7,open,k,\r\n", 8),
        (WHOLE.replace(b"knock", b"knack", 1), 3),
        (b"".join(ROWS[:3] + ROWS[4:]), 4),
        (b"".join(ROWS[1:]), 1),
        (b"a,b\n" * 3, 1),
    ],
    ids=["more", "changed", "missing", "headless", "another"],
)
def test_a_row_that_no_record_explains_stays(tmp_path: Path, content: bytes, line: int) -> None:
    """A row that no crash can explain is an error with its line, and nothing is changed."""
    path = tmp_path / "run.csv"
    with pytest.raises(StoreError) as caught:
        _repair_table(path, content)

    assert ("LOG_DIVERGED", line) == (caught.value.code, caught.value.details["line"])
    assert content == path.read_bytes()


def test_a_row_that_cannot_be_written_is_said() -> None:
    """If a row finds no room, the event is stored and the table is reported as behind."""
    told: list[Finding] = []
    table = RunCsvTable(Path("/dev/full"), told.append)
    table.is_complete()
    table.append(ROWS[2])
    table.close()

    assert ["LOG_BEHIND"] == [finding.code for finding in told]


def test_half_a_row_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk accepts only a part of a row, the table is reported as behind."""
    told: list[Finding] = []
    (tmp_path / "run.csv").write_bytes(ROWS[0])
    table = RunCsvTable(tmp_path / "run.csv", told.append)
    table.is_complete()
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, row: real(fd, row[:9]))
    table.append(ROWS[1])

    assert (["LOG_BEHIND"], False) == ([f.code for f in told], table.is_complete())
    table.close()
