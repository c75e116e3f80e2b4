import asyncio
from threading import Event

import pytest

from saniwa.core.errors import ProtocolError, ScriptError
from saniwa.wiring.garden.workshop import Workshop


def test_nobody_has_more_than_a_few_pieces_of_work_waiting() -> None:
    """Others are heard all the same, and so are they when some of it is done."""
    shop, gate = Workshop(threads=1, each=2), Event()
    waiting = [shop.begin(gate.wait, "bot") for _ in range(2)]
    with pytest.raises(ProtocolError) as problem:
        shop.begin(gate.wait, "bot")
    other = shop.begin(gate.wait, "ann")
    nobodys = [shop.begin(gate.wait) for _ in range(3)]
    gate.set()
    done = [each.result(10) for each in (*waiting, other, *nobodys)]
    again = shop.begin(lambda: "again", "bot").result(10)
    shop.close()

    assert "TOO_MANY_REQUESTS" == problem.value.code
    assert 2 == problem.value.details["retry_after"]
    assert [True] * 6 == done
    assert "again" == again


def test_others_are_heard_while_work_is_done() -> None:
    """The work ends only because somebody else could act meanwhile."""
    shop, gate = Workshop(threads=1), Event()

    async def story() -> bool:
        working = asyncio.create_task(shop.done(gate.wait))
        await asyncio.sleep(0)
        gate.set()
        return await working

    assert asyncio.run(story())
    shop.close()


def test_whoever_stops_waiting_stops_the_work_of_nobody() -> None:
    """Another who waits for the same gets it."""
    shop, gate = Workshop(threads=1), Event()

    async def story() -> None:
        working = asyncio.create_task(shop.done(gate.wait, "bot"))
        await asyncio.sleep(0)
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        gate.set()

    asyncio.run(story())
    last = shop.begin(lambda: gate.is_set(), "bot")

    assert last.result(10)
    shop.close()


def test_an_error_of_the_work_is_told_to_whoever_waits() -> None:
    """As it is."""
    shop = Workshop(threads=1, each=1)

    def fail() -> None:
        raise ScriptError("STORY_UNREADABLE", "no")

    for _ in range(2):
        with pytest.raises(ScriptError, match="no"):
            asyncio.run(shop.done(fail, "bot"))
    shop.close()
