import asyncio
import tracemalloc
from typing import Any

import pytest

from saniwa.runs.replay import replay_run
from saniwa.runs.timeline import BEGINNING, Timeline, TimelineStart
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.world.model import Id
from tests.fakes.runs import (
    GO_EAST,
    OPEN_GATE,
    TAKE_KEY,
    make_action,
    open_courtyard_run,
    resume_restarted,
)


def _make_timeline(*actions: dict[str, str]) -> Timeline:
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    for action in actions:
        asyncio.run(run.act(action))
    course = Timeline(run.record)
    for turn in store.read_turns(run.id):
        course.follow_recorded(turn)
    return course


def test_a_course_begins_with_nothing_to_take_back() -> None:
    """At the beginning there is no turn and nothing to take back."""
    course = _make_timeline()

    assert (0, BEGINNING, None) == (course.count, course.point.number, course.point.back)


def test_runs_that_begin_alike_may_share_their_start() -> None:
    """A timeline from a shared start equals one made from the record."""
    record = open_courtyard_run(MemoryRunStore()).record
    start = TimelineStart.from_record(record)
    alone, shared = Timeline(record), Timeline(record, start)

    assert start.world is shared.point.world
    assert (alone.point.world, alone.book.fingerprint) == (
        shared.point.world,
        shared.book.fingerprint,
    )


def test_each_point_knows_where_taking_back_leads() -> None:
    """Taking back skips turns without an effect."""
    course = _make_timeline(OPEN_GATE, TAKE_KEY, OPEN_GATE, make_action("take", targetId="moon"))
    back = course.point.back

    assert back is not None
    assert 1 == back.number
    assert back.back is not None
    assert 0 == back.back.number
    assert back.back.back is None


@pytest.mark.parametrize("number", [-2, 1, 99])
def test_there_is_no_point_after_a_turn_that_was_not_played(number: int) -> None:
    """A point outside the run is an IndexError."""
    with pytest.raises(IndexError):
        _make_timeline(TAKE_KEY).find_point(number)


POLISH: dict[str, Any] = {
    "crafts": [
        {
            "name": "polish",
            "words": {"en": ["polish"]},
            "effects": [{"set": {"role": "target", "facts": {"state": ["shiny"]}}}],
        }
    ]
}


def test_a_run_has_words_for_what_its_book_of_now_teaches() -> None:
    """Crafts of an edited rulebook are known after the edit, also after going back or resuming."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)

    async def play_lines() -> list[str]:
        told = []
        for line in ("polish the bench", "", "polish the bench", "undo", "polish the bench"):
            if line == "undo":
                await run.undo()
            elif line:
                told.append((await run.say(line)).turn)
            else:
                await run.edit_rulebook(POLISH)
        return [t.validation_results[0].check if t.applied_actions else "" for t in told]

    assert ["", "polish", "polish"] == asyncio.run(play_lines())
    again = resume_restarted(run, store)
    assert ["polish"] == [manner.name for manner in again.world.manners]
    assert ("shiny",) == again.world.entities[Id("bench")].state
    assert replay_run(store, run.id).first_difference is None


def test_a_long_run_is_remembered_in_little_room() -> None:
    """The worlds kept for undo share their data: a few KB per turn."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    back_and_forth = [GO_EAST, make_action("move", targetId="yard")]
    tracemalloc.start()
    for number in range(400):
        asyncio.run(run.act(back_and_forth[number % 2]))
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert used / 400 < 8000
