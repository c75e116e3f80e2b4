"""Predicates about where things are, who holds them, and what fits what."""

from collections.abc import Iterator

from saniwa.rulebook.predicates import (
    ROLES,
    ActionCase,
    Args,
    Options,
    Predicate,
    PredicateParam,
    Provider,
    Test,
    find_way,
    is_named_by_field,
    is_resolvable,
    make_attribute_reader,
    make_entity_resolver,
)
from saniwa.world.model import Entity, Id
from saniwa.world.queries import contains_entity, find_room, is_holding, list_off_stage, list_scope

_ROLE = PredicateParam("role", "role")
_TARGET = PredicateParam("role", "role", "target")
_LONGEST_CHAIN = 1000


def _is_attribute_held(args: Args) -> Test:
    resolve, read = (ROLES[args["role"]].resolve, make_attribute_reader(args["attribute"]))

    def test(case: ActionCase) -> bool:
        found = resolve(case)
        wanted = read(found) if found is not None else None
        return isinstance(wanted, str) and is_holding(case.world, case.actor_id, Id(wanted))

    return test


def _are_all_held(args: Args) -> Test:
    resolve, read = (ROLES[args["role"]].resolve, make_attribute_reader(args["attribute"]))

    def test(case: ActionCase) -> bool:
        found = resolve(case)
        wanted = read(found) if found is not None else None
        return (
            isinstance(wanted, list)
            and bool(wanted)
            and all(
                isinstance(each, str) and is_holding(case.world, case.actor_id, Id(each))
                for each in wanted
            )
        )

    return test


def _are_hands_full(args: Args) -> Test:
    entity, read = (make_entity_resolver(args["role"]), make_attribute_reader(args["attribute"]))

    def test(case: ActionCase) -> bool:
        found = entity(case)
        most = read(found) if found is not None else None
        if found is None or not isinstance(most, int) or isinstance(most, bool):
            return False
        return len(case.world.contents.get(found.id, ())) >= most

    return test


HOLDING_PREDICATES = (
    Predicate("attributeHeld", (_TARGET, PredicateParam("attribute", "text")), _is_attribute_held),
    Predicate("allHeld", (_TARGET, PredicateParam("attribute", "text")), _are_all_held),
    Predicate(
        "handsFull",
        (PredicateParam("role", "role", "actor"), PredicateParam("attribute", "text", "hands")),
        _are_hands_full,
    ),
)
"""The predicates about what a character holds."""


def _is_in_scope(args: Args) -> Test:
    resolve = ROLES[args["role"]].resolve

    def test(case: ActionCase) -> bool:
        found = resolve(case)
        return found is not None and case.is_in_scope(found.id)

    return test


def _narrow_scope(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    del known
    return _list_scene if is_named_by_field(args["role"], field) else None


def _list_scene(case: ActionCase) -> Options:
    known = case.listed.get(_list_scene)
    if known is None:
        near = {thing: None for thing in _list_nearby(case) if case.is_in_scope(thing)}
        known = case.listed[_list_scene] = tuple(near)
    return known


def _list_nearby(case: ActionCase) -> Iterator[Id]:
    """Yield everything that could be in scope: the actor, the scene, the room."""
    yield case.actor_id
    yield from list_scope(case.world, case.actor_id)
    room = find_room(case.world, case.actor_id)
    if room is not None:
        yield room


def _is_held(args: Args) -> Test:
    entity = make_entity_resolver(args["role"])

    def test(case: ActionCase) -> bool:
        found = entity(case)
        return found is not None and found.place == case.actor_id

    return test


def _narrow_held(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    del known
    return _list_held if is_named_by_field(args["role"], field) else None


def _list_held(case: ActionCase) -> Options:
    world = case.world
    return [
        inner
        for inner in world.contents.get(case.actor_id, ())
        if is_holding(world, case.actor_id, inner)
    ]


def _is_directly_in(args: Args) -> Test:
    entity, holder = (make_entity_resolver(args["role"]), ROLES[args["holderRole"]].resolve)

    def test(case: ActionCase) -> bool:
        inner, outer = entity(case), holder(case)
        return inner is not None and outer is not None and inner.place == outer.id

    return test


def _narrow_directly(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    inner, outer = args["role"], args["holderRole"]
    if is_named_by_field(outer, field) and is_resolvable(inner, known):
        entity = make_entity_resolver(inner)
        return lambda case: (thing.place,) if (thing := entity(case)) else ()
    if is_named_by_field(inner, field) and is_resolvable(outer, known):
        holder = ROLES[outer].resolve
        return lambda case: case.world.contents.get(thing.id, ()) if (thing := holder(case)) else ()
    return None


def _contains(args: Args) -> Test:
    holder, inner = ROLES[args["outerRole"]].resolve, ROLES[args["innerRole"]].resolve

    def test(case: ActionCase) -> bool:
        one, other = holder(case), inner(case)
        if one is None or other is None:
            return False
        return contains_entity(case.world, one.id, other.id)

    return test


def _narrow_contains(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    inner = args["innerRole"]
    if not (is_named_by_field(args["outerRole"], field) and is_resolvable(inner, known)):
        return None
    resolve = ROLES[inner].resolve

    def chain(case: ActionCase) -> Options:
        found = resolve(case)
        here: Id | None = found.id if found else None
        seen: dict[Id, None] = {}
        while here is not None and here not in seen:
            seen[here] = None
            thing = case.world.entities.get(here)
            here = thing.place if thing else None
        # The view treats a cycle, or something nested too deep, as containing
        # everything.
        if here is not None or len(seen) >= _LONGEST_CHAIN:
            return [*case.world.entities, *case.world.locations]
        return seen

    return chain


def _is_same(args: Args) -> Test:
    one, other = ROLES[args["roleA"]].resolve, ROLES[args["roleB"]].resolve

    def test(case: ActionCase) -> bool:
        a, b = one(case), other(case)
        return a is not None and b is not None and a.id == b.id

    return test


def _narrow_same(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    for mine, other in (("roleA", "roleB"), ("roleB", "roleA")):
        if is_named_by_field(args[mine], field) and is_resolvable(args[other], known):
            resolve = ROLES[args[other]].resolve
            return lambda case: (thing.id,) if (thing := resolve(case)) else ()
    return None


def _is_same_location(args: Args) -> Test:
    one, other = ROLES[args["roleA"]].resolve, ROLES[args["roleB"]].resolve

    def test(case: ActionCase) -> bool:
        a, b = one(case), other(case)
        if a is None or b is None:
            return False
        room = find_room(case.world, a.id)
        return room is not None and room == find_room(case.world, b.id)

    return test


def _is_in_inventory(args: Args) -> Test:
    entity, owner = (make_entity_resolver(args["role"]), make_entity_resolver(args["ownerRole"]))

    def test(case: ActionCase) -> bool:
        thing, person = entity(case), owner(case)
        return thing is not None and person is not None and thing.place == person.id

    return test


def _narrow_inventory(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    both = {"role": args["role"], "holderRole": args["ownerRole"]}
    return _narrow_directly(both, field, known)


def _is_possessed(args: Args) -> Test:
    entity = make_entity_resolver(args["role"])

    def test(case: ActionCase) -> bool:
        found = entity(case)
        for _ in range(_LONGEST_CHAIN):
            if found is None or found.place is None:
                return False
            found = case.world.entities.get(found.place)
            if found is not None and found.kind == "character":
                return found.id != case.actor_id
        return False

    return test


def _does_key_fit(args: Args) -> Test:
    lock, key = (make_entity_resolver(args["role"]), make_entity_resolver(args["keyRole"]))

    def test(case: ActionCase) -> bool:
        one, other = lock(case), key(case)
        return one is not None and other is not None and one.required_key == other.id

    return test


def _narrow_key(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    if not (is_named_by_field(args["keyRole"], field) and is_resolvable(args["role"], known)):
        return None
    lock = make_entity_resolver(args["role"])
    return lambda case: (thing.required_key,) if (thing := lock(case)) else ()


def _is_connected(args: Args) -> Test:
    resolve = ROLES[args["role"]].resolve

    def test(case: ActionCase) -> bool:
        found = resolve(case)
        return found is not None and find_way(case, found.id) is not None

    return test


def _narrow_connected(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    del known
    return _list_neighbours if is_named_by_field(args["role"], field) else None


def _list_neighbours(case: ActionCase) -> Options:
    room = find_room(case.world, case.actor_id)
    here = case.world.locations.get(room) if room is not None else None
    return [way.to for way in here.exits] if here else ()


def _make_off_stage_test(args: Args) -> Test:
    entity = make_entity_resolver(args["role"])

    def test(case: ActionCase) -> bool:
        found = entity(case)
        return found is not None and _is_off_stage(case, found)

    return test


def _is_off_stage(case: ActionCase, entity: Entity) -> bool:
    return entity.kind != "door" and find_room(case.world, entity.id) is None


def _narrow_off_stage(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    del known
    if not is_named_by_field(args["role"], field):
        return None
    return _list_off_stage


def _list_off_stage(case: ActionCase) -> Options:
    return list_off_stage(case.world)


PLACEMENT_PREDICATES = (
    Predicate("inScope", (_ROLE,), _is_in_scope, _narrow_scope, exact=True),
    Predicate("held", (_ROLE,), _is_held, _narrow_held, exact=True),
    Predicate(
        "directlyIn",
        (_ROLE, PredicateParam("holderRole", "role")),
        _is_directly_in,
        _narrow_directly,
    ),
    Predicate(
        "contains",
        (PredicateParam("outerRole", "role"), PredicateParam("innerRole", "role")),
        _contains,
        _narrow_contains,
    ),
    Predicate(
        "sameThing",
        (PredicateParam("roleA", "role"), PredicateParam("roleB", "role")),
        _is_same,
        _narrow_same,
    ),
    Predicate(
        "sameLocation",
        (PredicateParam("roleA", "role", "actor"), PredicateParam("roleB", "role", "target")),
        _is_same_location,
    ),
    Predicate(
        "itemInInventory",
        (_TARGET, PredicateParam("ownerRole", "role", "actor")),
        _is_in_inventory,
        _narrow_inventory,
    ),
    Predicate("possessed", (_TARGET,), _is_possessed),
    Predicate(
        "keyFits", (_TARGET, PredicateParam("keyRole", "role", "tool")), _does_key_fit, _narrow_key
    ),
    Predicate("connected", (_TARGET,), _is_connected, _narrow_connected),
    Predicate("offStage", (_TARGET,), _make_off_stage_test, _narrow_off_stage),
)
"""The predicates about where things are and what fits what."""
