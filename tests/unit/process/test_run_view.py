from typing import Any

import msgspec
import pytest

from saniwa.process.review import digest_review
from saniwa.process.ruling import MissingGuard
from saniwa.process.run_state import ProcessRun
from tests.fakes.gate import (
    make_artifact,
    make_door_process,
    make_next_record,
    make_opening_record,
    make_run_id,
)
from tests.fakes.paper_process import AGENT, REVIEWER, PaperGates, make_paper_process


def test_a_state_shows_where_the_run_is_under_the_published_names() -> None:
    """The state has the prompt with its variables, the missing evidence and the allowed events."""
    office = PaperGates()
    run = office.begin(topic="rain")

    state = office.make_gate().get_state(run)

    assert ("paper", "1", "draft", 1) == (
        state.process_id,
        state.process_version,
        state.current_state,
        state.revision,
    )
    assert "Write about rain, 0." == state.current_state_prompt
    assert {"rounds": 0, "topic": "rain"} == state.context
    assert [("text", "missing")] == [(a.type, a.status) for a in state.required_artifacts]
    assert ("jot", "submit") == state.allowed_events
    assert ["", "ready"] == [m.guard_name for m in state.missing_guards]
    assert isinstance(state.missing_guards[0], MissingGuard)


def test_a_prompt_keeps_what_it_cannot_fill_in() -> None:
    """An unknown variable in a prompt stays as written."""
    office = PaperGates()
    run = office.begin()

    assert "Write about {context.topic}, 0." == (
        office.make_gate().get_state(run).current_state_prompt
    )


def test_allowed_events_are_those_of_the_visitor() -> None:
    """Allowed events are those the caller may send, whatever their guards."""
    office = PaperGates()
    run = office.begin_reviewed()

    assert () == office.make_gate(AGENT).get_state(run).allowed_events
    assert ("approve", "reject", "override_guard") == (
        office.make_gate(REVIEWER).get_state(run).allowed_events
    )


def test_a_state_says_what_time_will_do() -> None:
    """The due time is that of entering the state plus the duration."""
    office = PaperGates()
    run = office.begin_reviewed()

    (due,) = office.make_gate().get_state(run).due

    assert ("timeout", "thrown_away") == (due.event, due.to_state)
    assert due.due_at > office.make_gate().get_state(run).updated_at


def test_present_evidence_is_called_present_while_it_is_as_it_was() -> None:
    """Evidence that has changed is shown as missing."""
    office = PaperGates(files={"text.md": "t"})
    run = office.begin()
    office.send(run, "jot", artifact_paths=("text.md",))

    before = office.make_gate().get_state(run).required_artifacts[0].status
    office.desk.files["text.md"] = "other"
    after = office.make_gate().get_state(run).required_artifacts[0].status

    assert ("present", "missing") == (before, after)


def test_events_show_where_they_lead_and_what_they_need() -> None:
    """Each event has its transitions, guards, whether they are satisfied, and what is missing."""
    office = PaperGates()
    run = office.begin()

    jot, submit = office.make_gate().list_events(run)

    assert ("jot", True, "no_guard") == (
        jot.event_name,
        jot.is_allowed,
        jot.transitions[0].guard_status,
    )
    assert ("review", "ready", "unsatisfied") == (
        submit.transitions[0].to_state,
        submit.transitions[0].guard,
        submit.transitions[0].guard_status,
    )
    assert 2 == len(submit.transitions[0].missing_requirements)
    assert "an artifact of kind 'text'" in submit.blocked_reason


def test_what_a_visitor_may_not_send_is_shown_only_on_request() -> None:
    """Events of other roles are listed on request, with the roles that may send them."""
    office = PaperGates()
    run = office.begin_reviewed()

    approve, reject = office.make_gate(AGENT).list_events(run, include_blocked=True)

    assert () == office.make_gate(AGENT).list_events(run)
    assert (False, "only reviewer may send it", True) == (
        approve.is_allowed,
        approve.blocked_reason,
        approve.needs_review,
    )
    assert ("reviewer",) == reject.who_may


def test_an_event_without_a_sender_says_so() -> None:
    """An event without a sender is shown as one that no role may send."""
    office = PaperGates(make_paper_process(roles=(make_paper_process().roles[0],)))
    run = office.begin()
    with office.log.lock_run(run) as passage:
        passage.append(make_next_record(passage.run, "submit", state="review"))

    approve, _ = office.make_gate().list_events(run, include_blocked=True)

    assert "no role may send it" == approve.blocked_reason


def test_a_review_shows_evidence_with_hashes_and_faults() -> None:
    """A review shows all evidence with hashes and faults, and a digest of it."""
    office = PaperGates()
    run = office.begin_reviewed()
    office.desk.files["text.md"] = "swapped"

    review = office.make_gate(REVIEWER).review_run(run)

    assert ("approve", "override_guard", "reject") == review.decisions
    assert {"text.md": "has changed"} == {
        piece.place: piece.fault for piece in review.evidence if piece.fault
    }
    assert all(len(piece.hash) == 64 for piece in review.evidence)
    assert "agent:agent" in {piece.created_by for piece in review.evidence}


@pytest.mark.parametrize(
    "change",
    [
        {"run_id": "run-other"},
        {"revision": 9},
        {"state": "open"},
        {"variables": {"knocks": 1}},
        {"artifacts": {"permit": {"permit.md": make_artifact()}}},
        {"artifacts": {"permit": {"permit.md": make_artifact(hash="b" * 64)}}},
        {"opening": make_opening_record(make_door_process(version="2")).opening},
    ],
)
def test_a_digest_changes_with_anything_that_was_shown(change: dict[str, Any]) -> None:
    """The digest depends on everything shown: run, revision, state, variables, evidence."""
    shown = ProcessRun.from_first_record(make_run_id(), make_opening_record(make_door_process()))
    other = ProcessRun.from_first_record(make_run_id(), make_opening_record(make_door_process()))
    other.artifacts = {"permit": {"permit.md": make_artifact(hash="c" * 64)}}

    changed = msgspec.structs.replace(shown, **change)

    assert digest_review(shown) != digest_review(changed)
    assert digest_review(other) != digest_review(changed)


def test_a_run_that_has_ended_leaves_nothing_to_decide() -> None:
    """A run that has ended has no decisions."""
    office = PaperGates()
    run = office.begin_reviewed()
    office.decide(run, "approve")

    assert () == office.make_gate(REVIEWER).review_run(run).decisions
    assert () == office.make_gate(REVIEWER).get_state(run).allowed_events


def test_a_state_says_what_was_decided_last_and_why() -> None:
    """The state shows the last decision with its reason."""
    office = PaperGates()
    run = office.begin_reviewed()
    office.decide(run, "reject", payload={"reason": "too few"})

    decided = office.make_gate().get_state(run).last_decision

    assert decided is not None
    assert ("reject", "ann", "too few") == (decided.event, decided.by, decided.reason)


def test_a_state_says_when_time_is_overdue() -> None:
    """Reading the state marks what is overdue, and takes no transition."""
    office = PaperGates()
    run = office.begin_reviewed()
    (before,) = office.make_gate().get_state(run).due
    office.clock.moment += 3_600_000

    (after,) = office.make_gate().get_state(run).due

    assert (False, True) == (before.overdue, after.overdue)


def test_a_review_shows_what_was_submitted_directly_and_where_files_are() -> None:
    """A review shows inline content, and the paths of files."""
    office = PaperGates()
    run = office.begin_reviewed()

    pieces = {p.type: p for p in office.make_gate(REVIEWER).review_run(run).evidence}

    assert {"ok": True} == pieces["receipt"].content
    assert f"desk/{run}/text.md" == pieces["text"].file
