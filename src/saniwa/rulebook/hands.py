"""Predicates about what is in somebody's hands, and how much."""

from saniwa.rulebook.case import ROLES, Case
from saniwa.rulebook.predicate import (
    Args,
    Param,
    Predicate,
    Test,
    attribute_in,
    entity_in,
)
from saniwa.world.model import Id
from saniwa.world.view import holds

_TARGET = Param("role", "role", "target")


def _attribute_held(args: Args) -> Test:
    resolve, read = ROLES[args["role"]].resolve, attribute_in(args["attribute"])

    def test(case: Case) -> bool:
        found = resolve(case)
        wanted = read(found) if found is not None else None
        return isinstance(wanted, str) and holds(case.world, case.actor_id, Id(wanted))

    return test


def _all_held(args: Args) -> Test:
    resolve, read = ROLES[args["role"]].resolve, attribute_in(args["attribute"])

    def test(case: Case) -> bool:
        found = resolve(case)
        wanted = read(found) if found is not None else None
        return (
            isinstance(wanted, list)
            and bool(wanted)
            and all(
                isinstance(each, str) and holds(case.world, case.actor_id, Id(each))
                for each in wanted
            )
        )

    return test


def _hands_full(args: Args) -> Test:
    entity, read = entity_in(args["role"]), attribute_in(args["attribute"])

    def test(case: Case) -> bool:
        found = entity(case)
        most = read(found) if found is not None else None
        if found is None or not isinstance(most, int) or isinstance(most, bool):
            return False
        return len(case.world.contents.get(found.id, ())) >= most

    return test


HANDS = (
    Predicate("attributeHeld", (_TARGET, Param("attribute", "text")), _attribute_held),
    Predicate("allHeld", (_TARGET, Param("attribute", "text")), _all_held),
    Predicate(
        "handsFull",
        (Param("role", "role", "actor"), Param("attribute", "text", "hands")),
        _hands_full,
    ),
)
"""The predicates of this module."""
