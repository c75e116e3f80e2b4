import re
from typing import Any

import pytest

from saniwa.process.definition import EventDefinition
from saniwa.process.event_record import EventRecord
from saniwa.process.submission import KEY_PATTERN, Visitor, is_idempotency_key
from tests.fakes.paper_process import AGENT, REVIEWER, PaperGates, make_paper_process, read_refusal


@pytest.mark.parametrize(
    ("wrong", "path"),
    [
        ({"run_id": None}, "/run_id"),
        ({"event_name": 3}, "/event_name"),
        ({"expected_revision": "1"}, "/expected_revision"),
        ({"expected_revision": True}, "/expected_revision"),
        ({"idempotency_key": None}, "/idempotency_key"),
        ({"payload": [1]}, "/payload"),
        ({"artifact_paths": "text.md"}, "/artifacts"),
        ({"artifacts": [{"path": 3}]}, "/artifacts"),
    ],
)
def test_a_request_of_the_wrong_kind_is_refused_with_its_place(
    wrong: dict[str, Any], path: str
) -> None:
    """A value of a wrong type is refused with a pointer, not an exception."""
    office = PaperGates()
    run_id = office.begin()
    asked: dict[str, Any] = {
        "run_id": run_id,
        "event_name": "jot",
        "expected_revision": 1,
        "idempotency_key": "k",
    }

    answer = office.make_gate().emit_event(**(asked | wrong))

    assert "INVALID_PAYLOAD" == read_refusal(answer)
    assert path == answer["error"]["details"]["validation_errors"][0]["path"]


@pytest.mark.parametrize(
    ("payload", "path"),
    [
        ({"title": 3}, "/payload/title"),
        ({"team_mode": "crowd"}, "/payload/team_mode"),
        ({"assumptions": "none"}, "/payload/assumptions"),
        ({"secret": False}, "/payload/secret"),
    ],
)
def test_a_payload_is_held_to_its_schema_and_to_the_variables(
    payload: dict[str, Any], path: str
) -> None:
    """A payload must fit the event's schema, the published variables and the guarded ones."""
    office = PaperGates()
    run_id = office.begin()

    answer = office.send(run_id, "submit", payload=payload)

    assert "INVALID_PAYLOAD" == read_refusal(answer)
    assert [path] == [p["path"] for p in answer["error"]["details"]["validation_errors"]]


def test_a_guarded_variable_is_set_by_an_event_that_names_it() -> None:
    """A guarded variable may be set by an event whose schema names it."""
    schema = {"properties": {"secret": {"type": "boolean"}}}
    events = tuple(
        EventDefinition(name="jot", allowed_roles=("*",), payload_schema=schema)
        if event.name == "jot"
        else event
        for event in make_paper_process().events
    )
    office = PaperGates(make_paper_process(events=events))
    run_id = office.begin()

    answer = office.send(run_id, "jot", payload={"secret": True})

    assert answer["success"] is True
    assert office.log.load_run(run_id).variables["secret"] is True


@pytest.mark.parametrize(
    "key", ["", "a\n", "\ta", "a\rb", "a\x00", "k" * 201, " a", "a ", "a\u2028b", "\ud800"]
)
def test_a_key_with_a_control_character_is_refused(key: str) -> None:
    """An empty or long key, and one with a control character or outer spaces, is refused."""
    office = PaperGates()
    run_id = office.begin()

    answer = office.send(run_id, "jot", idempotency_key=key)

    assert "INVALID_PAYLOAD" == read_refusal(answer)
    assert 1 == office.log.load_run(run_id).revision


@pytest.mark.parametrize(
    "key", ["=cmd|' /C calc'!A0", "-1", "a b", "é", "鍵 😀", 'a","b;c', "k" * 200, "'"]
)
def test_a_key_may_have_any_printable_characters(key: str) -> None:
    """A key may have any printable characters, and is recorded unchanged."""
    office = PaperGates()
    run_id = office.begin()
    first = office.send(run_id, "jot", idempotency_key=key)
    again = office.send(run_id, "jot", idempotency_key=key, expected_revision=1)

    assert (True, True) == (first["success"], again["result"]["replayed"])
    (record,) = office.log.read_entries(run_id, after=1)
    assert isinstance(record, EventRecord)
    assert key == record.key
    assert re.search(KEY_PATTERN, key)
    assert is_idempotency_key(key)


@pytest.mark.parametrize("payload", [{"a": float("nan")}, {"a": "x" * 100_001}])
def test_a_payload_is_small_json(payload: dict[str, Any]) -> None:
    """A payload that is not JSON, or is too large, is refused."""
    office = PaperGates()
    run_id = office.begin()

    answer = office.send(run_id, "jot", payload=payload)

    assert "INVALID_PAYLOAD" == read_refusal(answer)


WRONG: dict[str, dict[str, Any]] = {
    "RUN_NOT_FOUND": {"run_id": "run-none"},
    "IDEMPOTENCY_CONFLICT": {"idempotency_key": "used"},
    "INVALID_PAYLOAD": {"payload": {"title": 3}},
    "REVISION_CONFLICT": {"expected_revision": 99},
    "INVALID_EVENT": {"event_name": "fly"},
    "FORBIDDEN": {"visitor": Visitor("stranger")},
}
"""The mistakes, in the order in which they are checked."""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (first, second)
        for number, first in enumerate(WRONG)
        for second in list(WRONG)[number + 1 :]
        # The payload of an unknown event cannot be checked.
        if (first, second) != ("INVALID_PAYLOAD", "INVALID_EVENT")
    ],
)
def test_of_two_mistakes_the_earlier_in_the_order_is_reported(first: str, second: str) -> None:
    """The first mistake is reported in the order run, key, payload, revision, event, role."""
    office = PaperGates()
    run_id = office.begin()
    office.send(run_id, "jot", idempotency_key="used")
    asked: dict[str, Any] = {
        "run_id": run_id,
        "event_name": "submit",
        "expected_revision": 2,
        "idempotency_key": "fresh",
    }
    asked |= WRONG[second] | WRONG[first]
    visitor = asked.pop("visitor", AGENT)

    assert first == read_refusal(office.make_gate(visitor).emit_event(**asked))


def test_the_end_of_the_order_is_transition_decision_and_guard() -> None:
    """The role is checked before the transition, the transition before the guard."""
    office = PaperGates()
    run_id = office.begin()

    assert "FORBIDDEN" == read_refusal(office.send(run_id, "approve"))
    assert "INVALID_EVENT" == read_refusal(office.send(run_id, "approve", visitor=REVIEWER))
    assert "GUARD_FAILED" == read_refusal(office.send(run_id, "submit"))


@pytest.mark.parametrize("name", ["a\n  digest 0000", "x" * 201, "\u202eback"])
def test_a_variables_name_is_short_and_visible(name: str) -> None:
    """The name of a variable must be short and visible."""
    office = PaperGates()
    run_id = office.begin()

    assert "INVALID_PAYLOAD" == read_refusal(office.send(run_id, "jot", payload={name: 1}))


def test_a_request_of_no_text_is_refused() -> None:
    """A request with an unpaired surrogate is refused."""
    office = PaperGates()
    run_id = office.begin()

    assert "INVALID_PAYLOAD" == read_refusal(office.send(run_id, "jot\ud800"))
    assert "INVALID_PAYLOAD" == read_refusal(
        office.send(run_id, "jot", artifact_paths=("\ud800.md",))
    )


def test_no_caller_chooses_a_role() -> None:
    """Role and author come from the interface, not from the payload."""
    office = PaperGates()
    run_id = office.begin()
    said = {"role": "reviewer", "author": {"type": "human", "id": "ann"}}
    assert office.send(run_id, "jot", payload=said)["success"]
    _, record = office.log.read_entries(run_id)

    assert isinstance(record, EventRecord)
    assert (AGENT.role, AGENT.author) == (record.role, record.author)
    assert said == record.payload


def test_an_answer_says_ok_and_success_alike() -> None:
    """`ok` and `success` are equal; the second is for clients of the original system."""
    office = PaperGates()
    run_id = office.begin()

    for answer in (office.send(run_id, "jot"), office.send(run_id, "fly")):
        assert answer["ok"] is answer["success"]
