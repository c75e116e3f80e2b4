"""What may be done now, as a list to choose from."""

from typing import NamedTuple

from saniwa.run.conductor import Run
from saniwa.turn.narrate import tell_action
from saniwa.world.action import Action
from saniwa.world.model import Id, World
from saniwa.world.scene import scene
from saniwa.world.view import room_of, scope


class Offer(NamedTuple):
    """One action that may happen now."""

    text: str
    """The action in a few plain words, in the world's language."""
    action: Action
    """The action."""


def offers_of(run: Run, who: Id) -> tuple[Offer, ...]:
    """Everything the actor may do now to what they perceive, by type and then by fields.

    A book may allow more than meets the eye; what the actor cannot perceive is not
    listed, for a list of actions would tell of it.
    """
    seen = _perceived(run.world, who)
    return tuple(
        Offer(tell_action(action, run.world), action)
        for action in run.admissible(who)
        if all(getattr(action, role) in seen for role in action.roles)
    )


def _perceived(world: World, who: Id) -> frozenset[Id | None]:
    """Everything in sight, the places next door, and None for a field left out."""
    ways = (way.to for way in scene(world, who).exits)
    return frozenset((*scope(world, who), *ways, room_of(world, who), who, None))
