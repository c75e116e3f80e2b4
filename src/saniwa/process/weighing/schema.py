"""Payloads, variables and evidence held to their JSON Schemas.

No schema sends us anywhere, and none takes long: references stay inside it, patterns
have no look-around and no back-references, so that their time grows with the text only.
"""

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from saniwa.core.document import LONGEST_STEP
from saniwa.core.errors import ProcessError
from saniwa.core.quoted import cut, quoted
from saniwa.core.tree import DEEPEST
from saniwa.process.definition import Schema
from saniwa.process.ruling import Problem
from saniwa.process.weighing.references import Reach, SchemaError, reach_of

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

MOST_PROBLEMS = 20
"""Problems told of one value."""
MOST_VALUES = 1_000_000
"""Values within a value."""
LONGEST_MESSAGE = 300
"""Letters one problem's message may have."""

_MOST_WORK = 100_000
_PATTERN_BYTES = 4 * 1024 * 1024
_PLACEHOLDER = "\ufffc"
# References are known to stay inside by now; should one slip through, there is nothing.
_NOWHERE: Callable[[str], Any] = dict[str, Any]().__getitem__
_UNFIT = "it does not fit its schema"


class Checker:
    """A schema that values can be held to.

    Raises:
        ProcessError: `INVALID_PROCESS` on first use, if `check_schema` has a complaint.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def problems(self, value: object) -> tuple[Problem, ...]:
        """What is wrong with a value, sorted by place; empty if it fits.

        Where the value is large, or the schema leads back into itself many times, only
        the first problem is told, or only that there is one.
        """
        values, depth = _extent(value)
        if depth > DEEPEST or values > MOST_VALUES:
            most = f"{DEEPEST} levels" if depth > DEEPEST else f"{MOST_VALUES} values"
            return (Problem("", f"it has more than {most}"),)
        validator, reach = self._compiled
        try:
            if validator.is_valid(value):
                return ()
            # Whether it fits is told quickly whatever the schema; why it does not, is
            # told for every way through the schema that leads to the same value.
            ways = max(1, reach.loops) ** depth
            if values * reach.parts * ways <= _MOST_WORK:
                return _told(validator.iter_errors(value))
            return _first(validator, value) if ways == 1 else (Problem("", _UNFIT),)
        except ValueError as problem:
            why = cut(str(problem), LONGEST_MESSAGE)
            return (Problem("", f"it is not JSON: {why}"),)

    @cached_property
    def _compiled(self) -> "tuple[Validator, Reach]":
        try:
            return _compile(self._schema)
        except SchemaError as problem:
            raise ProcessError(
                "INVALID_PROCESS", f"a schema cannot be used: {problem}"
            ) from problem


def check_schema(schema: object) -> str:
    """Why nothing can be held to a schema; empty if all is well."""
    try:
        _compile(schema)
    except SchemaError as problem:
        return str(problem)
    return ""


def _compile(schema: Any) -> "tuple[Validator, Reach]":
    # Loaded late: it takes longer than a whole command, and many processes need none.
    import jsonschema_rs

    if not isinstance(schema, dict | bool):
        raise SchemaError(f"it is {quoted(schema)}, and a schema is a mapping")
    if _extent(schema)[1] > DEEPEST:
        raise SchemaError(f"it nests deeper than {DEEPEST} levels")
    reach = reach_of(schema)
    try:
        validator = jsonschema_rs.validator_for(
            schema,
            validate_formats=True,
            retriever=_NOWHERE,
            mask=_PLACEHOLDER,
            pattern_options=jsonschema_rs.RegexOptions(size_limit=_PATTERN_BYTES),
        )
    except jsonschema_rs.ValidationError as problem:
        raise SchemaError(_complaint(problem)) from problem
    except ValueError as problem:
        raise SchemaError(f"it is not JSON: {problem}") from problem
    return validator, reach


def _complaint(problem: "ValidationError") -> str:
    path = problem.instance_path
    place = f"{_pointer(path)}: " if path else ""
    if path and path[-1] in ("pattern", "patternProperties"):
        return (
            f"{place}{quoted(problem.instance)} is no pattern we take:"
            " it may have no look-around, no back-reference and no huge repeat"
        )
    return place + cut(_message(problem), LONGEST_MESSAGE)


def _told(errors: "Iterable[ValidationError]") -> tuple[Problem, ...]:
    found = {(_pointer(each.instance_path), _message(each)) for each in errors}
    return tuple(Problem(*each) for each in sorted(found)[:MOST_PROBLEMS])


def _first(validator: "Validator", value: object) -> tuple[Problem, ...]:
    import jsonschema_rs

    found: tuple[Problem, ...] = ()
    try:
        validator.validate(value)
    except jsonschema_rs.ValidationError as problem:
        found = _told([problem])
    return found or (Problem("", _UNFIT),)


def _message(problem: "ValidationError") -> str:
    text = cut(problem.message, LONGEST_MESSAGE)
    return text.replace(_PLACEHOLDER, quoted(problem.instance))


def _pointer(path: list[str | int]) -> str:
    steps = (cut(str(step), LONGEST_STEP) for step in path)
    return "".join("/" + s.replace("~", "~0").replace("/", "~1") for s in steps)


def _extent(value: object) -> tuple[int, int]:
    """How many values there are in a value, and how deep it goes; counted only so far."""
    values, depth, level = 0, -1, [value]
    while level and depth <= DEEPEST and values <= MOST_VALUES:
        values, depth = values + len(level), depth + 1
        inner = (
            part
            for each in level
            if isinstance(each, dict | list | tuple)
            for part in (each.values() if isinstance(each, dict) else each)
        )
        level = list(islice(inner, MOST_VALUES + 1))
    return values, depth
