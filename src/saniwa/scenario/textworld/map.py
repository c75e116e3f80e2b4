"""The rooms of a game, the ways between them, and the doors in those."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from saniwa.scenario.code import Code
from saniwa.scenario.page import Page, Path
from saniwa.scenario.textworld.entity import Entity
from saniwa.scenario.textworld.form import OPPOSITE
from saniwa.scenario.textworld.proposition import Proposition

Pair = tuple[str, str]
"""Two rooms: from and to."""


class Map(NamedTuple):
    """Where one can go, and through what."""

    ways: dict[Pair, str]
    """The room in each direction of a room: (room, direction) to room."""
    doors: dict[Pair, str]
    """The door between two rooms, from either side."""
    free: frozenset[Pair]
    """The pairs of rooms that nothing bars."""
    paths: dict[Pair, Path]
    """Where the game says of a way that it is there."""
    sides: dict[str, Pair]
    """The two rooms that each door stands between, in order of id."""

    def passable(self, a: str, b: str) -> bool:
        """Whether nothing bars the way, there and back."""
        return (a, b) in self.free and (b, a) in self.free


def read_map(page: Page, told: Iterable[Proposition]) -> Map:
    """The map; findings for what cannot be so."""
    found = Map({}, {}, frozenset(_free(told)), {}, {})
    for one in told:
        name, _, with_door = one.name.partition("/")
        direction = name.removesuffix("_of")
        if direction in OPPOSITE:
            there, here = one.about[0], one.about[-1]
            _way(page, found, one, here, direction, there)
            _way(page, found, one, there, OPPOSITE[direction], here)
        if one.name == "link" or with_door:
            _door(page, found, one)
    return found


def _free(told: Iterable[Proposition]) -> Iterable[Pair]:
    return (
        (one.about[0], one.about[1])
        for one in told
        if one.name == "free" and len(one.about) == 2
    )


def _way(
    page: Page, found: Map, one: Proposition, here: str, direction: str, there: str
) -> None:
    before = found.ways.setdefault((here, direction), there)
    found.paths.setdefault((here, there), one.path)
    if before != there:
        message = f"{direction} of {here!r} are both {before!r} and {there!r}"
        page.error(Code.STATE_CONTRADICTION, message, one.path)


def _door(page: Page, found: Map, one: Proposition) -> None:
    a, door, b = one.about
    both = (min(a, b), max(a, b))
    before = found.doors.get((a, b), door)
    if a == b or before != door or found.sides.get(door, both) != both:
        message = f"the door {door!r} must stand alone between two rooms"
        page.error(Code.DOOR_SIDES, message, one.path)
        return
    found.doors[a, b] = found.doors[b, a] = door
    found.sides[door] = both


def locations(
    page: Page, map: Map, entities: Mapping[str, Entity], doors: Mapping[str, str]
) -> dict[str, Any]:
    """The scenario's locations; `doors` says how each door stands."""
    rooms = {}
    for room in entities.values():
        if room.type != "r":
            continue
        exits = {
            direction: leading
            for direction in OPPOSITE
            if (leading := _exit(page, map, room.id, direction, doors)) is not None
        }
        rooms[room.id] = {
            "name": room.name,
            **({"description": room.description} if room.description else {}),
            **({"aliases": list(room.aliases)} if room.aliases else {}),
            **({"exits": exits} if exits else {}),
        }
    return rooms


def _exit(
    page: Page, map: Map, room: str, direction: str, doors: Mapping[str, str]
) -> Any:
    to = map.ways.get((room, direction))
    if to is None:
        return None
    door = map.doors.get((room, to))
    if door is not None:
        if (doors.get(door) == "open") != map.passable(room, to):
            message = f"the way {direction} of {room!r} is not as its door {door!r} is"
            page.error(Code.STATE_CONTRADICTION, message, map.paths[room, to])
        return {"to": to, "door": door}
    if map.passable(room, to):
        return to
    message = f"the way {direction} of {room!r} is barred for good, and is left out"
    page.warn(Code.GAME_UNSUPPORTED, message, map.paths[room, to])
    return None
