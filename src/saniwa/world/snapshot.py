"""A whole world as one JSON document, and back.

The shape is the world contract's: `entities`, `locations`, `inventory`, `flags`, and
`time`. A held thing stands in the inventory and has no `locationId`.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from saniwa.core.errors import TurnError
from saniwa.core.near import near
from saniwa.core.ready import ready
from saniwa.world.canonical import build, fingerprint
from saniwa.world.invariant import broken_invariants
from saniwa.world.model import (
    Entity,
    Goal,
    Id,
    Location,
    Time,
    World,
    written_kind,
)
from saniwa.world.view import holder_of

VERSION = 1
"""The version of the snapshot's shape."""

_KEYS = (
    "version",
    "entities",
    "locations",
    "inventory",
    "flags",
    "time",
    "turnOrder",
    "goal",
    "protagonist",
    "language",
    "fingerprint",
)


def snapshot(world: World) -> dict[str, Any]:
    """The world as a document that `restore` turns back into an equal one."""
    return {
        "version": VERSION,
        "entities": {
            e.id: _entity(world, e) for _, e in sorted(world.entities.items())
        },
        "locations": {
            k: msgspec.to_builtins(v) for k, v in sorted(world.locations.items())
        },
        "inventory": {k: list(v) for k, v in world.inventory.items()},
        "flags": dict(sorted(world.flags.items())),
        "time": {"label": world.time.label, "turn": world.time.turn},
        "turnOrder": list(world.turn_order),
        "goal": msgspec.to_builtins(world.goal),
        "protagonist": world.protagonist,
        "language": world.language,
        "fingerprint": fingerprint(world),
    }


def _entity(world: World, entity: Entity) -> dict[str, Any]:
    written: dict[str, Any] = msgspec.to_builtins(entity)
    place = written.pop("place", None)
    if place is not None and holder_of(world, entity.id) is None:
        written["locationId"] = place
    return written


def restore(document: object) -> World:
    """The world a snapshot describes, checked whole before anything uses it.

    Raises:
        TurnError: `SNAPSHOT_INVALID`, with every broken rule in the details.
    """
    if not isinstance(document, Mapping):
        raise _no("a snapshot is an object")
    unknown = sorted(str(k) for k in set(document) - set(_KEYS))
    if unknown:
        raise _no(f"{unknown[0]!r} is no part of a snapshot", near(unknown[0], _KEYS))
    if document.get("version", VERSION) != VERSION:
        raise _no(f"version {document['version']!r} is not {VERSION}")
    world = _built(document)
    broken = broken_invariants(world)
    if broken:
        raise _no(broken[0], broken=broken)
    said = document.get("fingerprint")
    if said is not None and said != fingerprint(world):
        raise _no(f"the fingerprint is {fingerprint(world)!r}, not {said!r}")
    return world


def _built(document: Mapping[str, Any]) -> World:
    try:
        inventory = msgspec.convert(document.get("inventory", {}), dict[Id, list[Id]])
        holders = {thing: who for who, things in inventory.items() for thing in things}
        if sum(map(len, inventory.values())) != len(holders):
            raise _no("one thing is held twice")
        entities = msgspec.convert(
            document.get("entities", {}), dict[Id, dict[str, Any]]
        )
        for named in sorted({*inventory, *holders} - entities.keys()):
            raise _no(f"the inventory names {named!r}, which does not exist")
        return build(
            [_placed(key, facts, holders) for key, facts in entities.items()],
            _same_ids(
                msgspec.convert(document.get("locations", {}), dict[Id, Location])
            ),
            flags=msgspec.convert(document.get("flags", {}), dict[str, bool]),
            time=msgspec.convert(document.get("time", {}), Time),
            turn_order=msgspec.convert(document.get("turnOrder", []), tuple[Id, ...]),
            goal=msgspec.convert(document.get("goal"), Goal | None),
            protagonist=msgspec.convert(document.get("protagonist"), Id | None),
            language=msgspec.convert(document.get("language", "en"), str),
        )
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError) as problem:
        raise _no(str(problem)) from problem


def _placed(key: Id, facts: dict[str, Any], holders: dict[Id, Id]) -> Entity:
    facts = {"id": key} | facts
    place = facts.pop("locationId", None)
    if key in holders and place is not None:
        raise _no(f"{key!r} is held and also lies at {place!r}")
    entity = msgspec.convert(facts | {"place": holders.get(key, place)}, Entity)
    if "kind" in facts:
        entity = replace(entity, kind=written_kind(entity.kind))
    if entity.id != key:
        raise _no(f"the entity under {key!r} calls itself {entity.id!r}")
    return entity


def _same_ids(locations: dict[Id, Location]) -> list[Location]:
    for key, location in locations.items():
        if location.id != key:
            raise _no(f"the location under {key!r} calls itself {location.id!r}")
    return list(locations.values())


def _no(
    why: str, nearest: str | None = None, broken: tuple[str, ...] = ()
) -> TurnError:
    hint = f"did you mean {nearest!r}?" if nearest else "take the snapshot anew"
    return TurnError(
        "SNAPSHOT_INVALID",
        f"the snapshot describes no world: {why}",
        hint=hint,
        details={"broken": list(broken)} if broken else {},
    )


ready(Entity, Goal, Location, Time)
