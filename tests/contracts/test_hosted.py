"""What every run promises the host that shows it, whatever is played."""

import asyncio
from collections.abc import Awaitable
from typing import Any

import pytest

from saniwa.core.errors import SaniwaError
from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.playing import Playing, PlayRequest, PlayState
from tests.fakes.hosted import KINDS, Kind, Stage, full, move
from tests.fakes.looped import looped
from tests.fakes.stepresults import assert_keeps_contract

ONE = IdempotencyKey(key="one", digest="d1")
TWO = IdempotencyKey(key="two", digest="d2")
OTHER = IdempotencyKey(key="one", digest="another")


@pytest.fixture(params=KINDS)
def stage(request: pytest.FixtureRequest) -> Stage:
    """A scenario, a story, and a story on a world."""
    kind: Kind = request.param
    return Stage(kind)


async def refused(did: Awaitable[object]) -> SaniwaError:
    """The error something came to, which it must."""
    with pytest.raises(SaniwaError) as caught:
        await did
    return caught.value


async def gone(stage: Stage, count: int = 99) -> tuple[Playing, PlayState]:
    """A run after some of its moves, and the last moment told."""
    hosted = await stage.begun()
    moment = hosted.read_state()
    for made in stage.moves[:count]:
        moment = await move(hosted, made)
    return hosted, moment


def shown(moment: PlayState) -> Any:
    """What a host shows of a moment, whoever asks when."""
    return moment.run, moment.revision, moment.step, moment.waiting, moment.back


@looped
async def test_every_move_raises_the_revision(stage: Stage) -> None:
    """By one, and every step keeps the contract of steps."""
    hosted = await stage.begun()
    first = hosted.read_state()
    assert_keeps_contract(first.step)
    for number, made in enumerate(stage.moves, start=1):
        moment = await move(hosted, made)

        assert first.revision + number == moment.revision == hosted.revision
        assert hosted.id == moment.run
        assert moment.back
        assert_keeps_contract(moment.step)
    assert not first.back


@looped
async def test_where_it_stands_is_what_was_told_last(stage: Stage) -> None:
    """To the host that played, and to a process that takes it up, after every move."""
    hosted = await stage.begun()
    for made in stage.moves:
        told = await move(hosted, made)

        assert shown(told) == shown(hosted.read_state())
        assert hosted.read_state() == (await stage.taken_up(hosted.id)).read_state()


@pytest.mark.parametrize("off", [-1, 1, 10**30])
@looped
async def test_a_stale_request_changes_nothing(stage: Stage, off: int) -> None:
    """Whatever it asks for; it is told the revision that stands."""
    hosted, before = await gone(stage, 2)
    await hosted.save("here")
    kept = stage.state(hosted.id)
    request = PlayRequest(revision=hosted.revision + off, asked=ONE)
    for did in (
        hosted.say(request, "take the brass key"),
        hosted.choose(request, 0),
        hosted.step(request),
        hosted.back(request),
        hosted.skip(request),
        hosted.load(request, "here"),
    ):
        problem = await refused(did)

        assert "REVISION_CONFLICT" == problem.code
        assert before.revision == problem.details["current"]
    assert shown(before) == shown(hosted.read_state())
    assert kept == stage.state(hosted.id)


@looped
async def test_the_same_request_gets_the_same_answer(stage: Stage) -> None:
    """At once, after the run went on, and from another process; it was done once."""
    hosted = await stage.begun()
    seen = hosted.revision
    first = await move(hosted, stage.moves[0], asked=ONE)
    kept = stage.state(hosted.id)
    again = await move(hosted, stage.moves[0], seen=seen, asked=ONE)
    assert kept == stage.state(hosted.id)
    await move(hosted, stage.moves[1], asked=TWO)
    later = await move(hosted, stage.moves[0], seen=seen, asked=ONE)
    other = await stage.taken_up(hosted.id)
    elsewhere = await move(other, stage.moves[0], seen=seen, asked=ONE)

    assert first == again
    assert first == later
    assert first == elsewhere
    assert first.revision + 1 == hosted.revision == other.revision


@looped
async def test_going_back_twice_under_one_key_goes_back_once(stage: Stage) -> None:
    """The answer is the same to the letter, also from another process."""
    hosted, _ = await gone(stage, 2)
    request = PlayRequest(revision=hosted.revision, asked=ONE)
    first = await hosted.back(request)
    other = await stage.taken_up(hosted.id)

    assert first == await hosted.back(request)
    assert first == await other.back(request)
    assert first.revision == hosted.revision


@looped
async def test_loading_twice_under_one_key_loads_once(stage: Stage) -> None:
    """The answer is the same to the letter, also from another process."""
    hosted, _ = await gone(stage, 1)
    await hosted.save("here")
    await move(hosted, stage.moves[1])
    request = PlayRequest(revision=hosted.revision, asked=ONE)
    first = await hosted.load(request, "here")
    other = await stage.taken_up(hosted.id)

    assert first == await hosted.load(request, "here")
    assert first == await other.load(request, "here")
    assert first.revision == hosted.revision


@looped
async def test_another_request_under_a_key_is_refused(stage: Stage) -> None:
    """By whichever process, and nothing happens."""
    hosted = await stage.begun()
    await move(hosted, stage.moves[0], asked=ONE)
    kept = stage.state(hosted.id)
    for each in (hosted, await stage.taken_up(hosted.id)):
        problem = await refused(move(each, stage.moves[1], asked=OTHER))

        assert "IDEMPOTENCY_CONFLICT" == problem.code
    assert kept == stage.state(hosted.id)


@looped
async def test_what_cannot_be_kept_has_not_happened(stage: Stage) -> None:
    """At every move: the run stands where it stood, and then goes on as if nothing was."""
    smooth, hosted = await Stage(stage.kind).begun(), await stage.begun()
    for number, made in enumerate(stage.moves):
        before, kept = hosted.read_state(), stage.state(hosted.id)
        asked = IdempotencyKey(key=f"k{number}", digest="d")
        stage.fail()
        problem = await refused(move(hosted, made, asked=asked))
        stage.mend()

        assert full().code == problem.code
        assert before == hosted.read_state()
        assert kept == stage.state(hosted.id)
        expected = await move(smooth, made)
        assert shown(expected) == shown(await move(hosted, made, asked=asked))


@looped
async def test_a_host_that_comes_late_is_told_so_and_catches_up(stage: Stage) -> None:
    """Of two hosts that have seen the same, the first is heard."""
    first = await stage.begun()
    second = await stage.taken_up(first.id)
    seen = second.revision
    told = await move(first, stage.moves[0])
    problem = await refused(move(second, stage.moves[0], seen=seen))
    await second.catch_up()

    assert "REVISION_CONFLICT" == problem.code
    assert shown(told) == shown(second.read_state())
    onward = await move(second, stage.moves[1])
    await first.catch_up()
    assert shown(onward) == shown(first.read_state())


@looped
async def test_hosts_take_turns_on_one_run(stage: Stage) -> None:
    """Hopping from process to process tells the same story."""
    alone = await Stage(stage.kind).begun()
    first = await stage.begun()
    hosts = [first, await stage.taken_up(first.id), await stage.taken_up(first.id)]
    for number, made in enumerate(stage.moves):
        here = hosts[number % len(hosts)]
        await here.catch_up()

        assert shown(await move(alone, made)) == shown(await move(here, made))


@looped
async def test_a_request_sent_to_two_processes_at_once_is_done_once(stage: Stage) -> None:
    """Both tell the same, whichever has done it."""
    first = await stage.begun()
    second = await stage.taken_up(first.id)
    seen = first.revision
    answers = await asyncio.gather(
        *(move(each, stage.moves[0], seen=seen, asked=ONE) for each in (first, second))
    )

    assert answers[0] == answers[1]
    assert seen + 1 == (await stage.taken_up(first.id)).revision


@looped
async def test_of_many_requests_at_once_one_is_heard(stage: Stage) -> None:
    """On one host: the others are told that they come too late."""
    hosted = await stage.begun()
    seen = hosted.revision
    came = await asyncio.gather(
        *(move(hosted, stage.moves[0], seen=seen) for _ in range(5)), return_exceptions=True
    )
    late = [each for each in came if isinstance(each, SaniwaError)]

    assert 4 == len(late)
    assert {"REVISION_CONFLICT"} == {each.code for each in late}
    assert seen + 1 == hosted.revision


@pytest.mark.parametrize("steps", [1, 2, 1000])
@pytest.mark.parametrize("again", [False, True])
@looped
async def test_going_back_is_to_stand_there_again(stage: Stage, steps: int, again: bool) -> None:
    """Also by another process; the same moves then lead the same way."""
    hosted, _ = await gone(stage, 3)
    reached = max(3 - steps, 0)
    _, there = await gone(Stage(stage.kind), reached)
    if again:
        hosted = await stage.taken_up(hosted.id)
    moment = await hosted.back(PlayRequest(revision=hosted.revision), steps)

    assert there.waiting == moment.waiting
    assert bool(reached) == moment.back
    assert_keeps_contract(moment.step)
    _, onward = await gone(Stage(stage.kind), reached + 1)
    assert onward.step == (await move(hosted, stage.moves[reached])).step


@looped
async def test_at_the_beginning_there_is_no_way_back(stage: Stage) -> None:
    """Asked for it, the run stays where it is and keeps nothing."""
    hosted = await stage.begun()
    kept = stage.state(hosted.id)
    moment = await hosted.back(PlayRequest(revision=hosted.revision, asked=ONE))

    assert hosted.revision == moment.revision
    assert not moment.back
    assert kept == stage.state(hosted.id)


@looped
async def test_a_save_is_a_place_to_come_back_to(stage: Stage) -> None:
    """From further on, by another process too, and the same moves lead the same way."""
    hosted, there = await gone(stage, 2)
    slot = await hosted.save("before the gate")
    await move(hosted, stage.moves[2])
    other = await stage.taken_up(hosted.id)
    moment = await other.load(PlayRequest(revision=other.revision), "before the gate")

    assert there.waiting == moment.waiting
    assert [slot] == list(other.list_saves())
    assert "before the gate" == slot.name
    assert slot.line
    _, onward = await gone(Stage(stage.kind), 3)
    assert onward.step == (await move(other, stage.moves[2])).step


@looped
async def test_a_save_moves_with_its_name(stage: Stage) -> None:
    """There is one place of a name: the last; listed in order of name."""
    hosted, _ = await gone(stage, 1)
    first = await hosted.save("b")
    await hosted.save("a")
    await move(hosted, stage.moves[1])
    moved = await hosted.save("b")

    assert ["a", "b"] == [each.name for each in hosted.list_saves()]
    assert first.created < moved.created
    assert moved == hosted.list_saves()[1]


@looped
async def test_saving_changes_no_revision(stage: Stage) -> None:
    """What a host has seen still stands."""
    hosted, _ = await gone(stage, 1)
    seen = hosted.revision
    await hosted.save("here")

    assert seen == hosted.revision
    assert seen + 1 == (await move(hosted, stage.moves[1], seen=seen)).revision


@looped
async def test_a_save_that_is_not_there_is_named(stage: Stage) -> None:
    """With the nearest that is; nothing changes."""
    hosted, before = await gone(stage, 1)
    await hosted.save("garden")
    problem = await refused(hosted.load(PlayRequest(revision=hosted.revision, asked=ONE), "gardn"))

    assert "SAVE_NOT_FOUND" == problem.code
    assert "garden" in problem.hint
    assert shown(before) == shown(hosted.read_state())


@pytest.mark.parametrize("name", ["", "\n", "x" * 1000, "\udc80"])
@looped
async def test_a_name_nobody_could_type_is_no_save(stage: Stage, name: str) -> None:
    """It is refused, and there is none."""
    hosted = await stage.begun()

    assert "SAVE_UNNAMED" == (await refused(hosted.save(name))).code
    assert [] == list(hosted.list_saves())


@looped
async def test_what_is_not_awaited_is_refused_or_the_same_again(stage: Stage) -> None:
    """A choice where none is offered changes nothing; neither does one too many."""
    hosted, before = await gone(stage, 1)
    kept = stage.state(hosted.id)
    index = 7 if before.waiting == "choice" else 0
    problem = await refused(hosted.choose(PlayRequest(revision=before.revision), index))

    expected = "CHOICE_OUT_OF_RANGE" if index else "CHOICE_NOT_AWAITED"
    assert expected == problem.code
    assert shown(before) == shown(hosted.read_state())
    assert kept == stage.state(hosted.id)


@looped
async def test_a_step_where_something_else_is_awaited_is_the_same_again(stage: Stage) -> None:
    """Nothing happens, and no revision is spent."""
    hosted = await stage.begun()
    while hosted.read_state().waiting == "step":
        await move(hosted, None)
    before = hosted.read_state()

    assert before == await move(hosted, None)
    assert before == hosted.read_state()


@looped
async def test_the_backlog_tells_what_was_shown(stage: Stage) -> None:
    """From the first step to the last, also to another process."""
    hosted = await stage.begun()
    expected = [hosted.read_state().step]
    for made in stage.moves:
        expected.append((await move(hosted, made)).step)

    assert expected == list(hosted.list_backlog())
    assert expected == list((await stage.taken_up(hosted.id)).list_backlog())


@looped
async def test_a_preview_changes_nothing(stage: Stage) -> None:
    """It tells how words would fare where there is a world, and nothing else."""
    hosted, before = await gone(stage, 1)
    kept = stage.state(hosted.id)
    seen = await hosted.preview("go east")

    assert (stage.kind == "story") == (seen is None)
    assert shown(before) == shown(hosted.read_state())
    assert kept == stage.state(hosted.id)
