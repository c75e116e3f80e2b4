"""Predicates about one thing, the actor, the action's own words, or the world at large."""

from typing import Any

from saniwa.core.same import same
from saniwa.rulebook.case import ROLES, Case
from saniwa.rulebook.predicate import (
    Args,
    Param,
    Predicate,
    Provider,
    Test,
    attribute_in,
    entity_in,
    kind_of,
    names_field,
    settled,
)
from saniwa.world.model import DIRECTIONS, Id, Location
from saniwa.world.view import closed, scope, whose_turn

_ROLE = Param("role", "role")
_TARGET = Param("role", "role", "target")
_ATTRIBUTE = Param("attribute", "text")
_VALUE = Param("value", "value")


def _entity_exists(args: Args) -> Test:
    resolve = ROLES[args["role"]].resolve
    return lambda case: resolve(case) is not None


def _exists_or_will(args: Args) -> Test:
    # Actions are weighed one at a time, so what an earlier one created exists already;
    # only the introduction itself is still to come.
    resolve = ROLES[args["role"]].resolve
    return lambda case: resolve(case) is not None or case.type == "introduce"


def _given(args: Args) -> Test:
    role = ROLES[args["role"]]
    if not role.named:
        return _entity_exists(args)
    field = role.reads
    return lambda case: getattr(case, field) is not None


def _entity_type(args: Args) -> Test:
    return _is_kind({"role": args["role"], "kinds": [args["requiredType"]]})


def _is_kind(args: Args) -> Test:
    resolve = ROLES[args["role"]].resolve
    kinds = frozenset(args["kinds"])

    def test(case: Case) -> bool:
        found = resolve(case)
        return found is not None and kind_of(found) in kinds

    return test


def _is_place(args: Args) -> Test:
    resolve = ROLES[args["role"]].resolve
    return lambda case: isinstance(resolve(case), Location)


def _is_direction(args: Args) -> Test:
    field = ROLES[args["role"]].reads
    return lambda case: getattr(case, field, None) in DIRECTIONS


def _eq(args: Args) -> Test:
    return _compare(args, equal=True)


def _neq(args: Args) -> Test:
    return _compare(args, equal=False)


def _compare(args: Args, *, equal: bool) -> Test:
    resolve = ROLES[args["role"]].resolve
    read, wanted = attribute_in(args["attribute"]), args["value"]

    def test(case: Case) -> bool:
        found = resolve(case)
        fact = read(found) if found is not None else None
        return fact is not None and same(fact, wanted) is equal

    return test


def _narrow_eq(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    del known
    if args["attribute"] != "id" or not names_field(args["role"], field):
        return None
    wanted = args["value"]
    only = (Id(wanted),) if isinstance(wanted, str) else ()
    return lambda _case: only


def _attribute_exists(args: Args) -> Test:
    resolve, read = ROLES[args["role"]].resolve, attribute_in(args["attribute"])

    def test(case: Case) -> bool:
        found = resolve(case)
        return found is not None and read(found) is not None

    return test


def _attribute_true(args: Args) -> Test:
    resolve, read = ROLES[args["role"]].resolve, attribute_in(args["attribute"])

    def test(case: Case) -> bool:
        found = resolve(case)
        return found is not None and read(found) is True

    return test


def _attribute_includes(args: Args) -> Test:
    resolve, read = ROLES[args["role"]].resolve, attribute_in(args["attribute"])
    wanted = args["value"]

    def test(case: Case) -> bool:
        found = resolve(case)
        fact = read(found) if found is not None else None
        return isinstance(fact, list) and any(same(f, wanted) for f in fact)

    return test


def _attribute_is(args: Args) -> Test:
    one, other = ROLES[args["role"]].resolve, ROLES[args["ofRole"]].resolve
    read = attribute_in(args["attribute"])

    def test(case: Case) -> bool:
        mine, its = one(case), other(case)
        return mine is not None and its is not None and read(mine) == its.id

    return test


def _narrow_is(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    if not (names_field(args["ofRole"], field) and settled(args["role"], known)):
        return None
    resolve, read = ROLES[args["role"]].resolve, attribute_in(args["attribute"])

    def only(case: Case) -> tuple[Id, ...]:
        found = resolve(case)
        named = read(found) if found is not None else None
        return (Id(named),) if isinstance(named, str) else ()

    return only


def _attribute_ref(args: Args) -> Test:
    checked = ROLES[args["checkRole"]].resolve
    referred = ROLES[args["refRole"]].resolve
    read, prefix = attribute_in(args["refAttribute"]), args["prefix"]

    def test(case: Case) -> bool:
        one, other = checked(case), referred(case)
        word = read(other) if other is not None else None
        if one is None or not isinstance(word, str):
            return False
        return attribute_in(prefix + word)(one) is True

    return test


def _closed(args: Args) -> Test:
    entity = entity_in(args["role"])

    def test(case: Case) -> bool:
        found = entity(case)
        return found is not None and closed(found)

    return test


def _locked(args: Args) -> Test:
    entity = entity_in(args["role"])

    def test(case: Case) -> bool:
        found = entity(case)
        return found is not None and found.locked

    return test


def _actor_id_in(args: Args) -> Test:
    allowed = frozenset(args["allowedIds"])
    return lambda case: case.actor_id in allowed


def _actor_name_in(args: Args) -> Test:
    allowed = frozenset(name.casefold() for name in args["allowedNames"])
    actor = entity_in("actor")

    def test(case: Case) -> bool:
        found = actor(case)
        return found is not None and found.name.casefold() in allowed

    return test


def _is_protagonist(args: Args) -> Test:
    entity = entity_in(args["role"])

    def test(case: Case) -> bool:
        found = entity(case)
        return found is not None and found.id == case.world.protagonist

    return test


def _actors_turn(args: Args) -> Test:
    del args
    return lambda case: whose_turn(case.world) in (None, case.actor_id)


def _flag(args: Args) -> Test:
    name, value = args["name"], args["value"]
    return lambda case: case.world.flags.get(name) is value


def _manner(args: Args) -> Test:
    names = frozenset(args["names"])
    return lambda case: case.manner in names


def _relation(args: Args) -> Test:
    names = frozenset(args["names"])
    return lambda case: case.relation in names


def _metadata_eq(args: Args) -> Test:
    key, wanted = args["key"], args["value"]
    return lambda case: (
        key in (case.metadata or {}) and same((case.metadata or {})[key], wanted)
    )


def _meta_value_not_in_room(args: Args) -> Test:
    key, kind = args["metaKey"], args["entityType"]

    def test(case: Case) -> bool:
        return _unborne(case, (case.metadata or {}).get(key), kind)

    return test


def _name_free(args: Args) -> Test:
    resolve = ROLES[args["role"]].resolve

    def test(case: Case) -> bool:
        known = resolve(case)
        name = known.name if known else (case.metadata or {}).get("name")
        return _unborne(case, case.target_id if name is None else name, None)

    return test


def _unborne(case: Case, name: Any, kind: str | None) -> bool:
    """Whether nobody and nothing the actor can perceive here bears the name."""
    if not isinstance(name, str):
        return False
    here = (case.world.entities.get(i) for i in scope(case.world, case.actor_id))
    return not any(
        e is not None
        and e.name.casefold() == name.casefold()
        and (kind is None or e.kind == kind)
        for e in here
    )


FACTS = (
    Predicate("entityExists", (_ROLE,), _entity_exists),
    Predicate("entityExistsOrWillBeCreated", (_ROLE,), _exists_or_will),
    Predicate("given", (_ROLE,), _given),
    Predicate("entityType", (_ROLE, Param("requiredType", "kind")), _entity_type),
    Predicate("isKind", (_ROLE, Param("kinds", "kinds")), _is_kind),
    Predicate("isPlace", (_ROLE,), _is_place),
    Predicate("isDirection", (_TARGET,), _is_direction),
    Predicate("eq", (_ROLE, _ATTRIBUTE, _VALUE), _eq, _narrow_eq),
    Predicate("neq", (_ROLE, _ATTRIBUTE, _VALUE), _neq),
    Predicate("attributeExists", (_ROLE, _ATTRIBUTE), _attribute_exists),
    Predicate("attributeTrue", (_ROLE, _ATTRIBUTE), _attribute_true),
    Predicate("attributeIncludes", (_ROLE, _ATTRIBUTE, _VALUE), _attribute_includes),
    Predicate(
        "attributeIs",
        (_ROLE, _ATTRIBUTE, Param("ofRole", "role")),
        _attribute_is,
        _narrow_is,
    ),
    Predicate(
        "attributeRef",
        (
            Param("checkRole", "role", "actor"),
            Param("prefix", "text", ""),
            Param("refRole", "role", "target"),
            Param("refAttribute", "text"),
        ),
        _attribute_ref,
    ),
    Predicate("closed", (_TARGET,), _closed),
    Predicate("locked", (_TARGET,), _locked),
    Predicate("actorIdIn", (Param("allowedIds", "texts"),), _actor_id_in),
    Predicate("actorNameIn", (Param("allowedNames", "texts"),), _actor_name_in),
    Predicate("isProtagonist", (Param("role", "role", "actor"),), _is_protagonist),
    Predicate("actorsTurn", (), _actors_turn),
    Predicate("flag", (Param("name", "text"), Param("value", "truth", True)), _flag),
    Predicate("manner", (Param("names", "texts"),), _manner),
    Predicate("relation", (Param("names", "texts"),), _relation),
    Predicate("actionMetadataEq", (Param("key", "text"), _VALUE), _metadata_eq),
    Predicate(
        "metaValueNotInRoom",
        (Param("metaKey", "text", "name"), Param("entityType", "kind", None)),
        _meta_value_not_in_room,
    ),
    Predicate("nameFree", (_TARGET,), _name_free),
)
"""The predicates of this module."""
