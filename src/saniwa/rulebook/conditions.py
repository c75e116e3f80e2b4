"""The types of conditions, and their compiled tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never

from saniwa.rulebook.attribute_predicates import ACTION_PREDICATES, ATTRIBUTE_PREDICATES
from saniwa.rulebook.placement_predicates import HOLDING_PREDICATES, PLACEMENT_PREDICATES
from saniwa.rulebook.predicates import (
    ActionCase,
    Args,
    Predicate,
    Provider,
    Test,
    is_named_by_field,
)

VOCABULARY: Final[dict[str, Predicate]] = {
    p.name: p
    for p in (*ATTRIBUTE_PREDICATES, *ACTION_PREDICATES, *PLACEMENT_PREDICATES, *HOLDING_PREDICATES)
}
"""The closed list of predicates, by name; a book's plugins are added to it."""

JOINTS: Final = ("and", "or", "not")
"""The words that join predicates."""


@dataclass(frozen=True, slots=True)
class AllCondition:
    """Holds if every part holds."""

    parts: "tuple[Condition, ...]"
    """The parts, in the author's order."""


@dataclass(frozen=True, slots=True)
class AnyCondition:
    """Holds if at least one part holds."""

    parts: "tuple[Condition, ...]"
    """The parts, in the author's order."""


@dataclass(frozen=True, slots=True)
class NotCondition:
    """Holds if its part does not."""

    part: "Condition"
    """The part."""


@dataclass(frozen=True, slots=True)
class PredicateCondition:
    """One predicate with its arguments."""

    predicate: Predicate
    """The predicate."""
    args: Args
    """Its arguments, checked and complete."""


Condition = AllCondition | AnyCondition | NotCondition | PredicateCondition


def build_test(condition: Condition) -> Test:
    """Compile the condition into a function that can be called many times."""
    match condition:
        case PredicateCondition(predicate, args):
            return predicate.build(args)
        case NotCondition(part):
            inner = build_test(part)
            return lambda case: not inner(case)
        case AllCondition(parts):
            return join_tests([build_test(part) for part in parts])
        case AnyCondition(parts):
            return _join_alternatives([build_test(part) for part in parts])
        case _:
            assert_never(condition)


def join_tests(tests: Sequence[Test]) -> Test:
    """Return a test that passes if all of them pass."""
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        one, other = tests
        return lambda case: one(case) and other(case)

    def test(case: ActionCase) -> bool:
        # No generator: this is where judging spends its time.
        for each in tests:  # noqa: SIM110
            if not each(case):
                return False
        return True

    return test


def _join_alternatives(tests: Sequence[Test]) -> Test:
    if len(tests) == 2:
        one, other = tests
        return lambda case: one(case) or other(case)

    def test(case: ActionCase) -> bool:
        for each in tests:  # noqa: SIM110
            if each(case):
                return True
        return False

    return test


def render_condition(condition: Condition) -> dict[str, Any]:
    """Return the condition in its full form, `{"op": …}` at every level."""
    match condition:
        case PredicateCondition(predicate, args):
            return {"op": predicate.name, **args}
        case NotCondition(part):
            return {"op": "not", "condition": render_condition(part)}
        case AllCondition(parts):
            return {"op": "and", "conditions": [render_condition(p) for p in parts]}
        case AnyCondition(parts):
            return {"op": "or", "conditions": [render_condition(p) for p in parts]}
        case _:
            assert_never(condition)


def list_fields_read(condition: Condition) -> frozenset[str] | None:
    """Return the action's fields the condition depends on; None for all of them."""
    match condition:
        case PredicateCondition(predicate, args):
            return predicate.list_fields_read(args)
        case NotCondition(part):
            return list_fields_read(part)
        case AllCondition(parts) | AnyCondition(parts):
            fields: frozenset[str] = frozenset()
            for part in parts:
                more = list_fields_read(part)
                if more is None:
                    return None
                fields |= more
            return fields
        case _:
            assert_never(condition)


def find_providers(condition: Condition, field: str, known: frozenset[str]) -> tuple[Provider, ...]:
    """Return ways to list every value of a field under which the condition can hold.

    Each lists all of those values and perhaps more, so any one of them is enough; an
    empty result means that any value may satisfy the condition. Fields in `known` have
    a value when the list is made. Only existing things are listed, and None for an
    omitted field.
    """
    match condition:
        case PredicateCondition(predicate, args):
            found = predicate.narrow and predicate.narrow(args, field, known)
            return (found,) if found else ()
        case NotCondition(PredicateCondition(predicate, args)):
            # Among what exists, only an omitted field is not given and does not exist.
            absent = predicate.name in ("given", "entityExists")
            return (_provide_none,) if absent and is_named_by_field(args["role"], field) else ()
        case AllCondition(parts):
            return tuple(p for part in parts for p in find_providers(part, field, known))
        case AnyCondition(parts):
            return _merge_branches(tuple(find_providers(part, field, known) for part in parts))
        case NotCondition():
            return ()
        case _:
            assert_never(condition)


def is_assured(condition: Condition, field: str, *, optional: bool) -> bool:
    """Whether the condition holds for every existing value that `find_providers` lists.

    Then it need not be tested again. For an optional field, the condition must also
    allow the field to be omitted.
    """
    match condition:
        case PredicateCondition(predicate, args):
            sure = predicate.exact or predicate.name == "entityExists"
            return sure and not optional and is_named_by_field(args["role"], field)
        case AnyCondition((NotCondition(PredicateCondition(given, args)), part)):
            left_out = given.name == "given" and is_named_by_field(args["role"], field)
            return left_out and is_assured(part, field, optional=False)
        case _:
            return False


def _merge_branches(branches: tuple[tuple[Provider, ...], ...]) -> tuple[Provider, ...]:
    if not all(branches):
        return ()
    firsts = tuple(branch[0] for branch in branches)
    return (lambda case: (value for first in firsts for value in first(case)),)


def _provide_none(case: ActionCase) -> tuple[None]:
    del case
    return (None,)
