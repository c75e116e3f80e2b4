import asyncio

import pytest

from saniwa.run.lens import Lens
from saniwa.store.memory import MemoryStore
from saniwa.world.model import Id
from tests.fakes.runs import garden_run

NO_EATING = {
    "id": "fast",
    "rules": [{"actionType": "eat", "checks": [{"id": "edible", "enabled": False}]}],
}


def test_each_turn_has_the_book_of_its_time() -> None:
    """An edit counts from its own turn on, also for a lens that was there before it."""
    run = garden_run(MemoryStore())
    lens = Lens(run)
    asyncio.run(run.say("look"))
    before = lens.book(0)
    asyncio.run(run.edit(NO_EATING))
    asyncio.run(run.say("look"))

    assert before.fingerprint == lens.book(0).fingerprint
    assert run.book.fingerprint == lens.book(1).fingerprint == lens.book(2).fingerprint
    assert before.fingerprint != run.book.fingerprint
    assert [(1, NO_EATING)] == [(each.turn, each.layer) for each in run.edits]


def test_minds_are_those_of_any_moment() -> None:
    """A mind after a turn is what it was then, and there is none after turns to come."""
    run = garden_run(MemoryStore())
    lens = Lens(run)
    asyncio.run(run.say("take the brass key"))
    asyncio.run(run.say("drop the brass key"))
    held = [
        lens.mind(run.actor, number).beliefs[Id("key")].place for number in (-1, 0, 1)
    ]

    assert [False, True, False] == [place == run.actor for place in held]
    with pytest.raises(IndexError):
        lens.mind(run.actor, 2)
