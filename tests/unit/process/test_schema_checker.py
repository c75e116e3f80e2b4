import subprocess
import sys
import time
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saniwa.core.errors import ProcessError
from saniwa.process.schema_checker import (
    LONGEST_MESSAGE,
    MOST_PROBLEMS,
    SchemaChecker,
    check_schema,
)
from saniwa.process.submission import SubmissionProblem

_SELF = {"$ref": "#"}
_QUICK = 2.0
"""Seconds; unbounded work takes minutes or never ends."""


def _nest_value(levels: int, inmost: Any) -> Any:
    value = inmost
    for _ in range(levels):
        value = {"a": value}
    return value


def _make_doubling_schema(steps: int, inmost: dict[str, Any]) -> dict[str, Any]:
    """A short schema that expands to two to the power of `steps` others."""
    doubles = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(steps)}
    return {"$ref": "#/$defs/d0", "$defs": {**doubles, f"d{steps}": inmost}}


def test_what_fits_has_no_problems() -> None:
    """A value that fits has no problems."""
    schema = {"type": "object", "required": ["a"]}

    assert () == SchemaChecker(schema).find_problems({"a": 1})


def test_every_problem_is_reported_with_its_place() -> None:
    """All problems are listed in order, with JSON pointers."""
    schema = {
        "properties": {"n": {"type": "integer"}, "list": {"items": {"minLength": 2}}},
        "required": ["title"],
    }

    assert (
        SubmissionProblem("", '"title" is a required property'),
        SubmissionProblem("/list/1", "'x' is shorter than 2 characters"),
        SubmissionProblem("/n", "'one' is not of type \"integer\""),
    ) == SchemaChecker(schema).find_problems({"n": "one", "list": ["xx", "x"]})


def test_a_pointer_escapes_what_pointers_use() -> None:
    """Slashes and tildes in a pointer are escaped as in RFC 6901."""
    schema = {"additionalProperties": {"type": "string"}}

    (problem,) = SchemaChecker(schema).find_problems({"a/b~c": 1})

    assert "/a~1b~0c" == problem.path


def test_formats_count() -> None:
    """A format is checked."""
    checker = SchemaChecker({"format": "date"})

    assert () == checker.find_problems("2026-01-31")
    assert (SubmissionProblem("", "'tomorrow' is not a \"date\""),) == checker.find_problems(
        "tomorrow"
    )


def test_the_same_problem_is_reported_once() -> None:
    """The same problem is listed once."""
    assert 1 == len(SchemaChecker(_make_doubling_schema(5, {"type": "string"})).find_problems(1))


def test_only_so_many_problems_are_reported() -> None:
    """The number of problems is limited."""
    problems = SchemaChecker({"items": {"type": "string"}}).find_problems(list(range(500)))

    assert MOST_PROBLEMS == len(problems)
    assert sorted(problems, key=lambda p: p.path) == list(problems)


def test_a_message_stays_short() -> None:
    """A message is short, whatever the value and the schema."""
    long = "y" * 100_000
    schema = {"properties": {"a": {"enum": ["x" * 100_000]}, "b": {"const": long}}}

    problems = SchemaChecker(schema).find_problems({"a": long, "b": 1})

    assert 2 == len(problems)
    assert all(len(p.message) <= 2 * LONGEST_MESSAGE for p in problems)


def test_a_large_value_is_answered_with_one_problem_quickly() -> None:
    """A list of half a million wrong values is answered quickly with one problem."""
    begun = time.perf_counter()
    problems = SchemaChecker({"items": {"type": "string"}}).find_problems([1] * 500_000)

    assert (SubmissionProblem("/0", '1 is not of type "string"'),) == problems
    assert time.perf_counter() - begun < _QUICK


@pytest.mark.parametrize("word", ["allOf", "anyOf", "oneOf"])
def test_a_schema_that_doubles_at_every_level_takes_no_time(word: str) -> None:
    """A schema that doubles at every level is answered quickly with one problem."""
    schema = {
        "type": "object",
        "properties": {"a": {word: [_SELF, _SELF]}, "z": {"type": "string"}},
    }
    begun = time.perf_counter()
    problems = SchemaChecker(schema).find_problems(_nest_value(60, {"z": 1}))

    assert (SubmissionProblem("", "it does not fit its schema"),) == problems
    assert time.perf_counter() - begun < _QUICK


def test_a_recursive_schema_still_reports_the_place() -> None:
    """A problem in a recursive schema has its place."""
    schema = {"properties": {"a": _SELF, "z": {"type": "string"}}}

    problems = SchemaChecker(schema).find_problems(_nest_value(60, {"z": 1}))

    assert (SubmissionProblem("/a" * 60 + "/z", '1 is not of type "string"'),) == problems


@pytest.mark.parametrize("schema", [True, {}, {"properties": {"a": _SELF}}])
def test_a_value_nested_too_deep_is_a_problem(schema: Any) -> None:
    """A value that is nested too deep is a problem."""
    problems = SchemaChecker(schema).find_problems(_nest_value(50_000, 1))

    assert (SubmissionProblem("", "it has more than 100 levels"),) == problems


def test_a_value_of_a_hundred_levels_is_taken() -> None:
    """A value of a hundred levels can be checked."""
    assert () == SchemaChecker({"properties": {"a": _SELF}}).find_problems(_nest_value(100, 1))


@pytest.mark.parametrize("value", [{1, 2}, {"a": {1: 2}}, "\ud800", msgspec.UNSET, object()])
def test_what_is_not_json_is_a_problem(value: Any) -> None:
    """A value that is not JSON is a problem."""
    (problem,) = SchemaChecker({"type": "string", "minLength": 1}).find_problems(value)

    assert problem.message.startswith("it is not JSON: ")


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ([], "it is [], but a schema must be a mapping"),
        (None, "it is None, but a schema must be a mapping"),
        ({"required": "a"}, "/required: 'a' is not of type \"array\""),
        ({"title": "\ud800"}, "it is not JSON"),
        ({"$ref": "#/nope"}, "'#/nope' does not exist"),
        ({"allOf": [{"$ref": "#/allOf/x"}]}, "'#/allOf/x' does not exist"),
        ({"allOf": [{"$ref": "#/allOf/1"}]}, "'#/allOf/1' does not exist"),
        ({"$ref": "#/$defs/%FF"}, "'#/$defs/%FF' does not exist"),
        ({"title": "a", "$ref": "#/title/b"}, "'#/title/b' does not exist"),
        (
            {"$ref": "http://127.0.0.1:9/x"},
            "'http://127.0.0.1:9/x' points outside the schema; only '#/…' is allowed",
        ),
        (
            {"properties": {"a": {"$ref": "file:///etc/passwd"}}},
            "'file:///etc/passwd' points outside the schema; only '#/…' is allowed",
        ),
        (
            {"items": {"$ref": "other.json"}},
            "'other.json' points outside the schema; only '#/…' is allowed",
        ),
        ({"$dynamicRef": "#a"}, "'$dynamicRef' is not followed; use '$ref'"),
        (
            {"$defs": {"a": {"$id": "http://x/y"}}},
            "'$id' is nested, but only the whole schema may have one",
        ),
        (_nest_value(50_000, 1), "it nests deeper than 100 levels"),
    ],
)
def test_a_schema_nothing_can_be_held_to_is_reported(schema: Any, why: str) -> None:
    """Each mistake in a schema is one sentence."""
    assert why == check_schema(schema)[: len(why)]


@pytest.mark.parametrize(
    "schema",
    [
        True,
        False,
        {},
        {"$id": "https://example.org/a.json", "$ref": "#/$defs/a", "$defs": {"a": {}}},
        {"$ref": "#/$defs/a%20b~1c", "$defs": {"a b/c": {}}},
        {"$ref": "#/allOf/0", "allOf": [{}]},
        {"properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}}},
        {"enum": [{"$ref": "nowhere"}]},
        {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{}, {}]},
        {"pattern": r"^\w{1,200}$"},
    ],
)
def test_a_sound_schema_has_no_complaint(schema: Any) -> None:
    """A valid schema has no complaint."""
    assert "" == check_schema(schema)


@pytest.mark.parametrize("pattern", ["[", "(?=a)b", r"(a)\1", "((a{0,100}){0,100}){0,100}"])
def test_a_pattern_that_could_take_long_is_not_taken(pattern: str) -> None:
    """Look-around, back-references and huge repeats in a pattern are refused."""
    why = check_schema({"properties": {"a": {"pattern": pattern}}})

    assert (
        f"/properties/a/pattern: {pattern!r} is not a supported pattern:"
        " look-around, back-references and huge repeats are not allowed"
    ) == why


def test_no_text_makes_a_pattern_slow() -> None:
    """No text makes a pattern slow."""
    begun = time.perf_counter()
    problems = SchemaChecker({"pattern": "^(a+)+$"}).find_problems("a" * 200_000 + "b")

    assert 1 == len(problems)
    assert time.perf_counter() - begun < _QUICK


@pytest.mark.parametrize("schema", [_make_doubling_schema(40, {}), _make_doubling_schema(9, _SELF)])
def test_a_short_schema_that_expands_to_a_huge_one_is_refused(schema: Any) -> None:
    """References that expand to too many schemas are refused."""
    begun = time.perf_counter()
    why = check_schema(schema)

    assert "its references expand to more than 10000 schemas or 1000 loops" == why
    assert time.perf_counter() - begun < _QUICK


def test_a_long_chain_of_references_is_not_taken() -> None:
    """A chain of references that is too long is refused."""
    chain = {f"c{n}": {"$ref": f"#/$defs/c{n + 1}"} for n in range(5_000)}
    schema = {"$ref": "#/$defs/c0", "$defs": {**chain, "c5000": {}}}

    assert "it nests deeper than 100 levels" == check_schema(schema)


def test_a_broken_schema_stops_its_user() -> None:
    """A checker with an invalid schema raises for every value."""
    with pytest.raises(ProcessError, match="a schema cannot be used") as caught:
        SchemaChecker({"$ref": "#/nope"}).find_problems(1)

    assert "INVALID_PROCESS" == caught.value.code


def test_the_library_is_loaded_late() -> None:
    """The schema library is imported only when needed."""
    program = (
        "import sys; from saniwa.process.schema_checker import SchemaChecker; SchemaChecker({});"
        "print('jsonschema_rs' in sys.modules)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert "False\n" == ran.stdout


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)
_WORDS = st.sampled_from(["$ref", "allOf", "items", "not", "$defs", "type", "pattern"])
_SCHEMAS = st.recursive(
    st.booleans() | st.sampled_from(["#", "#/$defs", "#/allOf/0", "string", "a+"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS, inner, max_size=4),
    max_leaves=15,
)


@given(schema=_SCHEMAS | _ANYTHING, value=_ANYTHING)
def test_any_schema_and_any_value_have_an_answer(schema: Any, value: Any) -> None:
    """Any schema is refused, or gives the same answer twice."""
    if check_schema(schema) == "":
        problems = SchemaChecker(schema).find_problems(value)

        assert problems == SchemaChecker(schema).find_problems(value)
        assert len(problems) <= MOST_PROBLEMS
