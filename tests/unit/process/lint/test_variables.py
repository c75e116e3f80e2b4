from typing import Any

import pytest

from saniwa.process.definition import Process
from saniwa.process.definition_index import ProcessIndex
from saniwa.process.lint.variables import PUBLISHED_VARIABLES
from saniwa.process.variable_checks import find_variable_problems
from tests.fakes.definitions import Change, find_in_changed, put, read_changed

_ASKS = put("It is {context.size}, {context.size}.", "states", 1, "prompt")
_SET = [{"type": "set_variable", "variable": "size", "value": 1}]
_NAMED: list[Change] = [
    put({"properties": {"size": {}}}, "context_schema"),
    put({"size": 1}, "initial_context"),
    put({"properties": {"size": {}}}, "events", 0, "payload_schema"),
    put({"allOf": [{"properties": {"size": {}}}]}, "events", 0, "payload_schema"),
    put(_SET, "states", 0, "on_exit"),
]


def test_a_prompt_that_shows_what_nothing_names_is_worth_a_warning() -> None:
    """A prompt with an undeclared variable is a warning with the nearest name."""
    read = read_changed(_ASKS, put({"sise": 1}, "initial_context"))

    assert [("warning", "VARIABLE_UNDECLARED", "states[1].prompt", "did you mean 'sise'?")] == [
        (each.severity, each.code, each.where.path, each.hint) for each in read.report.findings
    ]


@pytest.mark.parametrize("named", _NAMED)
def test_a_prompt_may_show_what_something_names(named: Change) -> None:
    """A variable in a prompt may come from a schema, an initial value, a payload or a hook."""
    assert [] == find_in_changed(_ASKS, named)


@pytest.mark.parametrize("name", sorted(PUBLISHED_VARIABLES))
def test_the_published_variables_need_no_name(name: str) -> None:
    """The published variables need no declaration."""
    plan = ProcessIndex(Process(process_id="x", version="1", name="x", initial_state="", states=()))

    assert [] == find_in_changed(put(f"{{context.{name}}}", "states", 1, "prompt"))
    assert [f"/{name}"] == [each.path for each in find_variable_problems(plan, {name: 7}, "")]


_GUARD: list[Change] = [
    put({"type": "context", "variable": "size", "condition": "exists"}, "guards", "sized"),
    put("sized", "transitions", 1, "guard"),
]
_SETTER = put({"properties": {"size": {}}}, "events", 0, "payload_schema")


def _find_guarded(schema: Any) -> list[tuple[str, str]]:
    return find_in_changed(*_GUARD, _SETTER, put(schema, "context_schema"))


def test_a_guard_on_a_variable_that_no_run_can_have_is_worth_a_warning() -> None:
    """A guard on a variable that a closed schema does not have is a warning."""
    closed = {"properties": {"sizes": {}}, "additionalProperties": False}

    assert [("VARIABLE_UNDECLARED", "guards.sized.variable")] == _find_guarded(closed)


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {"properties": {"sizes": {}}},
        {"properties": {"size": {}}, "additionalProperties": False},
        {"patternProperties": {"^s": {}}, "additionalProperties": False},
        {"additionalProperties": {"type": "string"}},
    ],
)
def test_a_guard_on_a_variable_that_may_be_is_left_alone(schema: Any) -> None:
    """A guard on a variable that an open schema allows has no finding."""
    assert [] == _find_guarded(schema)


@pytest.mark.parametrize(
    "unset",
    [
        [],
        [put({"properties": {"sise": {}}}, "context_schema")],
        [put({"allOf": [{"properties": {"size": {}}}]}, "events", 0, "payload_schema")],
        [put({"properties": {"size": {}}}, "events", 1, "payload_schema")],
        [put({"properties": []}, "context_schema")],
    ],
)
def test_a_guard_on_a_variable_that_nothing_may_set_is_a_warning(unset: list[Change]) -> None:
    """A guard on a variable that nothing can set is a warning."""
    codes = [code for code, _ in find_in_changed(*_GUARD, *unset)]

    assert "VARIABLE_UNSETTABLE" in codes


@pytest.mark.parametrize(
    "setter",
    [
        put({"properties": {"size": {}}}, "context_schema"),
        put({"size": 1}, "initial_context"),
        put(_SET, "states", 0, "on_exit"),
        _SETTER,
        put({"type": "context", "variable": "team_mode", "condition": "exists"}, "guards", "sized"),
        # It cannot be read, so it might have set the variable.
        put([], "context_schema"),
    ],
)
def test_a_guard_on_a_variable_that_something_may_set_is_fine(setter: Change) -> None:
    """A guard on a variable that something may set has no finding."""
    codes = [code for code, _ in find_in_changed(*_GUARD, setter)]

    assert "VARIABLE_UNSETTABLE" not in codes


def test_the_hint_for_an_unsettable_variable_offers_a_near_name() -> None:
    """The hint suggests a near name, or lists the ways to set a variable."""
    near = read_changed(*_GUARD, put({"sise": 1}, "initial_context"))
    far = read_changed(*_GUARD)

    assert ["did you mean 'sise'?"] == [each.hint for each in near.report.findings]
    assert "or set it in a hook" in far.report.findings[0].hint


def test_roles_on_what_time_takes_are_worth_a_warning() -> None:
    """Roles on a timed transition are a warning, because they have no effect."""
    late = {"from": "read", "to": "draft", "after": "2d", "allowed_roles": ["agent"]}
    read = read_changed(put(late, "transitions", "+"))

    assert [("warning", "ROLES_UNUSED", "transitions[3].allowed_roles")] == [
        (each.severity, each.code, each.where.path) for each in read.report.findings
    ]
