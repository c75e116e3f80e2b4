import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from saniwa.core.errors import StoreError
from saniwa.store.sqlite_runs_and_plays import SqliteRunStore
from tests.fakes.coroutine_tests import finish_coroutine
from tests.fakes.records import make_record, make_turn


@pytest.fixture
def read_only_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with one turn, in a read-only folder."""
    path = tmp_path / "runs.db"
    store = SqliteRunStore(path)
    store.create(make_record())
    finish_coroutine(store.append("run-1", make_turn(0)))
    store.close()
    # Root may write anywhere except on a disk mounted read-only.
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    return path


def test_a_store_is_read_where_nothing_may_be_made(read_only_file: Path) -> None:
    """In a read-only folder every turn can be read, no file is created, and writing is refused."""
    store = SqliteRunStore(read_only_file, mode="existing")

    assert [make_turn(0)] == list(store.read_turns("run-1"))
    assert [read_only_file] == list(read_only_file.parent.iterdir())
    with pytest.raises(StoreError, match="TRACE_UNWRITABLE"):
        finish_coroutine(store.append("run-1", make_turn(1)))
    store.close()


def test_a_log_that_was_left_is_never_passed_over(
    read_only_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns that are only in the write-ahead log are read too."""
    monkeypatch.undo()
    writer = SqliteRunStore(read_only_file)
    finish_coroutine(writer.append("run-1", make_turn(1)))
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    store = SqliteRunStore(read_only_file, mode="existing")

    assert [make_turn(0), make_turn(1)] == list(store.read_turns("run-1"))
    store.close()
    writer.close()


def _put_away(path: Path) -> None:
    path.rename(path.with_suffix(".away"))


def _put_another(path: Path) -> None:
    _put_away(path)
    shutil.copy(path.with_suffix(".away"), path)


@pytest.mark.parametrize("harm", [_put_away, _put_another])
def test_nothing_is_acknowledged_that_only_a_moved_file_holds(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    """After the file is moved away, neither writing nor reading succeeds."""
    path = tmp_path / "runs.db"
    store = SqliteRunStore(path)
    store.create(make_record())
    finish_coroutine(store.append("run-1", make_turn(0)))
    harm(path)
    with pytest.raises(StoreError, match="while it was open") as lost:
        finish_coroutine(store.append("run-1", make_turn(1)))
    with pytest.raises(StoreError, match="while it was open"):
        list(store.read_turns("run-1"))
    path.with_suffix(".away").replace(path)

    assert ("STORE_UNREADABLE", False) == (lost.value.code, lost.value.recoverable)
    assert make_turn(0) == next(iter(store.read_turns("run-1")))
    store.close()
