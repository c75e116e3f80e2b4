"""What to try next, for a player who is stuck.

Looks ahead over what the rulebook allows: in small worlds for a shortest way, in large
ones for any way, from which every detour is then dropped; where things are made, for one
milestone after the other. It counts its steps, never the
clock, so that the same situation gives the same hint, and it changes nothing.
"""

from collections import deque
from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from saniwa.rulebook.admissible import admissible
from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.judge import allows
from saniwa.run.stepwise import MOST_STEPS, Way, after, stepwise
from saniwa.world.action import Action, Move, Take, type_of
from saniwa.world.canonical import fingerprint
from saniwa.world.model import Id, World
from saniwa.world.view import goal_reached, room_of

MOST_SITUATIONS = 150
"""Situations looked at for a shortest way."""
MOST_TRIALS = 20_000
"""Actions tried out for any way at all."""

_DOING = frozenset({"take", "open", "unlock", "search", "use"})
"""What leads on besides walking; all else is only listed."""


class Hint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The next step towards the goal, or what can be done at all."""

    action: Action | None = None
    """The first action of the way that was found; None if none was found."""
    steps: int = 0
    """How many actions that way has."""
    possible: tuple[Action, ...] = ()
    """Everything the actor may do now, sorted."""


def hint(
    world: World,
    actor: Id,
    book: Rulebook,
    *,
    situations: int = MOST_SITUATIONS,
    trials: int = MOST_TRIALS,
) -> Hint:
    """What the actor may do now, and which of it leads to the goal, if that is seen."""
    possible = admissible(world, actor, book)
    if world.goal is None or goal_reached(world):
        return Hint(possible=possible)
    # Whose turn it is does not matter to how far it is.
    ahead = _Ahead(replace(world, turn_order=()), actor, book)
    way = ahead.way(situations, trials)
    if not way:
        return Hint(possible=possible)
    return Hint(action=way[0], steps=len(way), possible=possible)


class _Ahead:
    """Looking ahead from one world with one actor."""

    def __init__(self, world: World, actor: Id, book: Rulebook) -> None:
        self._world = world
        self._actor = actor
        self._book = book
        self._trials = 0

    def way(self, situations: int, trials: int) -> Way:
        """Where things are made, milestone by milestone; else as one walks and opens."""
        made = bool(self._book.crafts)
        return (
            (made and self._made(trials))
            or self.shortest(situations)
            or self.without_detours(trials)
            or (() if made else self._made(trials))
        )

    def _made(self, trials: int) -> Way:
        return stepwise(self._world, self._actor, self._book, min(trials, MOST_STEPS))

    def shortest(self, most: int) -> Way:
        """A shortest way among those that carry only what is needed; none if not seen."""
        needed = _needed(self._world)
        waiting: deque[tuple[World, Way]] = deque([(self._world, ())])
        seen = {fingerprint(self._world)}
        while waiting:
            here, way = waiting.popleft()
            for action in self._leading_on(here):
                if isinstance(action, Take) and action.target_id not in needed:
                    continue
                there = self._after(action, here)
                if goal_reached(there):
                    return (*way, action)
                if len(seen) < most and fingerprint(there) not in seen:
                    seen.add(fingerprint(there))
                    waiting.append((there, (*way, action)))
        return ()

    def without_detours(self, trials: int) -> Way:
        """Some way, less everything that the goal can be reached without."""
        self._trials = trials
        way = self._swept(None)
        for action in reversed(_done(way)):
            fewer = self._swept(frozenset(_done(way)) - {action})
            way = fewer or way
        return way

    def _swept(self, allowed: frozenset[Action] | None) -> Way:
        """Do all there is to do where one stands, then walk to where there is more."""
        here, way, tried = self._world, list[Action](), set[Action]()
        while (found := self._nearest(here, allowed, tried)) is not None:
            for action in found:
                here = self._after(action, here)
                tried.add(action)
            way += found
            if goal_reached(here):
                return tuple(way)
        return ()

    def _nearest(
        self, world: World, allowed: frozenset[Action] | None, tried: set[Action]
    ) -> Way | None:
        """The shortest walk to something new to do, and the doing of it."""
        waiting: deque[tuple[World, Way]] = deque([(world, ())])
        seen = {room_of(world, self._actor)}
        while waiting and self._trials > 0:
            here, walk = waiting.popleft()
            for action in self._new(here, allowed, tried):
                if fingerprint(self._after(action, here)) != fingerprint(here):
                    return (*walk, action)
                tried.add(action)
            for move in self._moves(here):
                there = self._after(move, here)
                if goal_reached(there):
                    return (*walk, move)
                if move.target_id not in seen:
                    seen.add(move.target_id)
                    waiting.append((there, (*walk, move)))
        return None

    def _new(
        self, world: World, allowed: frozenset[Action] | None, tried: set[Action]
    ) -> Iterator[Action]:
        if allowed is None:
            candidates: Iterable[Action] = self._leading_on(world)
        else:
            candidates = sorted(allowed, key=repr)
        for action in candidates:
            if action in tried or isinstance(action, Move):
                continue
            if allowed is None or self._allowed(action, world):
                yield action

    def _moves(self, world: World) -> Iterator[Move]:
        room = world.locations.get(room_of(world, self._actor) or Id(""))
        for way in room.exits if room is not None else ():
            move = Move(actor_id=self._actor, target_id=way.to)
            if self._allowed(move, world):
                yield move

    def _leading_on(self, world: World) -> Iterator[Action]:
        for action in admissible(world, self._actor, self._book):
            if isinstance(action, Move) or type_of(action) in _DOING:
                yield action

    def _allowed(self, action: Action, world: World) -> bool:
        self._trials -= 1
        return allows(action, world, self._book)

    def _after(self, action: Action, world: World) -> World:
        self._trials -= 1
        return after(action, world, self._actor, self._book)


def _done(way: Way) -> list[Action]:
    return [action for action in way if not isinstance(action, Move)]


def _needed(world: World) -> frozenset[Id]:
    """What opens something, what something is used with, and the goal itself."""
    needed = {e.required_key for e in world.entities.values() if e.required_key}
    for entity in world.entities.values():
        effect = entity.attributes.get("use")
        if isinstance(effect, dict) and isinstance(effect.get("needs"), str):
            needed.add(Id(effect["needs"]))
    if world.goal is not None:
        needed |= {fact.entity for s in world.goal.milestones for fact in s.facts}
        needed |= {world.goal.holding} if world.goal.holding is not None else set()
    return frozenset(needed)
