import asyncio

from saniwa.app.game_tables import TablePace
from tests.fakes.coroutine_tests import run_coroutine


@run_coroutine
async def test_so_many_turns_are_taken_and_no_more() -> None:
    """The number of turns is limited, and counted from the last start."""
    gait = TablePace()
    before = gait.count_turn()
    gait.start(0, 2)
    first = [gait.count_turn() for _ in range(3)]
    gait.start(0, 1)

    assert (False, [True, True, False]) == (before, first)
    assert [True, False] == [gait.count_turn(), gait.count_turn()]


@run_coroutine
async def test_a_pause_said_before_the_wait_is_heard() -> None:
    """A pause requested before the wait ends it."""
    gait = TablePace()
    gait.start(0, 5)
    assert await gait.wait() is False
    gait.pause()

    assert await gait.wait() is True


@run_coroutine
async def test_a_pause_said_during_the_wait_ends_it() -> None:
    """A pause requested during the wait ends it."""
    gait = TablePace()
    gait.start(30, 5)
    resting = asyncio.create_task(gait.wait())
    await asyncio.sleep(0)
    gait.pause()

    assert await asyncio.wait_for(resting, 5) is True


@run_coroutine
async def test_what_was_said_before_a_turn_shortens_no_wait_after_it() -> None:
    """A request before a turn does not shorten the wait after it."""
    gait = TablePace()
    gait.start(30, 5)
    resting = asyncio.create_task(gait.wait())
    await asyncio.sleep(0)
    await asyncio.sleep(0)

    assert resting.done() is False
    resting.cancel()


@run_coroutine
async def test_a_wait_may_be_longer_than_was_said_and_never_shorter() -> None:
    """A wait may be made longer than requested, to leave time for others."""
    for pace, least in ((0, 30), (30, 0)):
        gait = TablePace()
        gait.start(pace, 5)
        resting = asyncio.create_task(gait.wait(least))
        for _ in range(5):
            await asyncio.sleep(0)
        waiting = not resting.done()
        gait.pause()

        assert waiting
        assert await asyncio.wait_for(resting, 5) is True
