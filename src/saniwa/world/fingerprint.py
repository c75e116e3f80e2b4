"""A world as a document, its published hash, and its running fingerprint.

`build_world_document` has the published shape that `compute_world_hash` hashes: a
scenario that uses no extension adds no key. `compute_fingerprint` is compared turn by
turn: it comes from a running sum of the hashes of all records, so its time does not
depend on the size of the world.
"""

import hashlib
from functools import cache, lru_cache
from typing import Any

import msgspec
from immutables import Map
from msgspec.structs import replace

from saniwa.core.canonical_json import SHORT_HASH_LENGTH, compute_short_hash
from saniwa.world.model import NOWHERE, Entity, Goal, Id, Location, Time, World
from saniwa.world.queries import find_holder

_WIDTH = 2**256
_ENCODE = msgspec.json.Encoder(order="deterministic").encode

DEFAULT_STATUS = ("起床済み",)
"""The status of a character if the author gives none."""
DEFAULT_STATE = ("default",)
"""The state of a thing if the author gives none."""


def compute_weight(record: Entity | Location) -> int:
    """Return what one record adds to the running sum."""
    mark = b"L" if isinstance(record, Location) else b"E"
    return int.from_bytes(hashlib.sha256(mark + _ENCODE(record)).digest())


def compute_flag_weight(name: str, value: bool | None) -> int:
    """Return what one flag adds to the running sum; 0 for one that was never set."""
    if value is None:
        return 0
    return int.from_bytes(hashlib.sha256(b"F" + _ENCODE([name, value])).digest())


def shift_digest(digest: int, minus: int, plus: int) -> int:
    """Return the running sum after one record has replaced another."""
    return (digest - minus + plus) % _WIDTH


def compute_digest(world: World) -> int:
    """Compute the running sum from scratch; takes time linear in the world."""
    total = sum(compute_weight(e) for e in world.entities.values())
    total += sum(compute_weight(place) for place in world.locations.values())
    total += sum(compute_flag_weight(name, value) for name, value in world.flags.items())
    return total % _WIDTH


def compute_fingerprint(world: World) -> str:
    """Return 16 hex digits that differ when any fact differs.

    The number of passed turns does not count.
    """
    return _hash_digest(world.digest, world.time.label)


@lru_cache(2)
def _hash_digest(digest: int, label: str) -> str:
    # Cached: the world after a turn is the one before the next.
    return hashlib.sha256(f"{digest:x}|{label}".encode()).hexdigest()[:SHORT_HASH_LENGTH]


def list_names(record: Entity | Location) -> tuple[str, ...]:
    """Return the name and the aliases of a record."""
    return (record.name, *record.aliases)


def build_world(
    entities: list[Entity],
    locations: list[Location],
    *,
    flags: dict[str, bool] | None = None,
    time: Time | None = None,
    turn_order: tuple[Id, ...] = (),
    goal: Goal | None = None,
    protagonist: Id | None = None,
    language: str = "en",
) -> World:
    """Build a world from its records, with contents and digest.

    Does not validate its input: scenario and snapshot readers check before they build.
    """
    contents: dict[Id, dict[Id, None]] = {}
    doors: dict[Id, list[Id]] = {}
    for entity in sorted(entities, key=lambda e: e.id):
        if entity.kind != "door" or entity.place is not None:
            contents.setdefault(entity.place or NOWHERE, {})[entity.id] = None
        for side in dict.fromkeys(entity.connects or ()):
            doors.setdefault(side, []).append(entity.id)
    bare = World(
        entities=Map({e.id: e for e in entities}),
        locations=Map({place.id: place for place in locations}),
        contents=Map({place: Map(inner) for place, inner in contents.items()}),
        doors=Map({side: tuple(found) for side, found in doors.items()}),
        cast=tuple(sorted(e.id for e in entities if e.kind == "character")),
        named=Map({e.id: list_names(e) for e in entities}),
        flags=Map(flags or {}),
        time=time or Time(),
        turn_order=turn_order,
        goal=goal,
        protagonist=protagonist,
        language=language,
    )
    return replace(bare, digest=compute_digest(bare))


def compute_world_hash(world: World) -> str:
    """Return the published 16 hex digits of the world; takes time linear in the world.

    Raises:
        SchemaValidationError: `HASH_COMPUTATION_ERROR` for values without a single
            text.
    """
    return compute_short_hash(build_world_document(world))


def build_world_document(world: World) -> dict[str, Any]:
    """Return the world in the published shape, without what changes every turn."""
    first = world.entities.get(world.protagonist) if world.protagonist else None
    document: dict[str, Any] = {
        "version": "0.1",
        "time": {"label": world.time.label},
        "location": {"current": first.place if first else None},
        "locations": {k: _describe_location(v) for k, v in sorted(world.locations.items())},
        "characters": {e.id: _describe_character(world, e) for e in world.list_characters()},
        "props": _describe_props(world),
    }
    if world.flags:
        document["flags"] = dict(sorted(world.flags.items()))
    if world.turn_order:
        document["turn_order"] = {str(i): who for i, who in enumerate(world.turn_order)}
    if world.goal is not None:
        document["goal"] = _describe_goal(world.goal)
    published: dict[str, Any] = _remove_private(document)
    return published


def _describe_goal(goal: Goal) -> dict[str, Any]:
    parts = msgspec.structs.asdict(goal)
    parts["milestones"] = msgspec.to_builtins(goal.milestones)
    left_out = {"message"} if goal.milestones else {"message", "milestones"}
    return {name: part for name, part in parts.items() if name not in left_out}


def _describe_location(place: Location) -> dict[str, Any]:
    described: dict[str, Any] = {
        "description": place.description or place.name,
        "exits": [way.to for way in place.exits],
    }
    extension = _list_extensions(place, ("description", "exits"))
    # A plain exit is only a place; anything more is an extension.
    ways = [
        {"to": way.to, "label": way.label, "door": way.door}
        for way in place.exits
        if way.label or way.door
    ]
    return described | extension | ({"ways": ways} if ways else {})


def _describe_character(world: World, who: Entity) -> dict[str, Any]:
    described = {
        "status": list(who.status or DEFAULT_STATUS),
        "holding": list(world.list_contents(who.id)),
        "location": who.place,
    }
    return described | _list_extensions(who, ("kind", "place", "status"))


def _describe_props(world: World) -> dict[str, Any]:
    """Describe everything but characters; held things are listed with their holder.

    A held thing is listed here only for what it has beyond its name, and then without a
    location.
    """
    props: dict[str, Any] = {}
    for thing in sorted(world.entities.values(), key=lambda e: e.id):
        if thing.kind == "character":
            continue
        extension = _list_extensions(thing, ("place", "state")) | _describe_takeable(thing)
        state = {"state": list(thing.state or DEFAULT_STATE)}
        if find_holder(world, thing.id) is None:
            props[thing.id] = {"location": thing.place} | state | extension
        elif extension or thing.state:
            props[thing.id] = state | extension
    return props


def _list_extensions(record: Entity | Location, plain: tuple[str, ...]) -> dict[str, Any]:
    """Return what a record has beyond the published shape; defaults add no key."""
    facts = msgspec.structs.asdict(record)
    defaults = _get_defaults(type(record))
    return {
        name: msgspec.to_builtins(value)
        for name, value in facts.items()
        if name not in ("id", "takeable", *plain)
        and value != defaults[name]
        and not (name == "name" and value == record.id)
    }


@cache
def _get_defaults(kind: type[Entity] | type[Location]) -> dict[str, Any]:
    return {
        field.name: field.default_factory()
        if field.default is msgspec.NODEFAULT and callable(field.default_factory)
        else field.default
        for field in msgspec.structs.fields(kind)
    }


def _describe_takeable(thing: Entity) -> dict[str, Any]:
    """Items can be taken and other things cannot; only the contrary is an extension."""
    usual = thing.kind == "item"
    return {} if thing.takeable == usual else {"takeable": thing.takeable}


def _remove_private(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _remove_private(v) for k, v in value.items() if not k.startswith("_")}
    if isinstance(value, list | tuple):
        return [_remove_private(item) for item in value]
    return value
