"""How far one can get: which rooms, and which things, with the keys found on the way.

A rough walk that errs on the side of hope: hidden things are found, people hand over
what they hold, and no rulebook is asked.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from saniwa.world.model import Entity, Id, World


@dataclass(frozen=True, slots=True)
class Reach:
    """What can be come by."""

    rooms: frozenset[Id]
    """Where one can stand."""
    things: frozenset[Id]
    """What one can hold in the end."""
    seen: frozenset[Id]
    """What one can touch: all of those, and what cannot be picked up."""


def explore(world: World, starts: Iterable[Id], *, keys: bool = True) -> Reach:
    """Everything within reach from the starts; `keys=False` walks through any lock.

    Costs the size of what is reached, once: a lock waits for its key instead of being
    tried again.
    """
    walk = _Walk(world, keys)
    for start in starts:
        walk.enter(start)
    while walk.waiting:
        walk.step(walk.waiting.pop())
    return Reach(frozenset(walk.rooms), frozenset(walk.things), frozenset(walk.seen))


@dataclass(slots=True)
class _Walk:
    world: World
    keys: bool
    rooms: set[Id] = field(default_factory=set)
    things: set[Id] = field(default_factory=set)
    seen: set[Id] = field(default_factory=set)
    waiting: list[Id] = field(default_factory=list)
    """Rooms to walk out of, and holders to look into."""
    locked: dict[Id, list[Id]] = field(default_factory=dict)
    """For a key, what waits for it: a room beyond a door, or a container."""

    def enter(self, place: Id) -> None:
        if place not in self.rooms:
            self.rooms.add(place)
            self.waiting.append(place)

    def step(self, here: Id) -> None:
        location = self.world.locations.get(here)
        for way in location.exits if location is not None else ():
            door = self.world.entities.get(way.door) if way.door else None
            if door is None or self._opens(door, way.to):
                self.enter(way.to)
        for inner in self.world.contents.get(here, ()):
            self._find(self.world.entities[inner])

    def _find(self, thing: Entity) -> None:
        self.seen.add(thing.id)
        if thing.takeable and thing.id not in self.things:
            self.things.add(thing.id)
            for freed in self.locked.pop(thing.id, ()):
                self._free(freed)
        if thing.kind != "container" or self._opens(thing, thing.id):
            self.waiting.append(thing.id)

    def _free(self, freed: Id) -> None:
        if freed in self.world.locations:
            self.enter(freed)
        else:
            self.waiting.append(freed)

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
