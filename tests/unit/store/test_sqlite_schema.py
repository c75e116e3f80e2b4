import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from saniwa.core.errors import StoreError
from saniwa.store.sqlite_runs_and_plays import SqlitePlayRecords, SqliteRunStore
from tests.fakes.coroutine_tests import finish_coroutine
from tests.fakes.records import make_record, make_turn

_ENDLESS_VIEW = """
ALTER TABLE turns RENAME TO real_turns;
CREATE VIEW turns AS
  WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n)
  SELECT run_id, number + 0 * i AS number, seal, turn FROM real_turns, n
"""
_TRIGGER = "CREATE TRIGGER t AFTER INSERT ON turns BEGIN DELETE FROM saves; END"
_OTHER_SHAPE = """
DROP TABLE saves;
CREATE TABLE saves (run_id TEXT CHECK (length(randomblob(9)) > 0))
"""

# Written into the schema directly: twenty thousand CREATE TABLE take twelve seconds.
_MANY_TABLES = """
PRAGMA writable_schema = ON;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO sqlite_schema
  SELECT 'table', 'more' || i, 'more' || i, rootpage, 'CREATE TABLE more' || i || ' (a)'
  FROM n, sqlite_schema WHERE name = 'turns'
"""


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    """A file with one turn."""
    path = tmp_path / "runs.db"
    store = SqliteRunStore(path)
    store.create(make_record())
    finish_coroutine(store.append("run-1", make_turn(0)))
    store.close()
    return path


def _change(file: Path, script: str) -> None:
    with closing(sqlite3.connect(file)) as opened:
        opened.executescript(script)


@pytest.mark.parametrize(
    ("script", "fault"),
    [
        (_ENDLESS_VIEW, "it has the view 'turns'"),
        ("CREATE VIEW more AS SELECT 1", "it has the view 'more'"),
        (_TRIGGER, "it has the trigger 't'"),
        ("CREATE VIRTUAL TABLE v USING fts5(a)", "it has the virtual table 'v'"),
        ("CREATE INDEX i ON turns (abs(number))", "it has the index 'i'"),
        (_OTHER_SHAPE, "the table 'saves' has another schema"),
        ("DROP TABLE heads", "the table 'heads' is missing"),
    ],
)
def test_a_file_with_another_schema_is_refused(run_file: Path, script: str, fault: str) -> None:
    """A file with another schema is refused before any query, because a view could run forever."""
    _change(run_file, script)
    with pytest.raises(StoreError, match="STORE_UNREADABLE") as caught:
        SqliteRunStore(run_file, mode="existing")

    assert f"this is not a file of runs: {fault}" == caught.value.message


def test_a_file_of_plays_with_a_trigger_is_refused(tmp_path: Path) -> None:
    """A file of plays with a trigger is refused."""
    file = tmp_path / "plays.sqlite"
    SqlitePlayRecords(file).close()
    _change(file, "CREATE TRIGGER t AFTER INSERT ON plays BEGIN SELECT 1; END")
    with pytest.raises(StoreError, match="STORE_UNREADABLE"):
        SqlitePlayRecords(file)


def test_opening_a_file_takes_a_bounded_number_of_steps(run_file: Path) -> None:
    """A huge schema is refused in a limited number of steps."""
    _change(run_file, _MANY_TABLES)
    with pytest.raises(StoreError, match="STORE_UNREADABLE") as caught:
        SqliteRunStore(run_file)

    assert "its schema is too large" in caught.value.hint


@pytest.mark.parametrize(
    "script", ["ANALYZE", "VACUUM", "CREATE TABLE _litestream_seq (id INTEGER)"]
)
def test_what_a_caretaker_adds_is_no_fault(run_file: Path, script: str) -> None:
    """Additional ordinary tables are accepted."""
    _change(run_file, script)
    store = SqliteRunStore(run_file)

    assert [make_turn(0)] == list(store.read_turns("run-1"))
    store.close()


def test_a_schema_is_not_trusted_with_functions(run_file: Path) -> None:
    """`trusted_schema` is off for every connection."""
    store = SqliteRunStore(run_file)

    assert [(0,)] == store._file.query("PRAGMA trusted_schema")
    store.close()
