import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from saniwa.http.router import FairScheduler
from tests.fakes.coroutine_tests import run_coroutine


@run_coroutine
async def test_a_single_caller_does_not_wait() -> None:
    """A single caller passes at once."""
    turnstile = FairScheduler()
    for _ in range(3):
        waited = asyncio.create_task(turnstile.wait_turn())
        await asyncio.sleep(0)

        assert waited.done()


@run_coroutine
async def test_a_crowd_passes_one_by_one_in_the_order_it_came() -> None:
    """Several callers pass one by one in order, with other tasks in between."""
    turnstile, told = FairScheduler(), list[str]()

    async def ask(name: str) -> None:
        await turnstile.wait_turn()
        told.append(name)
        asyncio.get_running_loop().call_soon(told.append, f"{name} is told")

    await asyncio.gather(*(ask(name) for name in "abc"))
    await asyncio.sleep(0)

    assert ["a", "a is told", "b", "b is told", "c", "c is told"] == told


@run_coroutine
async def test_a_caller_that_hangs_up_takes_no_others_place() -> None:
    """A cancelled caller is skipped, and the next one passes."""
    turnstile = FairScheduler()
    first, gone, last = (asyncio.create_task(turnstile.wait_turn()) for _ in range(3))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.wait_for(asyncio.gather(first, last), 10)
    await asyncio.sleep(0)
    alone = asyncio.create_task(turnstile.wait_turn())
    await asyncio.sleep(0)

    assert gone.cancelled()
    assert alone.done()


def test_a_loop_that_ended_holds_no_caller_up() -> None:
    """A loop that ended does not block later callers."""
    turnstile = FairScheduler()

    async def pass_in_vain() -> None:
        await turnstile.wait_turn()
        asyncio.get_running_loop().stop()

    first = asyncio.new_event_loop()
    with pytest.raises(RuntimeError):
        first.run_until_complete(asyncio.wait_for(pass_in_vain(), 10))
    first.close()

    asyncio.run(asyncio.wait_for(turnstile.wait_turn(), 10))


@run_coroutine
async def test_requests_of_another_loop_do_not_wait() -> None:
    """Each event loop has its own queue."""
    turnstile = FairScheduler()
    await turnstile.wait_turn()
    with ThreadPoolExecutor(1) as pool:
        there = pool.submit(lambda: asyncio.run(asyncio.wait_for(turnstile.wait_turn(), 10)))

        assert there.result(20) is None
