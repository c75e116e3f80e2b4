import os
from pathlib import Path

import pytest

from saniwa.core.errors import StoreError
from saniwa.store.group_commit import GroupCommit
from saniwa.store.sqlite_play_records import SqlitePlayRecords


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of everything that is synced."""
    names = list[str]()

    def noted(opened: int) -> None:
        names.append(Path(f"/proc/self/fd/{opened}").readlink().name)

    monkeypatch.setattr(os, "fdatasync", noted)
    monkeypatch.setattr(os, "fsync", noted)
    return names


def test_what_is_synced_by_itself_is_settled(tmp_path: Path) -> None:
    """Nobody has to wait for anything."""
    plays = SqlitePlayRecords(tmp_path / "plays.sqlite")
    plays.create("a", b"1")
    level = plays._file.execute("PRAGMA synchronous").fetchone()[0]

    assert plays.written.is_durable
    assert 2 == level
    plays.close()


def test_what_is_kept_together_is_settled_by_one_sync(tmp_path: Path, synced: list[str]) -> None:
    """Of the log, and at first of the folder that has its name."""
    plays = SqlitePlayRecords(tmp_path / "plays.sqlite", together=True)
    synced.clear()
    for number in range(5):
        plays.create(str(number), b"1")
    before = plays.written.is_durable
    plays.written.sync()
    first = plays.written.is_durable
    plays.create("more", b"1")
    later = plays.written.is_durable
    plays.written.sync()

    assert (False, True, False, True) == (before, first, later, plays.written.is_durable)
    assert ["plays.sqlite-wal", tmp_path.name, "plays.sqlite-wal"] == synced
    plays.close()


def test_what_is_written_during_a_sync_waits_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may have come too late for this one."""
    written = GroupCommit(tmp_path / "x.sqlite", "x.sqlite")
    (tmp_path / "x.sqlite-wal").touch()
    written.add_commit(durable=False)
    monkeypatch.setattr(os, "fdatasync", lambda _: written.add_commit(durable=False))
    written.sync()

    assert not written.is_durable


def test_where_there_is_no_log_everything_is_in_the_file(tmp_path: Path) -> None:
    """SQLite has synced it there."""
    written = GroupCommit(tmp_path / "x.sqlite", "x.sqlite")
    written.add_commit(durable=False)
    written.sync()

    assert written.is_durable


def test_a_disk_that_failed_is_not_believed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A system forgets that it could not write; we do not."""
    written = GroupCommit(tmp_path / "x.sqlite", "x.sqlite")
    (tmp_path / "x.sqlite-wal").touch()
    written.add_commit(durable=False)

    def broken(_: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fdatasync", broken)
        with pytest.raises(StoreError, match="Input/output error") as caught:
            written.sync()
    with pytest.raises(StoreError):
        written.sync()

    assert "TRACE_UNWRITABLE" == caught.value.code
    assert str(tmp_path) not in str(caught.value)
    assert not written.is_durable
