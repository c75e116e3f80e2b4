"""Predicates about the actor, the action's own fields, and the world's flags."""

from typing import Any

from saniwa.core.json_values import is_same_json
from saniwa.rulebook.predicates import (
    ROLES,
    ActionCase,
    Args,
    Predicate,
    PredicateParam,
    Test,
    make_entity_resolver,
)
from saniwa.world.view import get_turn_actor, list_scope

_ROLE = PredicateParam("role", "role")
_TARGET = PredicateParam("role", "role", "target")
_VALUE = PredicateParam("value", "value")


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
