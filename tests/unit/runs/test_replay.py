import asyncio
import tracemalloc
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from saniwa.core.errors import StoreError
from saniwa.core.ids import CountingIds
from saniwa.rulebook.verdict import Verdict
from saniwa.runs.replay import ReplayDifference, replay_run
from saniwa.runs.run import Run
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.turn.play import MOST_CLAIMS
from saniwa.turn.record import RunReturn, Turn
from saniwa.world.actions import Move
from saniwa.world.changes import TurnChange
from saniwa.world.model import Id
from tests.fakes.coroutine_tests import finish_coroutine
from tests.fakes.rulebooks import HANDS_OFF
from tests.fakes.runs import (
    GO_EAST,
    GO_NORTH,
    OPEN_GATE,
    TAKE_KEY,
    ScriptedListener,
    make_action,
    open_courtyard_run,
    summarize_replay,
)
from tests.fakes.worlds import PLAYER


def _play_eventful_run(store: MemoryRunStore) -> Run:
    """A run with refusals, rejections, an edit, undo, save and load."""
    heard: dict[str, Any] = {
        "it": [{"type": "take", "target": "it"}],
        "odd": [{"type": "fly"}, 3, None],
        "which": [{"type": "take", "target": "old metal"}],
    }
    run = open_courtyard_run(store, listener=ScriptedListener(heard))

    async def play_all() -> None:
        for action in (OPEN_GATE, TAKE_KEY, GO_EAST):
            await run.act(action)
        await run.save("shed")
        await run.say("odd")
        await run.act(make_action("inspect", targetId="loaf"))
        await run.say("it")
        await run.undo()
        await run.undo()
        await run.undo()
        await run.edit_rulebook(HANDS_OFF)
        await run.say("which")
        await run.act(make_action("take", targetId="rusty"))
        await run.load("shed")
        await run.undo()
        await run.act(OPEN_GATE)
        await run.act(GO_NORTH)

    asyncio.run(play_all())
    return run


def test_a_run_played_again_says_the_same() -> None:
    """Every turn of a replayed run is the same as recorded."""
    store = MemoryRunStore()
    run = _play_eventful_run(store)

    assert (run.count, None) == summarize_replay(replay_run(store, run.id))
    assert replay_run(store, run.id).is_same


def test_going_back_is_played_again_the_same_way() -> None:
    """In a replay, "back" leads to the same place, also after undo and resuming."""
    store = MemoryRunStore()
    heard: dict[str, Any] = {"back": [{"type": "move", "target": "back"}]}
    run = open_courtyard_run(store, listener=ScriptedListener(heard))

    async def go_back_and_forth() -> Turn:
        for action in (TAKE_KEY, OPEN_GATE, GO_EAST):
            await run.act(action)
        await run.say("back")
        await run.say("back")
        await run.undo()
        return (await run.say("back")).turn

    (went,) = asyncio.run(go_back_and_forth()).applied_actions
    assert Move(actor_id=PLAYER, target_id=Id("shed")) == went
    assert (run.count, None) == summarize_replay(replay_run(store, run.id))


_ANOTHER = Verdict(success=False, reason_code="UNKNOWN", message="Not today.")
CHANGED: list[tuple[int, dict[str, Any], str]] = [
    (0, {"world_before": "0" * 16}, "worldBefore"),
    (1, {"book": "0" * 16}, "book"),
    (1, {"applied_actions": ()}, "appliedActions"),
    (1, {"changes": ()}, "changes"),
    (2, {"validation_results": (_ANOTHER,)}, "validationResults"),
    (3, {"rejections": ()}, "rejections"),
    (5, {"world_after": "0" * 16}, "worldAfter"),
    (5, {"parsed_actions": ({"type": "look"},)}, "normalizedActions"),
    (6, {"aside": RunReturn(to=-1)}, "worldAfter"),
    (6, {"aside": RunReturn(to=99)}, "worldAfter"),
    (9, {"book": "0" * 16}, "book"),
]


@pytest.mark.parametrize(("number", "changes", "field"), CHANGED)
def test_the_first_difference_is_named_with_both_sides(
    number: int, changes: dict[str, Any], field: str
) -> None:
    """A replay stops at the first difference, and shows both values."""
    store = MemoryRunStore()
    run = _play_eventful_run(store)
    other = open_courtyard_run(store, ids=_make_later_ids(run))
    honest = list(store.read_turns(run.id))
    for turn in honest:
        kept = msgspec.structs.replace(turn, **changes) if turn.number == number else turn
        finish_coroutine(store.append(other.id, kept))

    result = replay_run(store, other.id)

    assert number == result.turns_checked
    assert result.first_difference is not None
    assert (number, field) == (result.first_difference.turn, result.first_difference.field)
    assert result.first_difference.recorded != result.first_difference.replayed


def _make_later_ids(run: Run) -> CountingIds:
    ids = CountingIds()
    for _ in range(run.count + 1):
        ids.create_id("run")
    return ids


def test_another_beginning_is_the_first_difference() -> None:
    """If the scenario opens another world, the difference is before the first turn."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    store.create(msgspec.structs.replace(run.record, run_id="run-other", world_hash="0" * 16))

    result = replay_run(store, "run-other")

    expected = ReplayDifference(
        turn=-1, field="worldHash", recorded="0" * 16, replayed=run.record.world_hash
    )
    assert (0, expected) == summarize_replay(result)


def test_claims_beyond_the_limit_are_not_missed() -> None:
    """A turn with too many claims replays the same."""
    store = MemoryRunStore()
    run = open_courtyard_run(store, listener=ScriptedListener({"all": [3] * (MOST_CLAIMS + 5)}))
    asyncio.run(run.say("all"))

    assert (1, None) == summarize_replay(replay_run(store, run.id))


def test_an_unknown_run_cannot_be_replayed() -> None:
    """An unknown run is RUN_NOT_FOUND."""
    with pytest.raises(StoreError, match="RUN_NOT_FOUND"):
        replay_run(MemoryRunStore(), "run-x")


class EndlessRunStore(MemoryRunStore):
    """A store that repeats the same two turns as often as requested."""

    repeats = 0

    def read_turns(self, run_id: str, start: int = 0) -> Iterator[Turn]:
        """The two turns in alternation, with increasing numbers."""
        kept = list(super().read_turns(run_id, start))
        for number in range(self.repeats * len(kept)):
            turn = kept[number % len(kept)]
            passed = tuple(
                msgspec.structs.replace(c, before=number, after=number + 1)
                if isinstance(c, TurnChange)
                else c
                for c in turn.changes
            )
            yield msgspec.structs.replace(turn, number=number, changes=passed)


def test_a_long_run_is_replayed_in_little_memory() -> None:
    """Ten times as many turns need no more memory in a replay."""
    store = EndlessRunStore()
    run = open_courtyard_run(store)
    asyncio.run(run.act(GO_EAST))
    asyncio.run(run.act(make_action("move", targetId="yard")))
    peaks = []
    for repeats in (50, 500):
        store.repeats = repeats
        tracemalloc.start()
        result = replay_run(store, run.id)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert (2 * repeats, None) == summarize_replay(result)

    assert peaks[1] < 2 * peaks[0]


def test_a_replay_says_whether_the_run_ended_at_its_goal() -> None:
    """A replay says whether the goal was reached, or None without a goal."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)

    result = replay_run(store, run.id)

    assert run.id == result.run
    expected = None if run.world.goal is None else run.is_finished
    assert expected is result.goal_reached
