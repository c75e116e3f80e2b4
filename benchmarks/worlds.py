"""The worlds and walks that are measured: grown by rule, or built from TextWorld's facts.

Nothing is timed here, and randomness has a seed, so every run measures the same work.
"""

from collections.abc import Iterable, Mapping, Sequence
from random import Random  # noqa: TID251 - seeded: every run measures the same walk
from typing import Any, NamedTuple

import msgspec

from saniwa.rulebook.book import Rulebook
from saniwa.rulebook.judge import find_admissible_actions
from saniwa.world import actions as world_actions
from saniwa.world.apply import apply_action
from saniwa.world.fingerprint import build_world
from saniwa.world.model import Entity, Exit, Id, Location, World

PLAYER = Id("P")
PER_ROOM = 5
"""Things in each room of a grown world."""

Words = Sequence[str]
"""A fact or action as TextWorld names it: its name, then what it is about."""

Facts = dict[str, dict[str, tuple[str, ...]]]
"""Such facts by name, then by the first thing they are about."""


class WorldWalk(NamedTuple):
    """A world, and actions that are allowed in it one after the other."""

    world: World
    """Where it starts."""
    actions: list[world_actions.Action]
    """What is done; every one changes something."""
    claims: list[dict[str, Any]]
    """The same in wire form."""


def make_walk(world: World, actions: Iterable[world_actions.Action]) -> WorldWalk:
    """The walk that these actions make."""
    done = list(actions)
    return WorldWalk(world, done, [msgspec.to_builtins(action) for action in done])


def grow_walk(size: int, steps: int) -> WorldWalk:
    """A walk through a world of `size` entities.

    Each room has a box, a rack and three things, so a larger world has more rooms and
    not fuller ones. The way on leads to a distant room, so a walk sees the whole world.
    """
    rooms = max(2, size // PER_ROOM)
    places = [
        Location(id=_make_room_id(n), name=f"room {n}", exits=_make_exits(n, rooms))
        for n in range(rooms)
    ]
    things = [thing for n in range(rooms) for thing in _make_furniture(n)][: size - 1]
    you = Entity(id=PLAYER, name="you", kind="character", place=_make_room_id(0))
    world = build_world([you, *things], places, protagonist=PLAYER)
    here, actions = 0, list[world_actions.Action]()
    while len(actions) < steps:
        actions += _make_errand(here, _step_onward(here, rooms))
        here = _step_onward(here, rooms)
    return make_walk(world, actions)


def grow_house(house: World, size: int) -> World:
    """The house with `size` more things in rooms of their own, named in its language."""
    rooms = range(size // PER_ROOM)
    named = dict(
        zip(("cup", "box", "shelf", "key", "pear"), ("湯呑み", "箱", "棚", "鍵", "梨"), strict=True)
    )
    things = [thing for n in rooms for thing in _make_furniture(n)]
    if house.language == "ja":
        things = [_translate_name(thing, named) for thing in things]
    places = [Location(id=_make_room_id(n), name=f"room {n}") for n in rooms]
    return build_world(
        [*house.entities.values(), *things],
        [*house.locations.values(), *places],
        protagonist=house.protagonist,
        language=house.language,
    )


def _translate_name(thing: Entity, named: Mapping[str, str]) -> Entity:
    word, number = thing.name.split()
    return msgspec.structs.replace(thing, name=f"{named[word]}{number}")


def _make_room_id(n: int) -> Id:
    return Id(f"r_{n}")


def _step_onward(n: int, rooms: int) -> int:
    return (n + rooms // 7 + 1) % rooms


def _make_exits(n: int, rooms: int) -> tuple[Exit, ...]:
    back = Exit(to=_make_room_id((n - 1) % rooms), label="back")
    return back, Exit(to=_make_room_id(_step_onward(n, rooms)), label="on")


def _make_furniture(n: int) -> list[Entity]:
    here, box = _make_room_id(n), Id(f"c_{n}")
    return [
        Entity(id=Id(f"o_{n}"), name=f"cup {n}", takeable=True, place=here),
        Entity(id=box, name=f"box {n}", kind="container", openable=True, open=False, place=here),
        Entity(id=Id(f"s_{n}"), name=f"shelf {n}", kind="supporter", place=here),
        Entity(id=Id(f"k_{n}"), name=f"key {n}", takeable=True, place=Id(f"s_{n}")),
        Entity(id=Id(f"f_{n}"), name=f"pear {n}", takeable=True, edible=True, place=box),
    ]


def _make_errand(here: int, there: int) -> list[world_actions.Action]:
    """Six actions that leave the room as it was, and the way to the next."""
    cup, box = Id(f"o_{here}"), Id(f"c_{here}")
    return [
        world_actions.Take(actor_id=PLAYER, target_id=cup),
        world_actions.Open(actor_id=PLAYER, target_id=box),
        world_actions.Put(actor_id=PLAYER, target_id=cup, destination_id=box),
        world_actions.Take(actor_id=PLAYER, target_id=cup, source_id=box),
        world_actions.Close(actor_id=PLAYER, target_id=box),
        world_actions.Drop(actor_id=PLAYER, target_id=cup),
        world_actions.Move(actor_id=PLAYER, target_id=_make_room_id(there)),
    ]


def walk_randomly(world: World, book: Rulebook, steps: int) -> WorldWalk:
    """A random walk of the protagonist through any world, by admissible actions."""
    start, chance = world, Random(steps)
    who, actions = world.protagonist, list[world_actions.Action]()
    assert who is not None, "a world without a protagonist cannot be strolled through"
    while len(actions) < steps:
        choices = [
            a for a in find_admissible_actions(world, who, book) if apply_action(a, world).changes
        ]
        actions.append(chance.choice(choices))
        world = apply_action(actions[-1], world).world
    return make_walk(start, actions)


def build_textworld(facts: Sequence[Words]) -> World:
    """The very world that a TextWorld game begins with."""
    about: Facts = {}
    for name, first, *rest in facts:
        about.setdefault(name, {})[first] = tuple(rest)
    places = about["at"] | about.get("in", {}) | about.get("on", {})
    doors = {d: (a, b) for _, a, d, b in _list_links(facts)}
    things = [_make_entity(which, place, about) for which, (place, *_) in sorted(places.items())]
    things += [_make_door(which, sides, about) for which, sides in sorted(doors.items())]
    return build_world(things, _list_rooms(facts), protagonist=PLAYER)


def _list_links(facts: Sequence[Words]) -> list[Words]:
    return [fact for fact in facts if fact[0] == "link"]


def _list_rooms(facts: Sequence[Words]) -> list[Location]:
    doors = {(a, b): d for _, a, d, b in _list_links(facts)}
    ways: dict[str, list[Exit]] = {}
    for name, there, *rest in facts:
        if name.endswith("_of"):
            (here,) = rest
            door = doors.get((here, there))
            way = Exit(
                to=Id(there), label=name.removesuffix("_of"), door=Id(door) if door else None
            )
            ways.setdefault(here, []).append(way)
    return [
        Location(id=Id(room), name=room, exits=tuple(exits)) for room, exits in sorted(ways.items())
    ]


def _make_entity(which: str, place: str, about: Facts) -> Entity:
    if which == PLAYER:
        return Entity(id=PLAYER, name="you", kind="character", place=Id(place))
    place = PLAYER if place == "I" else Id(place)
    match which[0]:
        case "c":
            kept = _shut(which, about)
            return Entity(id=Id(which), name=which, kind="container", place=place, **kept)
        case "s":
            return Entity(id=Id(which), name=which, kind="supporter", place=place)
        case _:
            edible = which in about.get("edible", {})
            return Entity(id=Id(which), name=which, place=place, takeable=True, edible=edible)


def _make_door(which: str, sides: tuple[str, str], about: Facts) -> Entity:
    connects = (Id(sides[0]), Id(sides[1]))
    kept = _shut(which, about)
    return Entity(id=Id(which), name=which, kind="door", connects=connects, **kept)


def _shut(which: str, about: Facts) -> dict[str, Any]:
    keys = [k for k, (lock,) in sorted(about.get("match", {}).items()) if lock == which]
    return {
        "openable": True,
        "open": which in about.get("open", {}),
        "lockable": bool(keys) or which in about.get("locked", {}),
        "locked": which in about.get("locked", {}),
        "required_key": Id(keys[0]) if keys else None,
    }


def parse_action(words: Words) -> world_actions.Action:
    """One of TextWorld's actions as Saniwa's."""
    verb, *named = words
    ids = [Id(name) for name in named if name not in (PLAYER, "I")]
    match verb.split("/"):
        case ["go", _]:
            return world_actions.Move(actor_id=PLAYER, target_id=ids[1])
        case ["take"]:
            return world_actions.Take(actor_id=PLAYER, target_id=ids[1])
        case ["take", _]:
            return world_actions.Take(actor_id=PLAYER, target_id=ids[2], source_id=ids[1])
        case ["put" | "insert"]:
            return world_actions.Put(actor_id=PLAYER, target_id=ids[2], destination_id=ids[1])
        case ["drop"]:
            return world_actions.Drop(actor_id=PLAYER, target_id=ids[1])
        case ["eat"]:
            return world_actions.Eat(actor_id=PLAYER, target_id=ids[0])
        case ["open", _]:
            return world_actions.Open(actor_id=PLAYER, target_id=ids[1])
        case ["close", _]:
            return world_actions.Close(actor_id=PLAYER, target_id=ids[1])
        case [("lock" | "unlock") as name, kind]:
            key = ids[2] if kind == "c" else next(i for i in ids if i[0] == "k")
            turn_key = world_actions.Lock if name == "lock" else world_actions.Unlock
            return turn_key(actor_id=PLAYER, target_id=ids[1], tool_id=key)
    raise AssertionError(f"TextWorld has an action we do not know: {words!r}")
