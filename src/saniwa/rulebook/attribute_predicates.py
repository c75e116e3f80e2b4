"""Predicates about one thing, the actor, the action's own fields, and the world's flags."""

from collections.abc import Callable
from typing import Any

from saniwa.core.canonical_json import is_same_json
from saniwa.rulebook.predicates import (
    ROLES,
    ActionCase,
    Args,
    Predicate,
    PredicateParam,
    Provider,
    Test,
    get_kind,
    is_named_by_field,
    is_resolvable,
    make_attribute_reader,
    make_entity_resolver,
)
from saniwa.world.model import DIRECTIONS, Id, Location
from saniwa.world.queries import get_turn_actor, is_closed, list_scope

_ROLE = PredicateParam("role", "role")
_TARGET = PredicateParam("role", "role", "target")
_ATTRIBUTE = PredicateParam("attribute", "text")
_VALUE = PredicateParam("value", "value")


def _entity_exists(args: Args) -> Test:
    resolve = ROLES[args["role"]].resolve
    return lambda case: resolve(case) is not None


def _exists_or_is_introduced(args: Args) -> Test:
    # Actions are judged one at a time, so anything an earlier one created already
    # exists; only the introduction itself is still to come.
    resolve = ROLES[args["role"]].resolve
    return lambda case: resolve(case) is not None or case.type == "introduce"


def _is_entity_type(args: Args) -> Test:
    return _is_kind({"role": args["role"], "kinds": [args["requiredType"]]})


def _is_kind(args: Args) -> Test:
    resolve = ROLES[args["role"]].resolve
    kinds = frozenset(args["kinds"])

    def test(case: ActionCase) -> bool:
        found = resolve(case)
        return found is not None and get_kind(found) in kinds

    return test


def _is_place(args: Args) -> Test:
    resolve = ROLES[args["role"]].resolve
    return lambda case: isinstance(resolve(case), Location)


def _is_direction(args: Args) -> Test:
    field = ROLES[args["role"]].reads
    return lambda case: getattr(case, field, None) in DIRECTIONS


def _equals(args: Args) -> Test:
    return _compare(args, equal=True)


def _differs(args: Args) -> Test:
    return _compare(args, equal=False)


def _compare(args: Args, *, equal: bool) -> Test:
    wanted = args["value"]
    return _make_attribute_test(
        args, lambda fact: fact is not None and is_same_json(fact, wanted) is equal
    )


def _make_attribute_test(args: Args, holds: Callable[[Any], bool]) -> Test:
    """Return a test of one attribute, which is None where there is none."""
    resolve, read = ROLES[args["role"]].resolve, make_attribute_reader(args["attribute"])

    def test(case: ActionCase) -> bool:
        found = resolve(case)
        return found is not None and holds(read(found))

    return test


def _narrow_eq(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    del known
    if args["attribute"] != "id" or not is_named_by_field(args["role"], field):
        return None
    wanted = args["value"]
    only = (Id(wanted),) if isinstance(wanted, str) else ()
    return lambda _case: only


def _attribute_exists(args: Args) -> Test:
    return _make_attribute_test(args, lambda fact: fact is not None)


def _attribute_true(args: Args) -> Test:
    return _make_attribute_test(args, lambda fact: fact is True)


def _attribute_includes(args: Args) -> Test:
    wanted = args["value"]
    return _make_attribute_test(
        args,
        lambda fact: isinstance(fact, list) and any(is_same_json(each, wanted) for each in fact),
    )


def _attribute_is(args: Args) -> Test:
    one, other = ROLES[args["role"]].resolve, ROLES[args["ofRole"]].resolve
    read = make_attribute_reader(args["attribute"])

    def test(case: ActionCase) -> bool:
        first, second = one(case), other(case)
        return first is not None and second is not None and read(first) == second.id

    return test


def _narrow_is(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    if not (is_named_by_field(args["ofRole"], field) and is_resolvable(args["role"], known)):
        return None
    resolve, read = (ROLES[args["role"]].resolve, make_attribute_reader(args["attribute"]))

    def only(case: ActionCase) -> tuple[Id, ...]:
        found = resolve(case)
        named = read(found) if found is not None else None
        return (Id(named),) if isinstance(named, str) else ()

    return only


def _attribute_ref(args: Args) -> Test:
    checked = ROLES[args["checkRole"]].resolve
    referred = ROLES[args["refRole"]].resolve
    read, prefix = make_attribute_reader(args["refAttribute"]), args["prefix"]

    def test(case: ActionCase) -> bool:
        one, other = checked(case), referred(case)
        word = read(other) if other is not None else None
        if one is None or not isinstance(word, str):
            return False
        return make_attribute_reader(prefix + word)(one) is True

    return test


def _is_closed(args: Args) -> Test:
    entity = make_entity_resolver(args["role"])

    def test(case: ActionCase) -> bool:
        found = entity(case)
        return found is not None and is_closed(found)

    return test


def _is_locked(args: Args) -> Test:
    entity = make_entity_resolver(args["role"])

    def test(case: ActionCase) -> bool:
        found = entity(case)
        return found is not None and found.locked

    return test


ATTRIBUTE_PREDICATES = (
    Predicate("entityExists", (_ROLE,), _entity_exists),
    Predicate("entityExistsOrWillBeCreated", (_ROLE,), _exists_or_is_introduced),
    Predicate("entityType", (_ROLE, PredicateParam("requiredType", "kind")), _is_entity_type),
    Predicate("isKind", (_ROLE, PredicateParam("kinds", "kinds")), _is_kind),
    Predicate("isPlace", (_ROLE,), _is_place),
    Predicate("isDirection", (_TARGET,), _is_direction),
    Predicate("eq", (_ROLE, _ATTRIBUTE, _VALUE), _equals, _narrow_eq),
    Predicate("neq", (_ROLE, _ATTRIBUTE, _VALUE), _differs),
    Predicate("attributeExists", (_ROLE, _ATTRIBUTE), _attribute_exists),
    Predicate("attributeTrue", (_ROLE, _ATTRIBUTE), _attribute_true),
    Predicate("attributeIncludes", (_ROLE, _ATTRIBUTE, _VALUE), _attribute_includes),
    Predicate(
        "attributeIs",
        (_ROLE, _ATTRIBUTE, PredicateParam("ofRole", "role")),
        _attribute_is,
        _narrow_is,
    ),
    Predicate(
        "attributeRef",
        (
            PredicateParam("checkRole", "role", "actor"),
            PredicateParam("prefix", "text", ""),
            PredicateParam("refRole", "role", "target"),
            PredicateParam("refAttribute", "text"),
        ),
        _attribute_ref,
    ),
    Predicate("closed", (_TARGET,), _is_closed),
    Predicate("locked", (_TARGET,), _is_locked),
)
"""The predicates of this module."""


def _is_given(args: Args) -> Test:
    role = ROLES[args["role"]]
    if not role.named:
        resolve = role.resolve
        return lambda case: resolve(case) is not None
    field = role.reads
    return lambda case: getattr(case, field) is not None


def _actor_id_in(args: Args) -> Test:
    allowed = frozenset(args["allowedIds"])
    return lambda case: case.actor_id in allowed


def _actor_name_in(args: Args) -> Test:
    allowed = frozenset(name.casefold() for name in args["allowedNames"])
    actor = make_entity_resolver("actor")

    def test(case: ActionCase) -> bool:
        found = actor(case)
        return found is not None and found.name.casefold() in allowed

    return test


def _is_protagonist(args: Args) -> Test:
    entity = make_entity_resolver(args["role"])

    def test(case: ActionCase) -> bool:
        found = entity(case)
        return found is not None and found.id == case.world.protagonist

    return test


def _is_actors_turn(args: Args) -> Test:
    del args
    return lambda case: get_turn_actor(case.world) in (None, case.actor_id)


def _has_flag(args: Args) -> Test:
    name, value = args["name"], args["value"]
    return lambda case: case.world.flags.get(name) is value


def _has_manner(args: Args) -> Test:
    names = frozenset(args["names"])
    return lambda case: case.manner in names


def _has_relation(args: Args) -> Test:
    names = frozenset(args["names"])
    return lambda case: case.relation in names


def _metadata_eq(args: Args) -> Test:
    key, wanted = args["key"], args["value"]
    return lambda case: (
        key in (case.metadata or {}) and is_same_json((case.metadata or {})[key], wanted)
    )


def _meta_value_not_in_room(args: Args) -> Test:
    key, kind = args["metaKey"], args["entityType"]

    def test(case: ActionCase) -> bool:
        return _is_name_unused(case, (case.metadata or {}).get(key), kind)

    return test


def _has_free_name(args: Args) -> Test:
    resolve = ROLES[args["role"]].resolve

    def test(case: ActionCase) -> bool:
        known = resolve(case)
        name = known.name if known else (case.metadata or {}).get("name")
        return _is_name_unused(case, case.target_id if name is None else name, None)

    return test


def _is_name_unused(case: ActionCase, name: Any, kind: str | None) -> bool:
    """Whether no entity that the actor can perceive here has the name."""
    if not isinstance(name, str):
        return False
    here = (case.world.entities.get(i) for i in list_scope(case.world, case.actor_id))
    return not any(
        e is not None and e.name.casefold() == name.casefold() and (kind is None or e.kind == kind)
        for e in here
    )


ACTION_PREDICATES = (
    Predicate("given", (_ROLE,), _is_given),
    Predicate("actorIdIn", (PredicateParam("allowedIds", "texts"),), _actor_id_in),
    Predicate("actorNameIn", (PredicateParam("allowedNames", "texts"),), _actor_name_in),
    Predicate("isProtagonist", (PredicateParam("role", "role", "actor"),), _is_protagonist),
    Predicate("actorsTurn", (), _is_actors_turn),
    Predicate(
        "flag", (PredicateParam("name", "text"), PredicateParam("value", "truth", True)), _has_flag
    ),
    Predicate("manner", (PredicateParam("names", "texts"),), _has_manner),
    Predicate("relation", (PredicateParam("names", "texts"),), _has_relation),
    Predicate("actionMetadataEq", (PredicateParam("key", "text"), _VALUE), _metadata_eq),
    Predicate(
        "metaValueNotInRoom",
        (PredicateParam("metaKey", "text", "name"), PredicateParam("entityType", "kind", None)),
        _meta_value_not_in_room,
    ),
    Predicate("nameFree", (_TARGET,), _has_free_name),
)
"""The predicates of this module."""
