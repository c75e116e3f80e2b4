import asyncio

import pytest

from saniwa.core.errors import StoreError
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.world.model import Id
from saniwa.world.queries import is_holding
from tests.fakes.runs import TAKE_KEY, ScriptedListener, open_courtyard_run

KEY, PLAYER = Id("key"), Id("player")
REPLY = "Thought: I need it.\nOutput: *take the brass key* There it is."


def test_what_was_weighed_has_not_happened() -> None:
    """A prepared turn changes neither the run nor its trace."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    weighed = asyncio.run(run.prepare_turn("take the brass key"))

    assert not is_holding(run.world, PLAYER, KEY)
    assert is_holding(weighed.after, PLAYER, KEY)
    assert [] == list(store.read_turns(run.id))


@pytest.mark.parametrize(
    "words", ["take the brass key", "eat the gate", "take old metal", REPLY, "?!"]
)
def test_what_was_weighed_is_played_as_if_said(words: str) -> None:
    """A prepared turn that is played equals one that is played directly."""
    said, weighed = open_courtyard_run(), open_courtyard_run()

    async def play_both() -> tuple[object, object]:
        first = (await said.say(words, aloud=True)).turn
        return first, await weighed.play_pending_turn(await weighed.prepare_turn(words, aloud=True))

    one, other = asyncio.run(play_both())
    assert one == other
    assert [one] == list(weighed.read_turns())
    assert said.world == weighed.world


def test_a_turn_that_was_weighed_is_not_heard_again() -> None:
    """Playing a prepared turn does not call the listener again."""
    listener = ScriptedListener({"take": [TAKE_KEY]})
    run = open_courtyard_run(listener=listener)

    async def weigh_and_play() -> None:
        weighed = await run.prepare_turn("take")
        listener.heard.clear()
        await run.play_pending_turn(weighed)

    asyncio.run(weigh_and_play())
    assert is_holding(run.world, PLAYER, KEY)


def test_what_was_weighed_before_another_turn_is_refused() -> None:
    """A turn prepared before another one was played is refused."""
    run = open_courtyard_run()

    async def weigh_and_overtake() -> None:
        weighed = await run.prepare_turn("take the brass key")
        await run.say("go nowhere at all", aloud=True)
        await run.play_pending_turn(weighed)

    with pytest.raises(StoreError) as caught:
        asyncio.run(weigh_and_overtake())
    assert "REVISION_CONFLICT" == caught.value.code
    assert 1 == run.count
    assert not is_holding(run.world, PLAYER, KEY)


def test_what_another_run_weighed_is_refused() -> None:
    """A turn prepared in another run is refused."""
    run, other = open_courtyard_run(), open_courtyard_run()

    with pytest.raises(StoreError, match="REVISION_CONFLICT"):
        asyncio.run(run.play_pending_turn(asyncio.run(other.prepare_turn("take the brass key"))))
    assert 0 == run.count
