"""The run with a world that is watched, wherever it lies: alone, or beneath a story."""

from typing import Annotated

import msgspec

from saniwa.api.operation import Call
from saniwa.api.rooms.found import hosted_in
from saniwa.api.rooms.runs import run_beneath
from saniwa.core.errors import RunError
from saniwa.run.conductor import Run
from saniwa.run.hosted.trouble import no_world
from saniwa.run.lens import Lens
from saniwa.run.opening import player_of
from saniwa.world.model import Id

Number = Annotated[int, msgspec.Meta(ge=-1, le=1_000_000_000)]
"""A turn's number; -1 for the beginning."""
Named = Annotated[str, msgspec.Meta(max_length=200)]


async def run_in(call: Call) -> Run:
    """The run with a world that the path names.

    Raises:
        RunError: `WORLD_MISSING` for a story without one.
        SaniwaError: It cannot be found, or gone on with.
    """
    hosted = await hosted_in(call)
    run = run_beneath(hosted)
    if run is None:
        raise no_world(hosted.id)
    return run


async def lens_in(call: Call) -> Lens:
    """The same, looked at closely."""
    return call.garden.lenses.of(await run_in(call))


def turn_of(run: Run, number: int | None) -> int:
    """A turn's number; the last, where none is named.

    Raises:
        RunError: `TURN_NOT_FOUND`.
    """
    if number is None:
        return run.count - 1
    if number >= run.count:
        raise not_there(run, number)
    return number


def not_there(run: Run, number: int) -> RunError:
    """The error for a turn that the run does not have."""
    there = f"it has turns 0 to {run.count - 1}" if run.count else "it has no turns yet"
    return RunError(
        "TURN_NOT_FOUND",
        f"the run has no turn {number}",
        hint=there,
        details={"run": run.id, "turn": number, "turns": run.count},
    )


def actor_in(run: Run, named: str) -> Id:
    """A character of the run; whom the player plays, where none is named.

    Raises:
        RunError: `ACTOR_UNKNOWN`.
    """
    return Id(player_of(run.world, named)) if named else run.actor
