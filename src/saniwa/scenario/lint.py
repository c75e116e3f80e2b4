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
        message = "the scenario has no 'name'; its id is that of the registry or the file's name"
        page.add_warning("FIELD_MISSING", message, (), hint="add 'name' at the top level")
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
            page.add_warning(
                "DOOR_NAMELESS",
                f"the door {thing.id!r} has no name and is shown by its id",
                thing.path,
                key=True,
                hint="add 'name', such as 'cellar door'",
            )


def _check_similar_ids(page: Findings, draft: ScenarioDraft, world: World) -> None:
    seen: dict[tuple[str, str], str] = {}
    for id in (*draft.rooms, *draft.things, *draft.people):
        named = world.locations.get(Id(id)) or world.entities[Id(id)]
        first = seen.setdefault((_fold_case(id), _fold_case(named.name)), id)
        if first != id:
            page.add_warning(
                "ID_ALIKE",
                f"{id!r} and {first!r} differ only in upper and lower case, which players cannot tell apart",
                draft.find_path(id),
                key=True,
                hint="rename one of them",
            )


def _fold_case(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _check_one_way_exits(page: Findings, draft: ScenarioDraft) -> None:
    allowed = {mention.name for mention in list_one_way_rooms(draft)}
    back = {(room.id, way.to.name) for room in draft.rooms.values() for way in room.ways}
    for room in draft.rooms.values():
        for way in room.ways:
            if (way.to.name, room.id) in back or room.id in allowed:
                continue
            page.add_warning(
                "ONE_WAY_EXIT",
                f"no exit leads back from {way.to.name!r} to {room.id!r}",
                way.to.path,
                hint=f"add one, or list {room.id!r} under 'lint_allow.unidirectional_exits'",
            )


def _check_unreachable(
    page: Findings, draft: ScenarioDraft, world: World, starts: Iterable[Id]
) -> None:
    reached = explore_world(world, starts, keys=False).rooms
    for id in draft.rooms:
        if id not in reached:
            page.add_warning(
                "PLACE_UNREACHABLE",
                f"{id!r} cannot be reached from where any character starts",
                draft.find_path(id),
                key=True,
                hint="add an exit to it",
            )


def _check_lost_keys(
    page: Findings, draft: ScenarioDraft, world: World, reach: ReachableParts
) -> None:
    for id in draft.things:
        thing = world.entities[Id(id)]
        if not thing.locked:
            continue
        path = draft.find_path(id)
        if thing.required_key is None:
            page.add_warning(
                "LOCK_WITHOUT_KEY",
                f"{id!r} is locked, but has no key",
                path,
                key=True,
                hint="add 'required_key', or leave it unlocked",
            )
        elif thing.required_key not in reach.things:
            page.add_warning(
                "KEY_UNREACHABLE",
                f"no character can get the key {thing.required_key!r} of {id!r}",
                path,
                key=True,
                hint="it is behind the lock it opens, off stage, or cannot be taken",
            )


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
        _add_goal_warning(page, path, f"no character who counts can reach {goal.location!r}")
    if goal.holding is not None and goal.holding not in reach.things:
        _add_goal_warning(page, path, f"no character who counts can get {goal.holding!r}")
    settable = any(_sets_flag(world.entities[id], goal.flag, reach) for id in reach.seen)
    if goal.flag and not world.flags.get(goal.flag) and not settable:
        _add_goal_warning(page, path, f"nothing within reach sets the flag {goal.flag!r}")


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


def _add_goal_warning(page: Findings, path: tuple[str | int, ...], why: str) -> None:
    page.add_warning(
        "GOAL_UNREACHABLE",
        f"the goal cannot be reached: {why}",
        path,
        hint="look for a missing exit, or a key behind its own door",
    )
