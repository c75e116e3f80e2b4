"""Runs of the garden with seats, after some turns."""

import asyncio

from saniwa.runs.run import Run
from saniwa.runs.seat_order import find_next_actor
from saniwa.turn.record import Seating
from saniwa.world.model import Id
from tests.fakes.runs import make_action, open_courtyard_run

PLAYER, KEEPER = Id("player"), Id("keeper")
BOTH = {"player": "person", "keeper": "character"}
"""A person and an agent."""


def keeps(kind: str, **fields: str) -> dict[str, str]:
    """An action of the keeper in its wire form."""
    return make_action(kind, **fields) | {"actorId": "keeper"}


def find_next(run: Run) -> Id | None:
    """The next character, from the turns of the run only."""
    assert run.seating is not None
    return find_next_actor(
        run.seat_timeline.position, run.seating, run.world, first=run.actor, seed=0
    )


def play_seated(seating: Seating, *deeds: dict[str, str] | str | int) -> Run:
    """A run with these seats after these actions, words and returns to a turn."""
    run = open_courtyard_run()

    async def play_all() -> None:
        await run.change_seating(seating)
        for deed in deeds:
            if isinstance(deed, int):
                await run.go_back_to(deed)
            elif isinstance(deed, str):
                await run.say(deed)
            else:
                await run.act(deed)

    asyncio.run(play_all())
    return run
