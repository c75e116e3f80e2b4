import asyncio

import pytest

from saniwa.runs.run_inspector import RunInspector
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.world.model import Id
from tests.fakes.runs import open_courtyard_run

NO_EATING = {
    "id": "fast",
    "rules": [{"actionType": "eat", "checks": [{"id": "edible", "enabled": False}]}],
}


def test_each_turn_has_the_book_of_its_time() -> None:
    """Each turn has the rulebook of its time, also after a later edit."""
    run = open_courtyard_run(MemoryRunStore())
    lens = RunInspector(run)
    asyncio.run(run.say("look"))
    before = lens.find_book(0)
    asyncio.run(run.edit_rulebook(NO_EATING))
    asyncio.run(run.say("look"))

    assert before.fingerprint == lens.find_book(0).fingerprint
    assert run.book.fingerprint == lens.find_book(1).fingerprint == lens.find_book(2).fingerprint
    assert before.fingerprint != run.book.fingerprint
    assert [(1, NO_EATING)] == [(each.turn, each.layer) for each in run.edits]


def test_minds_are_those_of_any_moment() -> None:
    """A mind can be read at any turn, and a future turn is an error."""
    run = open_courtyard_run(MemoryRunStore())
    lens = RunInspector(run)
    asyncio.run(run.say("take the brass key"))
    asyncio.run(run.say("drop the brass key"))
    held = [lens.find_mind(run.actor, number).beliefs[Id("key")].place for number in (-1, 0, 1)]

    assert [False, True, False] == [place == run.actor for place in held]
    with pytest.raises(IndexError):
        lens.find_mind(run.actor, 2)
