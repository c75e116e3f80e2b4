import asyncio
from typing import Any

import pytest

from saniwa.core.clock import FixedClock
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.playing import Playing, PlayRequest
from saniwa.runs.playing_record import MOST_STEPS, PlayOrigin
from saniwa.runs.stored_story_playing import StoredStoryPlaying
from saniwa.runs.story_playing import StoryPlaying
from saniwa.store.play_records import MemoryPlayRecords
from saniwa.story.step_result import ShowImage
from saniwa.story.story import parse_story
from saniwa.world.model import Id
from tests.fakes.coroutine_tests import run_coroutine
from tests.fakes.playing_stages import (
    GATE,
    PlayingStage,
    SlowListener,
    make_full_disk_error,
    make_move,
    run_elsewhere,
)
from tests.fakes.runs import open_courtyard_run
from tests.fakes.stories import render_steps

ONE = IdempotencyKey(key="one", digest="d1")
LINES = "# Lines\n\n" + "\n\n".join(f"Line {n}." for n in range(60)) + "\n\n- on\n  On.\n"


async def _catch_code(did: Any) -> str:
    try:
        await did
    except SaniwaError as problem:
        return str(problem.code)
    return ""


def _render_state(hosted: Playing) -> list[str]:
    return render_steps([hosted.read_state().step])


@run_coroutine
async def test_the_first_stored_request_gives_the_answer() -> None:
    """If another process stores the same request first, both get its answer."""
    stage = PlayingStage("story")
    first = await stage.begin()
    second = await stage.resume(first.id)
    theirs = []

    def overtake() -> None:
        theirs.append(run_elsewhere(lambda: make_move(second, None, asked=ONE)))

    stage.plays.before = overtake
    ours = await make_move(first, None, asked=ONE)

    assert theirs == [ours]
    assert 2 == first.revision == second.revision


@run_coroutine
async def test_the_second_stored_request_is_a_conflict() -> None:
    """If another process stores another request first, this one is a conflict and has no effect."""
    stage = PlayingStage("story")
    first = await stage.begin()
    await make_move(first, None)
    second = await stage.resume(first.id)
    stage.plays.before = lambda: run_elsewhere(lambda: make_move(second, 1))

    assert "REVISION_CONFLICT" == await _catch_code(make_move(first, 0, asked=ONE))
    assert ["It stays dark."] == _render_state(first)
    assert first.read_state() == second.read_state()


@run_coroutine
async def test_what_was_kept_counts_though_something_failed_behind_it() -> None:
    """A step that was stored counts, even if storing the seen lines failed."""
    stage = PlayingStage("story")
    hosted = await stage.begin()
    stage.plays.refused = "seen-"
    seen = hosted.revision

    assert make_full_disk_error().code == await _catch_code(make_move(hosted, None, asked=ONE))
    stage.repair_stores()
    assert seen + 1 == hosted.read_state().revision
    again = await make_move(hosted, None, seen=seen, asked=ONE)
    assert seen + 1 == again.revision == hosted.revision
    assert ["A lamp.", "[Light it / Leave it]"] == render_steps([again.step])
    assert seen + 2 == (await make_move(hosted, 0)).revision


@run_coroutine
async def test_a_deed_that_was_done_before_the_power_went_is_done_once() -> None:
    """After a crash between the world's turn and the story's record, the action is done once."""
    stage = PlayingStage("story on a world")
    hosted = await stage.begin()
    stage.plays.refused = ("run-", "step-")
    await _catch_code(make_move(hosted, 0, asked=ONE))
    stage.repair_stores()
    assert 1 == stage.count_turns(hosted.id)
    again = await stage.resume(hosted.id)

    assert ["It is yours."] == render_steps([(await make_move(again, 0, asked=ONE)).step])
    assert 1 == stage.count_turns(hosted.id)


@run_coroutine
async def test_an_unreported_deed_is_taken_back_by_another_choice() -> None:
    """After such a crash, another choice undoes the action that the story did not record."""
    stage = PlayingStage("story on a world")
    hosted = await stage.begin()
    stage.plays.refused = ("run-", "step-")
    await _catch_code(make_move(hosted, 0))
    stage.repair_stores()
    again = await stage.resume(hosted.id)
    await make_move(again, 1)

    assert isinstance(again, StoredStoryPlaying)
    held = again.performance.world.entities[Id("key")].place
    assert "bench" == held


@run_coroutine
async def test_a_cancelled_request_has_no_effect() -> None:
    """A request that is cancelled while the world handles it has no effect."""
    listener, plays = SlowListener(), MemoryPlayRecords()
    performance = StoryPlaying(parse_story(GATE), open_courtyard_run(listener=listener))
    origin = PlayOrigin(story="gate")
    hosted = await StoredStoryPlaying.begin("run-1", performance, plays, origin, FixedClock())
    before = hosted.read_state()
    task = asyncio.create_task(make_move(hosted, 0))
    await listener.asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await hosted.catch_up()

    assert before == hosted.read_state()
    listener.done.set()
    assert ["It is yours."] == render_steps([(await make_move(hosted, 0)).step])


@run_coroutine
async def test_requests_wait_for_each_other() -> None:
    """A request waits for the one before it, and is then too late."""
    listener, plays = SlowListener(), MemoryPlayRecords()
    performance = StoryPlaying(parse_story(GATE), open_courtyard_run(listener=listener))
    origin = PlayOrigin(story="gate")
    hosted = await StoredStoryPlaying.begin("run-1", performance, plays, origin, FixedClock())
    first = asyncio.create_task(make_move(hosted, 0))
    await listener.asked.wait()
    second = asyncio.create_task(_catch_code(make_move(hosted, 1)))
    await asyncio.sleep(0)
    listener.done.set()

    assert ["It is yours."] == render_steps([(await first).step])
    assert "REVISION_CONFLICT" == await second
    assert 2 == hosted.revision


@run_coroutine
async def test_words_are_heard_where_they_are_awaited() -> None:
    """Words are refused where the story does not await them."""
    stage = PlayingStage("story")
    hosted = await stage.begin()

    assert "ANSWER_NOT_AWAITED" == await _catch_code(make_move(hosted, "hello"))
    assert 1 == hosted.revision


FORK = """# Fork

One.

- left
  Left.

  Left again.
- right
  Right.

  Right again.

Where?

- on
  On.
"""


@run_coroutine
async def test_skipping_stops_at_what_is_new() -> None:
    """Skipping passes lines seen in other playings, up to a choice or a new line."""
    stage = PlayingStage("story", FORK)
    first = await stage.begin()
    for made in (0, None, None):
        await make_move(first, made)
    stage.plays.drop(first.id)
    second = await stage.begin()
    await make_move(second, 1)
    moment, passed = await second.skip(PlayRequest(revision=2))

    assert ["Right again."] == render_steps([moment.step])
    assert [] == list(passed)
    moment, passed = await second.skip(PlayRequest(revision=3))
    assert "choice" == moment.waiting


@run_coroutine
async def test_what_was_skipped_can_be_gone_back_to() -> None:
    """Going back after skipping goes back one line, also in another process."""
    stage = PlayingStage("story", LINES)
    await _play_through(stage)
    hosted = await stage.begin()
    moment, passed = await hosted.skip(PlayRequest(revision=1))

    assert 2 == moment.revision
    assert "choice" == moment.waiting
    assert 58 == len(passed)
    other = await stage.resume(hosted.id)
    back = await other.back(PlayRequest(revision=2))
    assert ["Line 58."] == render_steps([back.step])
    assert ["Line 57."] == render_steps([(await step_back(hosted)).step])


async def step_back(hosted: Playing) -> Any:
    """One step back from the current revision."""
    await hosted.catch_up()
    return await hosted.back(PlayRequest(revision=hosted.revision))


async def _play_through(stage: PlayingStage) -> None:
    first = await stage.begin()
    while first.read_state().waiting == "step":
        await make_move(first, None)
    stage.plays.drop(first.id)


@run_coroutine
async def test_skipping_again_under_one_key_skips_once() -> None:
    """A repeated skip gets the same moment, without the steps it passed."""
    stage = PlayingStage("story", LINES)
    await _play_through(stage)
    hosted = await stage.begin()
    first, _ = await hosted.skip(PlayRequest(revision=1, asked=ONE))
    again, passed = await hosted.skip(PlayRequest(revision=1, asked=ONE))

    assert first == again
    assert [] == list(passed)
    assert 2 == hosted.revision


@run_coroutine
async def test_after_a_restart_all_steps_lead_back() -> None:
    """After a restart every step can be undone, up to the beginning."""
    stage = PlayingStage("story", LINES)
    hosted = await stage.begin()
    for _ in range(55):
        await make_move(hosted, None)
    other = await stage.resume(hosted.id)
    moment = await other.back(PlayRequest(revision=56), 1000)

    first = hosted.list_backlog()[:1]
    assert render_steps(first) == render_steps([moment.step])
    assert not moment.back


@run_coroutine
async def test_steps_lead_back_one_by_one_to_the_beginning() -> None:
    """Going back works step by step to the beginning, also beyond the memory and a restart."""
    stage = PlayingStage("story", LINES)
    hosted = await stage.begin()
    for _ in range(MOST_STEPS + 10):
        await make_move(hosted, None)
    other = await stage.resume(hosted.id)
    moment = other.read_state()
    shown = [moment.step]
    while moment.back:
        moment = await other.back(PlayRequest(revision=moment.revision))
        shown.append(moment.step)

    assert list(hosted.list_backlog()) == shown[::-1]


@run_coroutine
async def test_going_back_brings_the_scenery_with_it() -> None:
    """Going back returns the scenery, which the host shows first."""
    stage = PlayingStage("story", "# T\n\n[SHOW_IMAGE file=rain layer=bg]\nOne.\n\nTwo.\n\nEnd.\n")
    hosted = await stage.begin()
    onward = await make_move(hosted, None)
    back = await hosted.back(PlayRequest(revision=2))

    assert None is onward.scenery
    for each in (back, hosted.read_state(), (await stage.resume(hosted.id)).read_state()):
        assert each.scenery is not None
        shown = [d for d in each.scenery.directives if isinstance(d, ShowImage)]
        assert ["bg"] == [d.args.layer for d in shown]


@run_coroutine
async def test_a_removed_place_is_gone() -> None:
    """A removed save is gone for every process."""
    stage = PlayingStage("story")
    hosted = await stage.begin()
    await hosted.save("here")
    await hosted.remove_save("here")

    assert [] == list(hosted.list_saves())
    assert "SAVE_NOT_FOUND" == await _catch_code(hosted.remove_save("here"))
    assert "SAVE_NOT_FOUND" == await _catch_code(hosted.load(PlayRequest(revision=1), "here"))


@run_coroutine
async def test_what_cannot_begin_is_not_there() -> None:
    """If the store is full at the beginning, the error is raised and nothing is stored."""
    stage = PlayingStage("story")
    stage.fail()
    with pytest.raises(StoreError, match="full"):
        await stage.begin()

    assert () == stage.plays.list_ids()


@run_coroutine
async def test_the_backlog_reaches_further_back_than_one_can_go() -> None:
    """The backlog of an open story is complete; of a resumed one, it has the stored steps."""
    plays = MemoryPlayRecords()
    performance = StoryPlaying(parse_story(LINES))
    hosted = await StoredStoryPlaying.begin(
        "run-1", performance, plays, PlayOrigin(story="lines"), FixedClock(0)
    )
    for _ in range(MOST_STEPS + 5):
        await make_move(hosted, None)
    again = await StoredStoryPlaying.resume(
        "run-1", StoryPlaying(parse_story(LINES)), plays, FixedClock(0)
    )

    assert MOST_STEPS + 6 == len(hosted.list_backlog())
    assert MOST_STEPS == len(again.list_backlog())
