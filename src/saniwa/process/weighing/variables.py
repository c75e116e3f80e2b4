"""What a run's variables may be, and who may set them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from saniwa.core.errors import ProcessError
from saniwa.core.quoted import quoted
from saniwa.process.definition import EventDefinition
from saniwa.process.ruling import Problem
from saniwa.process.weighing.plan import Plan
from saniwa.process.weighing.request import unwritable

_CHOICES = {
    "exploration_mode": ("domain", "design", "hybrid"),
    "team_mode": ("solo", "team", "async"),
}
GIVEN = frozenset(_CHOICES)
"""Variables that every run may be given at its beginning, whatever its schema names."""
_LISTS = ("assumptions", "decision_criteria")
MOST = 1_000
"""Variables a run may have; what hooks set is not counted."""
LONGEST_NAME = 200
"""Letters a variable's name may have."""
LARGEST = 100_000
"""Bytes that variables given at the beginning may have as JSON."""


def payload_problems(
    plan: Plan, event: EventDefinition, payload: Mapping[str, Any]
) -> Iterator[Problem]:
    """What is wrong with setting variables by an event's payload.

    A variable that a guard reads is set only by an event whose schema names it: else any
    sender could talk its way past the guard.
    """
    schema = event.payload_schema
    declared = schema.get("properties", {}) if isinstance(schema, dict) else {}
    for name in sorted(plan.guarded_variables.intersection(payload)):
        if name not in declared:
            yield Problem(
                f"/payload/{name}",
                f"a guard reads {quoted(name)}: only an event whose payload_schema "
                "names it may set it",
            )


def problems(plan: Plan, variables: Mapping[str, Any], where: str) -> Iterator[Problem]:
    """What is wrong with a run's variables; `where` is the pointer before each name."""
    yield from _name_problems(variables, where)
    for name, choices in _CHOICES.items():
        if name in variables and variables[name] not in choices:
            yield Problem(f"{where}/{name}", f"must be one of {', '.join(choices)}")
    for name in _LISTS:
        value = variables.get(name, [])
        if not isinstance(value, list) or any(not isinstance(v, str) for v in value):
            yield Problem(f"{where}/{name}", "must be a list of texts")
    checker = plan.variables_checker()
    if checker is not None:
        for found in checker.problems(dict(variables)):
            yield Problem(f"{where}{found.path}", found.message)


def _name_problems(variables: Mapping[str, Any], where: str) -> Iterator[Problem]:
    if len(variables) > MOST:
        yield Problem(where, f"a run has at most {MOST} variables")
    for name in variables:
        if len(name) > LONGEST_NAME or not name.isprintable():
            told = f"a name has at most {LONGEST_NAME} letters, all of them visible"
            yield Problem(f"{where}/{quoted(name)}", told)
            return


def opening_problems(plan: Plan, given: Mapping[str, Any]) -> Iterator[Problem]:
    """What is wrong with the variables somebody gives a new run."""
    schema = plan.process.variables_schema
    declared = schema.get("properties", {}) if isinstance(schema, dict) else {}
    for name in sorted(plan.guarded_variables.intersection(given)):
        if name not in declared and name not in GIVEN:
            yield Problem(
                f"/context/{name}",
                f"a guard reads {quoted(name)}: it is given at the beginning only if "
                "context_schema names it",
            )


def first_variables(plan: Plan, given: Mapping[str, Any]) -> dict[str, Any]:
    """The variables a run begins with: the process's own, and what somebody gives it.

    Raises:
        ProcessError: `INVALID_CONTEXT`, with everything the process does not allow.
    """
    if not isinstance(given, Mapping):
        raise _bad_variables((Problem("/context", "it must be a map"),))
    unfit = unwritable(given, "/context", LARGEST)
    if unfit is not None:
        raise _bad_variables((unfit,))
    first = plan.process.initial_variables | dict(given)
    wrong = (*opening_problems(plan, given), *problems(plan, first, "/context"))
    if wrong:
        raise _bad_variables(wrong)
    return first


def _bad_variables(problems: Sequence[Problem]) -> ProcessError:
    told = "; ".join(f"{each.path}: {each.message}" for each in problems[:3])
    return ProcessError(
        "INVALID_CONTEXT",
        f"a run cannot begin with these variables: {told}",
        hint="mend what is named, or leave it out",
        details={"validation_errors": [msgspec.to_builtins(p) for p in problems]},
    )
