import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import msgspec
import pytest

from saniwa.core.errors import StoreError
from saniwa.store.run_records import RunSave
from saniwa.store.sqlite_runs_and_plays import (
    RUN_APPLICATION_ID,
    RUN_SCHEMA_VERSION,
    SqliteRunStore,
)
from tests.fakes.coroutine_tests import finish_coroutine
from tests.fakes.records import make_record, make_turn


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    """A closed file with one run of three turns."""
    path = tmp_path / "庭 %41?#.db"
    store = SqliteRunStore(path)
    store.create(make_record())
    for number in range(3):
        finish_coroutine(store.append("run-1", make_turn(number)))
    store.close()
    return path


def _spoil(path: Path, statement: str) -> None:
    with sqlite3.connect(path) as hand:
        hand.execute(statement)
    hand.close()


def _expect_refusal(path: Path, mode: str = "create") -> StoreError:
    with pytest.raises(StoreError) as caught:
        SqliteRunStore(path, mode=mode)  # type: ignore[arg-type]
    return caught.value


def test_a_commit_is_synced_and_the_file_says_what_it_is(run_file: Path) -> None:
    """The file uses WAL and full sync, and has Saniwa's application id and schema version."""
    store = SqliteRunStore(run_file)
    found = [
        store._file.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous", "application_id", "user_version")
    ]
    store.close()

    assert ["wal", 2, RUN_APPLICATION_ID, RUN_SCHEMA_VERSION] == found


def test_a_file_of_a_later_shape_is_left_alone(run_file: Path) -> None:
    """A file of a newer version is refused with name and version, and not changed."""
    _spoil(run_file, f"PRAGMA user_version = {RUN_SCHEMA_VERSION + 1}")

    problem = _expect_refusal(run_file)

    assert "STORE_TOO_NEW" == problem.code
    assert {"version": RUN_SCHEMA_VERSION + 1, "newest": RUN_SCHEMA_VERSION} == problem.details
    assert str(run_file) in str(problem)


@pytest.mark.parametrize(
    "content", [b"not a database at all, only words, more than a header", b"\x00" * 4096]
)
def test_a_foreign_file_is_left_alone(tmp_path: Path, content: bytes) -> None:
    """A file that is not a database is refused, and not changed."""
    path = tmp_path / "story.txt"
    path.write_bytes(content)

    problem = _expect_refusal(path)

    assert "STORE_UNREADABLE" == problem.code
    assert str(path) in str(problem)
    assert content == path.read_bytes()


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    """Another program's database is refused, and gets no tables."""
    path = tmp_path / "mail.db"
    _spoil(path, "CREATE TABLE letters (body TEXT)")

    problem = _expect_refusal(path)

    assert "STORE_UNREADABLE" == problem.code
    with sqlite3.connect(path) as hand:
        names = hand.execute("SELECT name FROM sqlite_schema").fetchall()
    hand.close()
    assert [("letters",)] == names


@pytest.mark.parametrize("mode", ["existing", "read"])
def test_only_create_makes_a_file(tmp_path: Path, mode: str) -> None:
    """Opening a missing file for reading does not create it."""
    path = tmp_path / "typo.db"

    problem = _expect_refusal(path, mode)

    assert "STORE_UNREADABLE" == problem.code
    assert "check the path; `saniwa play` creates it" == problem.hint
    assert not path.exists()


def test_a_missing_folder_is_not_made(tmp_path: Path) -> None:
    """A file in a missing folder is an error."""
    path = tmp_path / "nowhere" / "runs.db"

    problem = _expect_refusal(path)

    assert "STORE_UNREADABLE" == problem.code
    assert str(path) in str(problem)


def test_an_empty_file_cannot_be_read(tmp_path: Path) -> None:
    """Opening an empty file for reading is refused."""
    path = tmp_path / "empty.db"
    path.touch()

    assert "STORE_UNREADABLE" == _expect_refusal(path, "read").code


def test_a_reader_writes_nothing(run_file: Path) -> None:
    """A store opened for reading can be read, and refuses every write."""
    store = SqliteRunStore(run_file, mode="read")

    assert [make_turn(0), make_turn(1), make_turn(2)] == list(store.read_turns("run-1"))
    with pytest.raises(StoreError, match="TRACE_UNWRITABLE"):
        finish_coroutine(store.append("run-1", make_turn(3)))
    with pytest.raises(StoreError, match="TRACE_UNWRITABLE"):
        store.save(RunSave(run_id="run-1", name="a", turn=0))
    store.close()


_SPOILT = "CAST(replace(CAST(turn AS TEXT), 'key', 'cat') AS BLOB)"


@pytest.mark.parametrize(
    ("statement", "number", "why"),
    [
        (f"UPDATE turns SET turn = {_SPOILT} WHERE number = 1", 1, "have changed"),
        ("UPDATE turns SET seal = x'00' WHERE number = 2", 2, "have changed"),
        ("UPDATE turns SET turn = CAST('{' AS BLOB) WHERE number = 0", 0, "changed"),
        ("DELETE FROM turns WHERE number = 1", 1, "it is missing"),
        ("DELETE FROM turns WHERE number = 2", 2, "it is missing"),
        ("DELETE FROM turns WHERE number >= 0", 0, "it is missing"),
        ("UPDATE heads SET count = 2", 2, "the run has 2 turns"),
        ("UPDATE heads SET count = 4", 3, "it is missing"),
    ],
)
def test_a_turn_that_is_not_what_was_written_is_named(
    run_file: Path, statement: str, number: int, why: str
) -> None:
    """A changed or missing turn is reported when it is read, after the turns before it."""
    _spoil(run_file, statement)
    store = SqliteRunStore(run_file)
    reading = store.read_turns("run-1")

    assert [make_turn(n) for n in range(number)] == [next(reading) for _ in range(number)]
    with pytest.raises(StoreError, match=why) as caught:
        next(reading)
    store.close()
    assert "TRACE_CORRUPT" == caught.value.code
    assert {"run": "run-1", "turn": number} == caught.value.details
    assert str(run_file) in str(caught.value)


def test_two_turns_that_changed_places_are_noticed(run_file: Path) -> None:
    """Two exchanged turns are corrupt, because a seal fits its own row only."""
    for statement in ("- 10 WHERE number = 1", "- 1 WHERE number = 2", "+ 11 WHERE number < 0"):
        _spoil(run_file, f"UPDATE turns SET number = number {statement}")
    store = SqliteRunStore(run_file)

    with pytest.raises(StoreError, match="turn 2 of run 'run-1' is corrupt"):
        list(store.read_turns("run-1"))
    store.close()


def test_a_record_that_is_not_what_was_written_is_named(run_file: Path) -> None:
    """A changed record is reported when it is read."""
    _spoil(run_file, "UPDATE records SET record = CAST('{}' AS BLOB)")
    store = SqliteRunStore(run_file)

    with pytest.raises(StoreError, match="the record of run 'run-1'") as caught:
        store.load_record("run-1")
    store.close()
    assert "TRACE_CORRUPT" == caught.value.code


def test_a_damaged_file_is_reported_with_its_place(run_file: Path) -> None:
    """A damaged file is an error with its path, not a traceback."""
    content = bytearray(run_file.read_bytes())
    content[200:] = b"\xa5" * (len(content) - 200)
    run_file.write_bytes(content)

    with pytest.raises(StoreError) as caught:
        list(SqliteRunStore(run_file).read_turns("run-1"))
    assert caught.value.code in ("TRACE_CORRUPT", "STORE_UNREADABLE")
    assert str(run_file) in str(caught.value)
    assert caught.value.hint


def test_a_store_that_others_hold_is_busy(run_file: Path) -> None:
    """If another writer holds the file too long, the error is recoverable."""
    store = SqliteRunStore(run_file, patience=0)
    other = sqlite3.connect(run_file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreError) as caught:
        finish_coroutine(store.append("run-1", make_turn(3)))
    other.execute("ROLLBACK")
    other.close()
    assert "STORE_BUSY" == caught.value.code
    assert caught.value.recoverable
    finish_coroutine(store.append("run-1", make_turn(3)))
    assert make_turn(3) == list(store.read_turns("run-1"))[3]
    store.close()


def test_two_stores_can_make_one_file(tmp_path: Path) -> None:
    """Two stores can create one file."""
    first = SqliteRunStore(tmp_path / "runs.db")
    second = SqliteRunStore(tmp_path / "runs.db")
    first.create(make_record())

    assert make_record() == second.load_record("run-1")
    first.close()
    second.close()


def test_a_full_disk_keeps_nothing_of_a_turn(tmp_path: Path) -> None:
    """If the disk is full, the turn is refused, and stored turns stay readable."""
    store = SqliteRunStore(tmp_path / "runs.db")
    store.create(make_record())
    finish_coroutine(store.append("run-1", make_turn(0)))
    (pages,) = store._file.execute("PRAGMA page_count").fetchone()
    store._file.execute(f"PRAGMA max_page_count = {pages + 1}")

    with pytest.raises(StoreError) as caught:
        finish_coroutine(store.append("run-1", make_turn(1, "x" * 50_000)))
    assert "TRACE_UNWRITABLE" == caught.value.code
    assert not caught.value.recoverable
    assert [make_turn(0)] == list(store.read_turns("run-1"))
    finish_coroutine(store.append("run-1", make_turn(1)))
    store.close()


def test_a_head_that_is_not_what_was_written_is_noticed(run_file: Path) -> None:
    """A wrong head of a run is reported when reading on and when appending."""
    _spoil(run_file, "UPDATE heads SET seal = x'00'")
    store = SqliteRunStore(run_file)
    reading = store.read_turns("run-1")

    assert [make_turn(0), make_turn(1), make_turn(2)] == [next(reading) for _ in range(3)]
    for ask in (
        lambda: next(reading),
        lambda: finish_coroutine(store.append("run-1", make_turn(3))),
    ):
        with pytest.raises(StoreError) as caught:
            ask()
        assert "TRACE_CORRUPT" == caught.value.code
        assert {"run": "run-1", "turn": 2} == caught.value.details
    store.close()


@pytest.mark.parametrize(
    "statement",
    ["DELETE FROM turns WHERE number >= 2", "UPDATE turns SET seal = x'00' WHERE number = 3"],
)
def test_nothing_is_added_to_a_run_that_lost_its_end(run_file: Path, statement: str) -> None:
    """Nothing is appended to a run that lost its last turn, by an old or a new store."""
    store = SqliteRunStore(run_file)
    finish_coroutine(store.append("run-1", make_turn(3)))
    _spoil(run_file, statement)

    for each, number in ((store, 4), (SqliteRunStore(run_file), 2), (SqliteRunStore(run_file), 4)):
        with pytest.raises(StoreError) as caught:
            finish_coroutine(each.append("run-1", make_turn(number)))
        assert "TRACE_CORRUPT" == caught.value.code
        each.close()


@pytest.mark.parametrize("table", ["runs", "heads"])
def test_a_run_that_went_missing_is_named(run_file: Path, table: str) -> None:
    """A run missing from one of its tables is corrupt, in lists and when it is read."""
    _spoil(run_file, f"DELETE FROM {table}")
    store = SqliteRunStore(run_file)
    asked: list[Callable[[], object]] = [
        lambda: list(store.list_runs()),
        lambda: list(store.read_turns(store.find_run("run-1"))),
        lambda: finish_coroutine(store.append("run-1", make_turn(3))),
        lambda: store.save(RunSave(run_id="run-1", name="a", turn=0)),
        lambda: store.list_saves("run-1"),
    ]

    for ask in asked:
        with pytest.raises(StoreError, match="'run-1'") as caught:
            ask()
        assert "TRACE_CORRUPT" == caught.value.code
    store.close()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM saves WHERE name = 'a'",
        "UPDATE saves SET turn = 0 WHERE name = 'a'",
        "INSERT INTO saves VALUES ('run-1', 'c', 0, 0)",
    ],
)
def test_saves_that_are_not_what_was_written_are_noticed(run_file: Path, statement: str) -> None:
    """A changed, missing or added save is corrupt."""
    store = SqliteRunStore(run_file)
    for name in ("a", "b"):
        store.save(RunSave(run_id="run-1", name=name, turn=1))
    _spoil(run_file, statement)

    with pytest.raises(StoreError, match="the saves of run 'run-1'") as caught:
        store.list_saves("run-1")
    assert "TRACE_CORRUPT" == caught.value.code
    assert [make_turn(0), make_turn(1), make_turn(2)] == list(store.read_turns("run-1"))
    store.close()


_LOOSE = """
CREATE TABLE loose AS SELECT * FROM {table};
DROP TABLE {table};
ALTER TABLE loose RENAME TO {table};
UPDATE {table} SET {column} = {value};
"""


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("runs", "run_id"),
        ("runs", "scenario_id"),
        ("runs", "created"),
        ("runs", "seal"),
        ("runs", "record"),
        ("records", "record"),
        ("heads", "count"),
        ("heads", "seal"),
        ("turns", "number"),
        ("turns", "turn"),
        ("turns", "seal"),
        ("saves", "name"),
        ("saves", "turn"),
    ],
)
@pytest.mark.parametrize("value", ["NULL", "'text'", "x'ff'", "1.5", "CAST(x'ff' AS TEXT)"])
def test_values_of_another_kind_are_damage(
    run_file: Path, table: str, column: str, value: str
) -> None:
    """A value of another type is an error."""
    store = SqliteRunStore(run_file)
    store.save(RunSave(run_id="run-1", name="a", turn=1))
    store.close()
    hand = sqlite3.connect(run_file)
    hand.executescript(_LOOSE.format(table=table, column=column, value=value))
    hand.close()

    assert isinstance(_read_all(run_file), StoreError)


def _read_all(path: Path) -> StoreError | list[object]:
    """Everything the file says about `run-1` and another run, or the error."""
    try:
        store = SqliteRunStore(path, mode="existing")
    except StoreError as problem:
        return problem
    try:
        said: list[object] = list(store.list_runs())
        for run_id in ("run-1", "run-2"):
            if run_id in store._list_ids():
                said += [store.load_record(run_id), *store.list_saves(run_id)]
                said += store.read_turns(run_id)
    except StoreError as problem:
        return problem
    finally:
        store.close()
    return said


def _write_many_pages(path: Path) -> bytes:
    """A file with every kind of page: leaves, inner pages, overflow."""
    store = SqliteRunStore(path)
    store.create(msgspec.structs.replace(make_record(), seed=1, scenario={"a": "庭" * 3000}))
    store.create(make_record("run-2"))
    for number in range(13):
        finish_coroutine(store.append("run-1", make_turn(number, "look" * (number % 3) * 200)))
        finish_coroutine(store.append("run-2", make_turn(number)))
    store.save(RunSave(run_id="run-1", name="a", turn=3))
    store.close()
    return path.read_bytes()


def _iterate_places(size: int) -> Iterator[int]:
    """Some dozens of positions in every page, including its header."""
    for page in range(0, size, 4096):
        yield from range(page, page + 12)
        yield from range(page + 17, page + 4096, 151)


def test_a_flipped_bit_never_changes_what_is_reported(tmp_path: Path) -> None:
    """Any damaged byte is an error or makes no difference, and no turn number is given twice."""
    path = tmp_path / "runs.db"
    whole = _write_many_pages(path)
    good = _read_all(path)
    silent = []
    for place in _iterate_places(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        for beside in ("-wal", "-shm", "-journal"):
            path.with_name(path.name + beside).unlink(missing_ok=True)
        path.write_bytes(damaged)
        told = _read_all(path)
        if not isinstance(told, StoreError) and told != good:
            silent.append(place)
        if not _refuses_number(path, 12):
            silent.append(place)

    assert isinstance(good, list)
    assert 31 == len(good)
    assert [] == silent


def _refuses_number(path: Path, number: int) -> bool:
    """Whether a turn with a number already used is refused."""
    try:
        store = SqliteRunStore(path, mode="existing")
    except StoreError:
        return True
    try:
        finish_coroutine(store.append("run-1", make_turn(number)))
    except StoreError:
        return True
    finally:
        store.close()
    return False


def test_many_can_make_one_file_at_once(tmp_path: Path) -> None:
    """Several processes can create one file at once."""
    start = Barrier(4)

    def open_at_once(path: Path) -> str:
        start.wait()
        try:
            SqliteRunStore(path).close()
        except StoreError as problem:
            return str(problem)
        return "made"

    with ThreadPoolExecutor(4) as pool:
        for number in range(40):
            path = tmp_path / f"{number}.db"
            told = list(pool.map(open_at_once, [path] * 4))

            assert ["made"] * 4 == told


@pytest.mark.parametrize("mode", ["existing", "read"])
def test_an_empty_file_is_left_empty(tmp_path: Path, mode: str) -> None:
    """Opening an empty file for reading leaves it empty."""
    path = tmp_path / "empty.db"
    path.touch()

    problem = _expect_refusal(path, mode)

    assert "STORE_UNREADABLE" == problem.code
    assert b"" == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name", ["me:secret@host", "mysql:/me:se@cret@host", "host=x password=secret"]
)
def test_a_place_is_reported_without_a_password(tmp_path: Path, name: str) -> None:
    """The password of an address that was given as a file name is not shown."""
    problem = _expect_refusal(tmp_path / "no" / name, "read")

    assert "cret" not in str(problem)
