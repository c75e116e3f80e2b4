"""Validate payloads, variables and evidence against their JSON Schemas.

No schema causes a network request or a long computation: references stay inside it, and
patterns have no look-around and no back-references, so that matching time grows with
the text only.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from saniwa.core.errors import ProcessError
from saniwa.core.text import quote_value, truncate
from saniwa.documents.document_tree import DEEPEST, LONGEST_STEP
from saniwa.process import describe
from saniwa.process.definition import Schema
from saniwa.process.submission import SubmissionProblem

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator


MOST_PARTS = 10_000
"""Most subschemas in a schema, each counted as often as references lead to it."""
MOST_LOOPS = 1_000
"""Most references that lead back to an enclosing schema, counted the same way."""

_SINGLE_KEYWORDS = (
    *("additionalItems", "additionalProperties", "contains", "contentSchema", "else"),
    *("if", "items", "not", "propertyNames", "then"),
    *("unevaluatedItems", "unevaluatedProperties"),
)
_LIST_KEYWORDS = ("allOf", "anyOf", "items", "oneOf", "prefixItems")
_MAPPING_KEYWORDS = (
    *("$defs", "definitions", "dependencies", "dependentSchemas"),
    *("patternProperties", "properties"),
)
_DYNAMIC_KEYWORDS = ("$dynamicRef", "$recursiveRef")
_ID_KEYWORDS = ("$id", "id")
_PERCENT = re.compile(rb"%([0-9a-fA-F]{2})")


class SchemaError(Exception):
    """Why a schema is not accepted, in one sentence."""


class SchemaExtent(msgspec.Struct, frozen=True):
    """The size of a schema once its references are followed."""

    parts: int
    """The number of schemas in it."""
    loops: int
    """The number of references that lead back; each may repeat at every level."""


class _SchemaWalk:
    """Measures a schema; refuses one that is too large, or refers outside or nowhere."""

    def __init__(self, root: object) -> None:
        self.root = root
        self._in_progress: set[int] = set()
        self._known: dict[int, SchemaExtent] = {}

    def measure(self, schema: object, depth: int) -> SchemaExtent:
        if not isinstance(schema, dict):
            return SchemaExtent(1, 0)
        if id(schema) in self._in_progress:
            return SchemaExtent(1, 1)
        if id(schema) not in self._known:
            if depth > DEEPEST:
                raise SchemaError(f"it nests deeper than {DEEPEST} levels")
            self._in_progress.add(id(schema))
            self._known[id(schema)] = self._measure_children(schema, depth)
            self._in_progress.remove(id(schema))
        return self._known[id(schema)]

    def _measure_children(self, schema: dict[str, Any], depth: int) -> SchemaExtent:
        parts, loops = 1, 0
        for inner in (*_list_subschemas(schema), *self._follow_references(schema)):
            reach = self.measure(inner, depth + 1)
            parts, loops = parts + reach.parts, loops + reach.loops
            if parts > MOST_PARTS or loops > MOST_LOOPS:
                raise SchemaError(
                    f"its references expand to more than {MOST_PARTS} schemas or {MOST_LOOPS} loops"
                )
        return SchemaExtent(parts, loops)

    def _follow_references(self, schema: dict[str, Any]) -> Iterator[object]:
        for word in _DYNAMIC_KEYWORDS:
            if word in schema:
                raise SchemaError(f"{word!r} is not followed; use '$ref'")
        for word in _ID_KEYWORDS:
            if schema is not self.root and isinstance(schema.get(word), str):
                why = "is nested, but only the whole schema may have one"
                raise SchemaError(f"{word!r} {why}")
        if isinstance(schema.get("$ref"), str):
            yield self._resolve_reference(schema["$ref"])

    def _resolve_reference(self, reference: str) -> object:
        if reference != "#" and not reference.startswith("#/"):
            why = "points outside the schema; only '#/…' is allowed"
            raise SchemaError(f"{quote_value(reference)} {why}")
        here = self.root
        for step in reference.split("/")[1:]:
            try:
                here = _take_step(here, _decode_step(step))
            except (KeyError, IndexError, ValueError, TypeError):
                raise SchemaError(f"{quote_value(reference)} does not exist") from None
        return here


def _list_subschemas(schema: dict[str, Any]) -> Iterator[object]:
    for word in _SINGLE_KEYWORDS:
        if isinstance(schema.get(word), dict):
            yield schema[word]
    for word in _LIST_KEYWORDS:
        if isinstance(schema.get(word), list):
            yield from schema[word]
    for word in _MAPPING_KEYWORDS:
        if isinstance(schema.get(word), dict):
            yield from schema[word].values()


def _take_step(here: Any, step: str) -> object:
    return here[int(step)] if isinstance(here, list) else here[step]


def _decode_step(step: str) -> str:
    if "%" in step:
        letters = _PERCENT.sub(lambda m: bytes([int(m[1], 16)]), step.encode())
        step = letters.decode()
    return step.replace("~1", "/").replace("~0", "~")


MOST_PROBLEMS = 20
"""Most problems reported about one value."""
MOST_VALUES = 1_000_000
"""Most values inside a value."""
LONGEST_MESSAGE = 300
"""Most characters of one problem's message."""

_MOST_WORK = 100_000
_PATTERN_BYTES = 4 * 1024 * 1024
_PLACEHOLDER = "\ufffc"
# References have been checked to stay inside; if one slips through, nothing is loaded.
_NO_RETRIEVAL: Callable[[str], Any] = dict[str, Any]().__getitem__
_MISMATCH = "it does not fit its schema"


class SchemaChecker:
    """Validates values against one schema.

    Raises:
        ProcessError: `INVALID_PROCESS` on first use, if `check_schema` finds a fault.
    """

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def find_problems(self, value: object) -> tuple[SubmissionProblem, ...]:
        """List what is wrong with a value, sorted by location; empty if it is valid.

        For a large value, or a schema that refers back to itself many times, only the
        first problem is reported, or only that there is one.
        """
        values, depth = _measure_value(value)
        if depth > DEEPEST or values > MOST_VALUES:
            most = f"{DEEPEST} levels" if depth > DEEPEST else f"{MOST_VALUES} values"
            return (SubmissionProblem("", f"it has more than {most}"),)
        validator, reach = self._compilation
        try:
            if validator.is_valid(value):
                return ()
            # Validity is decided quickly for every schema; the reasons are computed for
            # every path through the schema that leads to the same value.
            ways = max(1, reach.loops) ** depth
            if values * reach.parts * ways <= _MOST_WORK:
                return _list_problems(validator.iter_errors(value))
            found = _find_first_problem(validator, value) if ways == 1 else ()
            return found or (SubmissionProblem("", _MISMATCH),)
        except ValueError as problem:
            why = truncate(str(problem), LONGEST_MESSAGE)
            return (SubmissionProblem("", f"it is not JSON: {why}"),)

    @cached_property
    def _compilation(self) -> "tuple[Validator, SchemaExtent]":
        try:
            return _compile_schema(self._schema)
        except SchemaError as problem:
            raise describe("INVALID_PROCESS/schema", problem=problem).to_error(
                ProcessError
            ) from problem


def check_schema(schema: object) -> str:
    """Say why a schema cannot be used; empty if it can."""
    try:
        _compile_schema(schema)
    except SchemaError as problem:
        return str(problem)
    return ""


def _compile_schema(schema: Any) -> "tuple[Validator, SchemaExtent]":
    # Imported late: loading takes longer than a whole command, and many processes need
    # no schema.
    import jsonschema_rs

    if not isinstance(schema, dict | bool):
        raise SchemaError(f"it is {quote_value(schema)}, but a schema must be a mapping")
    if _measure_value(schema)[1] > DEEPEST:
        raise SchemaError(f"it nests deeper than {DEEPEST} levels")
    reach = _SchemaWalk(schema).measure(schema, 0)
    try:
        validator = jsonschema_rs.validator_for(
            schema,
            validate_formats=True,
            retriever=_NO_RETRIEVAL,
            mask=_PLACEHOLDER,
            pattern_options=jsonschema_rs.RegexOptions(size_limit=_PATTERN_BYTES),
        )
    except jsonschema_rs.ValidationError as problem:
        raise SchemaError(_describe_schema_error(problem)) from problem
    except ValueError as problem:
        raise SchemaError(f"it is not JSON: {problem}") from problem
    return validator, reach


def _describe_schema_error(problem: "ValidationError") -> str:
    path = problem.instance_path
    place = f"{_render_pointer(path)}: " if path else ""
    if path and path[-1] in ("pattern", "patternProperties"):
        return (
            f"{place}{quote_value(problem.instance)} is not a supported pattern:"
            " look-around, back-references and huge repeats are not allowed"
        )
    return place + truncate(_render_message(problem), LONGEST_MESSAGE)


def _list_problems(errors: "Iterable[ValidationError]") -> tuple[SubmissionProblem, ...]:
    found = {(_render_pointer(each.instance_path), _render_message(each)) for each in errors}
    return tuple(SubmissionProblem(*each) for each in sorted(found)[:MOST_PROBLEMS])


def _find_first_problem(validator: "Validator", value: object) -> tuple[SubmissionProblem, ...]:
    import jsonschema_rs

    try:
        validator.validate(value)
    except jsonschema_rs.ValidationError as problem:
        return _list_problems([problem])
    return ()


def _render_message(problem: "ValidationError") -> str:
    text = truncate(problem.message, LONGEST_MESSAGE)
    return text.replace(_PLACEHOLDER, quote_value(problem.instance))


def _render_pointer(path: list[str | int]) -> str:
    steps = (truncate(str(step), LONGEST_STEP) for step in path)
    return "".join("/" + s.replace("~", "~0").replace("/", "~1") for s in steps)


def _measure_value(value: object) -> tuple[int, int]:
    """Count the values in a value and its depth; stops counting at the limits."""
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
