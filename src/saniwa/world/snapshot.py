"""Converts a world to one JSON document and back, and checks its invariants.

The shape is the world contract's: `entities`, `locations`, `inventory`, `flags`, and
`time`. A held thing is in the inventory and has no `locationId`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from saniwa.core.decoder_warming import warm_decoders
from saniwa.core.errors import TurnError
from saniwa.core.suggestions import get_nearest
from saniwa.world.fingerprint import build_world, compute_digest, compute_fingerprint, list_names
from saniwa.world.model import (
    HOLDERS,
    NOWHERE,
    Entity,
    Goal,
    Id,
    Location,
    Time,
    World,
    copy_written_kind,
)
from saniwa.world.queries import contains_entity, find_holder


def find_broken_invariants(world: World) -> tuple[str, ...]:
    """Return one sentence per broken invariant; takes time linear in the world."""
    broken = [
        *_check_places(world),
        *_check_contents(world),
        *(message for entity in _sort_entities(world) for message in _check_entity(world, entity)),
        *_check_exits(world),
        *_check_cast(world),
    ]
    if not broken and world.digest != compute_digest(world):
        broken.append("the running digest differs from the world")
    return tuple(broken)


def _sort_entities(world: World) -> list[Entity]:
    return sorted(world.entities.values(), key=lambda e: e.id)


def _check_places(world: World) -> Iterator[str]:
    for entity in _sort_entities(world):
        if entity.id in world.locations:
            yield f"{entity.id!r} is both a thing and a place"
        if entity.place is None or entity.place in world.locations:
            continue
        holder = world.entities.get(entity.place)
        if holder is None:
            yield f"{entity.id!r} is at {entity.place!r}, which does not exist"
        elif holder.kind not in HOLDERS and not (entity.hidden and holder.kind != "door"):
            # What is hidden may be under anything but a door.
            yield f"{entity.id!r} is in {holder.id!r}, which cannot hold things"
        elif contains_entity(world, entity.id, holder.id):
            yield f"{entity.id!r} is inside itself"


def _check_contents(world: World) -> Iterator[str]:
    listed = {(place, e) for place, inner in world.contents.items() for e in inner}
    things = [e for e in world.entities.values() if e.kind != "door" or e.place]
    for place, entity in sorted(listed ^ {(e.place or NOWHERE, e.id) for e in things}):
        yield f"the contents of {place!r} disagree about {entity!r}"
    listed_doors = {(side, door) for side, found in world.doors.items() for door in found}
    sides = {(side, e.id) for e in world.entities.values() for side in e.connects or ()}
    for side, door in sorted(listed_doors ^ sides):
        yield f"the walls of {side!r} disagree about {door!r}"


def _check_entity(world: World, entity: Entity) -> Iterator[str]:
    if entity.locked and (entity.open or not entity.lockable):
        yield f"{entity.id!r} is locked but not closed, or has no lock"
    if not entity.openable and not entity.open:
        yield f"{entity.id!r} is closed but cannot be opened"
    placed = entity.place is not None and entity.place not in world.locations
    if entity.kind == "character" and placed:
        yield f"{entity.id!r} is a character and can only be in a place"
    if entity.kind == "door":
        if entity.place is not None or entity.connects is None:
            yield f"{entity.id!r} is a door and must connect two places"
        elif not all(side in world.locations for side in entity.connects):
            yield f"{entity.id!r} leads to a place that does not exist"


def _check_exits(world: World) -> Iterator[str]:
    for location in sorted(world.locations.values(), key=lambda place: place.id):
        for way in location.exits:
            if way.to not in world.locations:
                yield f"an exit of {location.id!r} leads to {way.to!r}, which does not exist"
            door = world.entities.get(way.door) if way.door else None
            sides = {location.id, way.to}
            if way.door and (door is None or set(door.connects or ()) != sides):
                yield f"the door {way.door!r} does not join {location.id!r} and {way.to!r}"


def _check_cast(world: World) -> Iterator[str]:
    people = sorted(e.id for e in world.entities.values() if e.kind == "character")
    if list(world.cast) != people:
        yield "the cast is not the characters there are"
    if dict(world.named) != {e.id: list_names(e) for e in world.entities.values()}:
        yield "the names known are not the names borne"
    first = () if world.protagonist is None else (world.protagonist,)
    for who in (*world.turn_order, *first):
        entity = world.entities.get(who)
        if entity is None or entity.kind != "character":
            yield f"{who!r} is named to act but is no character"


SNAPSHOT_VERSION = 1
"""The version of the snapshot's shape."""

_KEYS = (
    "version", "entities", "locations", "inventory", "flags", "time", "turnOrder", "goal",
    "protagonist", "language", "fingerprint",
)  # fmt: skip


def take_snapshot(world: World) -> dict[str, Any]:
    """Return the world as a document that `restore_world` turns into an equal one."""
    return {
        "version": SNAPSHOT_VERSION,
        "entities": {e.id: _write_entity(world, e) for _, e in sorted(world.entities.items())},
        "locations": {k: msgspec.to_builtins(v) for k, v in sorted(world.locations.items())},
        "inventory": {k: list(v) for k, v in world.inventory.items()},
        "flags": dict(sorted(world.flags.items())),
        "time": {"label": world.time.label, "turn": world.time.turn},
        "turnOrder": list(world.turn_order),
        "goal": msgspec.to_builtins(world.goal),
        "protagonist": world.protagonist,
        "language": world.language,
        "fingerprint": compute_fingerprint(world),
    }


def _write_entity(world: World, entity: Entity) -> dict[str, Any]:
    written: dict[str, Any] = msgspec.to_builtins(entity)
    place = written.pop("place", None)
    if place is not None and find_holder(world, entity.id) is None:
        written["locationId"] = place
    return written


def restore_world(document: object) -> World:
    """Restore a world from a snapshot, completely checked.

    Raises:
        TurnError: `SNAPSHOT_INVALID`, with every broken invariant in the details.
    """
    if not isinstance(document, Mapping):
        raise _make_snapshot_error("a snapshot is an object")
    unknown = sorted(str(k) for k in set(document) - set(_KEYS))
    if unknown:
        raise _make_snapshot_error(
            f"{unknown[0]!r} is not part of a snapshot", get_nearest(unknown[0], _KEYS)
        )
    if document.get("version", SNAPSHOT_VERSION) != SNAPSHOT_VERSION:
        raise _make_snapshot_error(f"version {document['version']!r} is not {SNAPSHOT_VERSION}")
    world = _build_from_document(document)
    broken = find_broken_invariants(world)
    if broken:
        raise _make_snapshot_error(broken[0], broken=broken)
    expected = document.get("fingerprint")
    if expected is not None and expected != compute_fingerprint(world):
        raise _make_snapshot_error(
            f"the fingerprint is {compute_fingerprint(world)!r}, not {expected!r}"
        )
    return world


def _build_from_document(document: Mapping[str, Any]) -> World:
    try:
        inventory = msgspec.convert(document.get("inventory", {}), dict[Id, list[Id]])
        holders = {thing: who for who, things in inventory.items() for thing in things}
        if sum(map(len, inventory.values())) != len(holders):
            raise _make_snapshot_error("one thing is held twice")
        entities = msgspec.convert(document.get("entities", {}), dict[Id, dict[str, Any]])
        for named in sorted({*inventory, *holders} - entities.keys()):
            raise _make_snapshot_error(f"the inventory names {named!r}, which does not exist")
        return build_world(
            [_read_entity(key, facts, holders) for key, facts in entities.items()],
            _check_location_ids(msgspec.convert(document.get("locations", {}), dict[Id, Location])),
            flags=msgspec.convert(document.get("flags", {}), dict[str, bool]),
            time=msgspec.convert(document.get("time", {}), Time),
            turn_order=msgspec.convert(document.get("turnOrder", []), tuple[Id, ...]),
            goal=msgspec.convert(document.get("goal"), Goal | None),
            protagonist=msgspec.convert(document.get("protagonist"), Id | None),
            language=msgspec.convert(document.get("language", "en"), str),
        )
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError) as problem:
        raise _make_snapshot_error(str(problem)) from problem


def _read_entity(key: Id, facts: dict[str, Any], holders: dict[Id, Id]) -> Entity:
    facts = {"id": key} | facts
    place = facts.pop("locationId", None)
    if key in holders and place is not None:
        raise _make_snapshot_error(f"{key!r} is held and is also at {place!r}")
    entity = msgspec.convert(facts | {"place": holders.get(key, place)}, Entity)
    if "kind" in facts:
        entity = replace(entity, kind=copy_written_kind(entity.kind))
    if entity.id != key:
        raise _make_snapshot_error(f"the entity under {key!r} calls itself {entity.id!r}")
    return entity


def _check_location_ids(locations: dict[Id, Location]) -> list[Location]:
    for key, location in locations.items():
        if location.id != key:
            raise _make_snapshot_error(f"the location under {key!r} calls itself {location.id!r}")
    return list(locations.values())


def _make_snapshot_error(
    why: str, nearest: str | None = None, broken: tuple[str, ...] = ()
) -> TurnError:
    hint = f"did you mean {nearest!r}?" if nearest else "take the snapshot again"
    return TurnError(
        "SNAPSHOT_INVALID",
        f"the snapshot is not a world: {why}",
        hint=hint,
        details={"broken": list(broken)} if broken else {},
    )


warm_decoders(Entity, Goal, Location, Time)
