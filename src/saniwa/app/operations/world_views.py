"""The world as a map: places, exits, people and things; and its differences."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

import msgspec

from saniwa.app.operations.operation import build_view
from saniwa.runs.run import Run
from saniwa.world.model import Entity, Id, World
from saniwa.world.queries import find_room, get_name, get_turn_actor, is_closed, is_goal_reached

MAX_DIFFERENCES: Final = 200
"""The largest number of differences in an answer."""
_ENTITY_FIELDS: Final = tuple(
    field.name for field in msgspec.structs.fields(Entity) if field.name != "id"
)


class WorldDifference(msgspec.Struct, frozen=True, kw_only=True):
    """One difference from the world before."""

    id: str
    """The id of a thing or person, or the name of a flag."""
    name: str
    """The name shown to people."""
    field: str
    """The field that changed, or `exists`, `flag` or `hour`."""
    before: Any = None
    """The value before."""
    after: Any = None
    """The value after."""
    before_name: str = ""
    """For a move: the name of what it was in, on or with."""
    after_name: str = ""
    """For a move: the name of what it is in, on or with."""


def find_differences(before: World, after: World) -> list[WorldDifference]:
    """Return the differences, sorted by id, up to a limit."""
    return [*islice(_iterate_differences(before, after), MAX_DIFFERENCES)]


def _iterate_differences(before: World, after: World) -> Iterator[WorldDifference]:
    if before is after:
        return
    for key in sorted({*before.entities, *after.entities}):
        old, new = before.entities.get(key), after.entities.get(key)
        if old is not new:
            yield from _compare_entity(old, new, before, after)
    for flag in sorted({*before.flags, *after.flags}):
        was, now = before.flags.get(flag), after.flags.get(flag)
        if was is not now:
            yield WorldDifference(id=flag, name=flag, field="flag", before=was, after=now)
    if before.time.label != after.time.label:
        yield WorldDifference(
            id="time", name="", field="hour", before=before.time.label, after=after.time.label
        )


def _compare_entity(
    old: Entity | None, new: Entity | None, before: World, after: World
) -> Iterator[WorldDifference]:
    known = new or old
    assert known is not None, "it is in one of the worlds"
    if old is None or new is None:
        existed = old is not None
        yield WorldDifference(
            id=known.id, name=known.name, field="exists", before=existed, after=not existed
        )
        return
    for field in _ENTITY_FIELDS:
        was, now = getattr(old, field), getattr(new, field)
        if was == now:
            continue
        named = {}
        if field == "place":
            named = {
                "before_name": get_name(before, was) if was else "",
                "after_name": get_name(after, now) if now else "",
            }
        yield WorldDifference(id=new.id, name=new.name, field=field, before=was, after=now, **named)


MAX_PLACES: Final = 500
"""The largest number of places in an answer."""
MAX_ENTITIES: Final = 2_000
"""The largest number of things and people in an answer."""


class PlaceView(msgspec.Struct, frozen=True, kw_only=True):
    """A place on the map."""

    id: str
    """Its id."""
    name: str
    """The name shown to people."""
    description: str = ""
    """The description on entering."""
    goal: bool = False
    """Whether the goal can be reached here."""


class ExitView(msgspec.Struct, frozen=True, kw_only=True):
    """An exit from one place to another."""

    start: str
    """The place it leads from."""
    end: str
    """The place it leads to."""
    label: str = ""
    """Its direction or name."""
    door: str = ""
    """The id of its door."""
    door_name: str = ""
    """The name of its door."""
    closed: bool = False
    """Whether the door is closed."""
    locked: bool = False
    """Whether the door is locked."""


class EntityView(msgspec.Struct, frozen=True, kw_only=True):
    """A thing or a character, and its location."""

    id: str
    """Its id."""
    name: str
    """The name shown to people."""
    kind: str
    """Its kind."""
    place: str = ""
    """What it is directly in, on or with; empty if it is off stage."""
    room: str = ""
    """The place that contains it."""
    description: str = ""
    """The description on a closer look."""
    closed: bool = False
    """Whether it is closed."""
    locked: bool = False
    """Whether it is locked."""
    hidden: bool = False
    """Whether only a search finds it."""
    state: list[str] = []
    """Its condition, in the author's words."""


class WorldView(msgspec.Struct, frozen=True, kw_only=True):
    """The world after one turn."""

    turn: int
    """The turn; -1 for the initial world."""
    turns: int
    """How many turns the run has."""
    places: list[PlaceView]
    """The places, in order of id."""
    ways: list[ExitView]
    """The exits between them."""
    things: list[EntityView]
    """Everything else except doors, in order of id."""
    left_out: int = 0
    """The number of places and things left out because there are too many."""
    changed: list[str] = []
    """The ids of everything that the turn changed."""
    flags: dict[str, bool] = {}
    """The flags of the world."""
    hour: str = ""
    """The hour of the day."""
    whose_turn: str = ""
    """The character who must act now, if the scenario has an order of play."""
    player: str = ""
    """The player's character."""
    goal_reached: bool = False
    """Whether the goal was reached."""


def build_world_view(run: Run, number: int) -> WorldView:
    """Return the world after a turn of a run; -1 for the beginning."""
    world = run.find_world_after(number)
    before = run.find_world_after(max(number - 1, -1))
    places = [*islice(_build_places(world), MAX_PLACES)]
    things = [*islice(_build_entities(world), MAX_ENTITIES)]
    doors = sum(1 for each in world.entities.values() if each.kind == "door")
    total = len(world.locations) + len(world.entities) - doors
    return WorldView(
        turn=number,
        turns=run.count,
        places=places,
        ways=[*_build_exits(world, {place.id for place in places})],
        things=things,
        left_out=total - len(places) - len(things),
        changed=[*dict.fromkeys(each.id for each in find_differences(before, world))],
        flags=dict(sorted(world.flags.items())),
        hour=world.time.label,
        whose_turn=get_turn_actor(world) or "",
        player=run.actor,
        goal_reached=is_goal_reached(world),
    )


def _build_places(world: World) -> Iterator[PlaceView]:
    for _, place in sorted(world.locations.items()):
        goal = place.is_goal or (world.goal is not None and world.goal.location == place.id)
        yield build_view(PlaceView, place, goal=goal)


def _build_exits(world: World, known: set[str]) -> Iterator[ExitView]:
    for start in sorted(known):
        for way in world.locations[Id(start)].exits:
            door = world.entities.get(way.door) if way.door else None
            if way.to in known:
                yield ExitView(
                    start=start,
                    end=way.to,
                    label=way.label,
                    door=door.id if door else "",
                    door_name=door.name if door else "",
                    closed=door is not None and is_closed(door),
                    locked=door is not None and door.locked,
                )


def _build_entities(world: World) -> Iterator[EntityView]:
    for _, entity in sorted(world.entities.items()):
        if entity.kind != "door":
            yield build_view(
                EntityView,
                entity,
                place=entity.place or "",
                room=find_room(world, entity.id) or "",
                closed=is_closed(entity),
                state=[*entity.state, *entity.status],
            )
