"""What to try next, for a player who is stuck.

Looks ahead breadth first over what the rulebook allows and counts its steps, never the
clock, so that the same situation gives the same hint. It changes nothing.
"""

from collections import deque
from collections.abc import Iterator

import msgspec

from saniwa.rulebook.admissible import admissible
from saniwa.rulebook.book import Rulebook
from saniwa.turn.play import play_turn
from saniwa.turn.trace import Words
from saniwa.world.action import Action, Take, type_of
from saniwa.world.canonical import fingerprint
from saniwa.world.model import Id, World
from saniwa.world.view import goal_reached

MOST_SITUATIONS = 1500
"""Situations looked at before giving up."""

_FORWARD = frozenset({"move", "take", "open", "unlock", "search", "use"})
"""What usually leads on; all else is only listed."""


class Hint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The next step towards the goal, or what can be done at all."""

    action: Action | None = None
    """The first action of a shortest way found; None if none was found."""
    steps: int = 0
    """How many actions that way has."""
    possible: tuple[Action, ...] = ()
    """Everything the actor may do now, sorted."""


def hint(
    world: World, actor: Id, book: Rulebook, *, most: int = MOST_SITUATIONS
) -> Hint:
    """What the actor may do now, and which of it leads to the goal, if that is seen.

    Looks first only at things that open something or are the goal itself, then at
    everything that leads on; each time at no more than `most` situations.
    """
    possible = admissible(world, actor, book)
    if world.goal is None or goal_reached(world):
        return Hint(possible=possible)
    for needed in (_needed(world), None):
        way = _shortest(world, actor, book, needed, most)
        if way:
            return Hint(action=way[0], steps=len(way), possible=possible)
    return Hint(possible=possible)


def _needed(world: World) -> frozenset[Id]:
    keys = {e.required_key for e in world.entities.values() if e.required_key}
    wanted = {world.goal.holding} if world.goal and world.goal.holding else set()
    return frozenset(keys | wanted)


def _shortest(
    world: World, actor: Id, book: Rulebook, needed: frozenset[Id] | None, most: int
) -> tuple[Action, ...]:
    waiting: deque[tuple[World, tuple[Action, ...]]] = deque([(world, ())])
    seen = {_situation(world)}
    while waiting:
        here, way = waiting.popleft()
        for action in _leading_on(here, actor, book, needed):
            there = _after(action, here, book)
            if goal_reached(there):
                return (*way, action)
            if len(seen) < most and _situation(there) not in seen:
                seen.add(_situation(there))
                waiting.append((there, (*way, action)))
    return ()


def _leading_on(
    world: World, actor: Id, book: Rulebook, needed: frozenset[Id] | None
) -> Iterator[Action]:
    for action in admissible(world, actor, book):
        if type_of(action) not in _FORWARD:
            continue
        if needed is None or not isinstance(action, Take) or action.target_id in needed:
            yield action


def _after(action: Action, world: World, book: Rulebook) -> World:
    words = Words(actor_id=action.actor_id, text="")
    return play_turn(words, [msgspec.to_builtins(action)], world, book).world


def _situation(world: World) -> str:
    # Whose turn it is belongs to the situation; how many turns have passed does not.
    order = len(world.turn_order) or 1
    return f"{fingerprint(world)}/{world.time.turn % order}"
