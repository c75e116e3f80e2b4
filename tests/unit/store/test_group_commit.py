"""Writes that wait at the same time share a commit, and return only when it is durable."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event

import pytest

from saniwa.core.errors import StoreError
from saniwa.store.sqlite_runs_and_plays import SqlitePlayRecords, SqliteRunStore
from tests.fakes.coroutine_tests import finish_coroutine, run_coroutine
from tests.fakes.records import make_record, make_turn
from tests.fakes.runs import open_courtyard_run
from tests.fakes.slow_disk import SlowDisk

RUNS = tuple(f"run-{number}" for number in range(10))


@pytest.fixture
def disk() -> Iterator[SlowDisk]:
    """A disk that every commit of this test uses."""
    found = SlowDisk()
    with found.replace_disk():
        yield found


@asynccontextmanager
async def _open_store(folder: Path) -> AsyncIterator[SqliteRunStore]:
    """A store as a server opens it."""
    store = SqliteRunStore(folder / "runs.db", together=True)
    for run in RUNS:
        store.create(make_record(run))
    yield store
    store.close()


async def _wait_for_commit(disk: SlowDisk) -> None:
    """Wait until a commit has started and everything else waits."""
    assert await asyncio.to_thread(disk.waiting.wait, 60)
    for _ in range(50):
        await asyncio.sleep(0)


def _append(store: SqliteRunStore, runs: tuple[str, ...]) -> "list[asyncio.Task[None]]":
    return [asyncio.create_task(store.append(run, make_turn(0))) for run in runs]


def _list_stored_runs(folder: Path) -> list[str]:
    """The runs with a turn, as another process sees them."""
    other = SqliteRunStore(folder / "runs.db")
    found = [run for run in RUNS if list(other.read_turns(run))]
    other.close()
    return found


@run_coroutine
async def test_writes_during_a_commit_share_the_next(tmp_path: Path, disk: SlowDisk) -> None:
    """Writes during a commit share the next: ten turns take two commits."""
    async with _open_store(tmp_path) as store:
        before = disk.commits
        disk.hold()
        appended = _append(store, RUNS)
        await _wait_for_commit(disk)
        early = [each.done() for each in appended]
        disk.go.set()
        await asyncio.gather(*appended)

    assert not any(early)
    assert 2 == disk.commits - before
    assert [*RUNS] == _list_stored_runs(tmp_path)


@run_coroutine
async def test_a_turn_is_read_only_when_it_is_durable(tmp_path: Path, disk: SlowDisk) -> None:
    """A turn can be read only when it is durable, and readers do not wait for the disk."""
    async with _open_store(tmp_path) as store:
        disk.hold()
        appended = _append(store, RUNS[:1])
        await _wait_for_commit(disk)
        early = list(store.read_turns(RUNS[0])), _list_stored_runs(tmp_path)
        disk.go.set()
        await asyncio.gather(*appended)
        late = list(store.read_turns(RUNS[0])), _list_stored_runs(tmp_path)

    assert ([], []) == early
    assert ([make_turn(0)], [RUNS[0]]) == late


@run_coroutine
async def test_a_cancelled_caller_ends_after_the_outcome(tmp_path: Path, disk: SlowDisk) -> None:
    """A cancelled call ends after its write, and other calls are not affected."""
    async with _open_store(tmp_path) as store:
        disk.hold()
        gone, there = _append(store, RUNS[:2])
        await _wait_for_commit(disk)
        for _ in range(3):
            gone.cancel()
            await asyncio.sleep(0)
        early = gone.done()
        disk.go.set()
        await there
        await asyncio.wait([gone])

    assert not early
    assert gone.cancelled()
    assert [*RUNS[:2]] == _list_stored_runs(tmp_path)


@run_coroutine
async def test_a_failed_commit_is_reported_to_every_waiting_caller(
    tmp_path: Path, disk: SlowDisk
) -> None:
    """A failed commit fails all its writes, and later writes are refused."""
    async with _open_store(tmp_path) as store:
        disk.fails = True
        told = await asyncio.gather(*_append(store, RUNS[:3]), return_exceptions=True)
        disk.fails = False
        with pytest.raises(StoreError, match="repair the disk and start again") as later:
            await store.append(RUNS[3], make_turn(0))
        read = [run for run in RUNS if list(store.read_turns(run))]

    assert ["TRACE_UNWRITABLE"] * 3 == [getattr(each, "code", "") for each in told]
    assert "TRACE_UNWRITABLE" == later.value.code
    assert [] == read == _list_stored_runs(tmp_path)


@run_coroutine
async def test_a_write_that_fails_undoes_only_itself(tmp_path: Path, disk: SlowDisk) -> None:
    """A failing write does not affect the others of its commit."""
    plays = SqlitePlayRecords(tmp_path / "plays.sqlite", together=True)

    def break_off() -> None:
        plays.create("broken", b"1")
        raise ValueError("changed my mind")

    def keep(name: str) -> Callable[[], None]:
        return lambda: plays.create(name, b"1")

    disk.hold()
    writes = [keep("a"), keep("b"), break_off, keep("b"), keep("c")]
    waiting = [asyncio.create_task(plays.commit(each)) for each in writes]
    await _wait_for_commit(disk)
    disk.go.set()
    told = await asyncio.gather(*waiting, return_exceptions=True)
    kept = plays.list_ids()
    plays.close()

    assert [None, None, "changed my mind", "RUN_EXISTS", None] == [
        each and getattr(each, "code", str(each)) for each in told
    ]
    assert ("a", "b", "c") == kept


@run_coroutine
async def test_a_transaction_that_sqlite_gave_up_is_reported_to_all(
    tmp_path: Path, disk: SlowDisk
) -> None:
    """If SQLite rolls back, for example on a full disk, all writes of the commit fail."""
    plays = SqlitePlayRecords(tmp_path / "plays.sqlite", together=True)
    disk.hold()
    waiting = [asyncio.create_task(plays.commit(lambda: plays.create("first", b"1")))]
    await _wait_for_commit(disk)

    def give_up() -> None:
        plays._file.execute("ROLLBACK")

    writes = [lambda: plays.create("a", b"1"), give_up, lambda: plays.create("b", b"1")]
    waiting += [asyncio.create_task(plays.commit(each)) for each in writes]
    await asyncio.sleep(0)
    disk.go.set()
    told = await asyncio.gather(*waiting, return_exceptions=True)
    await plays.commit(lambda: plays.create("later", b"1"))
    kept = plays.list_ids()
    plays.close()

    assert ["", *["TRACE_UNWRITABLE"] * 3] == [getattr(each, "code", "") for each in told]
    assert ("first", "later") == kept


@run_coroutine
async def test_a_single_write_waits_for_the_commit_of_the_others(
    tmp_path: Path, disk: SlowDisk
) -> None:
    """A single write of any thread waits for the commit of the others."""
    async with _open_store(tmp_path) as store:
        disk.hold()
        appended = _append(store, RUNS[:1])
        await _wait_for_commit(disk)
        created = asyncio.create_task(asyncio.to_thread(store.create, make_record("run-more")))
        await asyncio.sleep(0)
        disk.go.set()
        await asyncio.gather(created, *appended)

    other = SqliteRunStore(tmp_path / "runs.db")
    finish_coroutine(other.append("run-more", make_turn(0)))
    other.close()


@run_coroutine
async def test_a_commit_does_not_wait_for_long_requests(tmp_path: Path) -> None:
    """A turn is stored while other work occupies every thread of the event loop."""
    loop, over = asyncio.get_running_loop(), Event()
    loop.set_default_executor(ThreadPoolExecutor(1))
    long = loop.run_in_executor(None, over.wait, 60)
    async with _open_store(tmp_path) as store:
        async with asyncio.timeout(30):
            await store.append(RUNS[0], make_turn(0))
        early = long.done()
    over.set()
    await long

    assert not early
    assert [RUNS[0]] == _list_stored_runs(tmp_path)


@run_coroutine
async def test_a_cancelled_run_knows_what_was_stored(tmp_path: Path, disk: SlowDisk) -> None:
    """After a cancellation the run has the turn, because it was stored."""
    store = SqliteRunStore(tmp_path / "runs.db", together=True)
    run = open_courtyard_run(store)
    disk.hold()
    said = asyncio.create_task(run.say("look"))
    await _wait_for_commit(disk)
    next_said = asyncio.create_task(run.say("go east"))
    said.cancel()
    await asyncio.sleep(0)
    early = run.count
    disk.go.set()
    after = await next_said
    store.close()

    assert said.cancelled()
    assert 0 == early
    assert 1 == after.turn.number
    assert 2 == run.count


@run_coroutine
async def test_a_run_whose_turn_failed_is_unchanged(tmp_path: Path, disk: SlowDisk) -> None:
    """After a failed turn the run is unchanged, in memory and on disk."""
    store = SqliteRunStore(tmp_path / "runs.db", together=True)
    run = open_courtyard_run(store)
    world, disk.fails = run.world, True
    with pytest.raises(StoreError, match="TRACE_UNWRITABLE"):
        await run.say("take the brass key")
    kept = list(store.read_turns(run.id))
    store.close()

    assert [] == kept
    assert 0 == run.count
    assert world is run.world
