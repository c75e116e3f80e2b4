import asyncio
from collections.abc import Iterator

from saniwa.agent.mind.mind import Mind
from saniwa.agent.mind.perception import build_opening_mind, perceive
from saniwa.runs.run import Run
from saniwa.runs.run_inspector import RunMinds
from saniwa.store.memory_run_store import MemoryRunStore
from saniwa.turn.record import Seating, Turn
from saniwa.world.model import Id
from tests.fakes.runs import (
    GO_EAST,
    OPEN_GATE,
    TAKE_KEY,
    make_action,
    open_courtyard_run,
    resume_restarted,
)

KEEPER = Id("keeper")


def _fold_mind(run: Run, count: int) -> Mind:
    """The keeper's mind after some turns, computed directly."""
    mind = build_opening_mind(run.find_world_after(-1), KEEPER)
    for turn in list(run.read_turns())[:count]:
        before, after = (run.find_world_after(turn.number - 1), run.find_world_after(turn.number))
        mind = perceive(mind, turn, before, after)
    return mind


def test_a_mind_follows_the_turns_of_everyone() -> None:
    """A mind is the same whether it is requested after each turn or only at the end."""
    run = open_courtyard_run()
    step_by_step = RunMinds(run)
    for deed in (TAKE_KEY, OPEN_GATE, GO_EAST):
        asyncio.run(run.act(deed))
        step_by_step.find_mind(KEEPER)

    assert _fold_mind(run, 3) == step_by_step.find_mind(KEEPER)
    assert _fold_mind(run, 3) == RunMinds(run).find_mind(KEEPER)


class _CountingRunStore(MemoryRunStore):
    """A store that counts how often turns are read."""

    asked = 0

    def read_turns(self, run_id: str, start: int = 0) -> Iterator[Turn]:
        """Read the turns, and count."""
        self.asked += 1
        return super().read_turns(run_id, start)


def test_a_mind_that_has_followed_everything_asks_for_nothing() -> None:
    """A mind that is up to date is returned without reading turns."""
    store = _CountingRunStore()
    run = open_courtyard_run(store)
    minds = RunMinds(run)
    before = store.asked
    asyncio.run(run.act(TAKE_KEY))

    assert minds.find_mind(KEEPER) is minds.find_mind(KEEPER)
    assert before == store.asked


def test_a_resumed_run_has_the_minds_it_had() -> None:
    """A resumed run has the same minds, computed from its turns."""
    store = MemoryRunStore()
    run = open_courtyard_run(store)
    asyncio.run(run.act(TAKE_KEY))

    assert RunMinds(run).find_mind(KEEPER) == RunMinds(resume_restarted(run, store)).find_mind(
        KEEPER
    )


def test_going_back_brings_back_the_mind_of_that_time() -> None:
    """After an undo or a load, a mind is that of the earlier turn."""
    run = open_courtyard_run()
    minds = RunMinds(run)

    async def play_all() -> None:
        await run.act(TAKE_KEY)
        await run.save("here")
        await run.act(GO_EAST)
        await run.undo()

    asyncio.run(play_all())
    assert _fold_mind(run, 1) == minds.find_mind(KEEPER)

    asyncio.run(run.act(make_action("look")))
    assert _fold_mind(run, 1) != minds.find_mind(KEEPER)

    asyncio.run(run.load("here"))
    assert _fold_mind(run, 1) == minds.find_mind(KEEPER)


def test_no_character_perceives_a_change_of_seats() -> None:
    """Changing seats does not change a mind."""
    run = open_courtyard_run()
    minds = RunMinds(run)
    asyncio.run(run.act(TAKE_KEY))
    before = minds.find_mind(KEEPER)
    asyncio.run(run.change_seating(Seating(seats={"keeper": "person"})))
    asyncio.run(run.edit_rulebook({"rules": []}))

    assert before == minds.find_mind(KEEPER)
