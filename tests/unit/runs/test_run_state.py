import asyncio
from collections.abc import Iterator

import pytest

from saniwa.core.idempotency import IdempotencyKey
from saniwa.runs.run import Run
from saniwa.runs.timeline import RECENT_TURNS
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.turn.record import Seating, Turn
from tests.fakes.runs import GO_EAST, TAKE_KEY, make_action, open_courtyard_run, resume_restarted


class _TurnCountingStore(MemoryRunStore):
    """A store that counts how often turns are read."""

    asked = 0

    def read_turns(self, run_id: str, start: int = 0) -> Iterator[Turn]:
        """Read the turns, and count."""
        self.asked += 1
        return super().read_turns(run_id, start)


async def _play_every_kind(run: Run) -> None:
    """A turn of each kind: an action, speech, a reply, a question, changes of the run."""
    await run.change_seating(Seating(seats={"player": "person", "keeper": "character"}))
    await run.act(TAKE_KEY, asked=IdempotencyKey(key="first", digest="0" * 64))
    await run.say("drop the brass key, then open the gate and juggle")
    await run.say("Thought: hm.\nOutput: *take the old metal* Is it here?")
    await run.say("take the old metal")
    await run.act({**make_action("take", targetId="key"), "why": [1, 2.5, None, {"deep": True}]})
    await run.edit_rulebook({"name": "house rules"})
    await run.undo()
    await run.say("鍵を取る", "keeper", aloud=True)


def test_the_turns_at_hand_are_the_turns_that_are_kept() -> None:
    """The recent turns in memory equal the stored ones, also after resuming."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    asyncio.run(_play_every_kind(run))
    again = resume_restarted(run, store)

    assert run.count > RECENT_TURNS
    for start in range(-1, run.count + 3):
        kept = list(run.read_turns(start))
        assert kept == list(run.read_followed_turns(start))
        assert kept == list(again.read_followed_turns(start))


@pytest.mark.parametrize(("back", "asked"), [(RECENT_TURNS, 0), (RECENT_TURNS + 1, 1)])
def test_the_store_is_asked_only_for_what_is_no_longer_at_hand(back: int, asked: int) -> None:
    """Only turns older than those in memory are read from the store."""
    store = _TurnCountingStore()
    run = open_courtyard_run(store)
    asyncio.run(_play_every_kind(run))
    before = store.asked
    start = run.count - back

    assert back == len(list(run.read_followed_turns(start)))
    assert asked == store.asked - before


@pytest.mark.parametrize("ours", [1, RECENT_TURNS + 2])
def test_the_path_ends_where_the_run_is(ours: int) -> None:
    """Turns that another process has added are not among those the run has followed."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    for _ in range(ours):
        asyncio.run(run.act(GO_EAST))
    asyncio.run(resume_restarted(run, store).act(TAKE_KEY))

    assert ours + 1 == len(list(run.read_turns()))
    assert [*range(ours)] == [turn.number for turn in run.read_followed_turns()]
    run.catch_up()
    assert [*range(ours + 1)] == [turn.number for turn in run.read_followed_turns()]
