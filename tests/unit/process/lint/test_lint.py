from typing import Any

import pytest

from tests.fakes.definitions import Change, find_in_changed, put, read_changed


def _make_artifact_guard(**more: Any) -> dict[str, Any]:
    return {"type": "artifact", "artifact_type": "text", "condition": "exists"} | more


_WAY = {"from": "draft", "event": "submit", "to": "read"}
_WAITING = {"name": "waiting"}
_ONE: list[tuple[str, str, list[Change]]] = [
    ("DUPLICATE_STATE_NAME", "states[3].name", [put({"name": "read"}, "states", "+")]),
    (
        "DUPLICATE_EVENT_NAME",
        "events[3].name",
        [put({"name": "submit", "allowed_roles": ["agent"]}, "events", "+")],
    ),
    (
        "DUPLICATE_ROLE_NAME",
        "roles[2].name",
        [put({"name": "agent", "allowed_events": ["submit"]}, "roles", "+")],
    ),
    ("DUPLICATE_ARTIFACT_TYPE", "artifacts[1]", [put("text", "artifacts", "+")]),
    ("NAME_RESERVED", "transitions[3].event", [
        put({"from": "read", "event": "created", "to": "draft", "after": "1h"},
            "transitions", "+"),
    ]),
    ("INVALID_TRANSITION_FROM", "transitions[3].from", [
        put(_WAY | {"from": "drift"}, "transitions", "+"),
    ]),
    ("INVALID_TRANSITION_TO", "transitions[3].to", [
        put(_WAY | {"to": "red", "guard": "written"}, "transitions", "+"),
    ]),
    ("INVALID_TRANSITION_EVENT", "transitions[3].event", [
        put(_WAY | {"event": "submitt"}, "transitions", "+"),
    ]),
    ("INVALID_GUARD_REFERENCE", "transitions[3].guard", [
        put(_WAY | {"guard": "writen"}, "transitions", "+"),
    ]),
    ("INVALID_GUARD_REFERENCE", "guards.both.guards[1]", [
        put({"type": "all", "guards": ["written", "red"]}, "guards", "both"),
        put("both", "transitions", 0, "guard"),
    ]),
    ("INVALID_GUARD_REFERENCE", "guards.none.guard", [
        put({"type": "not", "guard": "writen"}, "guards", "none"),
        put(_WAY | {"guard": "none"}, "transitions", "+"),
    ]),
    ("INVALID_ROLE_REFERENCE", "events[0].allowed_roles[1]", [
        put("clerk", "events", 0, "allowed_roles", "+"),
    ]),
    ("INVALID_ROLE_REFERENCE", "transitions[0].allowed_roles[1]", [
        put(["agent", "agnet"], "transitions", 0, "allowed_roles"),
    ]),
    ("INVALID_EVENT_REFERENCE", "roles[0].allowed_events[1]", [
        put("submitt", "roles", 0, "allowed_events", "+"),
    ]),
    ("INVALID_WILDCARD_ROLE", "events[0].allowed_roles[1]", [
        put("*", "events", 0, "allowed_roles", "+"),
    ]),
    ("INVALID_WILDCARD_ROLE", "transitions[0].allowed_roles[0]", [
        put(["*", "agent"], "transitions", 0, "allowed_roles"),
    ]),
    ("INVALID_WILDCARD_ROLE", "roles[0].allowed_events[1]", [
        put("*", "roles", 0, "allowed_events", "+"),
    ]),
    ("INVALID_GUARD_ARTIFACT_TYPE", "guards.other.artifact_type", [
        put(_make_artifact_guard(artifact_type="txt"), "guards", "other"),
        put(_WAY | {"guard": "other"}, "transitions", "+"),
    ]),
    ("INVALID_REQUIRED_ARTIFACT", "states[0].required_artifacts[1]", [
        put("txt", "states", 0, "required_artifacts", "+"),
    ]),
    ("INVALID_HOOK_ARTIFACT_TYPE", "states[0].on_exit[1]", [
        put([{"type": "notify", "message": "m"},
             {"type": "write_artifact", "artifact_type": "txt", "content": 1}],
            "states", 0, "on_exit"),
    ]),
    ("INVALID_STATE_REFERENCE", "artifacts[0].required_in_states[0]", [
        put({"type": "text", "required_in_states": ["drafts"]}, "artifacts", 0),
    ]),
    ("INVALID_TRANSITION_REFERENCE", "artifacts[0].required_for_transitions[2]", [
        put({"type": "text", "required_for_transitions":
             ["submit", "draft->read", "draft->sent"]}, "artifacts", 0),
    ]),
    ("NO_FINAL_STATE", "states", [put(False, "states", 2, "is_final")]),
    ("FINAL_STATE_LEFT", "transitions[3].from", [
        put(_WAY | {"from": "sent"}, "transitions", "+"),
    ]),
    ("TIMER_CIRCLES", "transitions[3].to", [
        put({"from": "read", "to": "read", "after": "1h"}, "transitions", "+"),
    ]),
    ("EVENT_UNSENDABLE", "events[0].allowed_roles", [
        put([], "events", 0, "allowed_roles"),
    ]),
    ("EVENT_UNSENDABLE", "events[0].allowed_roles", [
        put([], "roles", 0, "allowed_events"),
    ]),
    ("EVENT_UNSENDABLE", "events[1].allowed_roles", [
        put(False, "roles", 1, "can_approve"),
    ]),
    ("EVENT_UNSENDABLE", "events[2].allowed_roles", [
        put(False, "roles", 1, "can_reject"),
    ]),
    ("EVENT_UNSENDABLE", "transitions[0].allowed_roles", [
        put(["reviewer"], "transitions", 0, "allowed_roles"),
    ]),
    ("EVENT_UNUSED", "events[3].name", [
        put({"name": "sing", "allowed_roles": ["agent"]}, "events", "+"),
        put("sing", "roles", 0, "allowed_events", "+"),
    ]),
    ("AMBIGUOUS_TRANSITION", "transitions[3]", [
        put(_WAY | {"from": "read", "event": "approve", "to": "draft"},
            "transitions", "+"),
    ]),
    ("AMBIGUOUS_TRANSITION", "transitions[4]", [
        put({"from": "read", "to": "draft", "after": "1h"}, "transitions", "+"),
        put({"from": "read", "to": "sent", "after": "2h"}, "transitions", "+"),
    ]),
    ("SELF_APPROVAL", "events[1].allowed_roles[1]", [
        put("agent", "events", 1, "allowed_roles", "+"),
    ]),
    ("SELF_APPROVAL", "transitions[1].allowed_roles[1]", [
        put(["reviewer", "agent"], "transitions", 1, "allowed_roles"),
    ]),
    ("SELF_APPROVAL", "events[1].allowed_roles", [
        put("*", "events", 1, "allowed_roles"),
    ]),
    ("SELF_APPROVAL", "roles[0].can_approve", [
        put(True, "roles", 0, "can_approve"),
    ]),
    ("SELF_APPROVAL", "roles[0].allowed_events[1]", [
        put("override_guard", "roles", 0, "allowed_events", "+"),
    ]),
    ("SELF_APPROVAL", "transitions[3].event", [
        put({"from": "read", "event": "approve", "to": "sent", "after": "1h"},
            "transitions", "+"),
    ]),
    ("GUARD_UNUSED", "guards.other", [put(_make_artifact_guard(), "guards", "other")]),
    ("ARTIFACT_UNUSED", "artifacts[1]", [put("seal", "artifacts", "+")]),
    ("GUARD_CYCLE", "guards.a", [
        put({"type": "not", "guard": "b"}, "guards", "a"),
        put({"type": "any", "guards": ["a", "written"]}, "guards", "b"),
        put("a", "transitions", 0, "guard"),
    ]),
    ("SCHEMA_INVALID", "events[0].payload_schema", [
        put({"type": "text"}, "events", 0, "payload_schema"),
    ]),
    ("SCHEMA_INVALID", "artifacts[0].schema", [
        put({"$ref": "https://example.org/x.json"}, "artifacts", 0),
        put({"type": "text", "schema": {"$ref": "https://example.org/x.json"}},
            "artifacts", 0),
    ]),
    ("SCHEMA_INVALID", "context_schema", [
        put({"properties": 3}, "context_schema"),
        put({"a": 1}, "initial_context"),
    ]),
    ("INVALID_INITIAL_CONTEXT", "initial_context", [
        put({"properties": {"a": {"type": "string"}}}, "context_schema"),
        put({"a": 1}, "initial_context"),
    ]),
    ("INVALID_INITIAL_CONTEXT", "initial_context", [
        put({"team_mode": "crowd"}, "initial_context"),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "path", "changes"), _ONE, ids=lambda each: each if str(each) == each else ""
)
def test_one_mistake_is_one_finding(code: str, path: str, changes: list[Change]) -> None:
    """Each mistake is one finding with its code and place."""
    assert [(code, path)] == find_in_changed(*changes)


def test_a_sound_definition_has_no_findings() -> None:
    """The definition that every other test changes has no findings."""
    assert [] == find_in_changed()


def test_a_state_without_a_way_in_and_out_is_reported_twice() -> None:
    """A state without transitions is both unreachable and a dead end."""
    assert [
        ("UNREACHABLE_STATE", "states[3].name"),
        ("DEAD_END", "states[3].name"),
    ] == find_in_changed(put(_WAITING, "states", "+"))


def test_states_that_only_lead_to_each_other_are_dead_ends() -> None:
    """States in a cycle without a path to a final state are dead ends."""
    codes = find_in_changed(
        put(_WAITING, "states", "+"),
        put({"name": "dozing"}, "states", "+"),
        put(_WAY | {"to": "waiting", "guard": "written"}, "transitions", "+"),
        put({"from": "waiting", "event": "submit", "to": "dozing"}, "transitions", "+"),
        put({"from": "dozing", "event": "submit", "to": "waiting"}, "transitions", "+"),
    )

    assert [("DEAD_END", "states[3].name"), ("DEAD_END", "states[4].name")] == codes


def test_an_unknown_initial_state_reaches_nothing() -> None:
    """An unknown initial state is one finding with the nearest name."""
    read = read_changed(put("drafts", "initial_state"))

    assert [("INVALID_INITIAL_STATE", "did you mean 'draft'?")] == [
        (each.code, each.hint) for each in read.report.findings
    ]


def test_an_event_named_like_the_gates_own_is_refused() -> None:
    """An event with a name of the gate's own records is refused."""
    read = find_in_changed(
        put("migrated", "events", 0, "name"),
        put("migrated", "transitions", 0, "event"),
        put(["migrated"], "roles", 0, "allowed_events"),
    )

    assert [("NAME_RESERVED", "events[0].name")] == read


def test_roles_that_never_overlap_may_have_separate_transitions() -> None:
    """Two unguarded transitions for one event are allowed if no role could take both."""
    clerk = {"name": "clerk", "allowed_events": ["submit"]}

    assert [] == find_in_changed(
        put(clerk, "roles", "+"),
        put("clerk", "events", 0, "allowed_roles", "+"),
        put(_WAY | {"allowed_roles": ["clerk"]}, "transitions", "+"),
        put(_WAY | {"allowed_roles": ["agent"]}, "transitions", "+"),
    )


def test_a_star_lets_every_role_that_has_the_event() -> None:
    """With a star, a role must still have the event, or a star itself."""
    assert [] == find_in_changed(
        put("*", "events", 0, "allowed_roles"),
        put("*", "transitions", 0, "allowed_roles"),
        put("*", "roles", 0, "allowed_events"),
    )


def test_the_standard_roles_hold_where_none_are_named() -> None:
    """The standard roles need no definition."""
    assert [] == find_in_changed(put(..., "roles"))


def test_an_event_that_only_time_sets_off_needs_no_sender() -> None:
    """An event that only a timer triggers needs no sender."""
    assert [] == find_in_changed(
        put({"name": "lapse", "allowed_roles": []}, "events", "+"),
        put({"from": "read", "event": "lapse", "to": "draft", "after": "2d"},
            "transitions", "+"),
    )  # fmt: skip


def test_putting_a_guard_aside_needs_no_transition_of_its_own() -> None:
    """`override_guard` needs no transition of its own."""
    assert [] == find_in_changed(
        put({"name": "override_guard", "allowed_roles": ["reviewer"]}, "events", "+"),
        put("override_guard", "roles", 1, "allowed_events", "+"),
    )


def test_an_override_that_no_person_may_send_is_reported() -> None:
    """An override that no person may send is a finding."""
    assert [("EVENT_UNSENDABLE", "events[3].allowed_roles")] == find_in_changed(
        put({"name": "override_guard", "allowed_roles": ["reviewer"]}, "events", "+")
    )


def test_a_guard_deep_inside_others_is_refused() -> None:
    """Guards may be nested twenty levels deep."""
    nested = {f"g{n}": {"type": "not", "guard": f"g{n + 1}"} for n in range(30)}
    nested["g30"] = _make_artifact_guard()
    codes = find_in_changed(
        put(nested | {"written": _make_artifact_guard()}, "guards"),
        put(_WAY | {"guard": "g0"}, "transitions", "+"),
    )

    assert [("GUARD_TOO_LARGE", "guards.g10")] == codes


def test_guards_that_double_at_every_level_are_refused() -> None:
    """Guards that double at every level are refused, because each use counts."""
    nested = {f"g{n}": {"type": "all", "guards": [f"g{n + 1}"] * 4} for n in range(8)}
    nested["g8"] = _make_artifact_guard()
    codes = find_in_changed(
        put(nested | {"written": _make_artifact_guard()}, "guards"),
        put(_WAY | {"guard": "g0"}, "transitions", "+"),
    )

    assert [("GUARD_TOO_LARGE", "guards.g3")] == codes


def test_a_long_ring_of_guards_is_shown_in_part() -> None:
    """A long cycle of guards is shown in part."""
    ring = {f"g{n}": {"type": "not", "guard": f"g{(n + 1) % 9}"} for n in range(9)}
    read = read_changed(
        put(ring | {"written": _make_artifact_guard()}, "guards"),
        put(_WAY | {"guard": "g0"}, "transitions", "+"),
    )

    assert ["g0 → g1 → g2 → g3 → g4 → g5 → …"] == [
        each.message.split(": ")[1] for each in read.report.findings
    ]


def test_what_is_unknown_is_not_also_reported_as_missing() -> None:
    """A role that is not defined is one finding, and its event is not reported as unsendable."""
    assert [("INVALID_ROLE_REFERENCE", "events[0].allowed_roles[0]")] == find_in_changed(
        put(["clerk"], "events", 0, "allowed_roles")
    )
    way = ("INVALID_ROLE_REFERENCE", "transitions[0].allowed_roles[0]")
    assert [way] == find_in_changed(put(["clerk"], "transitions", 0, "allowed_roles"))


def test_what_is_malformed_is_reported_once() -> None:
    """A malformed guard, event or role is not also reported as missing."""
    guard = put({"type": "artifact"}, "guards", "written")

    assert {"FIELD_MISSING"} == {code for code, _ in find_in_changed(guard)}
    for change in (put(..., "events", 0, "allowed_roles"), put(..., "roles", 1, "allowed_events")):
        assert ["FIELD_MISSING"] == [code for code, _ in find_in_changed(change)]


def test_everything_is_reported_at_once() -> None:
    """One mistake does not hide another."""
    codes = {
        code
        for code, _ in find_in_changed(
            put(_WAITING, "states", "+"),
            put("clerk", "events", 0, "allowed_roles", "+"),
            put(_WAY | {"to": "nowhere", "guard": "no"}, "transitions", "+"),
            put({"type": "int"}, "events", 0, "payload_schema"),
            put("agent", "events", 1, "allowed_roles", "+"),
            put(5, "version"),
        )
    }

    assert {
        "UNREACHABLE_STATE",
        "DEAD_END",
        "INVALID_ROLE_REFERENCE",
        "INVALID_TRANSITION_TO",
        "INVALID_GUARD_REFERENCE",
        "SCHEMA_INVALID",
        "SELF_APPROVAL",
        "WRONG_TYPE",
    } == codes


def test_a_hook_may_write_and_a_kind_so_written_counts_as_used() -> None:
    """A kind that a hook writes counts as used."""
    hooks = [
        {"type": "write_artifact", "artifact_type": "stamp", "content": {"a": 1}},
        {"type": "set_variable", "variable": "seen", "value": None},
    ]

    assert [] == find_in_changed(
        put(hooks, "states", 1, "on_enter"), put("stamp", "artifacts", "+")
    )


def test_the_hint_for_an_event_without_a_sender_fits_the_event() -> None:
    """The hint for an event without a sender depends on the event."""
    override = {"name": "override_guard", "allowed_roles": ["reviewer"]}
    reads = [
        read_changed(put(False, "roles", 1, "can_approve")),
        read_changed(put(override, "events", "+")),
        read_changed(put([], "events", 0, "allowed_roles")),
    ]

    assert [
        "give a role 'can_approve: true', and name it here",
        "only people may send it: use 'human', 'reviewer' or a role that approves",
        "a role must be named here, and must have the event under 'allowed_events'",
    ] == [read.report.findings[0].hint for read in reads]


@pytest.mark.parametrize(
    ("values", "place"),
    [
        (["{context.team_mode}"], "values"),
        (["{context.team_mode}", "team_mode"], "values[1]"),
        (["{context.team_mode}", "{check.plays}"], "values[1]"),
        (["{context.team_mode}", "{check.alike.value}"], "values"),
    ],
    ids=["few", "no-reference", "no-field", "itself"],
)
def test_values_that_can_never_agree_are_reported(values: list[str], place: str) -> None:
    """A `same_subject` check needs at least two values, each of which a check can find out."""
    guard = {"type": "check", "kind": "same_subject", "values": values}
    found = find_in_changed(put(guard, "guards", "alike"))

    assert ("CHECK_UNUSABLE", f"guards.alike.{place}") in found


@pytest.mark.parametrize(
    ("command", "hints"),
    [
        (["python3 -m unittest -q"], ["write [python3, -m, unittest, -q]"]),
        (["sleep 1"], ['write ["sleep", "1"]']),
        (["test true"], ['write ["test", "true"]']),
        (["pytest -k 'a or b'"], ['write ["pytest", "-k", "a or b"]']),
        (["echo don't"], ['write ["echo", "don\'t"]']),
        (["grep 合言葉"], ['write ["grep", "合言葉"]']),
        (["pytest"], []),
        (["python3", "-c", "import this"], []),
    ],
)
def test_a_command_that_is_one_text_is_reported_with_its_list(
    command: list[str], hints: list[str]
) -> None:
    """A command whose program and arguments are one text causes a warning with the list to write."""
    guard = {"type": "check", "kind": "command", "command": command}
    findings = read_changed(put(guard, "guards", "tested")).report.findings
    found = [each for each in findings if each.code == "CHECK_UNUSABLE"]

    assert hints == [each.hint for each in found]
    assert all(each.severity == "warning" for each in found)


@pytest.mark.parametrize(
    ("more", "known"),
    [({}, True), ({"keep_as": "note"}, False)],
    ids=["own-name", "kept-as-another"],
)
def test_a_value_may_name_what_a_check_keeps_under_its_own_name(
    more: dict[str, str], known: bool
) -> None:
    """A value may name the evidence that a check keeps, unless `keep_as` gives it another name."""
    played = {"type": "check", "kind": "run_replay", "subject": "run-1"} | more
    values = ["{artifact.plays.report.run}", "{check.plays.run}"]
    alike = {"type": "check", "kind": "same_subject", "values": values}
    found = find_in_changed(put(played, "guards", "plays"), put(alike, "guards", "alike"))

    unknown = ("INVALID_GUARD_ARTIFACT_TYPE", "guards.alike.values")
    assert known == (unknown not in found)
