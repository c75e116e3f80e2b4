import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from saniwa.core.errors import StoreError
from saniwa.store.sqlite_runs_and_plays import SqlitePlayRecords, SqliteRunStore
from tests.fakes.records import make_record

Keeper = Callable[[Path], SqlitePlayRecords | SqliteRunStore]
_KEEPERS = pytest.mark.parametrize("keeper", [SqlitePlayRecords, SqliteRunStore])


def _fill_file(file: Path, keeper: Keeper) -> None:
    kept = keeper(file)
    if isinstance(kept, SqlitePlayRecords):
        kept.create("a", b"kept")
    else:
        kept.create(make_record())
    kept.close()


def _truncate_file(file: Path, size: int) -> None:
    with file.open("r+b") as stream:
        stream.truncate(size)


@_KEEPERS
def test_a_file_that_was_emptied_is_not_taken_for_a_new_one(tmp_path: Path, keeper: Keeper) -> None:
    """A file that was emptied is an error, and nothing is created in its place."""
    file = tmp_path / "kept.sqlite"
    _fill_file(file, keeper)
    _truncate_file(file, 0)

    with pytest.raises(StoreError, match="it is empty") as told:
        keeper(file)
    assert "STORE_UNREADABLE" == told.value.code
    assert [(file, 0)] == [(each, each.stat().st_size) for each in tmp_path.iterdir()]


@_KEEPERS
@pytest.mark.parametrize("lost", [1, 4_000, 4_095, 4_096])
def test_a_file_that_was_cut_is_not_what_was_written(
    tmp_path: Path, keeper: Keeper, lost: int
) -> None:
    """A truncated file is corrupt, also if only its last page is cut."""
    file = tmp_path / "kept.sqlite"
    _fill_file(file, keeper)
    _truncate_file(file, file.stat().st_size - lost)

    with pytest.raises(StoreError, match="TRACE_CORRUPT"):
        keeper(file)


def test_a_page_that_is_in_the_log_may_be_torn_in_the_file(tmp_path: Path) -> None:
    """A page that is complete in the write-ahead log may be torn in the file."""
    file, copy = tmp_path / "plays.sqlite", tmp_path / "copy.sqlite"
    plays = SqlitePlayRecords(file)
    plays.create("a", b"kept" * 10_000)
    hand = sqlite3.connect(file)
    hand.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
    copy.write_bytes(file.read_bytes()[:-1_000])
    Path(f"{copy}-wal").write_bytes(Path(f"{file}-wal").read_bytes())
    hand.close()
    plays.close()
    again = SqlitePlayRecords(copy)
    found = again.get("a")
    again.close()

    assert found is not None
    assert b"kept" * 10_000 == found.content


def test_a_writer_killed_while_making_a_file_leaves_none(tmp_path: Path) -> None:
    """A writer killed while it creates a file leaves none, and the next one creates it."""
    file = tmp_path / "plays.sqlite"
    link = os.link

    def interrupt_call(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    os.link = interrupt_call
    try:
        with pytest.raises(KeyboardInterrupt):
            SqlitePlayRecords(file)
    finally:
        os.link = link

    assert not file.exists()
    SqlitePlayRecords(file).close()
    assert [file] == list(tmp_path.iterdir())


def test_a_disk_without_links_has_its_file_made_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a disk without hard links, the file is created in place."""
    monkeypatch.setattr(os, "link", _refuse_call)
    plays = SqlitePlayRecords(tmp_path / "plays.sqlite")
    plays.create("a", b"kept")
    plays.close()

    assert [tmp_path / "plays.sqlite"] == list(tmp_path.iterdir())


def _refuse_call(*_: object, **__: object) -> None:
    raise PermissionError(1, "Operation not permitted")
