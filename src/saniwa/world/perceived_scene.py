"""What one actor perceives now.

Hidden things and the contents of closed containers are not included.
"""

from typing import Any

import msgspec

from saniwa.world.model import Entity, Id, World
from saniwa.world.queries import (
    find_room,
    get_name,
    get_turn_actor,
    is_closed,
    is_goal_reached,
    is_holding,
    list_scope,
)


class _SceneRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Scenes use camelCase on the wire and omit defaults."""


class SeenPlace(_SceneRecord, frozen=True):
    """The location of the actor."""

    id: Id
    """The location."""
    name: str
    """Its name."""
    description: str = ""
    """What a character sees on entering."""
    is_goal: bool = False
    """Whether being here can reach the goal."""


class SeenExit(_SceneRecord, frozen=True):
    """A way out."""

    to: Id
    """Where it leads."""
    name: str
    """The name of that place."""
    label: str = ""
    """The direction or name of the way."""
    door: Id | None = None
    """The door in it."""
    closed: bool = False
    """Whether that door is closed."""
    locked: bool = False
    """Whether it is locked."""


class SeenEntity(_SceneRecord, frozen=True):
    """A thing or a character in scope."""

    id: Id
    """The entity."""
    name: str
    """Its name."""
    kind: str
    """What it is."""
    at: Id | None = None
    """What it is in, on or held by, if not directly here."""
    closed: bool = False
    """Whether it is closed."""
    locked: bool = False
    """Whether it is locked."""
    state: tuple[str, ...] = ()
    """Its state, in the author's words."""


class Scene(_SceneRecord, frozen=True):
    """One actor's view of the world."""

    actor_id: Id
    """Whose view it is."""
    place: SeenPlace | None = None
    """Where they are; None if off stage."""
    exits: tuple[SeenExit, ...] = ()
    """The ways out, in the author's order."""
    things: tuple[SeenEntity, ...] = ()
    """What is in scope and not held by the actor, doors included, by id."""
    people: tuple[SeenEntity, ...] = ()
    """The other characters here, by id."""
    holding: tuple[SeenEntity, ...] = ()
    """What the actor holds, by id."""
    time: str = ""
    """The time of day."""
    turn: int = 0
    """The number of turns passed."""
    whose_turn: Id | None = None
    """Who must act now, if there is an order."""
    goal_reached: bool = False
    """Whether the goal is reached."""


def build_scene(world: World, actor: Id) -> Scene:
    """Build the scene that the actor perceives; takes time linear in its size."""
    room = find_room(world, actor)
    seen = [
        world.entities[e] for e in list_scope(world, actor) if e != actor and e in world.entities
    ]
    people = [e for e in seen if e.kind == "character"]
    held = [e for e in seen if is_holding(world, actor, e.id)]
    return Scene(
        actor_id=actor,
        place=_describe_place(world, room) if room is not None else None,
        exits=_describe_exits(world, room) if room is not None else (),
        things=tuple(_describe_entity(e, room) for e in seen if e not in people and e not in held),
        people=tuple(_describe_entity(e, room) for e in people),
        holding=tuple(_describe_entity(e, actor) for e in held),
        time=world.time.label,
        turn=world.time.turn,
        whose_turn=get_turn_actor(world),
        goal_reached=is_goal_reached(world),
    )


def _describe_place(world: World, room: Id) -> SeenPlace:
    here = world.locations[room]
    return SeenPlace(id=here.id, name=here.name, description=here.description, is_goal=here.is_goal)


def _describe_exits(world: World, room: Id) -> tuple[SeenExit, ...]:
    seen = []
    for way in world.locations[room].exits:
        door = world.entities.get(way.door) if way.door else None
        facts: dict[str, Any] = {}
        if door is not None:
            facts = {"door": door.id, "closed": is_closed(door), "locked": door.locked}
        if door is None or not door.hidden:
            name = get_name(world, way.to)
            seen.append(SeenExit(to=way.to, name=name, label=way.label, **facts))
    return tuple(seen)


def _describe_entity(entity: Entity, usual: Id | None) -> SeenEntity:
    return SeenEntity(
        id=entity.id,
        name=entity.name,
        kind=entity.kind,
        at=None if entity.place == usual else entity.place,
        closed=is_closed(entity),
        locked=entity.locked,
        state=entity.state,
    )
