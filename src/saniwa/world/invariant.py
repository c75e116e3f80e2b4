"""What must hold in every world, whoever made it."""

from collections.abc import Iterator

from saniwa.world.canonical import digest_of, names_of
from saniwa.world.model import HOLDERS, NOWHERE, Entity, Id, World
from saniwa.world.view import contains


def broken_invariants(world: World) -> tuple[str, ...]:
    """One sentence for each thing that cannot be so; costs the whole world."""
    broken = [
        *_places(world),
        *_contents(world),
        *(told for entity in _sorted(world) for told in _entity(world, entity)),
        *_exits(world),
        *_cast(world),
    ]
    if not broken and world.digest != digest_of(world):
        broken.append("the running digest differs from the world")
    return tuple(broken)


def _sorted(world: World) -> list[Entity]:
    return sorted(world.entities.values(), key=lambda e: e.id)


def _places(world: World) -> Iterator[str]:
    for entity in _sorted(world):
        if entity.id in world.locations:
            yield f"{entity.id!r} is both a thing and a place"
        if entity.place is None or entity.place in world.locations:
            continue
        holder = world.entities.get(entity.place)
        if holder is None:
            yield f"{entity.id!r} is at {entity.place!r}, which does not exist"
        elif holder.kind not in HOLDERS:
            yield f"{entity.id!r} is in {holder.id!r}, which can hold nothing"
        elif contains(world, entity.id, holder.id):
            yield f"{entity.id!r} is inside itself"


def _contents(world: World) -> Iterator[str]:
    listed = {(place, e) for place, inner in world.contents.items() for e in inner}
    things = [e for e in world.entities.values() if e.kind != "door" or e.place]
    for place, entity in sorted(listed ^ {(e.place or NOWHERE, e.id) for e in things}):
        yield f"the contents of {place!r} disagree about {entity!r}"
    hung = {(side, door) for side, found in world.doors.items() for door in found}
    sides = {(side, e.id) for e in world.entities.values() for side in e.connects or ()}
    for side, door in sorted(hung ^ sides):
        yield f"the walls of {side!r} disagree about {door!r}"


def _entity(world: World, entity: Entity) -> Iterator[str]:
    if entity.locked and (entity.open or not entity.lockable):
        yield f"{entity.id!r} is locked but not closed, or has no lock"
    if not entity.openable and not entity.open:
        yield f"{entity.id!r} is closed but cannot be opened"
    if entity.kind == "character" and not _stands(world, entity.place):
        yield f"{entity.id!r} is a character and can only be in a place"
    if entity.kind == "door":
        if entity.place is not None or entity.connects is None:
            yield f"{entity.id!r} is a door and must connect two places"
        elif not all(side in world.locations for side in entity.connects):
            yield f"{entity.id!r} leads to a place that does not exist"


def _stands(world: World, place: Id | None) -> bool:
    return place is None or place in world.locations


def _exits(world: World) -> Iterator[str]:
    for location in sorted(world.locations.values(), key=lambda place: place.id):
        for way in location.exits:
            if way.to not in world.locations:
                yield f"an exit of {location.id!r} leads to {way.to!r}, which does not exist"
            door = world.entities.get(way.door) if way.door else None
            sides = {location.id, way.to}
            if way.door and (door is None or set(door.connects or ()) != sides):
                yield f"the door {way.door!r} does not join {location.id!r} and {way.to!r}"


def _cast(world: World) -> Iterator[str]:
    people = sorted(e.id for e in world.entities.values() if e.kind == "character")
    if list(world.cast) != people:
        yield "the cast is not the characters there are"
    if dict(world.named) != {e.id: names_of(e) for e in world.entities.values()}:
        yield "the names known are not the names borne"
    named = (
        world.turn_order
        if world.protagonist is None
        else (
            *world.turn_order,
            world.protagonist,
        )
    )
    for who in named:
        entity = world.entities.get(who)
        if entity is None or entity.kind != "character":
            yield f"{who!r} is named to act but is no character"
