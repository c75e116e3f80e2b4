import asyncio
from typing import Any

import pytest

from saniwa.core.clock import FixedClock
from saniwa.core.errors import SaniwaError, StoreError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.playing import Playing, PlayRequest
from saniwa.runs.playing_record import MOST_STEPS, PlayOrigin
from saniwa.runs.playing_story import StoredStoryPlaying
from saniwa.runs.story import StoryPlaying
from saniwa.store.play_records import MemoryPlayRecords
from saniwa.story.step_result import ShowImage
from saniwa.story.story import parse_story
from saniwa.world.model import Id
from tests.fakes.hosted import GATE, Ponderous, Stage, elsewhere, full, move
from tests.fakes.looped import looped
from tests.fakes.runs import garden_run
from tests.fakes.stories import told

ONE = IdempotencyKey(key="one", digest="d1")
LINES = "# Lines\n\n" + "\n\n".join(f"Line {n}." for n in range(60)) + "\n\n- on\n  On.\n"


async def _code(did: Any) -> str:
    try:
        await did
    except SaniwaError as problem:
        return str(problem.code)
    return ""


def _said(hosted: Playing) -> list[str]:
    return told([hosted.read_state().step])


@looped
async def test_one_who_was_first_in_the_store_is_first() -> None:
    """Between our looking and our keeping: the other's answer stands, and is told."""
    stage = Stage("story")
    first = await stage.begun()
    second = await stage.taken_up(first.id)
    theirs = []

    def overtake() -> None:
        theirs.append(elsewhere(lambda: move(second, None, asked=ONE)))

    stage.plays.before = overtake
    ours = await move(first, None, asked=ONE)

    assert theirs == [ours]
    assert 2 == first.revision == second.revision


@looped
async def test_one_who_comes_second_in_the_store_is_told_so() -> None:
    """With another request: nothing of it has happened, and the other's is shown."""
    stage = Stage("story")
    first = await stage.begun()
    await move(first, None)
    second = await stage.taken_up(first.id)
    stage.plays.before = lambda: elsewhere(lambda: move(second, 1))

    assert "REVISION_CONFLICT" == await _code(move(first, 0, asked=ONE))
    assert ["It stays dark."] == _said(first)
    assert first.read_state() == second.read_state()


@looped
async def test_what_was_kept_counts_though_something_failed_behind_it() -> None:
    """The lines seen cannot be kept: the host is told, and asks again for its answer."""
    stage = Stage("story")
    hosted = await stage.begun()
    stage.plays.refused = "seen-"
    seen = hosted.revision

    assert full().code == await _code(move(hosted, None, asked=ONE))
    stage.mend()
    assert seen + 1 == hosted.read_state().revision
    again = await move(hosted, None, seen=seen, asked=ONE)
    assert seen + 1 == again.revision == hosted.revision
    assert ["A lamp.", "[Light it / Leave it]"] == told([again.step])
    assert seen + 2 == (await move(hosted, 0)).revision


@looped
async def test_a_deed_that_was_done_before_the_power_went_is_done_once() -> None:
    """The world has it, the story has not: asked again, the story takes it up."""
    stage = Stage("story on a world")
    hosted = await stage.begun()
    stage.plays.refused = ("run-", "step-")
    await _code(move(hosted, 0, asked=ONE))
    stage.mend()
    assert 1 == stage.turns(hosted.id)
    again = await stage.taken_up(hosted.id)

    assert ["It is yours."] == told([(await move(again, 0, asked=ONE)).step])
    assert 1 == stage.turns(hosted.id)


@looped
async def test_a_deed_nobody_was_told_of_is_taken_back_by_another_choice() -> None:
    """The player chooses otherwise after the power came back."""
    stage = Stage("story on a world")
    hosted = await stage.begun()
    stage.plays.refused = ("run-", "step-")
    await _code(move(hosted, 0))
    stage.mend()
    again = await stage.taken_up(hosted.id)
    await move(again, 1)

    assert isinstance(again, StoredStoryPlaying)
    held = again.performance.world.entities[Id("key")].place
    assert "bench" == held


@looped
async def test_who_hangs_up_in_the_middle_leaves_no_trace() -> None:
    """A request that is cancelled while the world listens has not happened."""
    listener, plays = Ponderous(), MemoryPlayRecords()
    performance = StoryPlaying(parse_story(GATE), garden_run(listener=listener))
    origin = PlayOrigin(story="gate")
    hosted = await StoredStoryPlaying.begin("run-1", performance, plays, origin, FixedClock())
    before = hosted.read_state()
    task = asyncio.create_task(move(hosted, 0))
    await listener.asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await hosted.catch_up()

    assert before == hosted.read_state()
    listener.done.set()
    assert ["It is yours."] == told([(await move(hosted, 0)).step])


@looped
async def test_requests_wait_for_each_other() -> None:
    """While the world listens to one, the next is not begun; then it is too late."""
    listener, plays = Ponderous(), MemoryPlayRecords()
    performance = StoryPlaying(parse_story(GATE), garden_run(listener=listener))
    origin = PlayOrigin(story="gate")
    hosted = await StoredStoryPlaying.begin("run-1", performance, plays, origin, FixedClock())
    first = asyncio.create_task(move(hosted, 0))
    await listener.asked.wait()
    second = asyncio.create_task(_code(move(hosted, 1)))
    await asyncio.sleep(0)
    listener.done.set()

    assert ["It is yours."] == told([(await first).step])
    assert "REVISION_CONFLICT" == await second
    assert 2 == hosted.revision


@looped
async def test_words_are_heard_where_they_are_awaited() -> None:
    """Elsewhere they are refused, with what is awaited instead."""
    stage = Stage("story")
    hosted = await stage.begun()

    assert "ANSWER_NOT_AWAITED" == await _code(move(hosted, "hello"))
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


@looped
async def test_skipping_stops_at_what_is_new() -> None:
    """What was seen in another playing is passed, up to a choice or a new line."""
    stage = Stage("story", FORK)
    first = await stage.begun()
    for made in (0, None, None):
        await move(first, made)
    stage.plays.drop(first.id)
    second = await stage.begun()
    await move(second, 1)
    moment, passed = await second.skip(PlayRequest(revision=2))

    assert ["Right again."] == told([moment.step])
    assert [] == list(passed)
    moment, passed = await second.skip(PlayRequest(revision=3))
    assert "choice" == moment.waiting


@looped
async def test_what_was_skipped_can_be_gone_back_to() -> None:
    """One step, as if it had been stepped to; by another process as well."""
    stage = Stage("story", LINES)
    await _played_through(stage)
    hosted = await stage.begun()
    moment, passed = await hosted.skip(PlayRequest(revision=1))

    assert 2 == moment.revision
    assert "choice" == moment.waiting
    assert 58 == len(passed)
    other = await stage.taken_up(hosted.id)
    back = await other.back(PlayRequest(revision=2))
    assert ["Line 58."] == told([back.step])
    assert ["Line 57."] == told([(await hosted_back(hosted)).step])


async def hosted_back(hosted: Playing) -> Any:
    """One step back from wherever it stands by now."""
    await hosted.catch_up()
    return await hosted.back(PlayRequest(revision=hosted.revision))


async def _played_through(stage: Stage) -> None:
    first = await stage.begun()
    while first.read_state().waiting == "step":
        await move(first, None)
    stage.plays.drop(first.id)


@looped
async def test_skipping_again_under_one_key_skips_once() -> None:
    """The moment is the same; what was passed is not told twice."""
    stage = Stage("story", LINES)
    await _played_through(stage)
    hosted = await stage.begun()
    first, _ = await hosted.skip(PlayRequest(revision=1, asked=ONE))
    again, passed = await hosted.skip(PlayRequest(revision=1, asked=ONE))

    assert first == again
    assert [] == list(passed)
    assert 2 == hosted.revision


@looped
async def test_after_a_restart_all_steps_lead_back() -> None:
    """At once or one by one; at the beginning the way back ends, and is told to."""
    stage = Stage("story", LINES)
    hosted = await stage.begun()
    for _ in range(55):
        await move(hosted, None)
    other = await stage.taken_up(hosted.id)
    moment = await other.back(PlayRequest(revision=56), 1000)

    first = hosted.list_backlog()[:1]
    assert told(first) == told([moment.step])
    assert not moment.back


@looped
async def test_steps_lead_back_one_by_one_to_the_beginning() -> None:
    """Further than is held in memory, and in another process."""
    stage = Stage("story", LINES)
    hosted = await stage.begun()
    for _ in range(MOST_STEPS + 10):
        await move(hosted, None)
    other = await stage.taken_up(hosted.id)
    moment = other.read_state()
    shown = [moment.step]
    while moment.back:
        moment = await other.back(PlayRequest(revision=moment.revision))
        shown.append(moment.step)

    assert list(hosted.list_backlog()) == shown[::-1]


@looped
async def test_going_back_brings_the_scenery_with_it() -> None:
    """The host empties the stage and shows this first."""
    stage = Stage("story", "# T\n\n[SHOW_IMAGE file=rain layer=bg]\nOne.\n\nTwo.\n\nEnd.\n")
    hosted = await stage.begun()
    onward = await move(hosted, None)
    back = await hosted.back(PlayRequest(revision=2))

    assert None is onward.scenery
    for each in (back, hosted.read_state(), (await stage.taken_up(hosted.id)).read_state()):
        assert each.scenery is not None
        shown = [d for d in each.scenery.directives if isinstance(d, ShowImage)]
        assert ["bg"] == [d.args.layer for d in shown]


@looped
async def test_a_removed_place_is_gone() -> None:
    """For the player and for everybody else."""
    stage = Stage("story")
    hosted = await stage.begun()
    await hosted.save("here")
    await hosted.remove_save("here")

    assert [] == list(hosted.list_saves())
    assert "SAVE_NOT_FOUND" == await _code(hosted.remove_save("here"))
    assert "SAVE_NOT_FOUND" == await _code(hosted.load(PlayRequest(revision=1), "here"))


@looped
async def test_what_cannot_begin_is_not_there() -> None:
    """A store that is full from the first moment: the error is told, nothing is kept."""
    stage = Stage("story")
    stage.fail()
    with pytest.raises(StoreError, match="full"):
        await stage.begun()

    assert () == stage.plays.list_ids()


@looped
async def test_the_backlog_reaches_further_back_than_one_can_go() -> None:
    """As long as the story is held open; taken up again, as far as is kept."""
    plays = MemoryPlayRecords()
    performance = StoryPlaying(parse_story(LINES))
    hosted = await StoredStoryPlaying.begin(
        "run-1", performance, plays, PlayOrigin(story="lines"), FixedClock(0)
    )
    for _ in range(MOST_STEPS + 5):
        await move(hosted, None)
    again = await StoredStoryPlaying.resume(
        "run-1", StoryPlaying(parse_story(LINES)), plays, FixedClock(0)
    )

    assert MOST_STEPS + 6 == len(hosted.list_backlog())
    assert MOST_STEPS == len(again.list_backlog())
