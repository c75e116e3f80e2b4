"""Conditions: predicates joined by and, or, not; read from a document, made into tests.

Nothing in a book is evaluated as code: a condition names predicates of a closed list.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never

from saniwa.rulebook.case import Case
from saniwa.rulebook.facts import FACTS
from saniwa.rulebook.hands import HANDS
from saniwa.rulebook.predicate import Args, Predicate, Provider, Test, names_field
from saniwa.rulebook.relations import RELATIONS

VOCABULARY: Final[dict[str, Predicate]] = {
    p.name: p for p in (*FACTS, *RELATIONS, *HANDS)
}
"""The closed list of predicates, by name; a book's plugins come on top."""

JOINTS: Final = ("and", "or", "not")
"""The words that join predicates."""


@dataclass(frozen=True, slots=True)
class All:
    """Holds where every part holds."""

    parts: "tuple[Condition, ...]"
    """The parts, in the author's order."""


@dataclass(frozen=True, slots=True)
class Either:
    """Holds where at least one part holds."""

    parts: "tuple[Condition, ...]"
    """The parts, in the author's order."""


@dataclass(frozen=True, slots=True)
class Not:
    """Holds where its part does not."""

    part: "Condition"
    """The part."""


@dataclass(frozen=True, slots=True)
class Atom:
    """One predicate with its arguments."""

    predicate: Predicate
    """The predicate."""
    args: Args
    """Its arguments, checked and complete."""


Condition = All | Either | Not | Atom


def test_of(condition: Condition) -> Test:
    """The condition as a plain function, ready to be asked many times."""
    match condition:
        case Atom(predicate, args):
            return predicate.build(args)
        case Not(part):
            inner = test_of(part)
            return lambda case: not inner(case)
        case All(parts):
            return every_one([test_of(part) for part in parts])
        case Either(parts):
            return _some([test_of(part) for part in parts])
        case _:
            assert_never(condition)


def every_one(tests: Sequence[Test]) -> Test:
    """A test that passes where all of them do."""
    if len(tests) == 1:
        return tests[0]
    if len(tests) == 2:
        one, other = tests
        return lambda case: one(case) and other(case)

    def test(case: Case) -> bool:
        # No generator: this is where judging spends its time.
        for each in tests:  # noqa: SIM110
            if not each(case):
                return False
        return True

    return test


def _some(tests: Sequence[Test]) -> Test:
    if len(tests) == 2:
        one, other = tests
        return lambda case: one(case) or other(case)

    def test(case: Case) -> bool:
        for each in tests:  # noqa: SIM110
            if each(case):
                return True
        return False

    return test


def document_of(condition: Condition) -> dict[str, Any]:
    """The condition in its one full form, `{"op": …}` all the way down."""
    match condition:
        case Atom(predicate, args):
            return {"op": predicate.name, **args}
        case Not(part):
            return {"op": "not", "condition": document_of(part)}
        case All(parts):
            return {"op": "and", "conditions": [document_of(p) for p in parts]}
        case Either(parts):
            return {"op": "or", "conditions": [document_of(p) for p in parts]}
        case _:
            assert_never(condition)


def reads(condition: Condition) -> frozenset[str] | None:
    """The action's fields the condition depends on; None for all of them."""
    match condition:
        case Atom(predicate, args):
            return predicate.reads(args)
        case Not(part):
            return reads(part)
        case All(parts) | Either(parts):
            fields: frozenset[str] = frozenset()
            for part in parts:
                more = reads(part)
                if more is None:
                    return None
                fields |= more
            return fields
        case _:
            assert_never(condition)


def narrowed(
    condition: Condition, field: str, known: frozenset[str]
) -> tuple[Provider, ...]:
    """Ways to list every value of a field under which the condition can hold.

    Each lists all of them and perhaps more, so any one will do; none means that any
    value may satisfy it. Fields in `known` are settled by the time the list is asked for.
    Only things that exist are meant, and None for a field left out.
    """
    match condition:
        case Atom(predicate, args):
            found = predicate.narrow and predicate.narrow(args, field, known)
            return (found,) if found else ()
        case Not(Atom(predicate, args)):
            # Among what exists, only a field left out is not given and does not exist.
            absent = predicate.name in ("given", "entityExists")
            return (_left_out,) if absent and names_field(args["role"], field) else ()
        case All(parts):
            return tuple(p for part in parts for p in narrowed(part, field, known))
        case Either(parts):
            return _either(tuple(narrowed(part, field, known) for part in parts))
        case Not():
            return ()
        case _:
            assert_never(condition)


def assured(condition: Condition, field: str, *, optional: bool) -> bool:
    """Whether the condition holds for every existing value that `narrowed` lists.

    Then it need not be asked again. A field that may be left out must be allowed to be.
    """
    match condition:
        case Atom(predicate, args):
            sure = predicate.exact or predicate.name == "entityExists"
            return sure and not optional and names_field(args["role"], field)
        case Either((Not(Atom(given, args)), part)):
            left_out = given.name == "given" and names_field(args["role"], field)
            return left_out and assured(part, field, optional=False)
        case _:
            return False


def _either(branches: tuple[tuple[Provider, ...], ...]) -> tuple[Provider, ...]:
    if not all(branches):
        return ()
    firsts = tuple(branch[0] for branch in branches)
    return (lambda case: (value for first in firsts for value in first(case)),)


def _left_out(case: Case) -> tuple[None]:
    del case
    return (None,)
