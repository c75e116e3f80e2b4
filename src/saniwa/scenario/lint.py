"""Warnings about scenarios that can be played but are probably not intended.

Missing ways back, keys out of reach, names that no player would type. Each search takes
time linear in the size of the world, whatever is locked.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from saniwa.documents.finding_collector import Findings
from saniwa.scenario.check import list_one_way_rooms
from saniwa.scenario.draft import ScenarioDraft
from saniwa.world.model import Entity, Id, World


@dataclass(frozen=True, slots=True)
class ReachableParts:
    """What can be reached."""

    rooms: frozenset[Id]
    """The rooms that can be entered."""
    things: frozenset[Id]
    """The things that can be taken eventually."""
    seen: frozenset[Id]
    """Everything that can be touched: those, and things that cannot be taken."""


def explore_world(world: World, starts: Iterable[Id], *, keys: bool = True) -> ReachableParts:
    """Find everything in reach from the starts; `keys=False` ignores locks.

    Takes time linear in what is reached: a lock waits for its key instead of being
    tried again.
    """
    walk = _Exploration(world, keys)
    for start in starts:
        walk.enter(start)
    while walk.waiting:
        walk.visit(walk.waiting.pop())
    return ReachableParts(frozenset(walk.rooms), frozenset(walk.things), frozenset(walk.seen))


@dataclass(slots=True)
class _Exploration:
    world: World
    keys: bool
    rooms: set[Id] = field(default_factory=set)
    things: set[Id] = field(default_factory=set)
    seen: set[Id] = field(default_factory=set)
    waiting: list[Id] = field(default_factory=list)
    """Rooms to leave, and holders to look into."""
    locked: dict[Id, list[Id]] = field(default_factory=dict)
    """For each key, what it unlocks: a room beyond a door, or a container."""

    def enter(self, place: Id) -> None:
        if place not in self.rooms:
            self.rooms.add(place)
            self.waiting.append(place)

    def visit(self, here: Id) -> None:
        location = self.world.locations.get(here)
        for way in location.exits if location is not None else ():
            door = self.world.entities.get(way.door) if way.door else None
            if door is None or self._opens(door, way.to):
                self.enter(way.to)
        for inner in self.world.contents.get(here, ()):
            self._discover(self.world.entities[inner])

    def _discover(self, thing: Entity) -> None:
        self.seen.add(thing.id)
        if thing.takeable and thing.id not in self.things:
            self.things.add(thing.id)
            for unlocked in self.locked.pop(thing.id, ()):
                self._unlock(unlocked)
        if thing.kind != "container" or self._opens(thing, thing.id):
            self.waiting.append(thing.id)

    def _unlock(self, unlocked: Id) -> None:
        if unlocked in self.world.locations:
            self.enter(unlocked)
        else:
            self.waiting.append(unlocked)

    def _opens(self, barrier: Entity, beyond: Id) -> bool:
        if not self.keys or not barrier.locked:
            return True
        key = barrier.required_key
        if key is None:
            return False
        if key in self.things:
            return True
        self.locked.setdefault(key, []).append(beyond)
        return False


# An id such as `cellar_door`, `door1` or `cellarDoor`, which is not a word of speech.
_FIND_NON_WORD = re.compile(r"[_0-9]|(?<=[a-z])[A-Z]").search


def lint_scenario(page: Findings, draft: ScenarioDraft, world: World) -> None:
    """Add warnings that an author would want to see before playing."""
    if "name" not in draft.fields:
        page.report("FIELD_MISSING/name", ())
    _check_nameless_doors(page, draft)
    _check_similar_ids(page, draft, world)
    _check_one_way_exits(page, draft)
    starts = [e.place for e in world.list_characters() if e.place is not None]
    if starts:
        _check_unreachable(page, draft, world, starts)
        _check_lost_keys(page, draft, world, explore_world(world, starts))
    _check_goal(page, draft, world)


def _check_nameless_doors(page: Findings, draft: ScenarioDraft) -> None:
    for thing in draft.things.values():
        if thing.kind == "door" and thing.name == thing.id and _FIND_NON_WORD(thing.id):
            page.report("DOOR_NAMELESS", thing.path, key=True, id=thing.id)


def _check_similar_ids(page: Findings, draft: ScenarioDraft, world: World) -> None:
    seen: dict[tuple[str, str], str] = {}
    for id in (*draft.rooms, *draft.things, *draft.people):
        named = world.locations.get(Id(id)) or world.entities[Id(id)]
        first = seen.setdefault((_fold_case(id), _fold_case(named.name)), id)
        if first != id:
            page.report("ID_ALIKE", draft.find_path(id), key=True, id=id, first=first)


def _fold_case(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _check_one_way_exits(page: Findings, draft: ScenarioDraft) -> None:
    allowed = {mention.name for mention in list_one_way_rooms(draft)}
    back = {(room.id, way.to.name) for room in draft.rooms.values() for way in room.ways}
    for room in draft.rooms.values():
        for way in room.ways:
            if (way.to.name, room.id) in back or room.id in allowed:
                continue
            page.report("ONE_WAY_EXIT", way.to.path, to=way.to.name, room=room.id)


def _check_unreachable(
    page: Findings, draft: ScenarioDraft, world: World, starts: Iterable[Id]
) -> None:
    reached = explore_world(world, starts, keys=False).rooms
    for id in draft.rooms:
        if id not in reached:
            page.report("PLACE_UNREACHABLE", draft.find_path(id), key=True, id=id)


def _check_lost_keys(
    page: Findings, draft: ScenarioDraft, world: World, reach: ReachableParts
) -> None:
    for id in draft.things:
        thing = world.entities[Id(id)]
        if not thing.locked:
            continue
        path = draft.find_path(id)
        if thing.required_key is None:
            page.report("LOCK_WITHOUT_KEY", path, key=True, id=id)
        elif thing.required_key not in reach.things:
            page.report("KEY_UNREACHABLE", path, key=True, required=thing.required_key, id=id)


def _check_goal(page: Findings, draft: ScenarioDraft, world: World) -> None:
    goal = world.goal
    if goal is None:
        return
    actors = [goal.actor] if goal.actor is not None else _list_characters(world)
    starts = [p for a in actors if (p := world.entities[a].place) is not None]
    reach = explore_world(world, starts)
    held = draft.fields.get("clear_condition")
    path = held.path if held is not None else draft.find_path(goal.location or "")
    if goal.location is not None and goal.location not in reach.rooms:
        page.report("GOAL_UNREACHABLE/place", path, place=goal.location)
    if goal.holding is not None and goal.holding not in reach.things:
        page.report("GOAL_UNREACHABLE/thing", path, thing=goal.holding)
    settable = any(_sets_flag(world.entities[id], goal.flag, reach) for id in reach.seen)
    if goal.flag and not world.flags.get(goal.flag) and not settable:
        page.report("GOAL_UNREACHABLE/flag", path, flag=goal.flag)


def _list_characters(world: World) -> list[Id]:
    return [e.id for e in world.list_characters()]


def _sets_flag(entity: Entity, flag: str, reach: ReachableParts) -> bool:
    use = entity.attributes.get("use")
    flags = use.get("flags") if isinstance(use, dict) else None
    topics = entity.dialogue.topics if entity.dialogue is not None else ()
    if any(topic.flags.get(flag) for topic in topics):
        return True
    if not isinstance(use, dict) or not isinstance(flags, dict):
        return False
    needed = use.get("needs")
    return flags.get(flag) is True and (needed is None or needed in reach.things)
