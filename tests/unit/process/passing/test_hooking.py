from saniwa.process.definition import SetVariable, State, WriteArtifact
from saniwa.process.gate import Gate
from saniwa.process.record import Note
from tests.fakes.paper import AGENT, Office, paper


def test_a_variable_the_process_forbids_is_not_set_by_a_hook() -> None:
    """The note says why, and the run goes on."""
    hook = SetVariable(variable="team_mode", value="crowd")
    first = State(name="draft", on_enter=(hook,))
    office = Office(paper(states=(first, *paper().states[1:])))

    run_id = office.begin()

    (note,) = [e for e in office.log.entries(run_id) if isinstance(e, Note)]
    assert note.failed
    assert "/context/team_mode" in note.message
    assert "team_mode" not in office.log.standing(run_id).variables


def test_a_hook_writes_text_as_it_is() -> None:
    """Its hash is that of the bytes themselves."""
    import hashlib

    hook = WriteArtifact(artifact_type="receipt", content="ありがとう")
    first = State(name="draft", on_enter=(hook,))
    office = Office(paper(states=(first, *paper().states[1:])))

    run_id = office.begin()

    (piece,) = office.log.standing(run_id).evidence()
    assert hashlib.sha256("ありがとう".encode()).hexdigest() == piece.hash
    assert ("system", "hook") == (piece.created_by.type, piece.created_by.id)


def test_without_a_messenger_a_webhook_fails_and_says_so() -> None:
    """A door that sends nothing does not pretend to."""
    office = Office()
    run_id = office.reviewed()
    silent = Gate(office.log, office.library, office.desk, AGENT, clock=office.clock)
    office.decide(run_id, "reject")

    silent.emit_event(
        run_id=run_id,
        event_name="submit",
        expected_revision=office.log.standing(run_id).revision,
        idempotency_key="last",
    )

    last = [e for e in office.log.entries(run_id) if isinstance(e, Note)][-1]
    assert last.failed
    assert "this door sends none" in last.message


def test_staying_in_a_state_runs_no_hook() -> None:
    """Neither leaving nor entering has happened."""
    office = Office()
    run_id = office.begin()

    office.send(run_id, "jot")

    assert [] == [e for e in office.log.entries(run_id) if isinstance(e, Note)]
