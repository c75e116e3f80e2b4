from typing import Any

import msgspec
import pytest

from saniwa.core.errors import ProtocolError, StoreError
from saniwa.mcp.gate_tool_records import CreateRunArguments, EmitEventArguments, GetHistoryArguments
from saniwa.mcp.tool import (
    ToolFailure,
    ToolReply,
    make_error_reply,
    make_unexpected_reply,
    parse_arguments,
)

SENT: dict[str, Any] = {"event_name": "jot", "expected_revision": 1, "idempotency_key": "k"}


def find_problem(kind: type[msgspec.Struct], given: dict[str, Any]) -> ProtocolError:
    """The error for these arguments."""
    with pytest.raises(ProtocolError) as caught:
        parse_arguments(kind, given)
    return caught.value


def to_shape(reply: ToolReply) -> dict[str, Any]:
    """A reply as JSON."""
    plain: dict[str, Any] = msgspec.to_builtins(reply.shape)
    return plain


def test_arguments_come_under_their_published_names() -> None:
    """The variables of a run are named `context` in the protocol."""
    asked = parse_arguments(CreateRunArguments, {"process_id": "p", "context": {"a": 1}})

    assert {"a": 1} == asked.variables


@pytest.mark.parametrize("name", ["role", "credential", "person"])
def test_no_caller_chooses_a_role(name: str) -> None:
    """An argument that names a role is refused with a hint."""
    problem = find_problem(EmitEventArguments, SENT | {name: "human"})

    assert "INVALID_PAYLOAD" == problem.code
    assert f"/{name}" == problem.details["validation_errors"][0]["path"]
    assert "is set by the server" in problem.hint


def test_no_state_can_be_asked_for() -> None:
    """An event has no argument for its target state."""
    assert "no argument 'to_state'" in str(
        find_problem(EmitEventArguments, SENT | {"to_state": "published"})
    )


def test_a_misspelt_argument_is_offered_the_right_one() -> None:
    """The hint for a misspelt argument names the right one."""
    problem = find_problem(EmitEventArguments, SENT | {"event_nam": "jot"})

    assert "event_name" in problem.hint


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"expected_revision": "1"}, "/expected_revision"),
        ({"artifact_paths": ["a", 1]}, "/artifact_paths/1"),
        ({"artifacts": [{"content": 1, "kind": "x"}]}, "/artifacts/0"),
        ({"payload": []}, "/payload"),
    ],
)
def test_a_value_of_another_kind_is_refused_with_its_place(
    given: dict[str, Any], path: str
) -> None:
    """A value of a wrong type is refused with a JSON pointer."""
    problem = find_problem(EmitEventArguments, SENT | given)

    assert path == problem.details["validation_errors"][0]["path"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"expected_revision": "1"}, "expected_revision must be a whole number"),
        ({"expected_revision": None}, "expected_revision must be a whole number"),
        ({"artifact_paths": "a.md"}, "artifact_paths must be a list"),
        ({"artifact_paths": ["a", 1]}, "artifact_paths/1 must be text"),
        ({"artifacts": ["a"]}, "artifacts/0 must be a map"),
        ({"artifacts": [{"kind": "x"}]}, "artifacts/0 has no field 'kind'"),
        ({"payload": []}, "payload must be a map"),
    ],
)
def test_a_value_of_another_kind_is_reported_in_plain_words(
    given: dict[str, Any], told: str
) -> None:
    """The message says what the value must be, in plain words."""
    problem = find_problem(EmitEventArguments, SENT | given)

    assert f"the arguments do not fit: {told}" == problem.message
    assert told == problem.details["validation_errors"][0]["message"]


def test_an_argument_that_is_missing_is_named() -> None:
    """A missing argument is named, with its pointer."""
    problem = find_problem(EmitEventArguments, {"event_name": "jot"})

    assert "the arguments do not fit: expected_revision is missing" == (problem.message)
    assert "/expected_revision" == problem.details["validation_errors"][0]["path"]


@pytest.mark.parametrize(
    ("limit", "told"), [(0, "limit must be at least 1"), (201, "limit must be at most 200")]
)
def test_a_number_out_of_bounds_is_reported_with_its_bound(limit: int, told: str) -> None:
    """The message for a number out of bounds has the bound."""
    assert told in find_problem(GetHistoryArguments, {"limit": limit}).message


def test_an_unforeseen_error_is_still_reported_with_its_place() -> None:
    """A mistake without its own message is reported with its pointer."""
    problem = find_problem(EmitEventArguments, SENT | {"payload": {1: 2}})

    assert "/payload" == problem.details["validation_errors"][0]["path"]
    assert "payload has the wrong type or value" in problem.message


def test_a_history_is_asked_for_in_pieces() -> None:
    """The number of history entries per call is limited."""
    assert "INVALID_PAYLOAD" == find_problem(GetHistoryArguments, {"limit": 100_000}).code


def test_an_error_is_reported_in_the_shape_of_a_refusal() -> None:
    """An error has the shape of a refusal, and the reply counts as failed."""
    error = StoreError("LOCK_TIMEOUT", "it is held", hint="wait", details={"a": {1}})

    reply = make_error_reply(error)

    assert {
        "success": False,
        "ok": False,
        "error": {
            "code": "LOCK_TIMEOUT",
            "message": "it is held",
            "hint": "wait",
            "details": {"a": [1]},
        },
    } == to_shape(reply)
    assert reply.failed
    assert "LOCK_TIMEOUT: it is held\nWhat to do: wait" == reply.text


def test_an_unexpected_error_reveals_nothing_about_internals() -> None:
    """An unexpected error is always INTERNAL_ERROR without details."""
    shape = make_unexpected_reply().shape

    assert isinstance(shape, ToolFailure)
    assert "INTERNAL_ERROR" == shape.error.code
    assert {} == shape.error.details
