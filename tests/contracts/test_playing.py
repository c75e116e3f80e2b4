"""What every run promises the host that shows it, whatever is played."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from saniwa.core.errors import SaniwaError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.playing import Playing, PlayRequest, PlayState
from tests.fakes.coroutine_tests import run_coroutine
from tests.fakes.playing_stages import KINDS, Kind, PlayingStage, make_full_disk_error, make_move
from tests.fakes.stepresults import assert_keeps_contract

ONE = IdempotencyKey(key="one", digest="d1")
TWO = IdempotencyKey(key="two", digest="d2")
OTHER = IdempotencyKey(key="one", digest="another")


@pytest.fixture(params=KINDS)
def playing_kind(request: pytest.FixtureRequest) -> PlayingStage:
    """A scenario, a story, and a story on a world."""
    kind: Kind = request.param
    return PlayingStage(kind)


async def expect_error(did: Awaitable[object]) -> SaniwaError:
    """The error that a call raises, which it must."""
    with pytest.raises(SaniwaError) as caught:
        await did
    return caught.value


async def play_moves(stage: PlayingStage, count: int = 99) -> tuple[Playing, PlayState]:
    """A run after some of its moves, and its last state."""
    hosted = await stage.begin()
    moment = hosted.read_state()
    for made in stage.moves[:count]:
        moment = await make_move(hosted, made)
    return hosted, moment


def take_shown(moment: PlayState) -> Any:
    """The part of a state that a host shows."""
    return moment.run, moment.revision, moment.step, moment.waiting, moment.back


@run_coroutine
async def test_every_move_raises_the_revision(playing_kind: PlayingStage) -> None:
    """Every move raises the revision by one, and every step keeps the contract of steps."""
    hosted = await playing_kind.begin()
    first = hosted.read_state()
    assert_keeps_contract(first.step)
    for number, made in enumerate(playing_kind.moves, start=1):
        moment = await make_move(hosted, made)

        assert first.revision + number == moment.revision == hosted.revision
        assert hosted.id == moment.run
        assert moment.back
        assert_keeps_contract(moment.step)
    assert not first.back


@run_coroutine
async def test_the_place_is_the_one_reported_last(playing_kind: PlayingStage) -> None:
    """After every move the state is what the move returned, also in a process that resumes it."""
    hosted = await playing_kind.begin()
    for made in playing_kind.moves:
        told = await make_move(hosted, made)

        assert take_shown(told) == take_shown(hosted.read_state())
        assert hosted.read_state() == (await playing_kind.resume(hosted.id)).read_state()


@pytest.mark.parametrize("off", [-1, 1, 10**30])
@run_coroutine
async def test_a_stale_request_changes_nothing(playing_kind: PlayingStage, off: int) -> None:
    """A request for another revision changes nothing, and its error has the current revision."""
    hosted, before = await play_moves(playing_kind, 2)
    await hosted.save("here")
    kept = playing_kind.read_state(hosted.id)
    request = PlayRequest(revision=hosted.revision + off, asked=ONE)
    for did in (
        hosted.say(request, "take the brass key"),
        hosted.choose(request, 0),
        hosted.step(request),
        hosted.back(request),
        hosted.skip(request),
        hosted.load(request, "here"),
    ):
        problem = await expect_error(did)

        assert "REVISION_CONFLICT" == problem.code
        assert before.revision == problem.details["current"]
    assert take_shown(before) == take_shown(hosted.read_state())
    assert kept == playing_kind.read_state(hosted.id)


@run_coroutine
async def test_the_same_request_gets_the_same_answer(playing_kind: PlayingStage) -> None:
    """A repeated request gets the first answer, also later and from another process."""
    hosted = await playing_kind.begin()
    seen = hosted.revision
    first = await make_move(hosted, playing_kind.moves[0], asked=ONE)
    kept = playing_kind.read_state(hosted.id)
    again = await make_move(hosted, playing_kind.moves[0], seen=seen, asked=ONE)
    assert kept == playing_kind.read_state(hosted.id)
    await make_move(hosted, playing_kind.moves[1], asked=TWO)
    later = await make_move(hosted, playing_kind.moves[0], seen=seen, asked=ONE)
    other = await playing_kind.resume(hosted.id)
    elsewhere = await make_move(other, playing_kind.moves[0], seen=seen, asked=ONE)

    assert first == again
    assert first == later
    assert first == elsewhere
    assert first.revision + 1 == hosted.revision == other.revision


@run_coroutine
async def test_going_back_twice_under_one_key_goes_back_once(playing_kind: PlayingStage) -> None:
    """Going back twice under one key goes back once, also from another process."""
    hosted, _ = await play_moves(playing_kind, 2)
    request = PlayRequest(revision=hosted.revision, asked=ONE)
    first = await hosted.back(request)
    other = await playing_kind.resume(hosted.id)

    assert first == await hosted.back(request)
    assert first == await other.back(request)
    assert first.revision == hosted.revision


@run_coroutine
async def test_loading_twice_under_one_key_loads_once(playing_kind: PlayingStage) -> None:
    """Loading twice under one key loads once, also from another process."""
    hosted, _ = await play_moves(playing_kind, 1)
    await hosted.save("here")
    await make_move(hosted, playing_kind.moves[1])
    request = PlayRequest(revision=hosted.revision, asked=ONE)
    first = await hosted.load(request, "here")
    other = await playing_kind.resume(hosted.id)

    assert first == await hosted.load(request, "here")
    assert first == await other.load(request, "here")
    assert first.revision == hosted.revision


@run_coroutine
async def test_another_request_under_a_key_is_refused(playing_kind: PlayingStage) -> None:
    """Another request under a used key is refused by every process and changes nothing."""
    hosted = await playing_kind.begin()
    await make_move(hosted, playing_kind.moves[0], asked=ONE)
    kept = playing_kind.read_state(hosted.id)
    for each in (hosted, await playing_kind.resume(hosted.id)):
        problem = await expect_error(make_move(each, playing_kind.moves[1], asked=OTHER))

        assert "IDEMPOTENCY_CONFLICT" == problem.code
    assert kept == playing_kind.read_state(hosted.id)


@run_coroutine
async def test_what_cannot_be_kept_has_not_happened(playing_kind: PlayingStage) -> None:
    """A move that cannot be stored changes nothing, and then succeeds when repeated."""
    smooth, hosted = await PlayingStage(playing_kind.kind).begin(), await playing_kind.begin()
    for number, made in enumerate(playing_kind.moves):
        before, kept = hosted.read_state(), playing_kind.read_state(hosted.id)
        asked = IdempotencyKey(key=f"k{number}", digest="d")
        playing_kind.fail()
        problem = await expect_error(make_move(hosted, made, asked=asked))
        playing_kind.repair_stores()

        assert make_full_disk_error().code == problem.code
        assert before == hosted.read_state()
        assert kept == playing_kind.read_state(hosted.id)
        expected = await make_move(smooth, made)
        assert take_shown(expected) == take_shown(await make_move(hosted, made, asked=asked))


@run_coroutine
async def test_a_host_that_comes_late_is_reported_and_catches_up(
    playing_kind: PlayingStage,
) -> None:
    """Of two hosts at the same revision the first succeeds, and the other can catch up."""
    first = await playing_kind.begin()
    second = await playing_kind.resume(first.id)
    seen = second.revision
    told = await make_move(first, playing_kind.moves[0])
    problem = await expect_error(make_move(second, playing_kind.moves[0], seen=seen))
    await second.catch_up()

    assert "REVISION_CONFLICT" == problem.code
    assert take_shown(told) == take_shown(second.read_state())
    onward = await make_move(second, playing_kind.moves[1])
    await first.catch_up()
    assert take_shown(onward) == take_shown(first.read_state())


@run_coroutine
async def test_hosts_take_turns_on_one_run(playing_kind: PlayingStage) -> None:
    """Playing one run through several processes gives the same states as through one."""
    alone = await PlayingStage(playing_kind.kind).begin()
    first = await playing_kind.begin()
    hosts = [first, await playing_kind.resume(first.id), await playing_kind.resume(first.id)]
    for number, made in enumerate(playing_kind.moves):
        here = hosts[number % len(hosts)]
        await here.catch_up()

        assert take_shown(await make_move(alone, made)) == take_shown(await make_move(here, made))


@run_coroutine
async def test_a_request_sent_to_two_processes_at_once_is_done_once(
    playing_kind: PlayingStage,
) -> None:
    """A request sent to two processes at once is done once, and both give the same answer."""
    first = await playing_kind.begin()
    second = await playing_kind.resume(first.id)
    seen = first.revision
    answers = await asyncio.gather(
        *(make_move(each, playing_kind.moves[0], seen=seen, asked=ONE) for each in (first, second))
    )

    assert answers[0] == answers[1]
    assert seen + 1 == (await playing_kind.resume(first.id)).revision


@run_coroutine
async def test_of_many_requests_at_once_one_succeeds(playing_kind: PlayingStage) -> None:
    """Of many requests for one revision on one host, one succeeds and the others are conflicts."""
    hosted = await playing_kind.begin()
    seen = hosted.revision
    came = await asyncio.gather(
        *(make_move(hosted, playing_kind.moves[0], seen=seen) for _ in range(5)),
        return_exceptions=True,
    )
    late = [each for each in came if isinstance(each, SaniwaError)]

    assert 4 == len(late)
    assert {"REVISION_CONFLICT"} == {each.code for each in late}
    assert seen + 1 == hosted.revision


@pytest.mark.parametrize("steps", [1, 2, 1000])
@pytest.mark.parametrize("again", [False, True])
@run_coroutine
async def test_going_back_is_to_stand_there_again(
    playing_kind: PlayingStage, steps: int, again: bool
) -> None:
    """After going back, also in another process, the same moves lead to the same steps."""
    hosted, _ = await play_moves(playing_kind, 3)
    reached = max(3 - steps, 0)
    _, there = await play_moves(PlayingStage(playing_kind.kind), reached)
    if again:
        hosted = await playing_kind.resume(hosted.id)
    moment = await hosted.back(PlayRequest(revision=hosted.revision), steps)

    assert there.waiting == moment.waiting
    assert bool(reached) == moment.back
    assert_keeps_contract(moment.step)
    _, onward = await play_moves(PlayingStage(playing_kind.kind), reached + 1)
    assert onward.step == (await make_move(hosted, playing_kind.moves[reached])).step


@run_coroutine
async def test_at_the_beginning_there_is_no_way_back(playing_kind: PlayingStage) -> None:
    """Going back at the beginning changes nothing."""
    hosted = await playing_kind.begin()
    kept = playing_kind.read_state(hosted.id)
    moment = await hosted.back(PlayRequest(revision=hosted.revision, asked=ONE))

    assert hosted.revision == moment.revision
    assert not moment.back
    assert kept == playing_kind.read_state(hosted.id)


@run_coroutine
async def test_a_save_is_a_place_to_come_back_to(playing_kind: PlayingStage) -> None:
    """Loading a save, also in another process, leads to the same state and the same steps."""
    hosted, there = await play_moves(playing_kind, 2)
    slot = await hosted.save("before the gate")
    await make_move(hosted, playing_kind.moves[2])
    other = await playing_kind.resume(hosted.id)
    moment = await other.load(PlayRequest(revision=other.revision), "before the gate")

    assert there.waiting == moment.waiting
    assert [slot] == list(other.list_saves())
    assert "before the gate" == slot.name
    assert slot.line
    _, onward = await play_moves(PlayingStage(playing_kind.kind), 3)
    assert onward.step == (await make_move(other, playing_kind.moves[2])).step


@run_coroutine
async def test_a_save_moves_with_its_name(playing_kind: PlayingStage) -> None:
    """Saving under a used name moves the save, and saves are listed by name."""
    hosted, _ = await play_moves(playing_kind, 1)
    first = await hosted.save("b")
    await hosted.save("a")
    await make_move(hosted, playing_kind.moves[1])
    moved = await hosted.save("b")

    assert ["a", "b"] == [each.name for each in hosted.list_saves()]
    assert first.created < moved.created
    assert moved == hosted.list_saves()[1]


@run_coroutine
async def test_saving_changes_no_revision(playing_kind: PlayingStage) -> None:
    """Saving does not raise the revision."""
    hosted, _ = await play_moves(playing_kind, 1)
    seen = hosted.revision
    await hosted.save("here")

    assert seen == hosted.revision
    assert seen + 1 == (await make_move(hosted, playing_kind.moves[1], seen=seen)).revision


@run_coroutine
async def test_a_save_that_is_not_there_is_named(playing_kind: PlayingStage) -> None:
    """Loading an unknown save is an error whose hint names the nearest, and changes nothing."""
    hosted, before = await play_moves(playing_kind, 1)
    await hosted.save("garden")
    problem = await expect_error(
        hosted.load(PlayRequest(revision=hosted.revision, asked=ONE), "gardn")
    )

    assert "SAVE_NOT_FOUND" == problem.code
    assert "garden" in problem.hint
    assert take_shown(before) == take_shown(hosted.read_state())


@pytest.mark.parametrize("name", ["", "\n", "x" * 1000, "\udc80"])
@run_coroutine
async def test_a_name_that_cannot_be_typed_is_no_save(
    playing_kind: PlayingStage, name: str
) -> None:
    """A save whose name cannot be typed is refused."""
    hosted = await playing_kind.begin()

    assert "SAVE_UNNAMED" == (await expect_error(hosted.save(name))).code
    assert [] == list(hosted.list_saves())


@run_coroutine
async def test_what_is_not_awaited_is_refused_or_the_same_again(playing_kind: PlayingStage) -> None:
    """A choice that is not offered is an error and changes nothing."""
    hosted, before = await play_moves(playing_kind, 1)
    kept = playing_kind.read_state(hosted.id)
    index = 7 if before.waiting == "choice" else 0
    problem = await expect_error(hosted.choose(PlayRequest(revision=before.revision), index))

    expected = "CHOICE_OUT_OF_RANGE" if index else "CHOICE_NOT_AWAITED"
    assert expected == problem.code
    assert take_shown(before) == take_shown(hosted.read_state())
    assert kept == playing_kind.read_state(hosted.id)


@run_coroutine
async def test_a_step_where_something_else_is_awaited_is_the_same_again(
    playing_kind: PlayingStage,
) -> None:
    """Stepping while something else is awaited changes nothing."""
    hosted = await playing_kind.begin()
    while hosted.read_state().waiting == "step":
        await make_move(hosted, None)
    before = hosted.read_state()

    assert before == await make_move(hosted, None)
    assert before == hosted.read_state()


@run_coroutine
async def test_the_backlog_says_what_was_shown(playing_kind: PlayingStage) -> None:
    """The backlog has every step from the first to the last, also in another process."""
    hosted = await playing_kind.begin()
    expected = [hosted.read_state().step]
    for made in playing_kind.moves:
        expected.append((await make_move(hosted, made)).step)

    assert expected == list(hosted.list_backlog())
    assert expected == list((await playing_kind.resume(hosted.id)).list_backlog())


@run_coroutine
async def test_a_preview_changes_nothing(playing_kind: PlayingStage) -> None:
    """A preview is given only where there is a world, and changes nothing."""
    hosted, before = await play_moves(playing_kind, 1)
    kept = playing_kind.read_state(hosted.id)
    seen = await hosted.preview("go east")

    assert (playing_kind.kind == "story") == (seen is None)
    assert take_shown(before) == take_shown(hosted.read_state())
    assert kept == playing_kind.read_state(hosted.id)
