from pathlib import Path
from typing import Any

import pytest

from saniwa.documents.finding_collector import MOST_FINDINGS
from saniwa.process.definition import (
    STANDARD_ROLES,
    AllGuard,
    AnyGuard,
    ArtifactGuard,
    NotGuard,
    NotifyHook,
    SetVariableHook,
    StateDefinition,
    ToolPermissions,
    VariableGuard,
    WriteArtifactHook,
    list_roles,
)
from saniwa.process.definition_part_readers import MOST_PARTS, MOST_ROLES
from saniwa.process.reader import ProcessReadResult, read_process, read_process_text
from tests.fakes.definitions import Change, find_in_changed, list_findings, put, read_changed

SHORT = """\
process_id: tiny
version: "1"
name: Tiny
states: [begun, {name: over, is_final: true}]
events: [{name: go, allowed_roles: "*"}]
transitions: [{from: begun, event: go, to: over}]
"""
ORIGIN = """\
process:
  id: tiny
  version: "1"
  name: Tiny
  description: Short.
  initial_state: begun
  initial_context: {a: 1}
  context_schema: {type: object}
states: [{name: begun}, {name: over, is_final: true}]
events: [{name: go, allowed_roles: ["*"]}]
transitions: [{from: begun, event: go, to: over}]
"""
CAMEL = """\
processId: tiny
version: "1"
name: Tiny
description: Short.
initialState: begun
initialContext: {a: 1}
contextSchema: {type: object}
states: [{name: begun}, {name: over, isFinal: true}]
events: [{name: go, allowedRoles: ["*"]}]
transitions: [{from: begun, event: go, to: over}]
"""


def _list_codes(text: str) -> list[str]:
    return [each.code for each in read_process_text(text).report.findings]


def test_what_need_not_be_said_has_a_meaning() -> None:
    """By default the first state is initial, a state may be a name, and roles are standard."""
    process = read_process_text(SHORT).process

    assert process is not None
    assert "begun" == process.initial_state
    assert (
        StateDefinition(name="begun"),
        StateDefinition(name="over", is_final=True),
    ) == process.states
    assert STANDARD_ROLES == list_roles(process)
    assert ({}, ()) == (process.guards, process.artifacts)


def test_header_and_camel_case_mean_the_same() -> None:
    """A header, top-level keys and camelCase give the same process."""
    first, second = read_process_text(ORIGIN).process, read_process_text(CAMEL).process

    assert first is not None
    assert first == second
    assert ("Short.", {"a": 1}) == (first.description, first.initial_variables)


def test_what_header_and_top_both_say_is_reported() -> None:
    """A key in both the header and the top level is a duplicate."""
    read = read_process_text("version: '2'\n" + ORIGIN)

    assert [("DUPLICATE_KEY", "process.version")] == list_findings(read)


def test_one_key_in_two_spellings_is_reported() -> None:
    """A key in camelCase and in snake_case is a duplicate."""
    doubled = put(True, "states", 0, "isFinal"), put(True, "states", 0, "is_final")

    assert ("DUPLICATE_KEY", "states[0].is_final") in find_in_changed(*doubled)


def test_a_process_is_found_by_line_and_column() -> None:
    """A finding has the line and column of the mistake."""
    read = read_process_text(ORIGIN.replace("initial_state: begun", "initialState: x"))

    first = read.report.findings[0]
    assert ("INVALID_INITIAL_STATE", 6, 17) == (first.code, first.where.line, first.where.column)


def test_a_missing_file_and_a_broken_text_are_reported(tmp_path: Path) -> None:
    """An unreadable file and an invalid text are findings with a place."""
    broken = tmp_path / "a.yaml"
    broken.write_text("a: [", encoding="utf-8")
    reads = [
        read_process(tmp_path / "none.yaml"),
        read_process(broken),
        read_process_text("{", "x.json", "json"),
    ]

    assert ["DOCUMENT_UNREADABLE", "DOCUMENT_SYNTAX", "DOCUMENT_SYNTAX"] == [
        read.report.findings[0].code for read in reads
    ]
    assert [None] * 3 == [read.process for read in reads]
    assert all(read.report.findings[0].where.file for read in reads)


def test_every_field_of_the_interfaces_is_read() -> None:
    """Every documented field is read."""
    read = read_changed(
        put("Look.", "states", 1, "prompt"),
        put("Being read.", "states", 1, "description"),
        put({"allowed": ["Read"], "ask": ["Bash"], "denied": ["Write"]},
            "states", 1, "toolPermissions"),
        put([{"type": "set_variable", "variable": "seen", "value": True},
             {"type": "notify", "message": "read"}], "states", 1, "on_enter"),
        put([{"type": "write_artifact", "artifactType": "text", "content": None},
             {"type": "notify", "via": "webhook", "url": "https://example.org/a?b=c"}],
            "states", 1, "onExit"),
        put("Says.", "transitions", 1, "description"),
        put({"type": "object"}, "events", 0, "payloadSchema"),
        put({"type": "string"}, "artifacts", 0),
        put({"type": "text", "description": "A letter.", "requiredInStates": ["draft"],
             "requiredForTransitions": ["submit"], "schema": True,
             "forms": ["path", "inline"]}, "artifacts", 0),
    )  # fmt: skip

    process = read.process
    assert process is not None, read.report
    state = process.states[1]
    assert ToolPermissions(allowed=("Read",), ask=("Bash",), denied=("Write",)) == (
        state.tool_permissions
    )
    assert ("Look.", "Being read.") == (state.prompt, state.description)
    assert (SetVariableHook(variable="seen", value=True), NotifyHook(message="read")) == (
        state.on_enter
    )
    assert (
        WriteArtifactHook(artifact_type="text", content=None),
        NotifyHook(via="webhook", url="https://example.org/a?b=c"),
    ) == state.on_exit
    assert "Says." == process.transitions[1].description
    assert {"type": "object"} == process.events[0].payload_schema
    kind = process.artifacts[0]
    assert ("A letter.", ("draft",), ("submit",), True, ("path", "inline")) == (
        kind.description,
        kind.required_in_states,
        kind.required_for_transitions,
        kind.schema,
        kind.forms,
    )


_GUARDS: list[tuple[dict[str, Any], Any]] = [
    (
        {"type": "artifact", "artifactType": "text", "condition": "count",
         "minCount": 2, "description": "d"},
        ArtifactGuard(artifact_type="text", condition="count", min_count=2,
                      description="d"),
    ),
    (
        {"type": "artifact", "artifact_type": "text", "condition": "has_fields",
         "required_fields": ["a.b"]},
        ArtifactGuard(artifact_type="text", condition="has_fields",
                      required_fields=("a.b",)),
    ),
    (
        {"type": "artifact", "artifact_type": "text", "condition": "exists",
         "fresh": True},
        ArtifactGuard(artifact_type="text", condition="exists", fresh=True),
    ),
    (
        {"type": "context", "variable": "x", "condition": "equals", "value": None},
        VariableGuard(variable="x", condition="equals", value=None),
    ),
    (
        {"type": "context", "variable": "x", "condition": "in", "value": [1, "a"]},
        VariableGuard(variable="x", condition="in", value=[1, "a"]),
    ),
    (
        {"type": "context", "variable": "x", "condition": "not_exists"},
        VariableGuard(variable="x", condition="not_exists"),
    ),
    ({"type": "all", "guards": ["base"]}, AllGuard(guards=("base",))),
    ({"type": "any", "guards": ["base"]}, AnyGuard(guards=("base",))),
    ({"type": "not", "guard": "base", "description": "d"},
     NotGuard(guard="base", description="d")),
]  # fmt: skip


@pytest.mark.parametrize(("written", "meant"), _GUARDS)
def test_guards_are_read_as_they_are_written(written: dict[str, Any], meant: object) -> None:
    """Every kind of guard is read."""
    base = {"type": "artifact", "artifact_type": "text", "condition": "exists"}
    read = read_changed(
        put(written, "guards", "written"),
        put(base, "guards", "base"),
        put({"from": "draft", "event": "submit", "to": "read", "guard": "base"},
            "transitions", "+"),
    )  # fmt: skip

    assert read.process is not None, read.report
    assert meant == read.process.guards["written"]


_WRONG: list[tuple[str, str, list[Change]]] = [
    ("FIELD_MISSING", "", [put(..., "process_id")]),
    ("FIELD_MISSING", "", [put(None, "name")]),
    ("FIELD_MISSING", "events[0]", [put(..., "events", 0, "allowed_roles")]),
    ("FIELD_MISSING", "states[3]", [put({"prompt": "?"}, "states", "+")]),
    ("FIELD_MISSING", "transitions[3]", [
        put({"from": "draft", "to": "read"}, "transitions", "+")]),
    ("FIELD_MISSING", "artifacts[1]", [put({}, "artifacts", "+")]),
    ("FIELD_MISSING", "roles[2]", [put({"name": "clerk"}, "roles", "+")]),
    ("FIELD_MISSING", "guards.written", [
        put("has_fields", "guards", "written", "condition")]),
    ("FIELD_MISSING", "guards.x", [put({"condition": "exists"}, "guards", "x")]),
    ("FIELD_MISSING", "guards.x", [put({"type": "not"}, "guards", "x")]),
    ("FIELD_MISSING", "guards.x", [put({"type": "any"}, "guards", "x")]),
    ("FIELD_MISSING", "guards.x.guards", [
        put({"type": "any", "guards": []}, "guards", "x")]),
    ("FIELD_MISSING", "guards.x", [
        put({"type": "context", "variable": "x"}, "guards", "x")]),
    ("FIELD_MISSING", "states[0].on_exit[0]", [
        put([{"type": "notify", "via": "webhook"}], "states", 0, "on_exit")]),
    ("FIELD_MISSING", "states[0].on_exit[0]", [
        put([{"type": "set_variable", "variable": "x"}], "states", 0, "on_exit")]),
    ("FIELD_MISSING", "states[0].on_exit[0]", [
        put([{"type": "write_artifact", "content": 1}], "states", 0, "on_exit")]),
    ("WRONG_TYPE", "version", [put(1.5, "version")]),
    ("WRONG_TYPE", "process", [put("letter", "process")]),
    ("WRONG_TYPE", "events[0].allowed_roles", [
        put("agent", "events", 0, "allowed_roles")]),
    ("WRONG_TYPE", "states[0].required_artifacts", [
        put("text", "states", 0, "required_artifacts")]),
    ("WRONG_TYPE", "states[0].required_artifacts[0]", [
        put([7], "states", 0, "required_artifacts")]),
    ("WRONG_TYPE", "states[0].required_artifacts[0]", [
        put([""], "states", 0, "required_artifacts")]),
    ("WRONG_TYPE", "states[2].is_final", [put("yes", "states", 2, "is_final")]),
    ("WRONG_TYPE", "states[3]", [put(3, "states", "+")]),
    ("WRONG_TYPE", "events[3]", [put("go", "events", "+")]),
    ("WRONG_TYPE", "transitions[3]", [put("go", "transitions", "+")]),
    ("WRONG_TYPE", "artifacts[1]", [put(3, "artifacts", "+")]),
    ("WRONG_TYPE", "roles[2]", [put("clerk", "roles", "+")]),
    ("WRONG_TYPE", "guards.x", [put("exists", "guards", "x")]),
    ("WRONG_TYPE", "guards.written.min_count", [
        put(True, "guards", "written", "min_count")]),
    ("WRONG_TYPE", "transitions[3].after", [
        put({"from": "draft", "to": "read", "event": "x", "after": 48},
            "transitions", "+")]),
    ("WRONG_TYPE", "states[0].on_exit[0]", [put(["x"], "states", 0, "on_exit")]),
    ("WRONG_TYPE", "states[0].tool_permissions.ask", [
        put({"ask": "Bash"}, "states", 0, "tool_permissions")]),
    ("UNKNOWN_KEY", "discription", [put("x", "discription")]),
    ("UNKNOWN_KEY", "states[0].final", [put(True, "states", 0, "final")]),
    ("UNKNOWN_KEY", "guards.written.variable", [
        put("x", "guards", "written", "variable")]),
    ("UNKNOWN_VALUE", "artifacts[0].forms[1]", [
        put({"type": "text", "forms": ["path", "file"]}, "artifacts", 0)]),
    ("FIELD_MISSING", "artifacts[0].forms", [
        put({"type": "text", "forms": []}, "artifacts", 0)]),
    ("UNKNOWN_KEY", "guards.x.fresh", [
        put({"type": "context", "variable": "x", "condition": "exists",
             "fresh": True}, "guards", "x")]),
    ("UNKNOWN_VALUE", "guards.x.type", [put({"type": "artefact"}, "guards", "x")]),
    ("UNKNOWN_VALUE", "guards.x.type", [put({"type": 3}, "guards", "x")]),
    ("UNKNOWN_VALUE", "guards.x.condition", [
        put({"type": "context", "variable": "x", "condition": "is"}, "guards", "x")]),
    ("UNKNOWN_VALUE", "guards.x.condition", [
        put({"type": "artifact", "artifact_type": "text", "condition": "exist"},
            "guards", "x")]),
    ("UNKNOWN_VALUE", "states[0].on_exit[0].via", [
        put([{"type": "notify", "via": "mail"}], "states", 0, "on_exit")]),
    ("UNKNOWN_VALUE", "artifacts[0].lookup", [
        put("run_logs", "artifacts", 0, "lookup")]),
    ("INVALID_MIN_COUNT", "guards.x.min_count", [
        put({"type": "artifact", "artifact_type": "text", "condition": "count",
             "min_count": -1}, "guards", "x")]),
    ("INVALID_CONTEXT_GUARD_VALUE", "guards.x", [
        put({"type": "context", "variable": "x", "condition": "equals"},
            "guards", "x")]),
    ("INVALID_CONTEXT_GUARD_VALUE", "guards.x.value", [
        put({"type": "context", "variable": "x", "condition": "in", "value": "a"},
            "guards", "x")]),
    ("INVALID_CONTEXT_GUARD_VALUE", "guards.x.value", [
        put({"type": "context", "variable": "x", "condition": "exists", "value": 1},
            "guards", "x")]),
    ("NAME_UNUSABLE", "states[3]", [put("a;b", "states", "+")]),
    ("NAME_UNUSABLE", "states[3]", [put("*", "states", "+")]),
    ("NAME_UNUSABLE", "states[3]", [put(" a", "states", "+")]),
    ("NAME_UNUSABLE", "states[3]", [put("", "states", "+")]),
    ("NAME_UNUSABLE", "states[3]", [put("a\u2028b", "states", "+")]),
    ("NAME_UNUSABLE", "states[3].name", [put({"name": "a\tb"}, "states", "+")]),
    ("NAME_UNUSABLE", "artifacts[1]", [put("x" * 101, "artifacts", "+")]),
    ("NAME_UNUSABLE", "guards.'a\\nb'", [put({}, "guards", "a\nb")]),
    ("NAME_UNUSABLE", "process_id", [put("../letter", "process_id")]),
    ("NAME_UNUSABLE", "states[0].on_exit[0].variable", [
        put([{"type": "set_variable", "variable": "", "value": 1}],
            "states", 0, "on_exit")]),
    ("NAME_UNUSABLE", "transitions[3].event", [
        put({"from": "read", "event": "a;b", "to": "draft", "after": "1h"},
            "transitions", "+")]),
    ("DURATION_UNUSABLE", "transitions[3].after", [
        put({"from": "read", "to": "draft", "after": "soon"}, "transitions", "+")]),
    ("ADDRESS_UNUSABLE", "states[0].on_exit[0].url", [
        put([{"type": "notify", "via": "webhook", "url": "file:///etc/passwd"}],
            "states", 0, "on_exit")]),
    ("ADDRESS_UNUSABLE", "states[0].on_exit[0].url", [
        put([{"type": "notify", "via": "webhook", "url": "https://me:pw@example.org"}],
            "states", 0, "on_exit")]),
    ("ADDRESS_UNUSABLE", "states[0].on_exit[0].url", [
        put([{"type": "notify", "via": "webhook", "url": "https://a.example/\x01"}],
            "states", 0, "on_exit")]),
    ("NUMBER_TOO_LARGE", "initial_context.a[0]", [
        put({"a": [2**64]}, "initial_context")]),
    ("PROCESS_TOO_LARGE", "artifacts", [
        put(["text"] * (MOST_PARTS + 1), "artifacts"),
        put([], "states", 0, "required_artifacts"), put({}, "guards"),
        put(..., "transitions", 0, "guard")]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "path", "changes"), _WRONG, ids=lambda each: each if isinstance(each, str) else ""
)
def test_what_is_malformed_is_reported_first(code: str, path: str, changes: list[Change]) -> None:
    """A malformed definition is a finding with its place, and gives no process."""
    read = read_changed(*changes)

    assert (code, path) in list_findings(read)
    assert read.process is None


def test_a_process_needs_a_state() -> None:
    """An empty list of states is a mistake."""
    assert ("FIELD_MISSING", "states") in find_in_changed(put([], "states"))


def test_too_many_roles_are_refused() -> None:
    """Too many roles are refused."""
    many = [{"name": f"r{n}", "allowed_events": ["submit"]} for n in range(MOST_ROLES + 1)]

    assert ("PROCESS_TOO_LARGE", "roles") in find_in_changed(put(many, "roles"))


@pytest.mark.parametrize("document", ["[]", "3", "null", '"x"', "true"])
def test_a_document_that_is_not_a_mapping_is_reported(document: str) -> None:
    """A document that is not a mapping is a finding."""
    assert ["WRONG_TYPE"] == _list_codes(document)


def test_a_key_of_the_authors_own_is_left_alone() -> None:
    """A key that begins with an underscore is ignored."""
    assert [] == find_in_changed(put("ask Ann", "states", 0, "_note"))


def test_hints_say_how_to_write_it() -> None:
    """The hint for a wrong type shows what to write."""
    reads = [
        read_changed(put("agent", "events", 0, "allowed_roles")),
        read_changed(put(3, "version")),
        read_changed(put("yes", "states", 2, "is_final")),
        read_changed(put(1, "discription")),
        read_changed(put(48, "transitions", 0, "after")),
    ]

    assert [
        "write [agent]",
        "put it in quotes",
        "write true: in YAML 1.2, yes is text",
        "did you mean 'description'?",
        "write a number and its unit, such as '48h'; units are ms, s, m, h and d",
    ] == [_find_first_malformed(read) for read in reads]


def _find_first_malformed(read: ProcessReadResult) -> str:
    kinds = ("WRONG_TYPE", "UNKNOWN_KEY")
    return next(each.hint for each in read.report.findings if each.code in kinds)


def test_names_may_be_japanese() -> None:
    """Names may be Japanese."""
    read = read_process_text(SHORT.replace("begun", "下書き").replace("tiny", "手紙"))

    assert [] == list_findings(read)


def test_findings_are_bounded_and_the_rest_is_counted() -> None:
    """A report has at most a thousand findings, and a note with the number of the others."""
    read = read_changed(put([3] * (MOST_FINDINGS + 500), "artifacts"))

    *shown, last = read.report.findings
    assert (MOST_FINDINGS, "FINDINGS_MANY") == (len(shown), last.code)
    assert 500 <= last.details["more"]


def test_repeated_keys_are_bounded_too() -> None:
    """Duplicate keys count towards the limit of findings."""
    text = SHORT + "_a: 1\n" * (MOST_FINDINGS + 5)
    read = read_process_text(text)

    assert MOST_FINDINGS + 1 == len(read.report.findings)
    assert read.process is None


def test_why_a_name_cannot_be_used_is_reported() -> None:
    """The message about an unusable name says why."""
    reads = [read_changed(put(name, "states", "+")) for name in ("a;b", "a\u200bb")]

    assert [
        "the name 'a;b' has a ';', which separates paths in the log",
        "the name 'a\\u200bb' has the control character U+200B",
    ] == [read.report.findings[0].message for read in reads]


def test_a_role_without_a_name_is_reported_and_left_out() -> None:
    """A role without a name is one finding."""
    nameless = put({"allowed_events": ["submit"]}, "roles", "+")

    assert [("FIELD_MISSING", "roles[2]")] == find_in_changed(nameless)


def test_the_line_that_is_not_yaml_can_be_quoted(tmp_path: Path) -> None:
    """The line of a YAML error can be quoted."""
    file = tmp_path / "a.yaml"
    file.write_text("\ufeffversion: 1\nname: a: b\n", encoding="utf-8")
    read = read_process(file)

    (only,) = read.report.findings
    assert (2, "name: a: b") == (only.where.line, read.document.get_line(2))
