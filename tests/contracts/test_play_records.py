"""Every store of plays replaces a record whole, once per revision, also if a writer is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import psycopg
import pytest

from saniwa.app.run_stores import open_play_records
from saniwa.core.errors import StoreError
from saniwa.runs.playing_record import (
    MOST_STEPS,
    MoveLog,
    PlayOrigin,
    StoredMove,
    StoredStep,
    add_state,
    load_playing_record,
)
from saniwa.runs.stored_story_playing import EMPTY_STEP
from saniwa.store.play_records import LARGEST_RECORD, PlayRecords, StoredPlay
from tests.fakes.play_writer import make_content
from tests.fakes.processes import end_with_test

_TIMES = 40


def _locate_store(kind: str, folder: Path, request: pytest.FixtureRequest) -> str:
    if kind == "memory":
        return "memory:"
    if kind == "sqlite":
        return str(folder / "runs.sqlite")
    url: str = request.getfixturevalue("postgres_url")
    with psycopg.connect(url) as server:
        server.execute("DROP TABLE IF EXISTS saniwa_plays, saniwa_plays_shape")
    return url


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def plays(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[PlayRecords]:
    """A store of each kind."""
    opened = open_play_records(_locate_store(request.param, tmp_path, request))
    yield opened
    opened.close()


@pytest.fixture(params=["sqlite", "postgres"])
def store_place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A place that two processes can share."""
    return _locate_store(request.param, tmp_path, request)


def _expect_refusal(do: Callable[[], object]) -> StoreError:
    with pytest.raises(StoreError) as caught:
        do()
    return caught.value


def test_a_new_record_is_the_first_revision(plays: PlayRecords) -> None:
    """A new record has revision 1 and comes back byte for byte."""
    plays.create("run-1", b"\x00\xff { \xe5\xba\xad")

    assert StoredPlay(revision=1, content=b"\x00\xff { \xe5\xba\xad") == plays.get("run-1")


def test_a_replaced_record_is_one_revision_on(plays: PlayRecords) -> None:
    """Replacing a record replaces the whole content and raises the revision by one."""
    plays.create("run-1", b"a long beginning")
    plays.put("run-1", b"b", after=1)
    plays.put("run-1", b"", after=2)

    assert StoredPlay(revision=3, content=b"") == plays.get("run-1")


def test_where_a_record_is_is_reported_without_it(plays: PlayRecords) -> None:
    """The revision of a record can be read without its content; None if there is no record."""
    plays.create("run-1", b"first")
    plays.put("run-1", b"second", after=1)

    assert 2 == plays.get_revision("run-1")
    assert (None, None) == (plays.get_revision("run-2"), plays.get_revision("run\x00-1"))


def test_an_id_is_given_once(plays: PlayRecords) -> None:
    """A second record under one id is refused, and the first is kept."""
    plays.create("run-1", b"first")

    problem = _expect_refusal(lambda: plays.create("run-1", b"second"))

    assert "RUN_EXISTS" == problem.code
    assert StoredPlay(revision=1, content=b"first") == plays.get("run-1")


@pytest.mark.parametrize("after", [0, 1, 3, -1])
def test_a_record_that_moved_on_is_not_replaced(plays: PlayRecords, after: int) -> None:
    """Replacing another revision than the current one is a conflict that has the current one."""
    plays.create("run-1", b"a")
    plays.put("run-1", b"b", after=1)

    problem = _expect_refusal(lambda: plays.put("run-1", b"c", after=after))

    assert "REVISION_CONFLICT" == problem.code
    assert problem.recoverable
    assert {"run": "run-1", "expected": after, "current": 2} == problem.details
    assert StoredPlay(revision=2, content=b"b") == plays.get("run-1")


def test_what_was_never_begun_is_not_replaced(plays: PlayRecords) -> None:
    """Replacing a record that does not exist is an error and creates none."""
    plays.create("run-1", b"a")

    problem = _expect_refusal(lambda: plays.put("run-2", b"c", after=1))

    assert "RUN_NOT_FOUND" == problem.code
    assert None is plays.get("run-2")


def test_ids_come_in_order_and_in_portions(plays: PlayRecords) -> None:
    """Ids are listed by code point, after a given one, up to a limit."""
    ids = ["b-10", "B-9", "庭", "b-9", "a"]
    for each in ids:
        plays.create(each, b"")

    assert tuple(sorted(ids)) == plays.list_ids()
    assert ("B-9", "a") == plays.list_ids(limit=2)
    assert ("b-10", "b-9") == plays.list_ids("a", 2)
    assert ("庭",) == plays.list_ids("c")
    assert () == plays.list_ids("庭")
    assert () == plays.list_ids(limit=0)
    assert () == plays.list_ids(limit=-1)


def test_what_is_dropped_is_gone(plays: PlayRecords) -> None:
    """A record can be dropped twice, and created again at revision 1."""
    plays.create("run-1", b"a")
    plays.put("run-1", b"b", after=1)
    plays.drop("run-1")
    plays.drop("run-1")

    assert None is plays.get("run-1")
    assert () == plays.list_ids()
    plays.create("run-1", b"c")
    assert StoredPlay(revision=1, content=b"c") == plays.get("run-1")


@pytest.mark.parametrize("play_id", ["", "a\nb", "a\x00b", "\udc80", "r" * 201])
def test_an_id_that_cannot_be_typed_is_refused(plays: PlayRecords, play_id: str) -> None:
    """An id that cannot be typed is refused, and looking for it finds nothing."""
    assert "NAME_UNUSABLE" == _expect_refusal(lambda: plays.create(play_id, b"")).code
    assert "RUN_NOT_FOUND" == _expect_refusal(lambda: plays.put(play_id, b"", after=1)).code
    assert None is plays.get(play_id)
    plays.drop(play_id)
    assert () == plays.list_ids()


def test_a_place_in_the_order_that_is_invalid_is_refused(plays: PlayRecords) -> None:
    """Listing after an id that cannot be kept is an error."""
    assert "NAME_UNUSABLE" == _expect_refusal(lambda: plays.list_ids("a\x00b")).code


def test_a_large_record_is_kept_and_a_larger_one_is_not(plays: PlayRecords) -> None:
    """A record of the largest size is kept; a larger one is refused and the old one is kept."""
    plays.create("run-1", b"a")
    plays.put("run-1", b"x" * LARGEST_RECORD, after=1)

    problem = _expect_refusal(lambda: plays.put("run-1", b"x" * (LARGEST_RECORD + 1), after=2))
    other = _expect_refusal(lambda: plays.create("run-2", b"x" * (LARGEST_RECORD + 1)))

    assert "TRACE_UNWRITABLE" == problem.code == other.code
    assert StoredPlay(revision=2, content=b"x" * LARGEST_RECORD) == plays.get("run-1")
    assert ("run-1",) == plays.list_ids()


def test_of_many_threads_one_wins_a_revision(plays: PlayRecords) -> None:
    """Of many threads that replace one revision, one succeeds and the others get a conflict."""
    plays.create("run-1", b"")

    def try_revision(by: int) -> str:
        try:
            plays.put("run-1", make_content(by, 2), after=1)
        except StoreError as problem:
            return problem.code
        return f"won {by}"

    with ThreadPoolExecutor(4) as pool:
        answers = sorted(pool.map(try_revision, range(12)))
    kept = plays.get("run-1")

    assert ["REVISION_CONFLICT"] * 11 == answers[:-1]
    winner = int(answers[-1].removeprefix("won "))
    assert StoredPlay(revision=2, content=make_content(winner, 2)) == kept


def test_closing_twice_is_no_mistake(plays: PlayRecords) -> None:
    """A store can be closed twice."""
    plays.close()
    plays.close()


def test_what_was_kept_is_there_for_the_next(store_place: str) -> None:
    """A second store at the same place sees the record while the first is open."""
    first = open_play_records(store_place)
    first.create("run-1", b"a")
    second = open_play_records(store_place)
    second.put("run-1", b"b", after=1)

    assert StoredPlay(revision=2, content=b"b") == first.get("run-1")
    first.close()
    second.close()


def _start_keeper(place: str, count: int, size: int = 10) -> "subprocess.Popen[str]":
    program = [sys.executable, "-m", "tests.fakes.play_writer"]
    return end_with_test(
        subprocess.Popen(
            [*program, place, str(count), str(size)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    )


def _begin(*keepers: "subprocess.Popen[str]") -> None:
    for each in keepers:
        assert each.stdout is not None
        assert "ready\n" == each.stdout.readline()
    for each in keepers:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()


def _create_record(place: str) -> None:
    plays = open_play_records(place)
    plays.create("p", b"")
    plays.close()


@pytest.mark.slow
def test_two_processes_never_win_one_revision(store_place: str) -> None:
    """Two processes write every revision exactly once between them."""
    _create_record(store_place)
    keepers = [_start_keeper(store_place, _TIMES), _start_keeper(store_place, _TIMES)]
    _begin(*keepers)
    told = [line for each in keepers for line in each.communicate()[0].split("\n")[:-1]]

    assert list(range(2, 2 + 2 * _TIMES)) == sorted(map(int, told))


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 5, 17])
def test_a_killed_writer_leaves_a_whole_record(store_place: str, after: int) -> None:
    """A killed writer leaves a whole record, at least as new as the last acknowledged one."""
    size = 200_000
    _create_record(store_place)
    keeper = _start_keeper(store_place, 1000, size)
    _begin(keeper)
    assert keeper.stdout is not None
    told = [keeper.stdout.readline() for _ in range(after)]
    os.kill(keeper.pid, signal.SIGKILL)
    rest, _ = keeper.communicate()
    plays = open_play_records(store_place)
    kept = plays.get("p")
    plays.close()

    assert kept is not None
    assert len(told) + 1 + rest.count("\n") <= kept.revision
    assert make_content(keeper.pid, kept.revision, size) == kept.content


def _step(number: int) -> StoredStep:
    return StoredStep(step=EMPTY_STEP, state=msgspec.Raw(b'{"n":%d}' % number))


def test_the_moves_of_a_story_are_appended(plays: PlayRecords) -> None:
    """Each move of a story is a separate record, and stored moves are never replaced."""
    for number in range(70):
        add_state(plays, "run-1", PlayOrigin(story="t"), _step(number))
    record = load_playing_record("run-1", plays)

    assert record is not None
    assert 70 == record.revision
    assert [_step(number) for number in range(70)][-MOST_STEPS:] == list(record.passed)
    assert {1} == {plays.get_revision(id) for id in plays.list_ids()}


def test_of_two_moves_for_one_revision_one_is_refused(plays: PlayRecords) -> None:
    """Of two moves for one revision, one is appended and the other is refused."""
    add_state(plays, "run-1", PlayOrigin(story="t"), _step(0))
    log = MoveLog("run-1", plays)
    with ThreadPoolExecutor(2) as pool:
        done = [
            pool.submit(_append_or_refuse, log, StoredMove(passed=(_step(number),)))
            for number in (1, 2)
        ]
    assert ["", "REVISION_CONFLICT"] == sorted(each.result() for each in done)
    assert 2 == log.find_last(1)


def _append_or_refuse(log: MoveLog, move: StoredMove) -> str:
    try:
        log.append(2, move)
    except StoreError as problem:
        return problem.code
    return ""
