"""One mistake does not hide another, and is not reported twice."""

from typing import Any

import pytest

from saniwa.process.definition_part_readers import MOST_PARTS
from tests.fakes.definitions import Change, find_in_changed, put, read_changed

_WAY = {"from": "draft", "event": "submit", "to": "read", "guard": "x"}


def _find_for_guard(guard: dict[str, Any]) -> list[tuple[str, str]]:
    return find_in_changed(put(guard, "guards", "x"), put(_WAY, "transitions", "+"))


@pytest.mark.parametrize(
    ("guard", "code", "field"),
    [
        ({"condition": "exist"}, "UNKNOWN_VALUE", ".condition"),
        ({"condition": ...}, "FIELD_MISSING", ""),
        ({"condition": "count", "min_count": -1}, "INVALID_MIN_COUNT", ".min_count"),
        ({"condition": "has_fields"}, "FIELD_MISSING", ""),
        ({"required_fields": ["a", 3]}, "WRONG_TYPE", ".required_fields[1]"),
        ({"required_fields": ["a..b"]}, "NAME_UNUSABLE", ".required_fields[0]"),
        ({"required_fields": [".a"]}, "NAME_UNUSABLE", ".required_fields[0]"),
        ({"fresh": "yes"}, "WRONG_TYPE", ".fresh"),
    ],
)
def test_a_guard_with_a_mistake_is_asked_for_its_kind_too(
    guard: dict[str, Any], code: str, field: str
) -> None:
    """The kind that a malformed guard names must exist too."""
    whole = {"type": "artifact", "artifact_type": "txt", "condition": "exists"} | guard
    found = _find_for_guard({key: value for key, value in whole.items() if value is not ...})

    wanted = [("INVALID_GUARD_ARTIFACT_TYPE", "guards.x.artifact_type")]
    assert sorted([*wanted, (code, f"guards.x{field}")]) == sorted(found)


def test_fields_of_the_wrong_type_are_not_also_missing() -> None:
    """A field of the wrong type is not also reported as missing."""
    guard = {"type": "artifact", "artifact_type": "text", "condition": "has_fields"}

    assert [("WRONG_TYPE", "guards.x.required_fields")] == _find_for_guard(
        guard | {"required_fields": "title"}
    )


def test_a_guard_without_its_variable_is_reported_once() -> None:
    """A guard without its variable is one finding."""
    guard = {"type": "context", "condition": "exists"}

    assert [("FIELD_MISSING", "guards.x")] == _find_for_guard(guard)


def test_the_other_guards_of_a_list_with_a_mistake_are_looked_up() -> None:
    """The other guards of a list with a mistake are still checked."""
    assert [
        ("WRONG_TYPE", "guards.x.guards[0]"),
        ("INVALID_GUARD_REFERENCE", "guards.x.guards[2]"),
    ] == _find_for_guard({"type": "all", "guards": [3, "written", "writen"]})


def test_a_list_with_a_mistake_still_names_its_other_items() -> None:
    """The other names of a list with a mistake are still checked."""
    assert [
        ("WRONG_TYPE", "events[0].allowed_roles[0]"),
        ("INVALID_ROLE_REFERENCE", "events[0].allowed_roles[1]"),
    ] == find_in_changed(put([3, "agnet", "agent"], "events", 0, "allowed_roles"))


def test_a_transition_with_a_mistake_is_asked_for_the_rest() -> None:
    """The other parts of a malformed transition are still checked."""
    way = {"from": "drft", "to": "read", "guard": "writen"}

    assert [
        ("FIELD_MISSING", "transitions[3]"),
        ("INVALID_TRANSITION_FROM", "transitions[3].from"),
        ("INVALID_GUARD_REFERENCE", "transitions[3].guard"),
    ] == sorted(find_in_changed(put(way, "transitions", "+")), key=lambda each: each[1])


def test_a_time_of_the_wrong_type_is_still_a_time() -> None:
    """A time of the wrong type does not lead to a finding about a missing event."""
    late = {"from": "read", "to": "draft", "after": 3}

    assert [("WRONG_TYPE", "transitions[3].after")] == find_in_changed(
        put(late, "transitions", "+")
    )


@pytest.mark.parametrize("said", ["yes", "no", 1])
def test_an_unclear_end_is_not_also_missing(said: object) -> None:
    """A state with a malformed `isFinal` is not also reported as missing or as a dead end."""
    assert [("WRONG_TYPE", "states[2].isFinal")] == find_in_changed(
        put({"name": "sent", "isFinal": said}, "states", 2)
    )


_UNREAD: list[tuple[str, str, Change]] = [
    ("PROCESS_TOO_LARGE", "states", put(["draft"] * (MOST_PARTS + 1), "states")),
    ("PROCESS_TOO_LARGE", "events", put([{}] * (MOST_PARTS + 1), "events")),
    ("PROCESS_TOO_LARGE", "transitions", put([{}] * (MOST_PARTS + 1), "transitions")),
    ("PROCESS_TOO_LARGE", "artifacts", put(["a"] * (MOST_PARTS + 1), "artifacts")),
    ("PROCESS_TOO_LARGE", "roles", put([{}] * (MOST_PARTS + 1), "roles")),
    ("WRONG_TYPE", "states", put({"draft": {}}, "states")),
    ("WRONG_TYPE", "events", put({"submit": {}}, "events")),
    ("WRONG_TYPE", "transitions", put({"a": {}}, "transitions")),
    ("WRONG_TYPE", "guards", put([{}], "guards")),
    ("WRONG_TYPE", "artifacts", put("text", "artifacts")),
    ("WRONG_TYPE", "roles", put({"agent": {}}, "roles")),
    ("WRONG_TYPE", "events[1]", put("approve", "events", 1)),
    ("WRONG_TYPE", "roles[1]", put("reviewer", "roles", 1)),
    ("WRONG_TYPE", "roles[0]", put("agent", "roles", 0)),
    ("WRONG_TYPE", "transitions[0]", put(["draft", "submit"], "transitions", 0)),
    ("WRONG_TYPE", "transitions[0].to", put(3, "transitions", 0, "to")),
    ("WRONG_TYPE", "transitions[0].guard", put({}, "transitions", 0, "guard")),
    ("FIELD_MISSING", "events[1]", put({"name": "approve"}, "events", 1)),
    ("WRONG_TYPE", "events[3]", put(3, "events", "+")),
    ("FIELD_MISSING", "events[3]", put({"allowed_roles": ["agent"]}, "events", "+")),
    ("WRONG_TYPE", "roles[2]", put(3, "roles", "+")),
    ("WRONG_TYPE", "states[0].prompt", put([], "states", 0, "prompt")),
]


@pytest.mark.parametrize(("code", "path", "change"), _UNREAD)
def test_what_could_not_be_read_is_not_missed(code: str, path: str, change: Change) -> None:
    """If a part cannot be read, nothing is reported as missing because of it."""
    assert [(code, path)] == find_in_changed(change)


def test_first_values_are_looked_at_whatever_other_schemas_say() -> None:
    """Initial values are checked against their schema, even if other schemas are invalid."""
    found = find_in_changed(
        put({"type": "text"}, "events", 0, "payload_schema"),
        put({"properties": {"a": {"type": "string"}}}, "context_schema"),
        put({"a": 1}, "initial_context"),
    )

    assert {"SCHEMA_INVALID", "INVALID_INITIAL_CONTEXT"} == {code for code, _ in found}


def test_an_empty_item_is_called_empty() -> None:
    """An empty list item is reported as empty."""
    read = read_changed(put(["text", ""], "states", 0, "required_artifacts"))

    assert [("an item is empty", "write a text, or remove the item")] == [
        (each.message, each.hint) for each in read.report.findings
    ]
