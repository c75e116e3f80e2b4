from typing import Any

import pytest

from saniwa.process.lint.variables import MOST_HOOK_CHECKS
from tests.fakes.definitions import Change, find_in_changed, put, read_changed

_SET = {"type": "set_variable", "variable": "size", "value": "huge"}
_SIZES: dict[str, Any] = {"properties": {"size": {"enum": ["small", "large"]}}}


def _enter(*hooks: dict[str, Any]) -> Change:
    return put([{"type": "notify", "message": "m"}, *hooks], "states", 1, "on_enter")


_UNFIT: list[list[Change]] = [
    [_enter(_SET), put(_SIZES, "context_schema")],
    [_enter(_SET), put(_SIZES | {"required": ["owner"]}, "context_schema")],
    [_enter(_SET), put({"additionalProperties": False}, "context_schema")],
    [_enter(_SET | {"variable": "team_mode"})],
    [
        _enter(_SET | {"value": {"deep": 1}}),
        put({"$defs": {"s": {"type": "object", "additionalProperties": {"type": "null"}}},
             "properties": {"size": {"$ref": "#/$defs/s"}}}, "context_schema"),
    ],
    [
        _enter({"type": "write_artifact", "artifact_type": "text", "content": {}}),
        put({"type": "text", "schema": {"required": ["to"]}}, "artifacts", 0),
    ],
]  # fmt: skip


@pytest.mark.parametrize("changes", _UNFIT)
def test_a_hook_that_would_always_fail_is_reported(changes: list[Change]) -> None:
    """A hook that would always fail is a finding."""
    assert [("HOOK_UNFIT", "states[1].on_enter[1]")] == find_in_changed(*changes)


_FINE: list[list[Change]] = [
    [_enter(_SET | {"value": "large"}), put(_SIZES, "context_schema")],
    [_enter(_SET | {"value": "large"}),
     put(_SIZES | {"required": ["owner"], "additionalProperties": False,
                   "patternProperties": {"^o": {}}}, "context_schema")],
    [
        _enter(_SET),
        put({"if": {"properties": {"mode": {"const": "tight"}}, "required": ["mode"]},
             "then": _SIZES}, "context_schema"),
        put({"mode": "loose"}, "initial_context"),
    ],
    [
        _enter(_SET),
        put({"if": {"required": ["mode"]}, "else": _SIZES}, "context_schema"),
        put({"mode": "loose"}, "initial_context"),
    ],
    [
        _enter({"type": "write_artifact", "artifact_type": "text",
                "content": {"to": "Ann"}}),
        put({"type": "text", "schema": {"required": ["to"]}}, "artifacts", 0),
    ],
]  # fmt: skip


@pytest.mark.parametrize("changes", _FINE)
def test_a_hook_that_may_succeed_is_left_alone(changes: list[Change]) -> None:
    """A hook that depends on other variables is not a finding."""
    assert [] == find_in_changed(*changes)


def test_a_schema_that_is_invalid_is_reported_and_holds_nothing() -> None:
    """An invalid schema is one finding, and nothing is checked against it."""
    written = {"type": "write_artifact", "artifact_type": "text", "content": {}}
    found = find_in_changed(
        _enter(_SET, written),
        put({"type": "mapping"}, "context_schema"),
        put({"type": "text", "schema": {"type": "mapping"}}, "artifacts", 0),
    )

    assert [
        ("SCHEMA_INVALID", "artifacts[0].schema"),
        ("SCHEMA_INVALID", "context_schema"),
    ] == sorted(found)


def test_a_note_without_a_message_is_worth_a_warning() -> None:
    """A note without a message is a warning."""
    read = read_changed(put([{"type": "notify"}], "states", 1, "on_exit"))

    assert [("warning", "FIELD_MISSING", "states[1].on_exit[0]")] == [
        (each.severity, each.code, each.where.path) for each in read.report.findings
    ]


def test_only_so_many_hooks_are_held_to_the_first_values() -> None:
    """Only a limited number of hooks is checked against the initial values."""
    found = find_in_changed(
        put([_SET] * (MOST_HOOK_CHECKS + 5), "states", 1, "on_enter"), put(_SIZES, "context_schema")
    )

    assert ["HOOK_UNFIT"] * MOST_HOOK_CHECKS == [code for code, _ in found]


def test_every_webhook_address_is_noted() -> None:
    """Every webhook address is a note, without its query, which may be a secret."""
    hook = {"type": "notify", "via": "webhook", "message": "m"}
    urls = ["https://example.org/hook?key=1", "http://127.0.0.1:9/"]
    found = read_changed(_enter(*({**hook, "url": url} for url in urls))).report.findings

    assert [
        (
            "note",
            "WEBHOOK_ADDRESS",
            "this process sends notifications to 'https://example.org/hook?…'",
        ),
        ("note", "WEBHOOK_ADDRESS", "this process sends notifications to 'http://127.0.0.1:9/'"),
    ] == [(each.severity, each.code, each.message) for each in found]
