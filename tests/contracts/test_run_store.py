"""What every store promises; run over memory, SQLite and a real PostgreSQL."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import msgspec
import psycopg
import pytest

from saniwa.core.errors import StoreError
from saniwa.runs.ports import RunStore
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.store.postgres_stores import PostgresRunStore
from saniwa.store.run_records import RunSave, RunSummary
from saniwa.store.sqlite_runs_and_plays import SqliteRunStore
from tests.fakes.coroutine_tests import finish_coroutine
from tests.fakes.records import make_odd_turns, make_record, make_turn, replace

Opener = Callable[[], RunStore]


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    """Opens the store under test; a second call opens the same runs once more."""
    opened: list[RunStore] = []

    def keep(store: RunStore) -> RunStore:
        opened.append(store)
        return store

    match request.param:
        case "memory":
            memory = MemoryRunStore()
            yield lambda: keep(memory)
        case "sqlite":
            yield lambda: keep(SqliteRunStore(tmp_path / "runs.db"))
        case _:
            url = request.getfixturevalue("postgres_url")
            _drop_tables(url)
            yield lambda: keep(PostgresRunStore(url))
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Opener) -> RunStore:
    """The store under test, empty."""
    return open_store()


def _drop_tables(url: str) -> None:
    with psycopg.connect(url) as server:
        server.execute(
            "DROP TABLE IF EXISTS"
            " saniwa_saves, saniwa_turns, saniwa_heads, saniwa_runs, saniwa_shape"
        )


def test_what_is_kept_comes_back_equal(open_store: Opener) -> None:
    """A record and its turns are read back unchanged, also when the store is opened again."""
    first = open_store()
    first.create(make_record())
    for each in make_odd_turns():
        finish_coroutine(first.append("run-1", each))

    second = open_store()
    assert make_record() == second.load_record("run-1")
    assert make_odd_turns() == list(second.read_turns("run-1"))


def test_turns_can_be_read_from_any_number_on(store: RunStore) -> None:
    """Turns are read from the given number on; after the last there are none."""
    store.create(make_record())
    for number in range(70):
        finish_coroutine(store.append("run-1", make_turn(number)))

    assert list(range(70)) == [t.number for t in store.read_turns("run-1")]
    assert [68, 69] == [t.number for t in store.read_turns("run-1", start=68)]
    assert [] == list(store.read_turns("run-1", start=70))
    assert 0 == next(store.read_turns("run-1", start=-5)).number


def test_a_reader_sees_turns_added_while_it_reads(store: RunStore) -> None:
    """Reading is a stream and does not block writing."""
    store.create(make_record())
    finish_coroutine(store.append("run-1", make_turn(0)))
    reading = store.read_turns("run-1")
    next(reading)
    finish_coroutine(store.append("run-1", make_turn(1)))

    assert make_turn(1) == next(reading)


@pytest.mark.parametrize("number", [0, 2, 3, -1])
def test_only_the_next_number_is_kept(store: RunStore, number: int) -> None:
    """A turn out of order is a recoverable conflict that has the current number."""
    store.create(make_record())
    finish_coroutine(store.append("run-1", make_turn(0)))

    with pytest.raises(StoreError) as caught:
        finish_coroutine(store.append("run-1", make_turn(number)))
    assert "REVISION_CONFLICT" == caught.value.code
    assert caught.value.recoverable
    assert 1 == caught.value.details["current"]
    assert [make_turn(0)] == list(store.read_turns("run-1"))


def test_of_two_writers_of_one_number_exactly_one_wins(open_store: Opener) -> None:
    """Of two writers that race for a number, one turn is kept and the other is a conflict."""
    stores = [open_store(), open_store()]
    stores[0].create(make_record())
    start = Barrier(2)

    def write(store: RunStore, number: int, who: str) -> tuple[str, object]:
        start.wait()
        try:
            finish_coroutine(store.append("run-1", make_turn(number, who)))
        except StoreError as problem:
            return problem.code, problem.details["current"]
        return "kept", who

    with ThreadPoolExecutor(2) as pool:
        for number in range(25):
            tries = [pool.submit(write, s, number, f"{s!r}") for s in stores]
            won, lost = sorted((t.result() for t in tries), reverse=True)

            assert "kept" == won[0]
            assert ("REVISION_CONFLICT", number + 1) == lost
            kept = list(stores[0].read_turns("run-1", start=number))
            assert [won[1]] == [t.raw_text for t in kept]


def test_runs_are_listed_oldest_first_with_their_turns(store: RunStore) -> None:
    """Runs are listed in the order they were created, each with the count of its turns."""
    store.create(make_record("run-b", created=5))
    store.create(make_record("run-a", created=9))
    store.create(make_record("run-c", created=5))
    finish_coroutine(store.append("run-a", make_turn(0)))

    assert [
        RunSummary(run_id="run-b", scenario_id="庭", created=5, turns=0),
        RunSummary(run_id="run-a", scenario_id="庭", created=9, turns=1),
        RunSummary(run_id="run-c", scenario_id="庭", created=5, turns=0),
    ] == list(store.list_runs())


def test_a_run_id_is_given_once(store: RunStore) -> None:
    """A second run under one id is refused, and the first is kept."""
    store.create(make_record(created=1))

    with pytest.raises(StoreError, match="RUN_EXISTS"):
        store.create(make_record(created=2))
    assert 1 == store.load_record("run-1").created


UNKNOWN: list[Callable[[RunStore, str], object]] = [
    lambda store, run: store.load_record(run),
    lambda store, run: store.read_turns(run),
    lambda store, run: finish_coroutine(store.append(run, make_turn(0))),
    lambda store, run: store.save(RunSave(run_id=run, name="a", turn=0)),
    lambda store, run: store.list_saves(run),
    lambda store, run: store.find_run(run),
]


@pytest.mark.parametrize("ask", UNKNOWN)
@pytest.mark.parametrize("run", ["", "run-0123x", "\x00", "\ud800", "x" * 5000, "'--"])
def test_an_unknown_run_is_not_found(
    store: RunStore, ask: Callable[[RunStore, str], object], run: str
) -> None:
    """Every call for an unknown run is the same error, whatever the id looks like."""
    with pytest.raises(StoreError) as caught:
        ask(store, run)
    assert "RUN_NOT_FOUND" == caught.value.code


def test_the_nearest_run_is_offered(store: RunStore) -> None:
    """A mistyped id is an error whose hint names the nearest id."""
    store.create(make_record("run-0194aaaa"))

    with pytest.raises(StoreError) as caught:
        store.load_record("run-0194aaab")
    assert "did you mean 'run-0194aaaa'?" == caught.value.hint


@pytest.mark.parametrize("text", ["run-0194aaaa", "run-0194aa", "0194aa", "aaaa"])
def test_a_run_is_found_by_a_part_only_it_has(store: RunStore, text: str) -> None:
    """The id, its beginning or its end finds a run, with or without `run-`."""
    store.create(make_record("run-0194aaaa"))
    store.create(make_record("run-0194bbbb"))

    assert "run-0194aaaa" == store.find_run(text)


def test_a_part_that_several_runs_have_finds_none(store: RunStore) -> None:
    """A part that two runs have is an error that names both."""
    store.create(make_record("run-0194aaaa"))
    store.create(make_record("run-0194bbbb"))

    with pytest.raises(StoreError, match="RUN_AMBIGUOUS") as caught:
        store.find_run("0194")
    assert ["run-0194aaaa", "run-0194bbbb"] == caught.value.details["candidates"]


def test_saves_are_kept_by_name_and_a_name_can_move(open_store: Opener) -> None:
    """Saves are listed in order of name; saving under a name again moves it."""
    first = open_store()
    first.create(make_record())
    first.create(make_record("run-2"))
    for name, number in [("庭", 3), ("b's", 1), ("庭", -1)]:
        first.save(RunSave(run_id="run-1", name=name, turn=number, created=number + 5))
    first.save(RunSave(run_id="run-2", name="other", turn=0))

    assert [
        RunSave(run_id="run-1", name="b's", turn=1, created=6),
        RunSave(run_id="run-1", name="庭", turn=-1, created=4),
    ] == list(open_store().list_saves("run-1"))


@pytest.mark.parametrize("name", ["", "a\nb", "\x00", "\ud800", "x" * 101])
def test_a_save_needs_a_name_people_can_read(store: RunStore, name: str) -> None:
    """A save whose name cannot be read or typed is refused."""
    store.create(make_record())

    with pytest.raises(StoreError, match="SAVE_UNNAMED"):
        store.save(RunSave(run_id="run-1", name=name, turn=0))
    assert [] == list(store.list_saves("run-1"))


@pytest.mark.parametrize("value", [object(), "\ud800", {"a": {1: b"b", "2": ...}}])
def test_what_has_no_text_is_not_kept(store: RunStore, value: object) -> None:
    """A turn that cannot be written is an error, and nothing of it is kept."""
    store.create(make_record())

    with pytest.raises(StoreError) as caught:
        finish_coroutine(store.append("run-1", replace(make_turn(0), parsed_actions=(value,))))
    assert "TRACE_UNWRITABLE" == caught.value.code
    assert [] == list(store.read_turns("run-1"))


def test_a_very_large_turn_is_kept_whole(store: RunStore) -> None:
    """A turn with ten thousand claims comes back unchanged."""
    store.create(make_record())
    large = replace(make_turn(0), parsed_actions=tuple({"type": "x" * 99} for _ in range(10_000)))
    finish_coroutine(store.append("run-1", large))

    assert [large] == list(store.read_turns("run-1"))


def test_an_ordinary_turn_is_small() -> None:
    """A turn of one action takes less than 3 KB."""
    assert len(msgspec.json.encode(make_turn())) < 3000
