import asyncio
from functools import partial
from threading import Event

import pytest

from saniwa.app.work_queue import WorkQueue
from saniwa.core.errors import ProtocolError, ScriptError


def test_no_caller_has_more_than_a_few_pieces_of_work_waiting() -> None:
    """The number of waiting tasks per caller is limited."""
    shop, gate = WorkQueue(threads=1, each=2), Event()
    waiting = [shop.submit(gate.wait, "bot") for _ in range(2)]
    with pytest.raises(ProtocolError) as problem:
        shop.submit(gate.wait, "bot")
    other = shop.submit(gate.wait, "ann")
    nobodys = [shop.submit(gate.wait) for _ in range(3)]
    gate.set()
    done = [each.result(10) for each in (*waiting, other, *nobodys)]
    again = shop.submit(lambda: "again", "bot").result(10)
    shop.close()

    assert "TOO_MANY_REQUESTS" == problem.value.code
    assert 2 == problem.value.details["retry_after"]
    assert [True] * 6 == done
    assert "again" == again


def test_others_are_heard_while_work_is_done() -> None:
    """The event loop continues while a task runs."""
    shop, gate = WorkQueue(threads=1), Event()

    async def run_session() -> bool:
        working = asyncio.create_task(shop.run(gate.wait))
        await asyncio.sleep(0)
        gate.set()
        return await working

    assert asyncio.run(run_session())
    shop.close()


def test_a_caller_that_stops_waiting_stops_no_other_work() -> None:
    """A caller that stops waiting does not stop the task for others."""
    shop, gate = WorkQueue(threads=1), Event()

    async def run_session() -> None:
        working = asyncio.create_task(shop.run(gate.wait, "bot"))
        await asyncio.sleep(0)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        gate.set()

    asyncio.run(run_session())
    last = shop.submit(lambda: gate.is_set(), "bot")

    assert last.result(10)
    shop.close()


def test_an_error_of_the_work_is_raised_to_the_caller() -> None:
    """An exception of a task is raised to its caller."""
    shop = WorkQueue(threads=1, each=1)

    def fail() -> None:
        raise ScriptError("STORY_UNREADABLE", "no")

    for _ in range(2):
        with pytest.raises(ScriptError, match="no"):
            asyncio.run(shop.run(fail, "bot"))
    shop.close()


def test_others_have_their_turn_before_the_second_piece_of_a_visitor() -> None:
    """A caller's second task waits for the first ones of other callers."""
    shop, gate, order = WorkQueue(threads=1), Event(), list[str]()
    shop.submit(gate.wait, "first")
    asked = [
        shop.submit(partial(order.append, f"{whose} {number}"), whose)
        for whose in ("bot", "ann")
        for number in range(2)
    ]
    gate.set()
    for each in asked:
        each.result(10)
    shop.close()

    assert ["bot 0", "ann 0", "bot 1", "ann 1"] == order


def test_of_one_visitor_one_piece_is_done_at_a_time() -> None:
    """Only one task per caller runs at a time."""
    shop, gate = WorkQueue(threads=2), Event()
    first = shop.submit(gate.wait, "bot")
    second = shop.submit(gate.is_set, "bot")
    shop.submit(lambda: None, "ann").result(10)
    gate.set()

    assert first.result(10)
    assert second.result(10)
    shop.close()


def test_a_closed_work_queue_releases_what_waits() -> None:
    """Closing waits for running tasks, and cancels waiting ones."""
    shop, gate, begun = WorkQueue(threads=1), Event(), Event()

    def wait_for_gate() -> bool:
        begun.set()
        return gate.wait(10)

    first = shop.submit(wait_for_gate, "bot")
    second = shop.submit(wait_for_gate, "bot")
    begun.wait(10)
    shop.close()
    gate.set()

    assert first.result(10)
    assert second.cancelled()
