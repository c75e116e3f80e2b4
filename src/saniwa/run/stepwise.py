"""A way to a goal of several steps: one milestone after the other, each the nearest way.

For goals that are made rather than reached, as in a kitchen: what is taken, cut, cooked,
put and eaten. The author's order of milestones leads; where it leads nowhere, another way
is taken up again. It counts what it tries, never the clock.
"""

from collections.abc import Iterator
from heapq import heappop, heappush
from typing import Final

import msgspec

from saniwa.rulebook.admissible import admissible
from saniwa.rulebook.book import Rulebook
from saniwa.turn.play import play_turn
from saniwa.turn.trace import Words
from saniwa.world.action import (
    Action,
    Drop,
    Eat,
    Move,
    Open,
    Put,
    Search,
    Take,
    Unlock,
    Use,
)
from saniwa.world.canonical import fingerprint
from saniwa.world.model import Goal, Id, World
from saniwa.world.view import goal_reached

MOST_STEPS: Final = 4_000
"""Actions tried out before no way is seen."""

Way = tuple[Action, ...]
_Rank = tuple[int, int, int]


def after(action: Action, world: World, actor: Id, book: Rulebook) -> World:
    """The world after an action, if it happens; else the same."""
    words = Words(actor_id=actor, text="")
    return play_turn(words, [msgspec.to_builtins(action)], world, book).world


def stepwise(world: World, actor: Id, book: Rulebook, most: int = MOST_STEPS) -> Way:
    """Some way to a goal with milestones; none if none is seen, or it has no such goal."""
    if world.goal is None or not world.goal.milestones:
        return ()
    return _Search(world, world.goal, actor, book).way(most)


class _Search:
    """The situation nearest to the goal first; of those, the one that took fewest steps."""

    def __init__(self, world: World, goal: Goal, actor: Id, book: Rulebook) -> None:
        self._world = world
        self._actor = actor
        self._book = book
        stones = goal.milestones
        self._wanted = (*dict.fromkeys(s.flag for s in stones if not s.spoils),)
        self._spoiling = frozenset(s.flag for s in stones if s.spoils)
        facts = [fact for stone in stones for fact in stone.facts]
        self._about = frozenset(fact.entity for fact in facts)
        self._places = frozenset((fact.entity, fact.place) for fact in facts)
        things = world.entities.values()
        self._keys = frozenset(each.required_key for each in things)
        self._hiding = any(each.hidden for each in things)

    def way(self, most: int) -> Way:
        start, tried = self._world, 0
        if self._spoilt(start):
            return ()
        waiting: list[tuple[_Rank, int, World, Way]] = [((0, 0, 0), 0, start, ())]
        seen = {fingerprint(start)}
        while waiting:
            _, _, here, way = heappop(waiting)
            for action in self._leading_on(here):
                tried += 1
                if tried > most:
                    return ()
                there = after(action, here, self._actor, self._book)
                if goal_reached(there):
                    return (*way, action)
                if fingerprint(there) in seen or self._spoilt(there):
                    continue
                seen.add(fingerprint(there))
                rank = self._rank(there, len(way) + 1)
                heappush(waiting, (rank, tried, there, (*way, action)))
        return ()

    def _rank(self, world: World, steps: int) -> _Rank:
        """How far it is: milestones from the first that is missing on; missing; steps."""
        missing = [
            at for at, flag in enumerate(self._wanted) if not world.flags.get(flag)
        ]
        behind = len(self._wanted) - missing[0] if missing else 0
        return behind, len(missing), steps

    def _spoilt(self, world: World) -> bool:
        return any(world.flags.get(flag, False) for flag in self._spoiling)

    def _leading_on(self, world: World) -> Iterator[Action]:
        for action in admissible(world, self._actor, self._book):
            if self._leads_on(action, world):
                yield action

    def _leads_on(self, action: Action, world: World) -> bool:
        match action:
            case Take(target_id=thing, source_id=source):
                # From wherever it lies; what nobody says anything of is of no use.
                return source is None and self._is_wanted(thing, world)
            case Put(target_id=thing, destination_id=place):
                return (thing, place) in self._places
            case Eat(target_id=thing):
                return thing in self._about
            case Use(target_id=thing, manner=manner):
                return bool(manner) or "use" in _said_of(thing, world)
            case Search():
                return self._hiding
            case _:
                return isinstance(action, Move | Open | Unlock | Drop)

    def _is_wanted(self, thing: Id, world: World) -> bool:
        known = thing in self._about or thing in self._keys
        return known or bool(_said_of(thing, world))


def _said_of(thing: Id, world: World) -> dict[str, object]:
    entity = world.entities.get(thing)
    return {} if entity is None else entity.attributes
