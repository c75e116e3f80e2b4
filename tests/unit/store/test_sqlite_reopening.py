"""A run whose end is remembered is not read again, unless another writer has changed it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from saniwa.core.errors import StoreError
from saniwa.store.sqlite_runs_and_plays import SqliteRunStore
from tests.fakes.coroutine_tests import finish_coroutine
from tests.fakes.records import make_record, make_turn

RUNS = ("run-1", "run-2")
END = "SELECT count, seal FROM heads WHERE run_id = "


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteRunStore]:
    """Two runs with a turn each."""
    opened = SqliteRunStore(tmp_path / "runs.db")
    for run in RUNS:
        opened.create(make_record(run))
        finish_coroutine(opened.append(run, make_turn(0)))
    yield opened
    opened.close()


def _trace_statements(store: SqliteRunStore, do: Callable[[], object]) -> list[str]:
    """The statements meanwhile, except those for the end of the run."""
    said = list[str]()
    store._file._open.set_trace_callback(said.append)
    do()
    store._file._open.set_trace_callback(None)
    asked = [each for each in said if each.lstrip().startswith("SELECT")]
    return [each for each in asked if not each.startswith(END)]


def test_runs_played_by_turns_are_not_read(store: SqliteRunStore) -> None:
    """Runs played in turn are not read again, neither to follow them nor to append."""

    def play() -> None:
        for run in RUNS:
            assert [] == list(store.read_turns(run, 1))
            finish_coroutine(store.append(run, make_turn(1)))

    assert [] == _trace_statements(store, play)


def test_what_another_writer_has_kept_is_followed(store: SqliteRunStore, tmp_path: Path) -> None:
    """Turns of another writer are found at once, and other runs are not read for that."""
    other = SqliteRunStore(tmp_path / "runs.db")
    finish_coroutine(other.append("run-1", make_turn(1)))
    other.close()

    assert [make_turn(1)] == list(store.read_turns("run-1", 1))
    assert [] == _trace_statements(store, lambda: list(store.read_turns("run-2", 1)))
    assert [] == list(store.read_turns("run-2", 1))


def test_a_turn_that_another_writer_kept_first_is_followed_after_the_refusal(
    store: SqliteRunStore, tmp_path: Path
) -> None:
    """After a conflict, the other writer's turn is read."""
    other = SqliteRunStore(tmp_path / "runs.db")
    finish_coroutine(other.append("run-1", make_turn(1)))
    with pytest.raises(StoreError, match="REVISION_CONFLICT"):
        finish_coroutine(store.append("run-1", make_turn(1)))
    other.close()

    assert [make_turn(1)] == list(store.read_turns("run-1", 1))
    finish_coroutine(store.append("run-1", make_turn(2)))


def test_a_file_that_was_moved_away_is_missed_without_reading(
    store: SqliteRunStore, tmp_path: Path
) -> None:
    """A file that was moved away is an error, even without a query."""
    (tmp_path / "runs.db").rename(tmp_path / "away.db")

    with pytest.raises(StoreError, match="STORE_UNREADABLE"):
        store.read_turns("run-1", 1)


def test_earlier_turns_are_read_as_ever(store: SqliteRunStore) -> None:
    """Earlier turns are read as usual."""
    assert [make_turn(0)] == list(store.read_turns("run-1"))


def test_runs_left_long_ago_are_read_again(
    store: SqliteRunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only some runs are remembered; others are read again."""
    monkeypatch.setattr("saniwa.store.sql_run_store._MOST_REMEMBERED", 1)
    for run in RUNS:
        finish_coroutine(store.append(run, make_turn(1)))

    assert _trace_statements(store, lambda: list(store.read_turns("run-1", 2)))
    assert not _trace_statements(store, lambda: list(store.read_turns("run-2", 2)))
    finish_coroutine(store.append("run-1", make_turn(2)))


def test_of_two_threads_the_later_turn_is_remembered(
    store: SqliteRunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two threads, the later turn is remembered."""
    later = Thread(target=lambda: finish_coroutine(store.append("run-1", make_turn(2))))
    leave, begun = store._remember_end, list[Thread]()

    def leave_later(run_id: str, left: Any) -> None:
        if not begun:
            begun.append(later)
            later.start()
            # Enough time, if nothing blocked it.
            later.join(0.1)
        leave(run_id, left)

    monkeypatch.setattr(store, "_remember_end", leave_later)
    finish_coroutine(store.append("run-1", make_turn(1)))
    later.join()

    assert [make_turn(2)] == list(store.read_turns("run-1", 2))
