"""Hints for a player who is stuck: which action leads towards the goal.

Searches the actions that the rulebook allows: in small worlds for a shortest path; in
large ones for any path, from which every detour is then dropped; where things are
crafted, for one milestone after the other. The search is limited by a count of steps
and never by the clock, so the same situation gives the same hint. It changes nothing.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import Final

import msgspec
from msgspec.structs import replace

from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.judge import find_admissible_actions, is_allowed
from saniwa.turn.play import play_turn
from saniwa.turn.record import SpokenWords
from saniwa.world import actions
from saniwa.world.fingerprint import compute_fingerprint
from saniwa.world.model import Goal, Id, World
from saniwa.world.queries import find_room, is_goal_reached

MOST_STEPS: Final = 4_000
"""Actions tried before the milestone search gives up."""

ActionPath = tuple[actions.Action, ...]
_Rank = tuple[int, int, int]
MOST_SITUATIONS = 150
"""Situations examined for a shortest path."""
MOST_TRIALS = 20_000
"""Actions tried to find any path."""
_DOING = frozenset({"take", "open", "unlock", "search", "use"})
"""The actions besides moving that can lead to the goal; others are only listed."""


def simulate_action(action: actions.Action, world: World, actor: Id, book: Rulebook) -> World:
    """The world after an action; the same world if it is refused."""
    words = SpokenWords(actor_id=actor, text="")
    return play_turn(words, [msgspec.to_builtins(action)], world, book).world


def find_milestone_path(
    world: World, actor: Id, book: Rulebook, most: int = MOST_STEPS
) -> ActionPath:
    """Find a path to a goal with milestones.

    Empty if no path is found or the goal has no milestones.
    """
    if world.goal is None or not world.goal.milestones:
        return ()
    return _MilestoneSearch(world, world.goal, actor, book).find_path(most)


class _MilestoneSearch:
    """Best-first search: the situation nearest to the goal, then the fewest steps."""

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

    def find_path(self, most: int) -> ActionPath:
        start, tried = self._world, 0
        if self._is_spoilt(start):
            return ()
        waiting: list[tuple[_Rank, int, World, ActionPath]] = [((0, 0, 0), 0, start, ())]
        seen = {compute_fingerprint(start)}
        while waiting:
            _, _, here, way = heappop(waiting)
            for action in self._list_useful_actions(here):
                tried += 1
                if tried > most:
                    return ()
                there = simulate_action(action, here, self._actor, self._book)
                if is_goal_reached(there):
                    return (*way, action)
                if compute_fingerprint(there) in seen or self._is_spoilt(there):
                    continue
                seen.add(compute_fingerprint(there))
                rank = self._rank_world(there, len(way) + 1)
                heappush(waiting, (rank, tried, there, (*way, action)))
        return ()

    def _rank_world(self, world: World, steps: int) -> _Rank:
        """The distance to the goal; smaller is nearer.

        Compares the number of milestones from the first missing one on, then the number
        of missing ones, then the steps taken.
        """
        missing = [at for at, flag in enumerate(self._wanted) if not world.flags.get(flag)]
        behind = len(self._wanted) - missing[0] if missing else 0
        return behind, len(missing), steps

    def _is_spoilt(self, world: World) -> bool:
        return any(world.flags.get(flag, False) for flag in self._spoiling)

    def _list_useful_actions(self, world: World) -> Iterator[actions.Action]:
        for action in find_admissible_actions(world, self._actor, self._book):
            if self._is_useful(action, world):
                yield action

    def _is_useful(self, action: actions.Action, world: World) -> bool:
        match action:
            case actions.Take(target_id=thing, source_id=source):
                # Any source will do; a thing that no fact, key or attribute mentions is
                # of no use.
                return source is None and self._is_wanted(thing, world)
            case actions.Put(target_id=thing, destination_id=place):
                return (thing, place) in self._places
            case actions.Eat(target_id=thing):
                return thing in self._about
            case actions.Use(target_id=thing, manner=manner):
                return bool(manner) or "use" in _find_attributes(thing, world)
            case actions.Search():
                return self._hiding
            case _:
                return isinstance(
                    action, actions.Move | actions.Open | actions.Unlock | actions.Drop
                )

    def _is_wanted(self, thing: Id, world: World) -> bool:
        known = thing in self._about or thing in self._keys
        return known or bool(_find_attributes(thing, world))


def _find_attributes(thing: Id, world: World) -> dict[str, object]:
    entity = world.entities.get(thing)
    return {} if entity is None else entity.attributes


class Hint(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The next step towards the goal, or what can be done at all."""

    action: actions.Action | None = None
    """The first action of the way that was found; None if none was found."""
    steps: int = 0
    """How many actions that way has."""
    possible: tuple[actions.Action, ...] = ()
    """Everything the actor may do now, sorted."""


def find_hint(
    world: World,
    actor: Id,
    book: Rulebook,
    *,
    situations: int = MOST_SITUATIONS,
    trials: int = MOST_TRIALS,
) -> Hint:
    """What the actor may do now, and which action leads to the goal, if one does.

    A path longer than the search limits is not found.
    """
    possible = find_admissible_actions(world, actor, book)
    if world.goal is None or is_goal_reached(world):
        return Hint(possible=possible)
    # The turn order does not change how far away the goal is.
    ahead = _HintSearch(replace(world, turn_order=()), actor, book)
    way = ahead.find_path(situations, trials)
    if not way:
        return Hint(possible=possible)
    return Hint(action=way[0], steps=len(way), possible=possible)


class _HintSearch:
    """Searches ahead from one world with one actor."""

    def __init__(self, world: World, actor: Id, book: Rulebook) -> None:
        self._world = world
        self._actor = actor
        self._book = book
        self._trials = 0

    def find_path(self, situations: int, trials: int) -> ActionPath:
        """Search by milestones first if the rulebook has crafts, and last if not."""
        made = bool(self._book.crafts)
        return (
            (made and self._find_milestone_path(trials))
            or self.find_shortest_path(situations)
            or self.find_direct_path(trials)
            or (() if made else self._find_milestone_path(trials))
        )

    def _find_milestone_path(self, trials: int) -> ActionPath:
        return find_milestone_path(self._world, self._actor, self._book, min(trials, MOST_STEPS))

    def find_shortest_path(self, most: int) -> ActionPath:
        """A shortest path that takes only what is needed; empty if none is found."""
        needed = _find_needed_ids(self._world)
        waiting: deque[tuple[World, ActionPath]] = deque([(self._world, ())])
        seen = {compute_fingerprint(self._world)}
        while waiting:
            here, way = waiting.popleft()
            for action in self._list_useful_actions(here):
                if isinstance(action, actions.Take) and action.target_id not in needed:
                    continue
                there = self._simulate(action, here)
                if is_goal_reached(there):
                    return (*way, action)
                if len(seen) < most and compute_fingerprint(there) not in seen:
                    seen.add(compute_fingerprint(there))
                    waiting.append((there, (*way, action)))
        return ()

    def find_direct_path(self, trials: int) -> ActionPath:
        """Any path, without the actions that the goal can be reached without."""
        self._trials = trials
        way = self._sweep_places(None)
        for action in reversed(_list_deeds(way)):
            fewer = self._sweep_places(frozenset(_list_deeds(way)) - {action})
            way = fewer or way
        return way

    def _sweep_places(self, allowed: frozenset[actions.Action] | None) -> ActionPath:
        """Do everything useful in the current place, then walk to the next one."""
        here, way, tried = self._world, list[actions.Action](), set[actions.Action]()
        while (found := self._find_nearest(here, allowed, tried)) is not None:
            for action in found:
                here = self._simulate(action, here)
                tried.add(action)
            way += found
            if is_goal_reached(here):
                return tuple(way)
        return ()

    def _find_nearest(
        self, world: World, allowed: frozenset[actions.Action] | None, tried: set[actions.Action]
    ) -> ActionPath | None:
        """The shortest walk to a new useful action, with that action."""
        waiting: deque[tuple[World, ActionPath]] = deque([(world, ())])
        seen = {find_room(world, self._actor)}
        while waiting and self._trials > 0:
            here, walk = waiting.popleft()
            for action in self._list_new_actions(here, allowed, tried):
                if compute_fingerprint(self._simulate(action, here)) != compute_fingerprint(here):
                    return (*walk, action)
                tried.add(action)
            for move in self._list_moves(here):
                there = self._simulate(move, here)
                if is_goal_reached(there):
                    return (*walk, move)
                if move.target_id not in seen:
                    seen.add(move.target_id)
                    waiting.append((there, (*walk, move)))
        return None

    def _list_new_actions(
        self, world: World, allowed: frozenset[actions.Action] | None, tried: set[actions.Action]
    ) -> Iterator[actions.Action]:
        if allowed is None:
            candidates: Iterable[actions.Action] = self._list_useful_actions(world)
        else:
            candidates = sorted(allowed, key=repr)
        for action in candidates:
            if action in tried or isinstance(action, actions.Move):
                continue
            if allowed is None or self._is_allowed(action, world):
                yield action

    def _list_moves(self, world: World) -> Iterator[actions.Move]:
        room = world.locations.get(find_room(world, self._actor) or Id(""))
        for way in room.exits if room is not None else ():
            move = actions.Move(actor_id=self._actor, target_id=way.to)
            if self._is_allowed(move, world):
                yield move

    def _list_useful_actions(self, world: World) -> Iterator[actions.Action]:
        for action in find_admissible_actions(world, self._actor, self._book):
            if isinstance(action, actions.Move) or actions.get_action_type(action) in _DOING:
                yield action

    def _is_allowed(self, action: actions.Action, world: World) -> bool:
        self._trials -= 1
        return is_allowed(action, world, self._book)

    def _simulate(self, action: actions.Action, world: World) -> World:
        self._trials -= 1
        return simulate_action(action, world, self._actor, self._book)


def _list_deeds(way: ActionPath) -> list[actions.Action]:
    return [action for action in way if not isinstance(action, actions.Move)]


def _find_needed_ids(world: World) -> frozenset[Id]:
    """What opens something, what something is used with, and what the goal names."""
    needed = {e.required_key for e in world.entities.values() if e.required_key}
    for entity in world.entities.values():
        effect = entity.attributes.get("use")
        if isinstance(effect, dict) and isinstance(effect.get("needs"), str):
            needed.add(Id(effect["needs"]))
    if world.goal is not None:
        needed |= {fact.entity for s in world.goal.milestones for fact in s.facts}
        needed |= {world.goal.holding} if world.goal.holding is not None else set()
    return frozenset(needed)
