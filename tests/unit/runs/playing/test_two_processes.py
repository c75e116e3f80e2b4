import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import pytest

from saniwa.core.errors import StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.playing import PlayRequest, PlayState
from saniwa.runs.stored_story_playing import StoredStoryPlaying
from saniwa.store.play_records import make_record_conflict_error
from saniwa.turn.record import Seating
from tests.fakes.coroutine_tests import run_coroutine
from tests.fakes.playing_stages import PlayingStage, make_move, run_elsewhere

ONE = IdempotencyKey(key="one", digest="d1")
TWO = IdempotencyKey(key="two", digest="d2")


async def _open_twice(stage: PlayingStage) -> tuple[StoredStoryPlaying, StoredStoryPlaying]:
    """A story with a world in two processes; the second does not wait."""
    first = await stage.begin()
    second = await stage.resume(first.id)
    assert isinstance(first, StoredStoryPlaying)
    assert isinstance(second, StoredStoryPlaying)
    second.patience = 0.0
    return first, second


@run_coroutine
async def test_a_copy_between_deed_and_record_gets_the_same_answer() -> None:
    """A repeated request between the turn and its record gets the same answer."""
    stage, theirs = PlayingStage("story on a world"), list[PlayState]()
    first, second = await _open_twice(stage)
    stage.plays.before = lambda: theirs.append(
        run_elsewhere(lambda: make_move(second, 0, asked=ONE))
    )
    ours = await make_move(first, 0, asked=ONE)

    assert theirs == [ours]
    assert 1 == stage.count_turns(first.id)
    assert 2 == first.revision == second.revision


@run_coroutine
async def test_a_repeated_edit_is_made_once() -> None:
    """A repeated edit is made once, whether or not its record was stored."""
    stage, theirs = PlayingStage("story on a world"), list[PlayState]()
    first, second = await _open_twice(stage)
    request = PlayRequest(revision=first.revision, asked=ONE)

    async def seat(hosted: StoredStoryPlaying) -> PlayState:
        return await hosted.change_run(
            request, lambda run: run.change_seating(Seating(), asked=ONE)
        )

    stage.plays.before = lambda: theirs.append(run_elsewhere(lambda: seat(second)))
    ours = await seat(first)

    assert theirs == [ours]
    assert 1 == stage.count_turns(first.id)


@run_coroutine
async def test_a_repeatedly_overtaken_caller_is_asked_to_retry() -> None:
    """After repeated conflicts with its own request, the error is recoverable."""
    stage, theirs = PlayingStage("story on a world"), list[str]()
    first, second = await _open_twice(stage)

    def fail_with_conflict() -> None:
        raise make_record_conflict_error(first.id, 1, 2, "memory:")

    def copy() -> None:
        stage.plays.before = fail_with_conflict
        with pytest.raises(StoreError) as told:
            run_elsewhere(lambda: make_move(second, 0, asked=ONE))
        theirs.append(f"{told.value.code} {told.value.recoverable}")

    stage.plays.before = copy
    ours = await make_move(first, 0, asked=ONE)

    assert ["STORE_BUSY True"] == theirs
    assert ours == await make_move(second, 0, seen=1, asked=ONE)
    assert 1 == stage.count_turns(first.id)


@run_coroutine
async def test_a_deed_is_known_by_the_request_that_brought_it() -> None:
    """A turn in the trace has the request that the story made it for."""
    stage = PlayingStage("story on a world")
    first, _ = await _open_twice(stage)
    await make_move(first, 0, asked=ONE)

    assert [ONE] == [turn.asked for turn in stage.store.read_turns(first.id)]


def _interrupt_write(
    stage: PlayingStage, do: Callable[[], Future[PlayState]]
) -> list[Future[PlayState]]:
    """What another process does just before the next record is stored."""
    looked, look, came = Event(), stage.plays.get_revision, list[Future[PlayState]]()
    seen = list[str]()

    def watch_revision(play_id: str) -> int | None:
        seen.append(play_id)
        if len(seen) > 1:
            looked.set()
        return look(play_id)

    def overtake() -> None:
        stage.plays.get_revision = watch_revision  # type: ignore[method-assign]
        came.append(do())
        assert looked.wait(10)

    stage.plays.before = overtake
    return came


@pytest.mark.parametrize(("asked", "told"), [(ONE, ""), (TWO, "REVISION_CONFLICT")])
@run_coroutine
async def test_a_process_in_the_middle_of_a_step_is_waited_for(
    asked: IdempotencyKey, told: str
) -> None:
    """A step under way in another process is waited for; a rival request is then too late."""
    stage = PlayingStage("story on a world")
    first, second = await _open_twice(stage)
    second.patience = 10.0
    with ThreadPoolExecutor(1) as pool:
        made = 0 if asked == ONE else 1
        came = _interrupt_write(
            stage, lambda: pool.submit(asyncio.run, make_move(second, made, asked=asked))
        )
        ours = await make_move(first, 0, asked=ONE)
    problem = came[0].exception()

    assert told == (problem.code if isinstance(problem, StoreError) else "")
    assert problem is not None or ours == came[0].result()
    assert 1 == stage.count_turns(first.id)
    assert ours.step == second.read_state().step
