import os
from pathlib import Path

import pytest

from saniwa.core.errors import StoreError
from saniwa.store.sqlite import SqliteStore
from tests.fakes.records import record, turn


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with one turn, in a folder nobody may write to."""
    path = tmp_path / "runs.db"
    store = SqliteStore(path)
    store.create(record())
    store.append("run-1", turn(0))
    store.close()
    # Root may write anywhere but on a disk that is mounted so.
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    return path


def test_a_store_is_read_where_nothing_may_be_made(file: Path) -> None:
    """Every turn is there, nothing is made beside the file, and writing is refused."""
    store = SqliteStore(file, mode="existing")

    assert [turn(0)] == list(store.turns("run-1"))
    assert [file] == list(file.parent.iterdir())
    with pytest.raises(StoreError, match="TRACE_UNWRITABLE"):
        store.append("run-1", turn(1))
    store.close()


def test_a_log_that_was_left_is_never_passed_over(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns that stand only in the log beside the file are read too."""
    monkeypatch.undo()
    writer = SqliteStore(file)
    writer.append("run-1", turn(1))
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    store = SqliteStore(file, mode="existing")

    assert [turn(0), turn(1)] == list(store.turns("run-1"))
    store.close()
    writer.close()
