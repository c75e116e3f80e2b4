"""The world as a map: places, the ways between them, who and what is where."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec

from saniwa.api.rooms.watching.differences import differences
from saniwa.run.conductor import Run
from saniwa.world.model import Entity, Id, World
from saniwa.world.view import closed, goal_reached, room_of, whose_turn

MOST_PLACES: Final = 500
"""Places that are drawn."""
MOST_THINGS: Final = 2_000
"""Things and people that are drawn."""


class PlaceView(msgspec.Struct, frozen=True, kw_only=True):
    """A place on the map."""

    id: str
    """Its id."""
    name: str
    """What it is called."""
    description: str = ""
    """What one sees on entering."""
    goal: bool = False
    """Whether being here can end the story well."""


class WayView(msgspec.Struct, frozen=True, kw_only=True):
    """A way from one place to another."""

    start: str
    """Where it begins."""
    end: str
    """Where it leads."""
    label: str = ""
    """Its direction or name."""
    door: str = ""
    """The door in it, by id."""
    door_name: str = ""
    """What that is called."""
    closed: bool = False
    """Whether the door is shut."""
    locked: bool = False
    """Whether it is locked."""


class ThingView(msgspec.Struct, frozen=True, kw_only=True):
    """A thing or a person, wherever it is."""

    id: str
    """Its id."""
    name: str
    """What it is called."""
    kind: str
    """What it is."""
    place: str = ""
    """What it is directly in, on or with; empty for what is off stage."""
    room: str = ""
    """The place it is in through all of that."""
    description: str = ""
    """What one sees on looking closely."""
    closed: bool = False
    """Whether it is shut."""
    locked: bool = False
    """Whether it is locked."""
    hidden: bool = False
    """Whether nobody notices it before a search."""
    state: list[str] = []
    """Its condition, in the author's words."""


class WorldView(msgspec.Struct, frozen=True, kw_only=True):
    """What was true after one turn."""

    turn: int
    """The turn; -1 for the beginning."""
    turns: int
    """How many turns the run has."""
    places: list[PlaceView]
    """The places, in order of id."""
    ways: list[WayView]
    """The ways between them."""
    things: list[ThingView]
    """Everything else but doors, in order of id."""
    left_out: int = 0
    """How many places and things are not told, because there are too many."""
    changed: list[str] = []
    """The ids of what the turn has changed."""
    flags: dict[str, bool] = {}
    """Facts that belong to no single thing."""
    hour: str = ""
    """The hour."""
    whose_turn: str = ""
    """Who must act now, where the scenario has an order."""
    player: str = ""
    """Whom the player plays."""
    goal_reached: bool = False
    """Whether the story has ended well."""


def world_view(run: Run, number: int) -> WorldView:
    """What was true after a turn of a run; -1 for the beginning."""
    world = run.world_after(number)
    before = run.world_after(max(number - 1, -1))
    places = [*islice(_places(world), MOST_PLACES)]
    things = [*islice(_things(world), MOST_THINGS)]
    doors = sum(1 for each in world.entities.values() if each.kind == "door")
    there = len(world.locations) + len(world.entities) - doors
    return WorldView(
        turn=number,
        turns=run.count,
        places=places,
        ways=[*_ways(world, {place.id for place in places})],
        things=things,
        left_out=there - len(places) - len(things),
        changed=[*dict.fromkeys(each.id for each in differences(before, world))],
        flags=dict(sorted(world.flags.items())),
        hour=world.time.label,
        whose_turn=whose_turn(world) or "",
        player=run.actor,
        goal_reached=goal_reached(world),
    )


def _places(world: World) -> Iterator[PlaceView]:
    for _, place in sorted(world.locations.items()):
        yield PlaceView(
            id=place.id,
            name=place.name,
            description=place.description,
            goal=place.is_goal
            or (world.goal is not None and world.goal.location == place.id),
        )


def _ways(world: World, known: set[str]) -> Iterator[WayView]:
    for start in sorted(known):
        for way in world.locations[Id(start)].exits:
            door = world.entities.get(way.door) if way.door else None
            if way.to in known:
                yield WayView(
                    start=start,
                    end=way.to,
                    label=way.label,
                    door=door.id if door else "",
                    door_name=door.name if door else "",
                    closed=door is not None and closed(door),
                    locked=door is not None and door.locked,
                )


def _things(world: World) -> Iterator[ThingView]:
    for _, entity in sorted(world.entities.items()):
        if entity.kind != "door":
            yield _thing(entity, world)


def _thing(entity: Entity, world: World) -> ThingView:
    return ThingView(
        id=entity.id,
        name=entity.name,
        kind=entity.kind,
        place=entity.place or "",
        room=room_of(world, entity.id) or "",
        description=entity.description,
        closed=closed(entity),
        locked=entity.locked,
        hidden=entity.hidden,
        state=[*entity.state, *entity.status],
    )
