"""Predicates about one thing: its kind, its attributes, whether it exists."""

from saniwa.core.json_values import is_same_json
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
from saniwa.world.view import is_closed

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
    resolve = ROLES[args["role"]].resolve
    read, wanted = make_attribute_reader(args["attribute"]), args["value"]

    def test(case: ActionCase) -> bool:
        found = resolve(case)
        fact = read(found) if found is not None else None
        return fact is not None and is_same_json(fact, wanted) is equal

    return test


def _narrow_eq(args: Args, field: str, known: frozenset[str]) -> Provider | None:
    del known
    if args["attribute"] != "id" or not is_named_by_field(args["role"], field):
        return None
    wanted = args["value"]
    only = (Id(wanted),) if isinstance(wanted, str) else ()
    return lambda _case: only


def _attribute_exists(args: Args) -> Test:
    resolve, read = (ROLES[args["role"]].resolve, make_attribute_reader(args["attribute"]))

    def test(case: ActionCase) -> bool:
        found = resolve(case)
        return found is not None and read(found) is not None

    return test


def _attribute_true(args: Args) -> Test:
    resolve, read = (ROLES[args["role"]].resolve, make_attribute_reader(args["attribute"]))

    def test(case: ActionCase) -> bool:
        found = resolve(case)
        return found is not None and read(found) is True

    return test


def _attribute_includes(args: Args) -> Test:
    resolve, read = (ROLES[args["role"]].resolve, make_attribute_reader(args["attribute"]))
    wanted = args["value"]

    def test(case: ActionCase) -> bool:
        found = resolve(case)
        fact = read(found) if found is not None else None
        return isinstance(fact, list) and any(is_same_json(f, wanted) for f in fact)

    return test


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
