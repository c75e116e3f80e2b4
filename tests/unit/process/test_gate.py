import hashlib
from typing import Any

import pytest

from saniwa.core.errors import ProcessError
from saniwa.process.artifact import Claim
from saniwa.process.definition import (
    ArtifactDefinition,
    ArtifactGuard,
    EventDefinition,
    RoleDefinition,
    Transition,
)
from saniwa.process.gate import Gate
from saniwa.process.record import Note, Record
from saniwa.process.visitor import Visitor
from tests.fakes.paper import AGENT, REVIEWER, Office, paper

PILE = {"text.md": "t", "source-1.md": "1", "source-2.md": "2"}


def refusal(answer: dict[str, Any]) -> str:
    """The code of a refusal."""
    assert answer["success"] is False, answer
    return str(answer["error"]["code"])


def test_a_run_begins_in_the_first_state_at_revision_1() -> None:
    """`created` is revision 1, has no key, and stands in the initial state."""
    office = Office()

    run_id = office.begin()

    (first,) = [e for e in office.log.entries(run_id) if isinstance(e, Record)]
    assert (1, "created", "", "draft") == (
        first.revision,
        first.event,
        first.key,
        first.state,
    )
    assert run_id.startswith("run-")


def test_an_accepted_event_answers_in_the_published_shape() -> None:
    """Success tells the event's id, the transition and the new revision."""
    office = Office()
    run_id = office.begin()

    answer = office.send(run_id, "jot", idempotency_key="k")

    result = answer["result"]
    assert answer["success"] is True
    assert result["accepted"] is True
    assert {"from_state": "draft", "to_state": "draft"} == result["transition"]
    assert 2 == result["new_revision"]


def test_a_stale_revision_is_refused_with_the_current_one() -> None:
    """The published sentence and field tell the loser where the run stands."""
    office = Office()
    run_id = office.begin()

    answer = office.send(run_id, "jot", expected_revision=5)

    error = answer["error"]
    assert "REVISION_CONFLICT" == error["code"]
    assert "Expected revision 5, but current is 1" == error["message"]
    assert 1 == error["current_revision"] == error["details"]["current_revision"]


def test_a_replayed_key_succeeds_and_changes_nothing() -> None:
    """Even with another revision and from another role, and even when files are gone."""
    office = Office(files=PILE)
    run_id = office.begin()
    asked: dict[str, Any] = {"idempotency_key": "k", "artifact_paths": ("text.md",)}
    first = office.send(run_id, "jot", **asked)
    office.desk.files.clear()

    again = office.send(
        run_id, "jot", visitor=REVIEWER, **(asked | {"expected_revision": 99})
    )

    assert again["success"] is True
    assert again["result"].pop("replayed") is True
    assert first == again
    assert 2 == office.log.standing(run_id).revision


@pytest.mark.parametrize(
    "other",
    [
        {"payload": {"note": "two"}},
        {"artifact_paths": ("text.md",)},
        {"artifacts": (Claim(type="text", content="x"),)},
        {"approval_digest": "00"},
        {"payload": {"note": "x" * 100_001}},
    ],
)
def test_a_key_with_another_body_is_a_conflict(other: dict[str, Any]) -> None:
    """The same key never stands for two requests; the answer says which it stands for."""
    office = Office(files=PILE)
    run_id = office.begin()
    office.send(run_id, "jot", idempotency_key="k", payload={"note": "one"})

    answer = office.send(
        run_id, "jot", idempotency_key="k", **({"payload": {"note": "one"}} | other)
    )

    assert "IDEMPOTENCY_CONFLICT" == refusal(answer)
    assert "revision 2" in answer["error"]["message"]
    assert 2 == office.log.standing(run_id).revision


def test_a_refused_event_does_not_spend_its_key() -> None:
    """The same key can be sent again once what was missing is there."""
    office = Office(files=PILE)
    run_id = office.begin()
    paths = ("source-1.md", "source-2.md")
    assert "GUARD_FAILED" == refusal(
        office.send(run_id, "submit", idempotency_key="k", artifact_paths=paths)
    )

    answer = office.send(
        run_id, "submit", idempotency_key="k", artifact_paths=(*paths, "text.md")
    )

    assert answer["success"] is True


def test_a_refused_event_leaves_nothing_behind() -> None:
    """Neither variables nor artifacts of a refused event are seen afterwards."""
    office = Office(files=PILE)
    run_id = office.begin()
    before = office.gate().state(run_id)

    answer = office.send(
        run_id, "submit", payload={"title": "x"}, artifact_paths=("text.md",)
    )

    assert "GUARD_FAILED" == refusal(answer)
    assert before == office.gate().state(run_id)
    assert 1 == len(list(office.log.entries(run_id)))


def test_a_failed_guard_says_what_is_missing_and_who_may() -> None:
    """Each missing piece is named, the state's own required evidence too."""
    office = Office()
    run_id = office.begin()

    answer = office.send(run_id, "submit")

    details = answer["error"]["details"]
    assert "GUARD_FAILED" == refusal(answer)
    assert ["", "ready"] == [m["guard_name"] for m in details["missing_guards"]]
    assert (
        "an artifact of kind 'text'" in details["missing_guards"][0]["current_status"]
    )
    assert "2 artifacts" in details["missing_guards"][1]["current_status"]
    assert ["agent"] == details["who_may"]


def test_a_required_artifact_keeps_a_state_from_being_left() -> None:
    """Staying in the state needs no evidence; leaving it does."""
    office = Office(files=PILE)
    run_id = office.begin()
    paths = ("source-1.md", "source-2.md")

    stays = office.send(run_id, "jot", artifact_paths=paths)
    leaves = office.send(run_id, "submit")

    assert stays["success"] is True
    assert "GUARD_FAILED" == refusal(leaves)


def test_the_same_bytes_under_two_names_are_one_artifact() -> None:
    """Nobody reaches a count by handing in copies, nor by writing `./` before a name."""
    office = Office(files=PILE | {"source-1.md": "same", "source-2.md": "same"})
    run_id = office.begin()
    paths = ("text.md", "source-1.md", "source-2.md")

    copies = office.send(run_id, "submit", artifact_paths=paths)

    assert "GUARD_FAILED" == refusal(copies)


def test_the_same_file_cannot_be_handed_in_twice_at_once() -> None:
    """`a.md` and `./a.md` are one file."""
    office = Office(files=PILE)
    run_id = office.begin()

    answer = office.send(run_id, "jot", artifact_paths=("text.md", "./text.md"))

    assert "INVALID_PAYLOAD" == refusal(answer)
    assert (
        "/artifact_paths/1"
        == answer["error"]["details"]["validation_errors"][0]["path"]
    )


def test_fresh_evidence_is_handed_in_since_the_state_was_entered() -> None:
    """What was rejected does not count again where the guard asks for fresh evidence."""
    fresh = ArtifactGuard(
        artifact_type="source", condition="count", min_count=2, fresh=True
    )
    guards = dict(paper().guards) | {"sourced": fresh}
    office = Office(paper(guards=guards))
    run_id = office.reviewed()
    office.decide(run_id, "reject", payload={"reason": "too old"})

    stale = office.send(run_id, "submit")
    office.desk.files |= {"source-1.md": "new", "source-3.md": "newer"}
    again = office.send(run_id, "submit", artifact_paths=("source-1.md", "source-3.md"))

    assert "'source-1.md' is from before this state" in stale["error"]["message"]
    assert again["success"] is True


def test_a_file_of_no_kind_is_named_where_evidence_is_missing() -> None:
    """Perhaps its name was misspelt."""
    office = Office(files={"sorce.md": "1"})
    run_id = office.begin()

    answer = office.send(run_id, "submit", artifact_paths=("sorce.md",))

    assert "'sorce.md' is of no kind" in answer["error"]["message"]


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
    """No caller meets an exception for what it sent."""
    office = Office()
    run_id = office.begin()
    asked: dict[str, Any] = {
        "run_id": run_id,
        "event_name": "jot",
        "expected_revision": 1,
        "idempotency_key": "k",
    }

    answer = office.gate().emit_event(**(asked | wrong))

    assert "INVALID_PAYLOAD" == refusal(answer)
    assert path == answer["error"]["details"]["validation_errors"][0]["path"]


def test_artifacts_may_be_plain_maps() -> None:
    """As they come over a wire."""
    office = Office()
    run_id = office.begin()

    answer = office.send(run_id, "jot", artifacts=[{"type": "text", "content": "x"}])

    assert answer["success"] is True


def test_evidence_that_changed_since_does_not_count() -> None:
    """A guard looks again: a changed or vanished file must be handed in anew."""
    office = Office(files=PILE)
    run_id = office.begin()
    paths = ("text.md", "source-1.md", "source-2.md")
    office.send(run_id, "jot", artifact_paths=paths)
    office.desk.files["source-2.md"] = "changed"

    changed = office.send(run_id, "submit")
    again = office.send(run_id, "submit", artifact_paths=("source-2.md",))

    assert "GUARD_FAILED" == refusal(changed)
    assert "'source-2.md' has changed" in changed["error"]["message"]
    assert again["success"] is True


def test_an_unreadable_artifact_is_refused_with_its_place() -> None:
    """The refusal points at the path in what was sent."""
    office = Office()
    run_id = office.begin()

    answer = office.send(run_id, "jot", artifact_paths=("../secret.txt",))

    assert "INVALID_PAYLOAD" == refusal(answer)
    problem = answer["error"]["details"]["validation_errors"][0]
    assert "/artifact_paths/0" == problem["path"]


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
    """The event's schema, the published variables, and who may set what a guard reads."""
    office = Office()
    run_id = office.begin()

    answer = office.send(run_id, "submit", payload=payload)

    assert "INVALID_PAYLOAD" == refusal(answer)
    assert [path] == [
        p["path"] for p in answer["error"]["details"]["validation_errors"]
    ]


def test_a_guarded_variable_is_set_by_an_event_that_names_it() -> None:
    """An author who names the variable in the event's schema means it to be set."""
    schema = {"properties": {"secret": {"type": "boolean"}}}
    events = tuple(
        EventDefinition(name="jot", allowed_roles=("*",), payload_schema=schema)
        if event.name == "jot"
        else event
        for event in paper().events
    )
    office = Office(paper(events=events))
    run_id = office.begin()

    answer = office.send(run_id, "jot", payload={"secret": True})

    assert answer["success"] is True
    assert office.log.standing(run_id).variables["secret"] is True


@pytest.mark.parametrize("key", ["", "=cmd", "-1", "a b", "a\n", "k" * 201, "é"])
def test_a_key_is_of_a_safe_alphabet(key: str) -> None:
    """No key can be taken for a formula, break a row, or be empty."""
    office = Office()
    run_id = office.begin()

    answer = office.send(run_id, "jot", idempotency_key=key)

    assert "INVALID_PAYLOAD" == refusal(answer)
    assert 1 == office.log.standing(run_id).revision


@pytest.mark.parametrize("payload", [{"a": float("nan")}, {"a": "x" * 100_001}])
def test_a_payload_is_small_json(payload: dict[str, Any]) -> None:
    """What JSON cannot say, and what is too large, is refused before anything is held."""
    office = Office()
    run_id = office.begin()

    answer = office.send(run_id, "jot", payload=payload)

    assert "INVALID_PAYLOAD" == refusal(answer)


WRONG: dict[str, dict[str, Any]] = {
    "RUN_NOT_FOUND": {"run_id": "run-none"},
    "IDEMPOTENCY_CONFLICT": {"idempotency_key": "used"},
    "INVALID_PAYLOAD": {"payload": {"title": 3}},
    "REVISION_CONFLICT": {"expected_revision": 99},
    "INVALID_EVENT": {"event_name": "fly"},
    "FORBIDDEN": {"visitor": Visitor("stranger")},
}
"""What goes wrong, in the order in which it is looked at."""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (first, second)
        for number, first in enumerate(WRONG)
        for second in list(WRONG)[number + 1 :]
        # What an event's payload must be is not known of an event nobody knows.
        if (first, second) != ("INVALID_PAYLOAD", "INVALID_EVENT")
    ],
)
def test_of_two_things_wrong_the_earlier_in_the_order_is_told(
    first: str, second: str
) -> None:
    """Run, replayed key, payload, revision, event, role."""
    office = Office()
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

    assert first == refusal(office.gate(visitor).emit_event(**asked))


def test_the_end_of_the_order_is_transition_decision_and_guard() -> None:
    """Who may not send hears so first; a decision nobody could take is no event here."""
    office = Office()
    run_id = office.begin()

    assert "FORBIDDEN" == refusal(office.send(run_id, "approve"))
    assert "INVALID_EVENT" == refusal(office.send(run_id, "approve", visitor=REVIEWER))
    assert "GUARD_FAILED" == refusal(office.send(run_id, "submit"))


def test_runs_on_two_definitions_each_keep_their_own() -> None:
    """One gate, events by turns: no run is judged by the other's rules."""
    office = Office()
    older = office.begin()
    office.library.processes["paper"] = paper(version="2", transitions=())
    newer = office.begin()
    gate = office.gate()

    for turn in range(1, 4):
        sent: dict[str, Any] = {
            "event_name": "jot",
            "expected_revision": turn,
            "idempotency_key": f"k{turn}",
        }
        assert gate.emit_event(run_id=older, **sent)["success"] is True
        assert "INVALID_EVENT" == refusal(
            gate.emit_event(run_id=newer, **(sent | {"expected_revision": 1}))
        )


def test_an_unknown_run_is_refused() -> None:
    """The answer is a refusal in the published shape, not an exception."""
    office = Office()

    answer = office.gate().emit_event(
        run_id="run-none", event_name="jot", expected_revision=1, idempotency_key="k"
    )

    assert "RUN_NOT_FOUND" == refusal(answer)


def test_an_unknown_event_is_refused_with_the_nearest() -> None:
    """The hint offers the name that was meant."""
    office = Office()
    run_id = office.begin()

    answer = office.send(run_id, "submitt")

    assert "INVALID_EVENT" == refusal(answer)
    assert "'submit'" in answer["error"]["hint"]


def test_an_event_without_a_way_from_here_is_refused() -> None:
    """The hint lists what can happen here and who may send it."""
    office = Office()
    run_id = office.begin()

    answer = office.decide(run_id, "approve")

    assert "INVALID_EVENT" == refusal(answer)
    assert "submit (agent may send it)" in answer["error"]["hint"]


def test_nothing_happens_in_a_final_state() -> None:
    """A run that has ended takes no event, and says so."""
    office = Office()
    run_id = office.reviewed()
    office.decide(run_id, "approve")

    answer = office.send(run_id, "jot")

    assert "INVALID_EVENT" == refusal(answer)
    assert "the run has ended" in answer["error"]["message"]


@pytest.mark.parametrize("event", ["approve", "reject", "override_guard"])
def test_an_agent_never_decides_whatever_the_wildcard_says(event: str) -> None:
    """`*` lets every role send it, and still no agent's door opens for it."""
    office = Office()
    run_id = office.reviewed()

    asked = {"reason": "because", "event": "submit"}
    answer = office.decide(run_id, event, visitor=AGENT, payload=asked)

    assert "FORBIDDEN" == refusal(answer)
    assert ["reviewer"] == answer["error"]["details"]["who_may"]


def test_a_persons_role_at_an_agents_door_opens_nothing() -> None:
    """Calling oneself reviewer is no credential."""
    office = Office()
    run_id = office.reviewed()

    answer = office.decide(run_id, "approve", visitor=Visitor("reviewer"))

    assert "FORBIDDEN" == refusal(answer)


def test_a_persons_role_of_the_processs_own_opens_nothing_for_an_agent() -> None:
    """Not even for an event that every role may send."""
    boss = RoleDefinition(name="boss", allowed_events=("*",), can_approve=True)
    office = Office(paper(roles=(*paper().roles, boss)))
    run_id = office.begin()

    assert "FORBIDDEN" == refusal(office.send(run_id, "jot", visitor=Visitor("boss")))
    assert office.send(run_id, "jot", visitor=Visitor("boss", person=True))["success"]


def test_a_person_in_an_agents_role_still_cannot_approve() -> None:
    """`can_approve` belongs to the role, not to being a person."""
    office = Office()
    run_id = office.reviewed()

    answer = office.decide(run_id, "approve", visitor=Visitor("agent", person=True))

    assert "FORBIDDEN" == refusal(answer)


def test_a_decision_without_a_review_is_refused() -> None:
    """Nobody approves what nobody was shown."""
    office = Office()
    run_id = office.reviewed()

    answer = office.send(run_id, "approve", visitor=REVIEWER)

    assert "APPROVAL_UNBOUND" == refusal(answer)


def test_an_approval_counts_for_what_was_shown_and_only_once() -> None:
    """Its digest covers run, revision and evidence: later or elsewhere it is stale."""
    office = Office()
    run_id, other = office.reviewed(), office.reviewed()
    shown = office.gate(REVIEWER).review(run_id).digest
    asked: dict[str, Any] = {"visitor": REVIEWER, "approval_digest": shown}

    elsewhere = office.send(other, "approve", **asked)
    first = office.send(run_id, "reject", **asked)
    office.send(run_id, "submit")
    again = office.send(run_id, "approve", **asked)

    assert "APPROVAL_STALE" == refusal(elsewhere)
    assert first["success"] is True
    assert "APPROVAL_STALE" == refusal(again)


def test_nothing_is_approved_whose_evidence_has_changed() -> None:
    """A file swapped after the review was made is noticed at the approval."""
    office = Office()
    run_id = office.reviewed()
    shown = office.gate(REVIEWER).review(run_id).digest
    office.desk.files["text.md"] = "swapped"

    answer = office.send(run_id, "approve", visitor=REVIEWER, approval_digest=shown)

    assert "APPROVAL_STALE" == refusal(answer)
    assert "text.md has changed" in answer["error"]["message"]


def test_a_decision_is_kept_with_what_it_was_made_on() -> None:
    """The record names person, role, revision and digest."""
    office = Office()
    run_id = office.reviewed()
    shown = office.gate(REVIEWER).review(run_id)
    office.decide(run_id, "approve", payload={"why": "good"})

    last = [e for e in office.log.entries(run_id) if isinstance(e, Record)][-1]

    assert last.approval is not None
    assert (shown.revision, shown.digest) == (
        last.approval.revision,
        last.approval.digest,
    )
    assert ("human", "ann", "reviewer") == (last.author.type, last.author.id, last.role)
    assert {"why": "good"} == last.payload
    assert "why" not in office.log.standing(run_id).variables


def test_a_person_overrides_a_guard_with_a_reason() -> None:
    """The event it names happens without what is missing, and that stands in the log."""
    office = Office()
    run_id = office.begin()

    answer = office.decide(
        run_id, "override_guard", payload={"reason": "deadline", "event": "submit"}
    )

    last = [e for e in office.log.entries(run_id) if isinstance(e, Record)][-1]
    assert "review" == answer["result"]["transition"]["to_state"]
    assert "override_guard" == last.event
    assert 2 == len(last.overridden)


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({"event": "submit"}, "INVALID_PAYLOAD"),
        ({"event": "submit", "reason": "  "}, "INVALID_PAYLOAD"),
        ({"event": "approve", "reason": "r"}, "INVALID_PAYLOAD"),
        ({"event": 5, "reason": "r"}, "INVALID_PAYLOAD"),
        ({"event": "fly", "reason": "r"}, "INVALID_EVENT"),
        ({"reason": "r"}, "INVALID_EVENT"),
    ],
)
def test_an_override_needs_a_reason_and_a_way(
    payload: dict[str, Any], code: str
) -> None:
    """Without a reason, for a decision, or where nothing leads on, it is refused."""
    office = Office()
    run_id = office.begin()

    assert code == refusal(office.decide(run_id, "override_guard", payload=payload))


def test_a_transition_may_be_for_fewer_roles_than_its_event() -> None:
    """Event, transition and role definition all have a say."""
    transitions = tuple(
        Transition(source="draft", event="jot", to="draft", allowed_roles=("reviewer",))
        if way.event == "jot"
        else way
        for way in paper().transitions
    )
    office = Office(paper(transitions=transitions))
    run_id = office.begin()

    answer = office.send(run_id, "jot")

    assert "FORBIDDEN" == refusal(answer)


def test_a_role_the_process_does_not_know_may_send_nothing() -> None:
    """Even where an event is for everybody."""
    office = Office()
    run_id = office.begin()

    answer = office.send(run_id, "jot", visitor=Visitor("stranger"))

    assert "FORBIDDEN" == refusal(answer)


def test_a_role_sends_only_what_its_definition_grants() -> None:
    """`allowed_events` of the role counts although the event allows everybody."""
    roles = (RoleDefinition(name="agent", allowed_events=("submit",)), paper().roles[1])
    office = Office(paper(roles=roles))
    run_id = office.begin()

    assert "FORBIDDEN" == refusal(office.send(run_id, "jot"))


def test_a_run_cannot_begin_with_variables_its_process_forbids() -> None:
    """All problems are told, and no run is made."""
    office = Office()

    with pytest.raises(ProcessError, match="INVALID_CONTEXT") as raised:
        office.begin(team_mode="crowd", secret=False)

    assert 2 == len(raised.value.details["validation_errors"])
    assert [] == list(office.log.runs())


@pytest.mark.parametrize("folder", ["..", "/etc", "a/../../b"])
def test_a_runs_folder_does_not_lead_out_of_the_project(folder: str) -> None:
    """It is refused at once, and no run is made."""
    office = Office()

    with pytest.raises(ProcessError, match="FILE_OUTSIDE"):
        office.gate().create_run("paper", folder=folder)

    assert [] == list(office.log.runs())


def test_hooks_run_once_after_the_row_and_are_written_down() -> None:
    """Leaving, then entering, in the author's order; each leaves a note."""
    office = Office()

    run_id = office.reviewed()

    notes = [e for e in office.log.entries(run_id) if isinstance(e, Note)]
    standing = office.log.standing(run_id)
    assert [0, 1, 2, 3] == [note.hook for note in notes]
    assert not any(note.failed for note in notes)
    assert "leaving the desk" == notes[0].message
    assert standing.variables["seen"] is True
    assert "receipt" in standing.artifacts
    assert 1 == len(office.post.sent)


def test_a_failing_hook_is_recorded_and_undoes_nothing() -> None:
    """The transition stands; the note says what went wrong."""
    office = Office()
    office.post.broken = True

    run_id = office.reviewed()

    failed = [e for e in office.log.entries(run_id) if isinstance(e, Note) and e.failed]
    assert "review" == office.log.standing(run_id).state
    assert ["webhook http://127.0.0.1:9: nobody answers"] == [
        note.message for note in failed
    ]


def test_hooks_a_crash_left_undone_run_before_the_next_event() -> None:
    """Whoever comes next finishes them, so each runs at least once."""
    office = Office()
    run_id = office.reviewed()
    office.decide(run_id, "reject")
    standing = office.log.standing(run_id)
    with office.log.passage(run_id) as passage:
        passage.append(
            Record(
                revision=standing.revision + 1,
                at=office.clock.now(),
                state="review",
                event="submit",
                event_id="evt",
                source="draft",
                author=AGENT.author,
            )
        )
    sent = len(office.post.sent)

    office.decide(run_id, "approve")

    assert sent + 1 == len(office.post.sent)
    assert "published" == office.log.standing(run_id).state


def test_time_takes_a_transition_when_it_is_due_and_not_before() -> None:
    """`tick` fires it once; its row says so."""
    office = Office()
    run_id = office.reviewed()

    early = office.gate().tick(run_id)
    office.clock.moment += 3_600_000
    late = office.gate().tick(run_id)
    again = office.gate().tick(run_id)

    last = [e for e in office.log.entries(run_id) if isinstance(e, Record)][-1]
    assert () == early
    assert [("timeout", "review", "thrown_away")] == [
        (f.event, f.from_state, f.to_state) for f in late
    ]
    assert () == again
    assert ("timer", "system") == (last.role, last.author.type)


def test_time_comes_before_an_event_that_comes_late() -> None:
    """Whoever is too late finds the run where time has left it, at every door."""
    office = Office()
    run_id = office.reviewed()
    shown = office.gate(REVIEWER).review(run_id)
    office.clock.moment += 3_600_000

    answer = office.send(
        run_id, "approve", visitor=REVIEWER, approval_digest=shown.digest
    )

    assert "REVISION_CONFLICT" == refusal(answer)
    assert "thrown_away" == office.log.standing(run_id).state


def test_a_due_transition_still_needs_its_guard() -> None:
    """Time alone does not open what evidence must open."""
    transitions = (
        *paper().transitions[:-1],
        Transition(
            source="review", event="late", to="thrown_away", after=1, guard="secret"
        ),
    )
    office = Office(paper(transitions=transitions))
    run_id = office.reviewed()

    assert () == office.gate().tick(run_id)


def test_nobody_can_send_what_time_fires() -> None:
    """A timed transition has no sender."""
    office = Office()
    run_id = office.reviewed()

    assert "INVALID_EVENT" == refusal(office.send(run_id, "timeout"))


def test_a_run_goes_on_under_the_definition_it_began_with() -> None:
    """An edited process changes nothing for runs that live."""
    office = Office()
    run_id = office.begin()
    office.library.processes["paper"] = paper(version="2", transitions=())

    assert office.send(run_id, "jot")["success"] is True
    assert "1" == office.gate().state(run_id).process_version


def test_a_person_moves_a_run_to_a_new_definition() -> None:
    """The move is a row of its own, and the new definition counts from there."""
    office = Office()
    run_id = office.begin()
    office.library.processes["paper"] = paper(version="2", transitions=())

    moved = office.gate(REVIEWER).migrate(run_id)
    again = office.gate(REVIEWER).migrate(run_id)

    assert ("2", 2) == (moved.opening.process_version, moved.revision)
    assert 2 == again.revision
    assert "INVALID_EVENT" == refusal(office.send(run_id, "jot"))


def test_a_run_does_not_move_where_its_state_is_gone() -> None:
    """Nothing is written, and the answer says what is missing."""
    office = Office()
    run_id = office.reviewed()
    states = (paper().states[0], paper().states[2])
    office.library.processes["paper"] = paper(version="2", states=states)
    before = office.log.standing(run_id).revision

    with pytest.raises(ProcessError, match="no state 'review'"):
        office.gate(REVIEWER).migrate(run_id)

    assert before == office.log.standing(run_id).revision


def test_a_run_does_not_move_to_another_process() -> None:
    """A definition of another id is another process."""
    office = Office()
    run_id = office.begin()

    with pytest.raises(ProcessError, match="MIGRATION_REFUSED"):
        office.gate(REVIEWER).migrate(run_id, paper(process_id="other"))


def test_an_agent_moves_no_run_to_a_definition() -> None:
    """Else it could write itself an easier process."""
    office = Office()
    run_id = office.begin()

    with pytest.raises(ProcessError, match="FORBIDDEN"):
        office.gate().migrate(run_id)


def test_verify_finds_nothing_in_a_run_the_gate_made() -> None:
    """Created, submitted, hooked, rejected, overridden, approved: all by the rules."""
    office = Office()
    run_id = office.reviewed()
    office.decide(run_id, "reject")
    office.decide(run_id, "override_guard", payload={"reason": "r", "event": "submit"})
    office.decide(run_id, "approve")

    assert () == office.gate().verify(run_id).findings


def test_verify_reports_evidence_that_changed() -> None:
    """A file swapped after it was handed in is found by its hash."""
    office = Office()
    run_id = office.reviewed()
    office.desk.files["text.md"] = "swapped"

    (found,) = office.gate().verify(run_id).errors

    assert "ARTIFACT_CHANGED" == found.code
    assert "'text.md' has changed" == found.message


def test_verify_says_that_an_address_was_not_checked() -> None:
    """Nobody fetches it: its hash is the sender's word."""
    office = Office()
    run_id = office.begin()
    claim = Claim(type="text", url="https://example.org/a", hash="a" * 64)
    office.send(run_id, "jot", artifacts=(claim,))

    report = office.gate().verify(run_id)

    assert report.passed
    assert ["ARTIFACT_UNCHECKED"] == [each.code for each in report.findings]


@pytest.mark.parametrize(
    "forged",
    [
        {"state": "published", "event": "submit"},
        {"state": "draft", "event": "jot", "source": "review"},
        {"state": "review", "event": "migrated"},
        {"state": "draft", "event": "fly"},
    ],
)
def test_verify_reports_a_row_no_rule_allows(forged: dict[str, Any]) -> None:
    """Whoever writes past the gate is found out by the definition."""
    office = Office()
    run_id = office.begin()
    with office.log.passage(run_id) as passage:
        passage.append(
            Record(
                **{
                    "revision": 2,
                    "at": passage.standing.updated,
                    "event_id": "evt",
                    "source": "draft",
                    "author": AGENT.author,
                    **forged,
                }
            )
        )

    found = office.gate().verify(run_id)

    assert {"RECORD_IMPOSSIBLE"} == {each.code for each in found.errors}


def test_verify_reports_a_decision_no_person_made() -> None:
    """A decision's author must be a person, however it got into the log."""
    office = Office()
    run_id = office.reviewed()
    with office.log.passage(run_id) as passage:
        passage.append(
            Record(
                revision=passage.standing.revision + 1,
                at=passage.standing.updated,
                state="published",
                event="approve",
                event_id="evt",
                source="review",
                author=AGENT.author,
            )
        )

    told = "\n".join(each.message for each in office.gate().verify(run_id).errors)

    assert "not sent by a person" in told
    assert "not decided on what was there" in told


class Ann:
    """A person whose secret is a word."""

    def __init__(self, secret: str = "swordfish") -> None:
        self.secret = secret

    def sign(self, message: bytes) -> str:
        """The mark under a message."""
        return hashlib.sha256(self.secret.encode() + message).hexdigest()

    def confirms(self, name: str, message: bytes, mac: str) -> bool | None:
        """Whether it is Ann's; nobody else is known."""
        return mac == self.sign(message) if name == "ann" else None


def decided_by(office: Office, visitor: Visitor, signer: Ann | None) -> str:
    """A run somebody approved with a mark of their own."""
    run_id = office.reviewed()
    gate = Gate(
        office.log,
        office.library,
        office.desk,
        visitor,
        clock=office.clock,
        signer=signer,
    )
    shown = gate.review(run_id)
    answer = gate.emit_event(
        run_id=run_id,
        event_name="approve",
        expected_revision=shown.revision,
        idempotency_key="decided",
        approval_digest=shown.digest,
    )
    assert answer["success"], answer
    return run_id


def findings(office: Office, run_id: str) -> list[str]:
    """What `verify` finds where Ann is known."""
    gate = Gate(
        office.log,
        office.library,
        office.desk,
        AGENT,
        clock=office.clock,
        witness=Ann(),
    )
    return [f"{each.severity} {each.code}" for each in gate.verify(run_id).findings]


def test_verify_tells_whose_mark_is_under_a_decision() -> None:
    """A right one is silent; a forged or missing one is an error; a stranger a warning."""
    office = Office()
    stranger = Visitor("reviewer", person=True, name="eve")

    assert [] == findings(office, decided_by(office, REVIEWER, Ann()))
    assert ["error RECORD_IMPOSSIBLE"] == findings(
        office, decided_by(office, REVIEWER, Ann("guessed"))
    )
    assert ["error RECORD_IMPOSSIBLE"] == findings(
        office, decided_by(office, REVIEWER, None)
    )
    assert ["warning DECISION_UNPROVEN"] == findings(
        office, decided_by(office, stranger, Ann())
    )


def test_verify_weighs_every_event_again() -> None:
    """An event that its guard would have refused is found, however it got in."""
    office = Office()
    run_id = office.begin()
    with office.log.passage(run_id) as passage:
        passage.append(
            Record(
                revision=2,
                at=passage.standing.updated,
                state="review",
                event="submit",
                event_id="evt",
                source="draft",
                role="agent",
                author=AGENT.author,
            )
        )

    (found,) = office.gate().verify(run_id).errors

    assert "on this evidence" in found.message


def test_looking_at_a_run_gives_no_hold_on_it() -> None:
    """What a view shows is the viewer's own; what was sent is the gate's own."""
    office = Office()
    run_id = office.begin()
    inner = {"deep": 1}
    office.send(run_id, "jot", payload={"note": inner})

    inner["deep"] = 2
    office.gate().state(run_id).context["note"]["deep"] = 3
    office.gate().review(run_id).context["note"]["deep"] = 4
    office.log.standing(run_id).variables["note"]["deep"] = 5

    assert {"deep": 1} == office.log.standing(run_id).variables["note"]


def test_no_sender_can_take_the_key_of_a_timer() -> None:
    """Time has no key that anybody could have used before it."""
    office = Office()
    run_id = office.reviewed()
    office.decide(run_id, "reject")
    for key in ("timer:2", "timer:3", "timer:4", "timer:5"):
        office.send(run_id, "jot", idempotency_key=key)
    office.send(run_id, "submit")
    office.clock.moment += 3_600_000

    (fired,) = office.gate().tick(run_id)

    assert "thrown_away" == fired.to_state


@pytest.mark.parametrize(
    "given", [{"x": 10**30}, {"x": float("inf")}, {"x": {1}}, {"x": "y" * 100_001}]
)
def test_a_run_begins_only_with_what_can_be_shown_and_signed(
    given: dict[str, Any],
) -> None:
    """Else nobody could ever decide on it."""
    office = Office()

    with pytest.raises(ProcessError, match="INVALID_CONTEXT"):
        office.gate().create_run("paper", given)


@pytest.mark.parametrize("name", ["a\n  digest 0000", "x" * 201, "\u202eback"])
def test_a_variables_name_is_short_and_visible(name: str) -> None:
    """No name forges a line of what people are shown."""
    office = Office()
    run_id = office.begin()

    assert "INVALID_PAYLOAD" == refusal(office.send(run_id, "jot", payload={name: 1}))


def test_a_request_of_no_text_is_refused() -> None:
    """Half a surrogate pair is no letter of anything."""
    office = Office()
    run_id = office.begin()

    assert "INVALID_PAYLOAD" == refusal(office.send(run_id, "jot\ud800"))
    assert "INVALID_PAYLOAD" == refusal(
        office.send(run_id, "jot", artifact_paths=("\ud800.md",))
    )


def test_a_kind_may_refuse_to_be_handed_in_by_address() -> None:
    """Where only what can be looked at shall count."""
    kinds = (
        ArtifactDefinition(type="text", forms=("path", "inline")),
        *paper().artifacts[1:],
    )
    office = Office(paper(artifacts=kinds))
    run_id = office.begin()
    claim = Claim(type="text", url="https://example.org/a", hash="a" * 64)

    answer = office.send(run_id, "jot", artifacts=(claim,))

    assert "INVALID_PAYLOAD" == refusal(answer)
    assert "path or inline" in answer["error"]["message"]


def test_hooks_a_crash_left_undone_run_before_a_migration() -> None:
    """The new definition may not know them any more."""
    office = Office()
    run_id = office.reviewed()
    office.decide(run_id, "reject")
    with office.log.passage(run_id) as passage:
        passage.append(
            Record(
                revision=passage.standing.revision + 1,
                at=office.clock.now(),
                state="review",
                event="submit",
                event_id="evt",
                source="draft",
                author=AGENT.author,
            )
        )
    sent = len(office.post.sent)
    office.library.processes["paper"] = paper(version="2")

    office.gate(REVIEWER).migrate(run_id)

    assert sent + 1 == len(office.post.sent)


def test_verify_notes_a_clock_that_went_back() -> None:
    """Times out of order are told and refuse nothing: the order is that of revisions."""
    office = Office()
    run_id = office.begin()
    office.clock.moment -= 60_000
    office.send(run_id, "jot")

    report = office.gate().verify(run_id)

    assert report.passed
    assert ["CLOCK_STEPPED_BACK"] == [each.code for each in report.findings]


def test_submitting_has_no_word_for_a_state() -> None:
    """Nobody names the next state: no argument could carry it."""
    import inspect

    from saniwa.process.gate import Gate
    from saniwa.process.ruling import Submission

    names = {
        *inspect.signature(Gate.emit_event).parameters,
        *Submission.__struct_fields__,
    }

    assert not {n for n in names if "state" in n or "role" in n or "to" == n}
