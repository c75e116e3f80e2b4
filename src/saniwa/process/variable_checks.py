"""Checks a run's variables and an event's payload against the process."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from saniwa.core.errors import ProcessError
from saniwa.core.text import quote_value
from saniwa.process import describe
from saniwa.process.definition import EventDefinition, Schema
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.submission import SubmissionProblem, find_unwritable

_CHOICES = {
    "exploration_mode": ("domain", "design", "hybrid"),
    "team_mode": ("solo", "team", "async"),
}


STANDARD_VARIABLES = frozenset(_CHOICES)
"""Variables that every run may be given at its start, whatever its schema names."""


_LISTS = ("assumptions", "decision_criteria")


MOST_VARIABLES = 1_000
"""Most variables a run may have; those that hooks set are not counted."""


LONGEST_NAME = 200
"""Most characters a variable's name may have."""


LARGEST_VARIABLES = 100_000
"""Most bytes the initial variables may have as JSON."""


def find_payload_problems(
    index: ProcessIndex, event: EventDefinition, payload: Mapping[str, Any]
) -> Iterator[SubmissionProblem]:
    """Yield what is wrong with setting variables by an event's payload.

    A variable that a guard reads may be set only by an event whose schema names it;
    otherwise any sender could talk its way past the guard.
    """
    for name in _list_undeclared(index, payload, event.payload_schema):
        yield SubmissionProblem(
            f"/payload/{name}",
            f"a guard reads {quote_value(name)}: only an event whose payload_schema "
            "names it may set it",
        )


def _list_undeclared(
    index: ProcessIndex, given: Mapping[str, Any], schema: Schema | None
) -> list[str]:
    """List the given variables that a guard reads and the schema does not name."""
    declared = schema.get("properties", {}) if isinstance(schema, dict) else {}
    return [
        name for name in sorted(index.guarded_variables.intersection(given)) if name not in declared
    ]


def find_variable_problems(
    index: ProcessIndex, variables: Mapping[str, Any], where: str
) -> Iterator[SubmissionProblem]:
    """Yield what is wrong with a run's variables; `where` is the pointer's prefix."""
    yield from _find_name_problems(variables, where)
    for name, choices in _CHOICES.items():
        if name in variables and variables[name] not in choices:
            yield SubmissionProblem(f"{where}/{name}", f"must be one of {', '.join(choices)}")
    for name in _LISTS:
        value = variables.get(name, [])
        if not isinstance(value, list) or any(not isinstance(v, str) for v in value):
            yield SubmissionProblem(f"{where}/{name}", "must be a list of strings")
    checker = index.get_checker(index.process.variables_schema)
    if checker is not None:
        for found in checker.find_problems(dict(variables)):
            yield SubmissionProblem(f"{where}{found.path}", found.message)


def _find_name_problems(variables: Mapping[str, Any], where: str) -> Iterator[SubmissionProblem]:
    if len(variables) > MOST_VARIABLES:
        yield SubmissionProblem(where, f"a run has at most {MOST_VARIABLES} variables")
    for name in variables:
        if len(name) > LONGEST_NAME or not name.isprintable():
            message = f"a name has at most {LONGEST_NAME} characters, all of them visible"
            yield SubmissionProblem(f"{where}/{quote_value(name)}", message)
            return


def find_opening_problems(
    index: ProcessIndex, given: Mapping[str, Any]
) -> Iterator[SubmissionProblem]:
    """Yield what is wrong with the variables given to a new run."""
    for name in _list_undeclared(index, given, index.process.variables_schema):
        if name not in STANDARD_VARIABLES:
            yield SubmissionProblem(
                f"/context/{name}",
                f"a guard reads {quote_value(name)}: it can be set at the start only if "
                "context_schema declares it",
            )


def build_first_variables(index: ProcessIndex, given: Mapping[str, Any]) -> dict[str, Any]:
    """Build a run's first variables: the process's own, and those given by the caller.

    Raises:
        ProcessError: `INVALID_CONTEXT`, with everything the process does not allow.
    """
    if not isinstance(given, Mapping):
        raise _make_variables_error((SubmissionProblem("/context", "it must be a mapping"),))
    unfit = find_unwritable(given, "/context", LARGEST_VARIABLES)
    if unfit is not None:
        raise _make_variables_error((unfit,))
    first = index.process.initial_variables | dict(given)
    wrong = (
        *find_opening_problems(index, given),
        *find_variable_problems(index, first, "/context"),
    )
    if wrong:
        raise _make_variables_error(wrong)
    return first


def _make_variables_error(problems: Sequence[SubmissionProblem]) -> ProcessError:
    reasons = "; ".join(f"{each.path}: {each.message}" for each in problems[:3])
    return describe(
        "INVALID_CONTEXT",
        validation_errors=[msgspec.to_builtins(p) for p in problems],
        reasons=reasons,
    ).to_error(ProcessError)
