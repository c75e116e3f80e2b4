"""Predicates about where things are, who holds them, and what fits what."""

from collections.abc import Iterator

from saniwa.rulebook.case import ROLES, Case, way_to
from saniwa.rulebook.predicate import (
    Args,
    Options,
    Param,
    Predicate,
    Provider,
    Test,
    entity_in,
    names_field,
    settled,
)
from saniwa.world.model import Entity, Id
from saniwa.world.view import contains, holds, off_stage, room_of, scope

_ROLE = Param("role", "role")
_TARGET = Param("role", "role", "target")
_LONGEST_CHAIN = 1000


def _in_scope(args: Args) -> Test:
    resolve = ROLES[args["role"]].resolve

    def test(case: Case) -> bool:
        found = resolve(case)
        return found is not None and case.in_scope(found.id)

    return test


def _narrow_scope(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    del known
    return _scene if names_field(args["role"], field) else None


def _scene(case: Case) -> Options:
    known = case.listed.get(_scene)
    if known is None:
        near = {thing: None for thing in _nearby(case) if case.in_scope(thing)}
        known = case.listed[_scene] = tuple(near)
    return known


def _nearby(case: Case) -> Iterator[Id]:
    """Everything that could be in scope: the actor, the scene, the room."""
    yield case.actor_id
    yield from scope(case.world, case.actor_id)
    room = room_of(case.world, case.actor_id)
    if room is not None:
        yield room


def _held(args: Args) -> Test:
    entity = entity_in(args["role"])

    def test(case: Case) -> bool:
        found = entity(case)
        return found is not None and found.place == case.actor_id

    return test


def _narrow_held(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    del known
    return _hands if names_field(args["role"], field) else None


def _hands(case: Case) -> Options:
    world = case.world
    return [
        inner
        for inner in world.contents.get(case.actor_id, ())
        if holds(world, case.actor_id, inner)
    ]


def _directly_in(args: Args) -> Test:
    entity, holder = entity_in(args["role"]), ROLES[args["holderRole"]].resolve

    def test(case: Case) -> bool:
        inner, outer = entity(case), holder(case)
        return inner is not None and outer is not None and inner.place == outer.id

    return test


def _narrow_directly(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    inner, outer = args["role"], args["holderRole"]
    if names_field(outer, field) and settled(inner, known):
        entity = entity_in(inner)
        return lambda case: (thing.place,) if (thing := entity(case)) else ()
    if names_field(inner, field) and settled(outer, known):
        holder = ROLES[outer].resolve
        return lambda case: (
            case.world.contents.get(thing.id, ()) if (thing := holder(case)) else ()
        )
    return None


def _contains(args: Args) -> Test:
    holder, inner = ROLES[args["outerRole"]].resolve, ROLES[args["innerRole"]].resolve

    def test(case: Case) -> bool:
        one, other = holder(case), inner(case)
        if one is None or other is None:
            return False
        return contains(case.world, one.id, other.id)

    return test


def _narrow_contains(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    inner = args["innerRole"]
    if not (names_field(args["outerRole"], field) and settled(inner, known)):
        return None
    resolve = ROLES[inner].resolve

    def chain(case: Case) -> Options:
        found = resolve(case)
        here: Id | None = found.id if found else None
        seen: dict[Id, None] = {}
        while here is not None and here not in seen:
            seen[here] = None
            thing = case.world.entities.get(here)
            here = thing.place if thing else None
        # The view takes a ring, or what is nested too deep, to contain everything.
        if here is not None or len(seen) >= _LONGEST_CHAIN:
            return [*case.world.entities, *case.world.locations]
        return seen

    return chain


def _same_thing(args: Args) -> Test:
    one, other = ROLES[args["roleA"]].resolve, ROLES[args["roleB"]].resolve

    def test(case: Case) -> bool:
        a, b = one(case), other(case)
        return a is not None and b is not None and a.id == b.id

    return test


def _narrow_same(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    for mine, other in (("roleA", "roleB"), ("roleB", "roleA")):
        if names_field(args[mine], field) and settled(args[other], known):
            resolve = ROLES[args[other]].resolve
            return lambda case: (thing.id,) if (thing := resolve(case)) else ()
    return None


def _same_location(args: Args) -> Test:
    one, other = ROLES[args["roleA"]].resolve, ROLES[args["roleB"]].resolve

    def test(case: Case) -> bool:
        a, b = one(case), other(case)
        if a is None or b is None:
            return False
        room = room_of(case.world, a.id)
        return room is not None and room == room_of(case.world, b.id)

    return test


def _item_in_inventory(args: Args) -> Test:
    entity, owner = entity_in(args["role"]), entity_in(args["ownerRole"])

    def test(case: Case) -> bool:
        thing, person = entity(case), owner(case)
        return thing is not None and person is not None and thing.place == person.id

    return test


def _narrow_inventory(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    both = {"role": args["role"], "holderRole": args["ownerRole"]}
    return _narrow_directly(both, field, known)


def _possessed(args: Args) -> Test:
    entity = entity_in(args["role"])

    def test(case: Case) -> bool:
        found = entity(case)
        for _ in range(_LONGEST_CHAIN):
            if found is None or found.place is None:
                return False
            found = case.world.entities.get(found.place)
            if found is not None and found.kind == "character":
                return found.id != case.actor_id
        return False

    return test


def _key_fits(args: Args) -> Test:
    lock, key = entity_in(args["role"]), entity_in(args["keyRole"])

    def test(case: Case) -> bool:
        one, other = lock(case), key(case)
        return one is not None and other is not None and one.required_key == other.id

    return test


def _narrow_key(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    if not (names_field(args["keyRole"], field) and settled(args["role"], known)):
        return None
    lock = entity_in(args["role"])
    return lambda case: (thing.required_key,) if (thing := lock(case)) else ()


def _connected(args: Args) -> Test:
    resolve = ROLES[args["role"]].resolve

    def test(case: Case) -> bool:
        found = resolve(case)
        return found is not None and way_to(case, found.id) is not None

    return test


def _narrow_connected(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    del known
    return _neighbours if names_field(args["role"], field) else None


def _neighbours(case: Case) -> Options:
    room = room_of(case.world, case.actor_id)
    here = case.world.locations.get(room) if room is not None else None
    return [way.to for way in here.exits] if here else ()


def _off_stage(args: Args) -> Test:
    entity = entity_in(args["role"])

    def test(case: Case) -> bool:
        found = entity(case)
        return found is not None and _is_off_stage(case, found)

    return test


def _is_off_stage(case: Case, entity: Entity) -> bool:
    return entity.kind != "door" and room_of(case.world, entity.id) is None


def _narrow_off_stage(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    del known
    if not names_field(args["role"], field):
        return None
    return _unplaced


def _unplaced(case: Case) -> Options:
    return off_stage(case.world)


RELATIONS = (
    Predicate("inScope", (_ROLE,), _in_scope, _narrow_scope, exact=True),
    Predicate("held", (_ROLE,), _held, _narrow_held, exact=True),
    Predicate(
        "directlyIn",
        (_ROLE, Param("holderRole", "role")),
        _directly_in,
        _narrow_directly,
    ),
    Predicate(
        "contains",
        (Param("outerRole", "role"), Param("innerRole", "role")),
        _contains,
        _narrow_contains,
    ),
    Predicate(
        "sameThing",
        (Param("roleA", "role"), Param("roleB", "role")),
        _same_thing,
        _narrow_same,
    ),
    Predicate(
        "sameLocation",
        (Param("roleA", "role", "actor"), Param("roleB", "role", "target")),
        _same_location,
    ),
    Predicate(
        "itemInInventory",
        (_TARGET, Param("ownerRole", "role", "actor")),
        _item_in_inventory,
        _narrow_inventory,
    ),
    Predicate("possessed", (_TARGET,), _possessed),
    Predicate(
        "keyFits", (_TARGET, Param("keyRole", "role", "tool")), _key_fits, _narrow_key
    ),
    Predicate("connected", (_TARGET,), _connected, _narrow_connected),
    Predicate("offStage", (_TARGET,), _off_stage, _narrow_off_stage),
)
"""The predicates of this module."""
