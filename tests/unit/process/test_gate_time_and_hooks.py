import msgspec
import orjson
import pytest

from saniwa.core.errors import ProcessError
from saniwa.process.automatic_transitions import MOST_FIRED
from saniwa.process.definition import ToolPermissions, TransitionDefinition
from saniwa.process.event_record import EventRecord, LogNote
from tests.fakes.paper_process import (
    AGENT,
    HOUR,
    REVIEWER,
    PaperGates,
    make_paper_process,
    read_refusal,
)


def test_hooks_run_once_after_the_row_and_are_written_down() -> None:
    """Hooks run once after the record, leaving before entering, and each leaves a note."""
    office = PaperGates()

    run_id = office.begin_reviewed()

    notes = [e for e in office.log.read_entries(run_id) if isinstance(e, LogNote)]
    standing = office.log.load_run(run_id)
    assert [0, 1, 2, 3] == [note.hook for note in notes]
    assert not any(note.failed for note in notes)
    assert "leaving the desk" == notes[0].message
    assert standing.variables["seen"] is True
    assert "receipt" in standing.artifacts
    assert 1 == len(office.post.sent)


def test_a_failing_hook_is_recorded_and_undoes_nothing() -> None:
    """A failed hook is recorded, and the transition stays."""
    office = PaperGates()
    office.post.broken = True

    run_id = office.begin_reviewed()

    failed = [e for e in office.log.read_entries(run_id) if isinstance(e, LogNote) and e.failed]
    assert "review" == office.log.load_run(run_id).state
    assert ["webhook http://127.0.0.1:9: nobody answers"] == [note.message for note in failed]


def test_hooks_a_crash_left_undone_run_before_the_next_event() -> None:
    """Hooks left undone by a crash run before the next event."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    office.decide(run_id, "reject")
    standing = office.log.load_run(run_id)
    with office.log.lock_run(run_id) as passage:
        passage.append(
            EventRecord(
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
    assert "published" == office.log.load_run(run_id).state


def test_time_takes_a_transition_when_it_is_due_and_not_before() -> None:
    """`tick` takes a due transition once, and records the timer as its sender."""
    office = PaperGates()
    run_id = office.begin_reviewed()

    early = office.make_gate().tick(run_id)
    office.clock.moment += 3_600_000
    late = office.make_gate().tick(run_id)
    again = office.make_gate().tick(run_id)

    last = [e for e in office.log.read_entries(run_id) if isinstance(e, EventRecord)][-1]
    assert () == early
    assert [("timeout", "review", "thrown_away")] == [
        (f.event, f.from_state, f.to_state) for f in late
    ]
    assert () == again
    assert ("timer", "system") == (last.role, last.author.type)


def test_time_comes_before_an_event_that_comes_late() -> None:
    """A timed transition that is due is taken before a late event is judged."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    shown = office.make_gate(REVIEWER).review_run(run_id)
    office.clock.moment += 3_600_000

    answer = office.send(run_id, "approve", visitor=REVIEWER, approval_digest=shown.digest)

    assert "REVISION_CONFLICT" == read_refusal(answer)
    assert "thrown_away" == office.log.load_run(run_id).state


def test_a_due_transition_still_needs_its_guard() -> None:
    """A timed transition needs its guard too."""
    transitions = (
        *make_paper_process().transitions[:-1],
        TransitionDefinition(
            source="review", event="late", to="thrown_away", after=1, guard="secret"
        ),
    )
    office = PaperGates(make_paper_process(transitions=transitions))
    run_id = office.begin_reviewed()

    assert () == office.make_gate().tick(run_id)


def test_no_caller_can_send_what_time_fires() -> None:
    """No caller can send the event of a timed transition."""
    office = PaperGates()
    run_id = office.begin_reviewed()

    assert "INVALID_EVENT" == read_refusal(office.send(run_id, "timeout"))


def test_no_sender_can_take_the_key_of_a_timer() -> None:
    """No sender can use the key of a timed transition."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    office.decide(run_id, "reject")
    for key in ("timer:2", "timer:3", "timer:4", "timer:5"):
        office.send(run_id, "jot", idempotency_key=key)
    office.send(run_id, "submit")
    office.clock.moment += 3_600_000

    (fired,) = office.make_gate().tick(run_id)

    assert "thrown_away" == fired.to_state


def test_hooks_a_crash_left_undone_run_before_a_migration() -> None:
    """Hooks left undone by a crash run before a migration."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    office.decide(run_id, "reject")
    with office.log.lock_run(run_id) as passage:
        passage.append(
            EventRecord(
                revision=passage.run.revision + 1,
                at=office.clock.now(),
                state="review",
                event="submit",
                event_id="evt",
                source="draft",
                author=AGENT.author,
            )
        )
    sent = len(office.post.sent)
    office.library.processes["paper"] = make_paper_process(version="2")

    office.make_gate(REVIEWER).migrate(run_id)

    assert sent + 1 == len(office.post.sent)


def test_time_counts_from_when_it_was_due_and_not_from_when_it_was_noticed() -> None:
    """A timed transition counts from when it was due, not from when it was noticed."""
    chain = (
        *make_paper_process().transitions[:-1],
        TransitionDefinition(source="review", event="late", to="draft", after=HOUR),
        TransitionDefinition(source="draft", event="later", to="thrown_away", after=HOUR),
    )
    office = PaperGates(make_paper_process(transitions=chain))
    run_id = office.begin()
    office.clock.moment += 10 * HOUR

    answer = office.send(run_id, "jot")

    standing = office.log.load_run(run_id)
    assert "REVISION_CONFLICT" == read_refusal(answer)
    assert "thrown_away" == standing.state
    assert standing.created + HOUR == standing.updated
    assert () == office.make_gate().verify(run_id).findings


def test_a_tool_that_time_forbids_is_forbidden() -> None:
    """A tool is checked in the state after timed transitions that are due, without a `tick`."""
    calm = ToolPermissions(denied=("Bash",))
    states = tuple(
        msgspec.structs.replace(state, tool_permissions=calm)
        if state.name == "thrown_away"
        else state
        for state in make_paper_process().states
    )
    office = PaperGates(make_paper_process(states=states))
    run_id = office.begin_reviewed()
    before = office.make_gate().check_tool_permission(run_id, "Bash").answer
    office.clock.moment += HOUR

    assert (None, "deny") == (
        before,
        office.make_gate().check_tool_permission(run_id, "Bash").answer,
    )


def test_what_a_hook_writes_on_entering_is_fresh_there() -> None:
    """An artifact written by a hook on entering is fresh in that state."""
    office = PaperGates()
    run_id = office.begin_reviewed()
    standing = office.log.load_run(run_id)
    (receipt,) = standing.artifacts["receipt"].values()
    (text,) = standing.artifacts["text"].values()

    assert (True, False) == (standing.is_fresh(receipt), standing.is_fresh(text))


def test_states_that_time_goes_round_in_are_caught_up_with() -> None:
    """A cycle of timed transitions is caught up with in a limited number of records."""
    round_and_round = (
        TransitionDefinition(source="draft", event="jot", to="draft"),
        TransitionDefinition(source="draft", event="noon", to="review", after=60_000),
        TransitionDefinition(source="review", event="night", to="draft", after=60_000),
    )
    office = PaperGates(make_paper_process(transitions=round_and_round))
    sent, ticked = office.begin(), office.begin()
    office.clock.moment += 30 * 24 * HOUR

    answer = office.send(sent, "jot")
    office.make_gate().tick(ticked)

    assert "REVISION_CONFLICT" == read_refusal(answer)
    for run_id in (sent, ticked):
        standing = office.log.load_run(run_id)
        assert 1 + MOST_FIRED == standing.revision
        assert office.clock.moment - standing.entered < HOUR
        assert () == office.make_gate().verify(run_id).findings


def _list_undelivered(office: PaperGates, run_id: str) -> list[tuple[int, str]]:
    state = office.make_gate().get_state(run_id)
    return [(each.attempts, each.due_at) for each in state.undelivered]


def test_a_webhook_that_failed_is_tried_again_when_it_is_time() -> None:
    """A failed webhook is sent again when it is due, and is then off the list."""
    office = PaperGates()
    office.post.broken = True
    run_id = office.begin_reviewed()
    ((attempts, due),) = _list_undelivered(office, run_id)
    office.post.broken = False

    office.make_gate().tick(run_id)
    early = [*office.post.sent]
    office.clock.moment += 60_000
    office.make_gate().tick(run_id)
    office.make_gate().tick(run_id)

    assert (1, True) == (attempts, bool(due))
    assert [] == early
    ((url, body),) = office.post.sent
    assert "http://127.0.0.1:9/paper" == url
    assert {"from_state": "draft", "to_state": "review", "revision": 2}.items() <= (
        orjson.loads(body).items()
    )
    assert [] == _list_undelivered(office, run_id)
    assert () == office.make_gate().verify(run_id).errors


def test_a_webhook_that_fails_six_times_is_a_dead_letter() -> None:
    """After six failures a webhook is only sent by a person's retry."""
    office = PaperGates(make_paper_process(transitions=make_paper_process().transitions[:-1]))
    office.post.broken = True
    run_id = office.begin_reviewed()
    for _ in range(9):
        office.clock.moment += 13 * HOUR
        office.make_gate().tick(run_id)
    dead = _list_undelivered(office, run_id)
    office.post.broken = False
    office.clock.moment += 1_000 * HOUR
    office.make_gate().tick(run_id)

    assert [(6, "")] == dead
    assert [] == office.post.sent
    (note,) = office.make_gate(REVIEWER).retry_webhooks(run_id)
    assert (False, "webhook http://127.0.0.1:9: delivered") == (note.failed, note.message)
    assert [] == _list_undelivered(office, run_id)


def test_a_webhook_is_remembered_when_the_run_has_moved_on() -> None:
    """A webhook sent later has the content of its own transition."""
    office = PaperGates()
    office.post.broken = True
    run_id = office.begin_reviewed()
    office.decide(run_id, "reject")
    office.post.broken = False
    office.clock.moment += HOUR

    office.make_gate().tick(run_id)

    assert "review" == orjson.loads(office.post.sent[0][1])["to_state"]
    assert () == office.make_gate().verify(run_id).errors


def test_an_agent_does_not_send_webhooks_again() -> None:
    """An agent may not retry webhooks."""
    office = PaperGates()

    with pytest.raises(ProcessError, match="FORBIDDEN"):
        office.make_gate().retry_webhooks(office.begin())


def test_a_note_about_a_webhook_that_never_was_is_found() -> None:
    """`verify` reports a note about a webhook that does not exist, and retrying skips it."""
    office = PaperGates()
    run_id = office.begin()
    with office.log.lock_run(run_id) as passage:
        passage.append_note(
            LogNote(revision=1, at=1, about="delivery", failed=True, delivery="1:7")
        )

    assert () == office.make_gate(REVIEWER).retry_webhooks(run_id)
    assert not office.make_gate().verify(run_id).has_passed
