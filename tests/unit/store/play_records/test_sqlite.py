import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from saniwa.core.errors import StoreError
from saniwa.store.sqlite_runs_and_plays import (
    PLAY_APPLICATION_ID,
    PLAY_SCHEMA_VERSION,
    SqlitePlayRecords,
    SqliteRunStore,
)


def test_a_commit_is_synced_and_the_file_says_what_it_is(tmp_path: Path) -> None:
    """The file uses WAL and full sync, and has Saniwa's application id and schema version."""
    plays = SqlitePlayRecords(tmp_path / "plays.sqlite")
    names = ("journal_mode", "synchronous", "application_id", "user_version")
    found = [plays._file.query(f"PRAGMA {name}")[0][0] for name in names]
    plays.close()

    assert ["wal", 2, PLAY_APPLICATION_ID, PLAY_SCHEMA_VERSION] == found


def test_a_file_of_runs_is_no_file_of_plays(tmp_path: Path) -> None:
    """A file of runs is not opened as one of plays, nor the other way round."""
    runs, plays = tmp_path / "runs.sqlite", tmp_path / "plays.sqlite"
    SqliteRunStore(runs).close()
    SqlitePlayRecords(plays).close()

    with pytest.raises(StoreError, match="not a file of plays"):
        SqlitePlayRecords(runs)
    with pytest.raises(StoreError, match="not a file of runs"):
        SqliteRunStore(plays)


def test_a_file_of_a_later_shape_is_left_alone(tmp_path: Path) -> None:
    """A file of a newer version is refused."""
    file = tmp_path / "plays.sqlite"
    SqlitePlayRecords(file).close()
    with sqlite3.connect(file) as hand:
        hand.execute(f"PRAGMA user_version = {PLAY_SCHEMA_VERSION + 1}")
    hand.close()

    with pytest.raises(StoreError, match="STORE_TOO_NEW"):
        SqlitePlayRecords(file)


def test_a_full_disk_leaves_the_old_record(tmp_path: Path) -> None:
    """If the disk is full, the old record stays readable."""
    plays = SqlitePlayRecords(tmp_path / "plays.sqlite")
    plays.create("a", b"old")
    ((pages,),) = plays._file.query("PRAGMA page_count")
    plays._file.query(f"PRAGMA max_page_count = {pages + 1}")

    with pytest.raises(StoreError, match="TRACE_UNWRITABLE"):
        plays.put("a", b"x" * 50_000, after=1)
    kept = plays.get("a")
    plays.close()

    assert kept is not None
    assert (1, b"old") == (kept.revision, kept.content)


def test_another_process_that_writes_is_waited_for_and_then_reported(tmp_path: Path) -> None:
    """A file locked by another process is a recoverable error."""
    file = tmp_path / "plays.sqlite"
    plays = SqlitePlayRecords(file, patience=0.01)
    hand = sqlite3.connect(file, isolation_level=None)
    hand.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreError, match="STORE_BUSY") as caught:
        plays.create("a", b"")
    assert caught.value.recoverable
    hand.close()
    plays.create("a", b"")
    plays.close()


def test_a_damaged_list_holds_no_invented_id(tmp_path: Path) -> None:
    """With a damaged sector, the list has no wrong ids, or is an error."""
    file = tmp_path / "plays.sqlite"
    plays = SqlitePlayRecords(file)
    given = [f"run-{number:04}" for number in range(200)]
    for each in given:
        plays.create(each, b"{}")
    plays.close()
    whole, told = file.read_bytes(), set[str]()
    for start in range(4096, len(whole), 512):
        file.write_bytes(whole[:start] + bytes(512) + whole[start + 512 :])
        try:
            with closing(SqlitePlayRecords(file)) as again:
                assert set(given) >= set(again.list_ids(limit=500))
        except StoreError as problem:
            told.add(problem.code)

    assert {"TRACE_CORRUPT"} == told
